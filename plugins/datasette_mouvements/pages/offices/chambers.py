"""The members of the chambers: an index of the three, and each one's members from A to Z."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, plain

from ...dataset.schema import MANDATES
from ..counts.facts import Facts, Group, Listed
from ..frame.site import Site
from ..frame.sorting import Column, Sorted, page_of

# So many members are on a page of less than 60 kB.
ON_PAGE = 60
CURRENT, ENDED, UNKNOWN = MANDATE_STATES = ("en-cours", "termine", "inconnu")
STATE_LABELS = {
    CURRENT: "Mandat en cours",
    ENDED: "Mandat terminé",
    UNKNOWN: "Mandat non connu",
}
# A particle in small letters stands after the given name, whole: « Arguillères Léopold d’ », « Aue Ida von
# der », but « Le Goff », and « van der Aue », as the Low Countries write it.
_PARTICLE = re.compile(r"(d[’']|de |(?:von |zu )(?:der |dem |den |und zu )?)(?=\S)")


class Seat(NamedTuple):
    """A member as a line of the list."""

    member: Listed
    family: str  # without the particle
    particle: str
    since: str  # the day on which the mandate began, "" where it is not known
    until: str  # its last day where it is over, else ""
    state: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Where it stands from A to Z."""
        return plain(self.family), plain(self.member.given), self.member.identifier

    @property
    def letter(self) -> str:
        """The letter under which it stands, « # » where that is none of the Latin alphabet."""
        first = self.key[0][:1].upper()
        return first if first.isascii() and first.isalpha() else "#"


BY_NAME = Column("nom", "Nom", lambda seat: seat.key)
BY_GROUP = Column("groupe", "Groupe", lambda seat: plain(seat.member.group) or None)
BY_TEAM = Column("equipe", "Équipe", lambda seat: seat.member.team, descending=True, number=True)
BY_BEGIN = Column("mandat", "Mandat depuis", lambda seat: seat.since or None, number=True)
BY_END = Column("mandat", "Mandat jusqu’au", lambda seat: seat.until, descending=True, number=True)
CSV_HEADER = (
    *("chambre", "elu_id", "nom", "prenom", "civilite", "groupe", "mandat", "mandat_debut"),
    *("mandat_fin", "equipe", "liste"),
)


class Asked(NamedTuple):
    """Which part of the list is asked for, each value of a closed set."""

    state: str
    group: str
    table: Sorted[Seat]
    page: int

    @property
    def kept(self) -> dict[str, str]:
        """What of the canonical address says which part it is; what is usual is left out."""
        state = self.state if self.state != CURRENT else ""
        return {"mandat": state, "groupe": self.group, "page": self.table.kept_page(self.page)}

    def link(self, site: Site, chamber: str, **changes: Any) -> str:
        """The address of another part; what is usual is left out. A change but of page leads to the first."""
        query = {**self.kept, "page": "", **self.table.query} | changes
        return site.path(
            f"/elus/{chamber}",
            **query | {"page": query.get("page") if query.get("page") != 1 else ""},
        )


async def index(site: Site, request: Request) -> Response:
    """The three chambers, each with its members and its last list."""
    facts = await site.facts()
    key = ("chambers", facts.build)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    chambers = []
    for chamber in CHAMBERS:
        seats = await seats_of(site, facts, chamber)
        here = [seat for seat in seats if seat.state == CURRENT]
        letters = _letters(sorted(here, key=BY_NAME.key))
        chambers.append((chamber, facts.coverage[chamber], len(here), _stays(here), letters))
    context = {"chambers": chambers, "members": facts.members}
    return await site.cache_page(request, key, "chambers", context, indexed=True)


async def chamber(site: Site, request: Request) -> Response:
    """The members of a chamber from A to Z, those of one group where the address says so."""
    name = request.url_vars["chamber"]
    facts = await site.facts()
    seats = await seats_of(site, facts, name)
    numbers = {state: sum(seat.state == state for seat in seats) for state in MANDATE_STATES}
    asked = _asked(request, seats, numbers, lists=bool(facts.coverage[name].last))
    table = asked.table
    key = (
        *("chamber", facts.build, site.origin(request), name),
        *(asked.state, asked.group, table.column.name, str(table.descending), str(asked.page)),
    )
    known = site.cached_page(request, key)
    if known is not None:
        return known
    by_letter = table.column is BY_NAME and not table.descending
    context = {
        "chamber": name,
        "known": facts.coverage[name],
        "tabs": [
            (label, numbers[state], site.path(f"/elus/{name}", mandat=state), state == asked.state)
            for state, label in STATE_LABELS.items()
        ],
        "link": lambda **changes: asked.link(site, name, **changes),
        "asked": asked,
        "canonical_query": asked.kept,
        "heads": table.heads(lambda **query: asked.link(site, name, **query)),
        "columns": [column.name for column in table.columns],
        "groups": _groups(facts, name, [seat for seat in seats if seat.state == asked.state]),
        "letters": _letters(table.rows) if by_letter else {},
        "seats": _on_page(table.rows, asked.page),
        "pages": _pages(table.rows),
        "found": len(table.rows),
        "stays": _stays(table.rows),
        "file": site.path(f"/elus/{name}.csv"),
    }
    # The list names no staff member, so search engines may index it.
    return await site.cache_page(request, key, "chamber", context, indexed=True)


