"""Atom feeds of the latest publications (RFC 4287), with what was withdrawn as deleted entries (RFC 6721)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from typing import Any

from datasette.utils import tilde_encode
from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from ...api import resources
from ...api.parameter import Arguments, Parameter, Value
from ...api.parameters import MOVEMENTS, OF, STAYS, checked
from ...dataset.coverage import MARK, marked
from ...dataset.schema import CHANGES, TABLE
from ..core.explorer import FILTERS as EXPLORED
from ..core.explorer import NAMED, in_words, search_expression
from ..movement import follow
from ..runner import (
    FILE_SECONDS,
    LONGEST_VALUE,
    Context,
    View,
    keep,
    page_headers,
    public,
    read,
    with_tag,
)
from ..site import Site

TYPE = "application/atom+xml"
# Publications in a feed.
MOST = 50
# The filters by name: those that the explorer and the interface share, a group, the beginning of a name.
FILTERS = {name: parameter for name, parameter in OF[MOVEMENTS].items() if name in EXPLORED} | {
    "groupe": OF[STAYS]["groupe"],
    "nom": Parameter(
        "nom",
        "Début d’un nom, comme dans la recherche",
        f"au moins deux lettres, {LONGEST_VALUE} caractères au plus",
        "exemple",
        {"type": "string", "maxLength": LONGEST_VALUE},
        f"r.{NAMED.format('nom')}",
        is_one=search_expression,
        bound=search_expression,
    ),
}
# A change, and the movement that it published; None of one that was withdrawn.
Entry = tuple[sqlite3.Row, dict[str, Any] | None]


async def search(site: Site, request: Request) -> Response:
    """The feed of the latest movements that the filters select; 304 to who has it. Refusal for a wrong filter."""
    version = site.version
    # A form also sends the fields that were left empty: they filter nothing.
    left_empty = {f"{name}=".encode() for name in FILTERS}
    parts = request.scope["query_string"].split(b"&")
    asked = checked(
        b"&".join(part for part in parts if part not in left_empty),
        FILTERS,
        partial(resources.has_member, version, resources.SEARCH),
    )
    values = {name: asked[name] for name in FILTERS if name in asked}

    async def make() -> bytes:
        context = dict(await read(lambda view: _read(view, values), site, request, version))
        text = await site.datasette.render_template("mouvements/flux.xml", context, request=request)
        return str(text).strip().encode()

    key = ("feed", *map(str, values.items()), version.build, site.origin(request))
    body = await keep(site, key, make, len)
    changed = datetime.fromisoformat(version.published_at)
    headers = page_headers(site.service, public(FILE_SECONDS)) | {
        "last-modified": format_datetime(changed, usegmt=True),
        "content-security-policy": "default-src 'none'",
        "access-control-allow-origin": "*",
    }
    return with_tag(request, body, headers, f"{TYPE}; charset=utf-8")


def _read(view: View, values: Arguments) -> Context:
    """What the template shows of the feed of these filters, the same for the same entries."""
    site = view.site
    explored = {"q" if name == "nom" else name: value for name, value in values.items()}
    words = [f"{label} : {value}" for _, label, value in in_words(view.db, explored)]
    entries = latest(view, values)
    here = site.path("/flux", **values)
    licence = site.config.licence
    return {
        "here": here,
        "page": site.path("/explorer", **explored) if values else site.path("/"),
        "identity": _identity(view, here),
        "feed_title": f"{MARK} – " * site.service.invented
        + " – ".join(["Derniers mouvements", *words]),
        "rights": marked(licence) if site.service.invented else licence,
        "updated": max(
            (change["publie_le"] for change, _ in entries), default=view.version.published_at
        ),
        # What names a movement was the address of its row when feeds began: readers would show another as new.
        "entries": [
            (change, row, _identity(view, f"{site.table()}/{tilde_encode(change['id'])}"))
            for change, row in entries
        ],
    }


def latest(view: View, filters: Mapping[str, Value]) -> list[Entry]:
    """The latest changes of the movements that these filters select, the latest first, at most MOST.

    Without filters what was withdrawn is told, too.
    """
    values = {
        name: bound(str(value)) if (bound := FILTERS[name].bound) else value
        for name, value in filters.items()
    }
    where = " and ".join(FILTERS[name].where for name in filters)
    # Begun with the movements, SQLite would sort all that match.
    chosen = f"c.ligne in (select r.rowid from {TABLE} r where {where})" if where else "1"
    changes = view.rows(
        f"select c.id, c.publie_le from {CHANGES} c where {chosen} order by c.seq desc limit {MOST}",
        **values,
    )
    rows = view.movements(
        "where id in (select value from json_each(:ids))",
        ids=json.dumps([change["id"] for change in changes]),
    )
    # What follows a departure changes after it was published.
    follow(view, [row for row in rows if row["type"] != "depart"])
    movements = {row["id"]: row for row in rows}
    return [(change, movements.get(change["id"])) for change in changes]


def _identity(view: View, path: str) -> str:
    """What names a path for ever (RFC 4287, 4.2.6), by whatever Host it was asked for.

    That is its public address; where none is set, a tag (RFC 4151) of the data's lineage.
    """
    return view.site.public(path) or f"tag:{view.version.cursor.lineage}.invalid,2026:{path}"
