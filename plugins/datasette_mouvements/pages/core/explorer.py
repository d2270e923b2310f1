"""Datasette's page of movements as the explorer: its address for people, its filters, what its template says of them.

A filter of movements is a row of the interface's parameters, or one of the two that pages add.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, FIELD_NAMES

from ...api.parameter import Given, Parameter, Value
from ...api.parameters import MOVEMENTS, OF, PRINTABLE, checked
from ...dataset.schema import GROUPS, OF_TEAM, SEARCHED, TABLE
from ...refusal import Refusal
from ..runner import LONGEST_VALUE, MOVEMENT_COLUMNS
from ..site import Site, with_query
from ..words import french, phrases

# Words of a name that a search looks for.
WORDS = 8
_WORD = re.compile(r"[^\W_]+")
# The index does not take these letters for accented forms of the plain ones, which people type.
_ALIKE = (("oe", "œ"), ("ae", "æ"), ("ss", "ß"), ("o", "ø"), ("l", "ł"), ("d", "đ"), ("i", "ı"))
QUERY, TEAM = "_q", "_equipe"
# A filter's name, that in the addresses of Datasette's page, and what it is called where it can be dropped.
_FILTERS = (
    ("q", QUERY, "Nom"),
    ("depuis", "date_event__gte", "Depuis le"),
    ("jusqua", "date_event__lte", "Jusqu’au"),
    ("elu", "elu_id", "Équipe rejointe ou quittée, sans les transferts qui la quittent"),
    ("equipe", TEAM, "Équipe de"),
    ("groupe", "elu_groupe", "Groupe"),
    ("chambre", "chambre", "Chambre"),
    ("type", "type", "Mouvement"),
    ("source", "source", "Source"),
    ("confiance", "confiance", "Date"),
)
NATIVE = {name: native for name, native, _ in _FILTERS}
NAMED = {name: label for name, _, label in _FILTERS}
# Filters that the form keeps in hidden fields, and those for which the interface has no parameter.
HIDDEN = ("elu", "equipe", "confiance")
ONLY_HERE = ("q", "groupe", "confiance")
INTERFACE = [parameter for name, parameter in OF[MOVEMENTS].items() if name in NATIVE]


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


# The filters of movements on pages and in feeds, by name: the interface's, a group, the beginning of a name.
FILTERS_OF_MOVEMENTS = {
    name: parameter for name, parameter in OF[MOVEMENTS].items() if parameter.where[MOVEMENTS]
} | {
    "groupe": Parameter(
        "groupe",
        "Groupe politique de l’élu (elu_groupe)",
        {MOVEMENTS: "r.elu_groupe = :groupe"},
        f"un groupe de 1 à {LONGEST_VALUE} caractères",
        "GEST",
        longest=LONGEST_VALUE,
        pattern=PRINTABLE,
    ),
    "nom": Parameter(
        "nom",
        "Début d’un nom, comme dans la recherche",
        {MOVEMENTS: f"r.rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :nom)"},
        f"au moins deux lettres, {LONGEST_VALUE} caractères au plus",
        "exemple",
        longest=LONGEST_VALUE,
        pattern=PRINTABLE,
        is_one=lambda text: bool(search_expression(text)),
        bound=search_expression,
    ),
}


def read_filters(
    query: bytes,
    known: Mapping[str, Parameter] = FILTERS_OF_MOVEMENTS,
    is_known: Callable[[str, str], bool] = lambda name, value: True,
) -> Given:
    """The filters of a query string as the interface reads them (Refusal), but an empty value is no filter.

    A form also sends the fields that were left empty.
    """
    left_empty = {f"{name}=".encode() for name in known}
    return checked(
        b"&".join(part for part in query.split(b"&") if part not in left_empty), known, is_known
    )


def condition(given: Mapping[str, Value]) -> tuple[str, dict[str, Value]]:
    """The movements `r` that these filters select, as an SQL condition with its values; "1" without filters."""
    parameters = [FILTERS_OF_MOVEMENTS[name] for name in given]
    values = {
        one.name: one.bound(str(given[one.name])) if one.bound else given[one.name]
        for one in parameters
    }
    return " and ".join(one.where[MOVEMENTS] for one in parameters) or "1", values


def own_condition(
    site: Site, request: Request, database: str, table: str
) -> FilterArguments | None:
    """What a search for names, and a member's team, add to core's condition on the table of movements."""
    if database != site.config.database or table != TABLE:
        return None
    conditions, values = [], {}
    for number, text in enumerate(request.args.getlist(QUERY)):
        if expression := search_expression(text):
            name = f"mouvements_q{number}"
            conditions.append(
                f"rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :{name})"
            )
            values[name] = expression
    for number, member in enumerate(filter(None, request.args.getlist(TEAM))):
        name = f"mouvements_equipe{number}"
        conditions.append(OF_TEAM.format(of="", member=f":{name}"))
        values[name] = member
    return FilterArguments(conditions, params=values) if conditions else None


async def redirect(site: Site, request: Request) -> Response:
    """The redirect from the address that people share and forms use to that of the table page."""
    given = {
        native: (request.args.get(name) or "").strip()[:LONGEST_VALUE]
        for name, native in NATIVE.items()
    }
    chamber, _, code = given["elu_groupe"].partition("/")
    if chamber in CHAMBERS:
        given |= {"chambre": chamber, "elu_groupe": code}
    return Response.redirect(with_query(site.table(), given))


async def home(site: Site, request: Request) -> Response:
    """The redirect from core's own home, which is in English, to the page of the database."""
    return Response.redirect(site.table().rpartition("/")[0])


