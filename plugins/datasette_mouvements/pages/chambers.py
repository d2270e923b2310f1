"""The members of the chambers: an index of the three, and each one's members from A to Z."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from ..dataset.schema import MANDATES
from ..movement import CHAMBERS, plain
from .facts import Facts, Group, Listed
from .site import Site

# So many members are on a page of less than 60 kB.
ON_PAGE = 60
CURRENT, ENDED, UNKNOWN = MANDATE_STATES = ("en-cours", "termine", "inconnu")
STATE_LABELS = {
    CURRENT: "Mandat en cours",
    ENDED: "Mandat terminé",
    UNKNOWN: "Mandat non connu",
}
# A particle in small letters stands after the given name: « Arguillères Léopold d’ », but « Le Goff ».
_PARTICLE = re.compile(r"(d[’']|de |von |zu )(?=\S)")


class Seat(NamedTuple):
    """A member as a line of the list."""

    member: Listed
    family: str  # without the particle
    particle: str
    since: str  # the day on which the mandate began, "" where it is not known
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


# How the list may be sorted, each with what it is called; by name otherwise.
SORTS: dict[str, Callable[[Seat], Any]] = {
    "nom": lambda seat: seat.key,
    "groupe": lambda seat: (not seat.member.group, plain(seat.member.group), seat.key),
    "equipe": lambda seat: (-(seat.member.team or 0), seat.key),
    "mandat": lambda seat: (seat.member.until or seat.since or "9999", seat.key),
}


class Asked(NamedTuple):
    """Which part of the list is asked for, each value of a closed set."""

    state: str
    group: str
    sort: str
    page: int

    def link(self, site: Site, chamber: str, **changes: Any) -> str:
        """The address of another part; what is usual is left out. A change but of page leads to the first."""
        other = self._replace(**({"page": 1} | changes))
        return site.path(
            f"/elus/{chamber}",
            mandat=other.state if other.state != CURRENT else "",
            groupe=other.group,
            tri=other.sort if other.sort != "nom" else "",
            page=other.page if other.page > 1 else "",
        )


async def index(site: Site, request: Request) -> Response:
    """The three chambers, each with its members and its last list."""
    facts = await site.facts()
    key = ("chambers", facts.edition, site.origin(request), site.today.isoformat())
    known = site.cached_page(request, key)
    if known is not None:
        return known
    chambers = []
    for chamber in CHAMBERS:
        seats = await _seats(site, facts, chamber)
        here = [seat for seat in seats if seat.state == CURRENT]
        letters = _letters(sorted(here, key=SORTS["nom"]))
        chambers.append((chamber, facts.coverage[chamber], len(here), _stays(here), letters))
    context = {"chambers": chambers, "members": facts.members}
    return await site.cache_page(request, key, "chambers", context, indexed=True)


async def chamber(site: Site, request: Request) -> Response:
    """The members of a chamber from A to Z, those of one group where the address says so."""
    name = request.url_vars["chamber"]
    facts = await site.facts()
    seats = await _seats(site, facts, name)
    numbers = {state: sum(seat.state == state for seat in seats) for state in MANDATE_STATES}
    asked = _asked(request, seats, numbers)
    key = (
        *("chamber", facts.edition, site.origin(request), site.today.isoformat(), name),
        *map(str, asked),
    )
    known = site.cached_page(request, key)
    if known is not None:
        return known
    of_state = [seat for seat in seats if seat.state == asked.state]
    found = sorted(_of_group(of_state, asked.group), key=SORTS[asked.sort])
    context = {
        "chamber": name,
        "known": facts.coverage[name],
        "tabs": [(state, STATE_LABELS[state], numbers[state]) for state in MANDATE_STATES],
        "link": lambda **changes: asked.link(site, name, **changes),
        "asked": asked,
        "groups": _groups(facts, name, of_state),
        "letters": _letters(found) if asked.sort == "nom" else {},
        "seats": _on_page(found, asked.page),
        "pages": _pages(found),
        "found": len(found),
        "stays": _stays(found),
    }
    # The list names no staff member, so search engines may index it.
    return await site.cache_page(request, key, "chamber", context, indexed=True)


def apart(family: str) -> tuple[str, str]:
    """A family name and the particle that stands after the given name: « Arguillères », « d’ »."""
    found = _PARTICLE.match(family)
    return (family[found.end() :], found[0].strip()) if found else (family, "")


def state_of(one: Listed, since: str | None) -> str:
    """Whether a member sits: `since` is the first day of a mandate that goes on, None where none is known."""
    if one.until:
        return ENDED
    return CURRENT if since is not None or one.team else UNKNOWN


async def _seats(site: Site, facts: Facts, chamber: str) -> list[Seat]:
    key = ("seats", facts.edition, chamber)
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
        known = [_seat(one, since.get(one.identifier)) for one in facts.members[chamber]]
        site.cache.put(key, known, 300 * len(known))
    return known


def _seat(one: Listed, since: str | None) -> Seat:
    return Seat(one, *apart(one.family), since or "", state_of(one, since))


def _asked(request: Request, seats: Sequence[Seat], numbers: Mapping[str, int]) -> Asked:
    """The part that a query string asks for; a value that nothing has is as none."""
    usual = next((state for state in MANDATE_STATES if numbers[state]), CURRENT)
    state = request.args.get("mandat") or usual
    if not numbers.get(state):
        state = usual
    of_state = [seat for seat in seats if seat.state == state]
    group = request.args.get("groupe") or ""
    found = list(_of_group(of_state, group))
    if not found:
        group, found = "", of_state
    sort, page = request.args.get("tri") or "", request.args.get("page") or ""
    pages = -(-len(found) // ON_PAGE)
    known = page.isascii() and page.isdigit() and 0 < int(page) <= pages
    return Asked(state, group, sort if sort in SORTS else "nom", int(page) if known else 1)


def _of_group(seats: Iterable[Seat], group: str) -> Iterable[Seat]:
    return (seat for seat in seats if not group or seat.member.group == group)


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
