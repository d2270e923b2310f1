"""Atom feeds of the latest publications (RFC 4287), with what was withdrawn as deleted entries (RFC 6721)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from typing import Any
from xml.etree import ElementTree

from datasette.utils import tilde_encode
from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from parlement_lists.meanings import MEANINGS

from ...api import resources
from ...api.parameter import Given
from ...dataset.connections import connect_read_only
from ...dataset.coverage import MARK, marked
from ...dataset.schema import CHANGES, TABLE
from ...dataset.stays.successions import Succession
from ..core.explorer import FILTERS_OF_MOVEMENTS, condition, in_words, read_filters
from ..movement import follow
from ..runner import FILE_SECONDS, View, keep, page_headers, public, with_tag
from ..site import Site
from ..words import french
from ..words.phrases import UNNAMED, already_there, meaning

TYPE = "application/atom+xml"
# Publications in a feed.
MOST = 50
# A filter that lets little through is looked for no further back than so many changes: 30 ms.
SCANNED = 200_000
_ATOM = "http://www.w3.org/2005/Atom"
_TOMBSTONES = "http://purl.org/atompub/tombstones/1.0"
Movement = dict[str, Any]
# A change, and the movement that it published; None of one that was withdrawn.
Entry = tuple[sqlite3.Row, Movement | None]


async def search(site: Site, request: Request) -> Response:
    """The feed of the latest movements that the filters select; 304 to who has it. Refusal for a wrong filter."""
    version = site.version
    is_known = partial(resources.has_member, version, resources.SEARCH)
    asked = read_filters(request.scope["query_string"], is_known=is_known)
    given = {name: asked[name] for name in FILTERS_OF_MOVEMENTS if name in asked}

    def document() -> bytes:
        with closing(connect_read_only(version.path, immutable=True)) as db:
            db.row_factory = sqlite3.Row
            return _document(View(site, request, db, {}, {}, version), given)

    async def make() -> bytes:
        return await asyncio.to_thread(document)

    key = ("feed", *map(str, given.items()), version.build, site.origin(request))
    body = await keep(site, key, make, len)
    changed = datetime.fromisoformat(version.published_at)
    headers = page_headers(site.service, public(FILE_SECONDS)) | {
        "last-modified": format_datetime(changed, usegmt=True),
        "content-security-policy": "default-src 'none'",
        "access-control-allow-origin": "*",
    }
    return with_tag(request, body, headers, f"{TYPE}; charset=utf-8")


def latest(
    view: View, within: str, values: Mapping[str, object], few: bool, scanned: int = SCANNED
) -> list[Entry]:
    """The latest changes of the movements `r` within a condition, the latest first, at most MOST.

    `few`: an index finds all movements. Without a condition (1) what was withdrawn is told, too.
    """
    tables = f"{TABLE} r cross join {CHANGES} c on c.id = r.id"
    if not few:
        # `cross join` keeps SQLite from beginning with the movements and sorting all that match.
        join = "left" if within == "1" else "cross"
        tables = f"{CHANGES} c {join} join {TABLE} r on r.rowid = c.ligne"
        within += f" and c.seq > (select max(seq) from {CHANGES}) - {scanned}"
    changes = view.rows(
        f"select c.id, c.publie_le from {tables} where {within} order by c.seq desc limit {MOST}",
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


def _document(view: View, given: Given) -> bytes:
    """The feed of these filters as it is sent, the same bytes for the same entries."""
    explored = {"q" if name == "nom" else name: value for name, value in given.items()}
    words = [f"{label} : {value}" for _, label, value in in_words(view.db, explored)]
    title = "Derniers mouvements" + " – ".join(["", *words])
    within, values = condition(given)
    entries = latest(view, within, values, few="elu" in given or "equipe" in given)
    here = view.site.path("/flux", **given)
    page = view.site.path("/explorer", **explored) if given else view.site.path("/")
    site, config = view.site, view.site.config
    changed = view.version.published_at
    root = ElementTree.Element("feed", {"xmlns": _ATOM, "xmlns:at": _TOMBSTONES, "xml:lang": "fr"})
    mark = f"{MARK} – " if site.invented else ""
    _texts(
        root,
        id=_identity(view, here),
        title=french.typography(mark + title),
        updated=max((change["publie_le"] for change, _ in entries), default=changed),
        rights=marked(config.licence) if site.invented else config.licence,
        subtitle=config.attribution,
    )
    _link(root, "self", site.absolute(view.request, here), TYPE)
    _link(root, "alternate", site.absolute(view.request, page), "text/html")
    if config.licence_address:
        _link(root, "license", config.licence_address)
    _texts(ElementTree.SubElement(root, "author"), name=site.title or "Mouvements")
    for change, movement in entries:
        _add_entry(root, view, change, movement)
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body


def _add_entry(
    root: ElementTree.Element, view: View, change: sqlite3.Row, movement: Movement | None
) -> None:
    site = view.site
    # What names a movement was the address of its row when feeds began: readers would show another as new.
    identity = _identity(view, f"{site.table()}/{tilde_encode(change['id'])}")
    if movement is None:
        deleted = {"ref": identity, "when": change["publie_le"]}
        ElementTree.SubElement(root, "at:deleted-entry", deleted)
        return
    element = ElementTree.SubElement(root, "entry")
    # The first publication is not kept, and the day of a movement is no instant.
    _texts(
        element,
        id=identity,
        title=french.typography(_headline(movement)),
        updated=change["publie_le"],
    )
    page = site.absolute(view.request, site.movement(change["id"]))
    _link(element, "alternate", page, "text/html")
    for term in (movement["type"], movement["chambre"]):
        ElementTree.SubElement(element, "category", {"term": term, "label": MEANINGS[term]})
    _texts(element, summary=french.typography(_summary(movement)))


def _identity(view: View, path: str) -> str:
    """What names a path for ever (RFC 4287, 4.2.6), by whatever Host it was asked for.

    That is its public address; where none is set, a tag (RFC 4151) of the data's lineage.
    """
    return view.site.public(path) or f"tag:{view.version.cursor.lineage}.invalid,2026:{path}"


def _texts(parent: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(parent, name).text = text


def _link(parent: ElementTree.Element, relation: str, address: str, kind: str = "") -> None:
    link = {"rel": relation, "href": address} | ({"type": kind} if kind else {})
    ElementTree.SubElement(parent, "link", link)


def _headline(row: Movement) -> str:
    """Who leaves or joins whom."""
    who = french.full_name(row["collab_prenom"], row["collab_nom"])
    member = row["elu_nom"] or row["elu_id"] or UNNAMED
    if row["type"] == "transfert":
        return f"{who} quitte {row['elu_origine_nom'] or UNNAMED} pour {member}"
    return f"{who} {'quitte' if row['type'] == 'depart' else 'rejoint'} {member}"


def _summary(row: Movement) -> str:
    """When, where and with what function, and to what somebody came back."""
    when = french.when(row, row["apres"]).text
    returns: Succession | None = (row.get("links") or {}).get("returns")
    before = ""
    if returns:
        member = returns.ended.elu_nom or UNNAMED
        before = f"Retour : nom déjà chez {member} {already_there(returns)}"
    sentences = (
        when[0].upper() + when[1:],
        MEANINGS[row["chambre"]],
        row["fonction"],
        meaning(row["contexte"]),
        MEANINGS[row["source"]],
        before,
    )
    return ". ".join(filter(None, sentences)) + "."