def view(site: Site, request: Request) -> dict[str, Any]:
    """What the explorer's template says of one request: its filters in the interface's words."""
    args = request.args
    given = {name: args.get(native) or "" for name, native in NATIVE.items()}
    native = {NATIVE[name]: value for name, value in given.items() if value}
    known = {*NATIVE.values(), "_sort", "_sort_desc", "_next", "_size"}
    known |= {name for name in args if name.startswith("_facet")}
    fault = _fault(args)
    too_short = bool(given["q"]) and not search_expression(given["q"])
    return {
        "given": given,
        "fields": [parameter for parameter in INTERFACE if parameter.name not in HIDDEN],
        "kept": [(name, given[name]) for name in HIDDEN if given[name]],
        "too_short": too_short,  # the name: it filters nothing
        "fault": fault,  # why these filters are not what they seem
        "filtered": any(given.values()) or not set(args) <= known,
        "beyond": bool(args.get("_next")),  # past the first page
        "start": site.path("/explorer", **given),
        "reuse": _reuse(site, request, given, too_short)
        if set(args) <= known and not fault
        else {},
        "csv": with_query(f"{site.table()}.csv", native | {"_stream": "1", "_size": "max"}),
        # Each filter in force with its value, and the address without it.
        "dropped": [
            (label, value, site.path("/explorer", **given | {name: ""}))
            for name, label, value in in_words(site.version.db, given)
        ],
        "groups": _groups(site, given["chambre"]),
    }


def _reuse(
    site: Site, request: Request, given: Mapping[str, str], too_short: bool
) -> dict[str, str]:
    """The feed and the call of the interface that give the same, where they can."""
    asked = {parameter.name: given[parameter.name] for parameter in INTERFACE}
    reuse = {}
    if not given["confiance"]:
        name = "" if too_short else given["q"]
        reuse["feed"] = site.path("/flux", **asked, groupe=given["groupe"], nom=name)
    if not any(given[name] for name in ONLY_HERE):
        reuse["call"] = with_query(site.service.address(request.scope), asked)
    return reuse


def _fault(args: Any) -> str:
    """Why the interface would refuse these filters, "" if it would not."""
    asked = [
        (one.name, value)
        for one in INTERFACE
        for value in dict.fromkeys(filter(None, args.getlist(NATIVE[one.name])))
    ]
    try:
        checked(urlencode(asked).encode(), OF[MOVEMENTS])
    except Refusal as refused:
        return refused.detail
    return ""


def in_words(db: sqlite3.Connection, given: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Each filter in force, what it is called, and its value as people read it."""
    values = ((name, label, str(given.get(name) or "")) for name, label in NAMED.items())
    return [(name, label, _value(db, name, value)) for name, label, value in values if value]


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
    return (phrases.precision if name == "confiance" else phrases.meaning)(value)


def _groups(site: Site, chamber: str) -> list[tuple[str, list[sqlite3.Row]]]:
    """The codes and names of the groups of a chamber, or of each."""
    sql = f"select code, nom from {GROUPS} where chambre = ? order by code"
    shown = [one for one in CHAMBERS if chamber in ("", one)]
    groups = [(one, site.version.db.execute(sql, [one]).fetchall()) for one in shown]
    return [(one, rows) for one, rows in groups if rows]


def days_before(site: Site, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By movement, the day of the list before it, "" where no stay says it."""
    ids = [row["id"] for row in rows]
    sql = f"select {MOVEMENT_COLUMNS} from {TABLE} where id in ({', '.join('?' * len(ids))})"
    days = {row[0]: row[-1] or "" for row in site.version.db.execute(sql, ids)}
    return dict.fromkeys(ids, "") | days


def whole(row: Mapping[str, Any]) -> bool:
    """Whether a movement has every column: visitors of the table page can choose some."""
    return all(name in row for name in FIELD_NAMES)


FILTERS: dict[str, Any] = {
    "whole": whole,
    "explorer_view": view,
    "days_before": days_before,
}