def apart(family: str) -> tuple[str, str]:
    """A family name and the particle that stands after the given name: « Arguillères », « d’ »."""
    found = _PARTICLE.match(family)
    return (family[found.end() :], found[0].strip()) if found else (family, "")


def state_of(one: Listed, since: str | None, today: datetime.date) -> str:
    """Whether a member sits: `since` is the first day of a mandate that goes on, None where none is known."""
    if one.ended(today):
        return ENDED
    return CURRENT if since is not None or one.team else UNKNOWN


async def seats_of(site: Site, facts: Facts, chamber: str) -> list[Seat]:
    """Every member of a chamber, as the mandates stand on the day of the site."""
    today = site.today
    key = ("seats", facts.edition, today.isoformat(), chamber)
    known: list[Seat] | None = site.cache.get(key)
    if known is None:
        since = dict(
            await facts.reader.rows(
                f"""
                select elu_id, max(debut) from {MANDATES}
                where chambre = ? and (fin = '' or fin >= ?) group by 1
                """,
                [chamber, facts.coverage[chamber].last],
            )
        )
        known = [_seat(one, since.get(one.identifier), today) for one in facts.members[chamber]]
        site.cache.put(key, known, 300 * len(known))
    return known


def _seat(one: Listed, since: str | None, today: datetime.date) -> Seat:
    state = state_of(one, since, today)
    return Seat(one, *apart(one.family), since or "", one.ended(today), state)


def _asked(
    request: Request, seats: Sequence[Seat], numbers: Mapping[str, int], lists: bool
) -> Asked:
    """The part that a query string asks for; a value that nothing has is as none."""
    usual = next((state for state in MANDATE_STATES if numbers[state]), CURRENT)
    state = request.args.get("mandat") or usual
    if not numbers.get(state):
        state = usual
    of_state = [seat for seat in seats if seat.state == state]
    group = request.args.get("groupe") or ""
    found = [seat for seat in of_state if seat.member.group == group] if group else of_state
    if not found:
        group, found = "", of_state
    columns = [BY_NAME, BY_GROUP]
    if state == CURRENT:
        columns += [BY_TEAM, BY_BEGIN] if lists else [BY_BEGIN]
    elif state == ENDED:
        columns.append(BY_END)
    asked = {name: request.args.get(name) for name in ("tri", "sens")}
    page = page_of(request.args.get("page"), len(found), ON_PAGE)
    return Asked(state, group, Sorted(found, columns, asked), page)


def csv_row(facts: Facts, chamber: str, seat: Seat) -> list[str]:
    """A member as a line of the file, under CSV_HEADER; nobody is told to be with one whose mandate ended."""
    one, last = seat.member, facts.coverage[chamber].last
    team = str(one.team) if last and seat.state == CURRENT else ""
    return [
        *(chamber, one.identifier, one.family, one.given, one.civility, one.group, seat.state),
        *(seat.since, seat.until, team, last if team else ""),
    ]


def _groups(facts: Facts, chamber: str, seats: Sequence[Seat]) -> list[Group]:
    codes = {seat.member.group for seat in seats if seat.member.group}
    return [facts.group(chamber, code) for code in sorted(codes, key=plain)]


def _stays(seats: Iterable[Seat]) -> int:
    """How many stays the last list has at these members."""
    return sum(seat.member.team or 0 for seat in seats)


def _letters(seats: Sequence[Seat]) -> dict[str, int]:
    """Each letter with the page on which it begins, 0 where nobody stands under it."""
    found = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0)
    for at, seat in enumerate(seats):
        if not found.get(seat.letter):
            found[seat.letter] = at // ON_PAGE + 1
    return found


def _on_page(seats: Sequence[Seat], page: int) -> Sequence[Seat]:
    return seats[(page - 1) * ON_PAGE : page * ON_PAGE]


def _pages(seats: Sequence[Seat]) -> list[str]:
    """What each page holds, from which letter to which: « A à C »."""
    found = []
    for begin in range(0, len(seats), ON_PAGE):
        some = seats[begin : begin + ON_PAGE]
        first, last = some[0].letter, some[-1].letter
        found.append(first if first == last else f"{first} à {last}")
    return found
