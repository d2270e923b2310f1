"""Datasette's page of movements as the explorer: its address for people, its filters, what its template says of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from datasette.app import Datasette
from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from ...api.parameters import MOVEMENTS, OF, checked
from ...dataset.schema import OF_TEAM, SEARCHED, TABLE
from ...refusal import Refusal
from .. import french
from ..runner import LONGEST_VALUE, MOVEMENT_COLUMNS
from ..site import Site, site_of, with_query

# Words of a name that a search looks for.
WORDS = 8
_WORD = re.compile(r"[^\W_]+")
# The index does not take these letters for accented forms of the plain ones, which people type.
_ALIKE = (("oe", "œ"), ("ae", "æ"), ("ss", "ß"), ("o", "ø"), ("l", "ł"), ("d", "đ"), ("i", "ı"))
QUERY, TEAM = "_q", "_equipe"
# The movements in whose names a search finds a text, by the name of its value in SQL.
NAMED = f"rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :{{}})"
# The filters by name: each as a parameter of Datasette's page, and what it is called where it can be dropped.
FILTERS = {
    "q": (QUERY, "Nom"),
    "depuis": ("date_event__gte", "Depuis le"),
    "jusqua": ("date_event__lte", "Jusqu’au"),
    "elu": ("elu_id", "Équipe rejointe ou quittée, sans les transferts qui la quittent"),
    "equipe": (TEAM, "Équipe de"),
    "groupe": ("elu_groupe", "Groupe"),
    "chambre": ("chambre", "Chambre"),
    "type": ("type", "Mouvement"),
    "source": ("source", "Source"),
    "confiance": ("confiance", "Date"),
}
# Those that the form shows; the others it keeps in hidden fields.
SHOWN = ("depuis", "jusqua", "chambre", "type", "source")
# Those for which the interface has no parameter.
ONLY_HERE = FILTERS.keys() - OF[MOVEMENTS].keys()


def search_expression(text: str) -> str:
    """The FTS5 expression of the movements whose names have every word of `text`, as the beginning of a word.

    "" if the text has no word of two letters: one letter would find half of everyone.
    """
    words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text[:LONGEST_VALUE]).lower()))
    if not any(len(word) > 1 for word in words):
        return ""
    return match(list(words)[:WORDS], SEARCHED[TABLE])


def match(words: Iterable[str], columns: Iterable[str]) -> str:
    """The FTS5 expression of the rows that have every word, as the beginning of one, in some of these columns."""
    every = (f"({' OR '.join(map(_beginning, _spellings(word)))})" for word in words)
    return f"{{{' '.join(columns)}}} : ({' AND '.join(every)})"


def _spellings(word: str) -> list[str]:
    """The word with one of its letters in another form, each in turn, or all of a kind."""
    spellings = {word}
    for usual, other in _ALIKE:
        spellings |= {word.replace(usual, other), word.replace(other, usual)}
        for place in re.finditer(usual, word):
            spellings.add(word[: place.start()] + other + word[place.end() :])
    return sorted(spellings)


def _beginning(word: str) -> str:
    # A lone letter (d', l') is a word of its own.
    return f'"{word}"*' if len(word) > 1 else f'"{word}"'


async def own_condition(
    datasette: Datasette, request: Request, database: str, table: str
) -> FilterArguments | None:
    """What a search for names, and a member's team, add to core's condition on the table of movements."""
    site = site_of(datasette)
    if site is None or (database, table) != (site.config.database, TABLE):
        return None
    conditions, values = [], dict[str, str]()
    for name in filter(search_expression, request.args.getlist(QUERY)):
        key = f"mouvements_q{len(values)}"
        conditions.append(NAMED.format(key))
        values[key] = search_expression(name)
    for member in filter(None, request.args.getlist(TEAM)):
        key = f"mouvements_equipe{len(values)}"
        conditions.append(OF_TEAM.format(of="", member=f":{key}"))
        values[key] = member
    return FilterArguments(conditions, params=values) if conditions else None


async def redirect(site: Site, request: Request) -> Response:
    """The redirect from the address that people share and forms use to that of the table page."""
    values = {
        native: (request.args.get(name) or "").strip()[:LONGEST_VALUE]
        for name, (native, _) in FILTERS.items()
    }
    # The values of a name that many have would take four times what its rows take: they are a link further.
    fewer = {"_nofacet": "1"} if values[QUERY] else {}
    return Response.redirect(with_query(site.table(), values | fewer))


def explorer_view(site: Site, request: Request) -> dict[str, Any]:
    """What the explorer's template says of one request: its filters in the interface's words."""
    args = request.args
    values = {name: args.get(native) or "" for name, (native, _) in FILTERS.items()}
    native = {FILTERS[name][0]: value for name, value in values.items() if value}
    names = {native for native, _ in FILTERS.values()} | {
        "_sort",
        "_sort_desc",
        "_next",
        "_size",
        "_nofacet",
    }
    foreign = {name for name in args if not name.startswith("_facet")} - names
    fault = _fault(args)
    too_short = bool(values["q"]) and not search_expression(values["q"])
    reuse = {}
    if not (fault or foreign):
        asked = {name: value for name, value in values.items() if name not in ONLY_HERE}
        if not values["confiance"]:
            name = "" if too_short else values["q"]
            reuse["feed"] = site.path("/flux", **asked, groupe=values["groupe"], nom=name)
        if not any(values[name] for name in ONLY_HERE):
            reuse["call"] = with_query(site.service.address(request.scope), asked)
    return {
        "filters": values,
        "fields": [OF[MOVEMENTS][name] for name in SHOWN],
        "kept": [
            (name, value) for name, value in values.items() if value and name not in ("q", *SHOWN)
        ],
        "too_short": too_short,  # the name: it filters nothing
        "fault": fault,  # why these filters are not what they seem
        "filtered": bool(native or foreign),
        "beyond": bool(args.get("_next")),  # past the first page
        "start": site.path("/explorer", **values),
        "reuse": reuse,
        "csv": with_query(f"{site.table()}.csv", native | {"_stream": "1", "_size": "max"}),
        # Each filter in force with its value, and the address without it.
        "dropped": [
            (label, value, site.path("/explorer", **values | {name: ""}))
            for name, label, value in in_words(site.version.db, values)
        ],
    }


def _fault(args: Any) -> str:
    """Why the interface would refuse these filters, "" if it would not."""
    asked = [
        (name, value)
        for name, (native, _) in FILTERS.items()
        for value in dict.fromkeys(filter(None, args.getlist(native)))
        if name not in ONLY_HERE
    ]
    try:
        checked(urlencode(asked).encode(), OF[MOVEMENTS])
    except Refusal as refused:
        return refused.detail
    return ""


def in_words(db: sqlite3.Connection, values: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Each filter in force, what it is called, and its value as people read it."""
    return [
        (name, label, _value(db, name, str(values[name])))
        for name, (_, label) in FILTERS.items()
        if values.get(name)
    ]


def _value(db: sqlite3.Connection, name: str, value: str) -> str:
    """The value of a filter as people read it; of a member the name."""
    if name in ("elu", "equipe"):
        row = db.execute(
            f"select elu_nom from {TABLE} where elu_id = ? and elu_nom <> '' order by date_event desc limit 1",
            [value],
        ).fetchone()
        return row[0] if row else value
    if name in ("depuis", "jusqua"):
        return french.day(value)
    return (french.precision if name == "confiance" else french.meaning)(value)


def movements_of(site: Site, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The movements of these rows, which may have other columns, with all that pages show of one."""
    ids = [row["id"] for row in rows]
    sql = f"select {MOVEMENT_COLUMNS} from {TABLE} where id in ({', '.join('?' * len(ids))})"
    cursor = site.version.db.execute(sql, ids)
    names = [name for name, *_ in cursor.description]
    movements = {row[0]: dict(zip(names, row, strict=True)) for row in cursor}
    # Another file may have been adopted since core read the rows.
    return [movements[identifier] for identifier in ids if identifier in movements]
