"""The members of the chambers: an index of the three, and each one's members from A to Z."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, plain

from ...dataset.mandates import (
    CURRENT,
    FORMER,
    MANDATE_STATES,
    OVER,
    UNKNOWN,
)
from ..counts.facts import Facts, Group
from ..frame.site import Site
from ..frame.sorting import Column, SortedTable
from .seats import Seat, seats_of

# Members on a page, which must stay below 60 kB.
ON_PAGE = 60
STATE_LABELS = {
    CURRENT: "Mandat en cours",
    OVER: "Mandat terminé",
    UNKNOWN: "Mandat non connu",
    FORMER: "Anciens membres",
}
BY_NAME = Column("nom", "Nom", lambda seat: seat.key)
BY_GROUP = Column("groupe", "Groupe", lambda seat: plain(seat.member.group) or None)
BY_TEAM = Column("equipe", "Équipe", lambda seat: seat.member.team, descending=True, number=True)
BY_BEGIN = Column("mandat", "Mandat depuis", lambda seat: seat.since or None, number=True)
# What the day up to which a mandate is known is called, by the state.
_UNTIL = {
    OVER: "Mandat jusqu’au",
    UNKNOWN: "Non connu depuis le",
    FORMER: "Listes jusqu’au",
}
BY_END = {
    state: Column("mandat", label, lambda seat: seat.until or None, descending=True, number=True)
    for state, label in _UNTIL.items()
}
# `mandat_connu_jusqu_au` is a renewal since which the mandate is not known, or the last list of a former member.
CSV_HEADER = (
    *("chambre", "elu_id", "nom", "prenom", "civilite", "groupe", "mandat", "mandat_debut"),
    *("mandat_fin", "equipe", "liste", "mandat_connu_jusqu_au"),
)


class MemberQuery(NamedTuple):
    """Which part of the list a request asks for, each value of a closed set."""

    state: str
    group: str
    table: SortedTable[Seat]

    @property
    def canonical(self) -> dict[str, str]:
        """What of the canonical address says which part it is; what is usual is left out."""
        state = self.state if self.state != CURRENT else ""
        part = {"mandat": state, "groupe": self.group, "page": self.table.canonical_page}
        return part

    def link(self, site: Site, chamber: str, **changes: Any) -> str:
        """The address of another part. Any change but of the page leads to the first page."""
        query = {**self.canonical, "page": "", **self.table.query} | changes
        page = query["page"] if query["page"] != 1 else ""
        return site.path(f"/elus/{chamber}", **query | {"page": page})


async def index(site: Site, request: Request) -> Response:
    """The three chambers, each with its members and its last list."""
    facts = await site.facts()
    return await site.cached(
        request, ("chambers", facts.build), "chambers", lambda: _index(site, facts), indexed=True
    )


async def _index(site: Site, facts: Facts) -> dict[str, Any]:
    chambers = []
    for chamber in CHAMBERS:
        seats = await seats_of(site, facts, chamber)
        here = [seat for seat in seats if seat.state == CURRENT]
        letters = _letters(sorted(here, key=BY_NAME.key))
        chambers.append((chamber, facts.coverage[chamber], len(here), *_stays(here), letters))
    return {"chambers": chambers, "members": facts.members}


async def chamber(site: Site, request: Request) -> Response:
    """The members of a chamber from A to Z, those of one group where the address says so."""
    name = request.url_vars["chamber"]
    # A list of whom nobody sits tells of those whose mandate ended.
    facts = await site.facts()
    seats = await seats_of(site, facts, name)
    numbers = {state: sum(seat.state == state for seat in seats) for state in MANDATE_STATES}
    asked = _query(request, seats, numbers, lists=bool(facts.coverage[name].last))
    table = asked.table

    async def context() -> dict[str, Any]:
        stays, on_leave = _stays(table.rows)
        by_letter = table.column is BY_NAME and not table.descending
        return {
            "chamber": name,
            "known": facts.coverage[name],
            "tabs": [
                (
                    label,
                    numbers[state],
                    site.path(f"/elus/{name}", mandat=state),
                    state,
                )
                for state, label in STATE_LABELS.items()
            ],
            "link": lambda **changes: asked.link(site, name, **changes),
            "asked": asked,
            "canonical_query": asked.canonical,
            "heads": table.heads(lambda **query: asked.link(site, name, **query)),
            "columns": [column.name for column in table.columns],
            "groups": _groups(facts, name, [seat for seat in seats if seat.state == asked.state]),
            "letters": _letters(table.rows) if by_letter else {},
            "seats": table.shown,
            "page": table.page,
            "pages": _pages(table.rows),
            "found": len(table),
            "stays": stays,
            "on_leave": on_leave,
            "file": site.path(f"/elus/{name}.csv"),
        }

    part = (asked.state, asked.group, *table.key)
    key = ("chamber", facts.build, name, *part)
    # The list names no staff member, so search engines may index it.
    return await site.cached(request, key, "chamber", context, indexed=True)


def _query(
    request: Request,
    seats: Sequence[Seat],
    numbers: Mapping[str, int],
    lists: bool,
) -> MemberQuery:
    """The part that a query string asks for; a value that nothing has is as none."""
    usual = next((state for state in MANDATE_STATES if numbers[state]), CURRENT)
    state = request.args.get("mandat") or usual
    if not numbers.get(state):
        state = usual
    of_state = [seat for seat in seats if seat.state == state]
    group = request.args.get("groupe") or ""
    of_group = [seat for seat in of_state if seat.member.group == group] if group else of_state
    if not of_group:
        group, of_group = "", of_state
    columns = [BY_NAME, BY_GROUP]
    if state == CURRENT:
        columns += [BY_TEAM, BY_BEGIN] if lists else [BY_BEGIN]
    elif any(seat.until for seat in of_group):
        columns.append(BY_END[state])
    return MemberQuery(state, group, SortedTable(of_group, columns, request.args, ON_PAGE))


def csv_row(facts: Facts, chamber: str, seat: Seat) -> list[str]:
    """A member as a line of the file, under CSV_HEADER; nobody is told to be with one whose mandate ended."""
    one, last = seat.member, facts.coverage[chamber].last
    team = str(one.team) if last and seat.state == CURRENT else ""
    over = seat.state == OVER
    return [
        *(chamber, one.identifier, one.family, one.given, one.civility, one.group, seat.state),
        *(seat.since, seat.until if over else "", team, last if team else ""),
        "" if over else seat.until,
    ]


def _groups(facts: Facts, chamber: str, seats: Sequence[Seat]) -> list[Group]:
    codes = {seat.member.group for seat in seats if seat.member.group}
    return [facts.group(chamber, code) for code in sorted(codes, key=plain)]


def _stays(seats: Sequence[Seat]) -> tuple[int, int]:
    """How many stays the last list has at these members, and how many of them are on unpaid leave."""
    return sum(seat.member.team or 0 for seat in seats), sum(s.member.on_leave for s in seats)


def _letters(seats: Sequence[Seat]) -> dict[str, int]:
    """Each letter with the page on which it begins, 0 where nobody stands under it."""
    found = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0)
    for at, seat in enumerate(seats):
        if not found.get(seat.letter):
            found[seat.letter] = at // ON_PAGE + 1
    return found


def _pages(seats: Sequence[Seat]) -> list[str]:
    """What each page holds, from which letter to which: « A à C »."""
    found = []
    for begin in range(0, len(seats), ON_PAGE):
        some = seats[begin : begin + ON_PAGE]
        first, last = some[0].letter, some[-1].letter
        found.append(first if first == last else f"{first} à {last}")
    return found
