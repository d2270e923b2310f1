"""The index of staff by the letter of the family name, each with where the lists have the name."""

from __future__ import annotations

import asyncio
import datetime
import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from datasette.utils.asgi import Request, Response

from ..dataset.schema import TABLE, TENURES
from ..movement import plain
from ..tenure import Tenure
from . import french
from .facts import SPELLINGS, STAY_COLUMNS, Facts, Part
from .site import Site
from .sorting import page_of

# So many names are on a page of less than 60 kB, each with so many offices at most.
ON_PAGE = 50
OFFICES = 2
OTHERS = "autres"


class Place(NamedTuple):
    """One office where the lists have, or had, a name."""

    chamber: str
    member: str
    name: str
    group: str
    day: str  # of the last list that has the name there, of a movement its own
    here: bool = False  # on the chamber's last list, and the mandate goes on
    ended: bool = False  # on the chamber's last list, though the mandate ended
    by_list: bool = True


class Person(NamedTuple):
    """A name as the index has it, the offices of the last lists first."""

    family: str
    given: str
    places: list[Place]
    others: int  # offices of the last lists that are not told
    now: Sequence[tuple[str, str]] = ()  # the names that lists gave instead, as stays link them


class Index:
    """Which rows show the names of each letter, in the order of names: eight bytes a name."""

    def __init__(self, spellings: Iterable[tuple[str, str, int, int]]) -> None:
        """One row of each name, of `SPELLINGS`; of a movement, whose name no stay has, the number is negative."""
        found: dict[str, tuple[str, str, int]] = {}
        for family, given, stay, movement in spellings:
            slug = french.slug(family, given)
            if slug not in found or (stay and found[slug][2] < 0):
                # By family name first: of the slug alone, a double name would stand before the single one.
                found[slug] = plain(family), plain(given), stay or -movement
        # A name that was withdrawn has no address.
        found.pop("", None)
        letters: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for slug, one in found.items():
            letters[letter_of(slug)].append(one)
        self._rows = {
            letter: array("q", (row for _, _, row in sorted(letters[letter])))
            for letter in sorted(letters, key=lambda one: (one == OTHERS, one))
        }

    @property
    def letters(self) -> dict[str, int]:
        """The letters that begin a name, and how many each begins."""
        return {letter: len(rows) for letter, rows in self._rows.items()}

    @property
    def weight(self) -> int:
        """About how many bytes it takes."""
        return sum(8 * len(rows) + 200 for rows in self._rows.values())

    def page(self, letter: str, page: int) -> list[int]:
        """The rows of a page of a letter."""
        return list(self._rows[letter][(page - 1) * ON_PAGE : page * ON_PAGE])

    def pages(self, letter: str) -> int:
        """How many pages a letter has."""
        return -(-len(self._rows[letter]) // ON_PAGE)


def letter_of(slug: str) -> str:
    """The letter under which a name stands; OTHERS where that is none of the Latin alphabet."""
    first = slug[0].upper()
    return first if first.isascii() and first.isalpha() else OTHERS


async def index(site: Site, request: Request) -> Response:
    """The letters, or the names of one of them."""
    facts = await site.facts(Part.NAMES)
    known = await _index(site, facts)
    letter = request.args.get("lettre") or ""
    letter = letter if letter in known.letters else ""
    pages = known.pages(letter) if letter else 0
    page = page_of(request.args.get("page"), pages, 1)
    key = ("staff-index", facts.build, letter, str(page))
    remembered = site.cached_page(request, key)
    if remembered is not None:
        return remembered
    context = {
        "letters": known.letters,
        "letter": letter,
        "page": page,
        "canonical_query": {"lettre": letter, "page": page if page > 1 else ""},
        "pages": pages,
        "people": await people(facts, known.page(letter, page), site.today) if letter else [],
        "coverage": facts.coverage,
    }
    return await site.cache_page(request, key, "staff_index", context)


async def _index(site: Site, facts: Facts) -> Index:
    key = ("staff-letters", facts.edition)
    known: Index | None = site.cache.get(key)
    if known is None:
        known = await asyncio.to_thread(Index, await facts.reader.rows(SPELLINGS, []))
        site.cache.put(key, known, known.weight)
    return known


async def people(facts: Facts, rows: list[int], today: datetime.date) -> list[Person]:
    """The names that rows show, in their order: of stays, negative of movements; `today` tells which mandates go on."""
    spelled: dict[int, tuple[str, str]] = {}
    for table, sign in ((TENURES, 1), (TABLE, -1)):
        wanted = json.dumps([sign * row for row in rows if sign * row > 0])
        for rowid, family, given in await facts.reader.rows(
            f"""
            select rowid, coalesce(collab_nom, ''), coalesce(collab_prenom, '') from {table}
            where rowid in (select value from json_each(?))
            """,
            [wanted],
        ):
            spelled[sign * rowid] = family, given
    slugs = {french.slug(*name): name for name in spelled.values()}
    stays = await _stays(facts, slugs)
    renamed = await _renamed(facts, slugs)
    movements = await _movements(facts, [slug for slug in slugs if slug not in stays])
    found = []
    for row in rows:
        slug = french.slug(*spelled[row])
        later = renamed.get(slug, [])
        under = [*stays.get(slug, []), *later]
        places = _places(facts, under, today) if under else movements.get(slug, [])
        here = sum(place.here for place in places)
        shown = places[: OFFICES if here else 1]
        now = list(dict.fromkeys((one.collab_nom, one.collab_prenom) for one in later))
        found.append(Person(*spelled[row], shown, max(here - OFFICES, 0), now))
    return found


async def _stays(facts: Facts, slugs: Iterable[str]) -> Mapping[str, list[Tenure]]:
    """The stays under each name, in every spelling that makes the same address."""
    rowids = [row for slug in slugs for row in facts.names.of(slug) if row > 0]
    columns = STAY_COLUMNS.replace("coalesce(", "coalesce(s.")
    found: dict[str, list[Tenure]] = defaultdict(list)
    for row in await facts.reader.rows(
        f"""
        select {columns} from json_each(?) j cross join {TENURES} n on n.rowid = j.value
        cross join {TENURES} s on s.collab_nom is n.collab_nom and s.collab_prenom is n.collab_prenom
        """,
        [json.dumps(rowids)],
    ):
        stay = Tenure._make(row)
        found[french.slug(stay.collab_nom, stay.collab_prenom)].append(stay)
    return found


async def _renamed(facts: Facts, slugs: Iterable[str]) -> Mapping[str, list[Tenure]]:
    """The stays, under another name by now, that movements under each name begin or end; none of a name withheld."""
    rowids = [-row for slug in slugs for row in facts.names.of(slug) if row < 0]
    columns = STAY_COLUMNS.replace("coalesce(", "coalesce(s.")
    found: dict[str, dict[str, Tenure]] = defaultdict(dict)
    for family, given, *row in await facts.reader.rows(
        f"""
        select m.collab_nom, m.collab_prenom, {columns}
        from json_each(?) j cross join {TABLE} n on n.rowid = j.value
        cross join {TABLE} m on m.collab_nom is n.collab_nom and m.collab_prenom is n.collab_prenom
        cross join {TENURES} s on s.mouvement_debut = m.id or s.mouvement_fin = m.id
        """,
        [json.dumps(rowids)],
    ):
        stay, slug = Tenure._make(row), french.slug(family, given)
        if french.slug(stay.collab_nom, stay.collab_prenom) not in ("", slug):
            found[slug][stay.id] = stay
    return {slug: list(stays.values()) for slug, stays in found.items()}


def _places(facts: Facts, stays: Iterable[Tenure], today: datetime.date) -> list[Place]:
    """The offices of stays, those of the last lists first, then the latest."""
    places = {_place(facts, stay, today) for stay in stays}
    return sorted(places, key=lambda one: (one.here, one.day, one.name), reverse=True)


def _place(facts: Facts, stay: Tenure, today: datetime.date) -> Place:
    of_list = not stay.fin and stay.fin_apres == facts.coverage[stay.chambre].last
    member = facts.listed(stay.chambre, stay.elu_id)
    # A list may name the staff of a member whose mandate ended: nobody is said to be there.
    here = of_list and not (member and member.ended(today))
    where = stay.chambre, stay.elu_id, stay.elu_nom, stay.elu_groupe
    return Place(*where, stay.fin_apres, here, of_list and not here)


async def _movements(facts: Facts, slugs: Iterable[str]) -> dict[str, list[Place]]:
    """Of names that no stay has, the office of the latest movement that has it."""
    rowids = [-row for slug in slugs for row in facts.names.of(slug) if row < 0]
    found: dict[str, list[Place]] = {}
    for row in await facts.reader.rows(
        f"""
        select chambre, elu_id, elu_nom, elu_groupe, date_event, collab_nom, collab_prenom
        from {TABLE} where rowid in (
          select max(m.rowid) from json_each(?) j cross join {TABLE} n on n.rowid = j.value
          cross join {TABLE} m on m.collab_nom is n.collab_nom and m.collab_prenom is n.collab_prenom
          group by n.rowid)
        order by rowid desc
        """,
        [json.dumps(rowids)],
    ):
        place = Place(
            row["chambre"],
            row["elu_id"] or "",
            row["elu_nom"] or "",
            row["elu_groupe"] or "",
            row["date_event"],
            by_list=False,
        )
        found.setdefault(french.slug(row["collab_nom"], row["collab_prenom"]), [place])
    return found
