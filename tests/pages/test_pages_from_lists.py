"""Sentences of pages and figures of offices are what an independent reader of the lists computes.

They stand in one file because the sets of real lists are dear to read. MOUVEMENTS_SEED draws other members and names; what fails says the seed, and names nobody.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
import pytest_asyncio

from datasette_mouvements.building.build import Inputs, build
from datasette_mouvements.dataset.served import DataVersion
from datasette_mouvements.dataset.turnover import ChamberFigures, NotGiven, Turnover
from datasette_mouvements.pages.counts import counting
from datasette_mouvements.pages.counts.facts import CountPending
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.walk import walk
from tests.published import Published
from tests.tracking import windows
from tests.tracking.raw_lists import raw_rows
from tests.tracking.windows import DATA, MISSING, lists_of, unpacked

from . import expected_pages, from_lists, years
from .conftest import site
from .expected_pages import SEATS, Chamber, moved
from .expected_successions import Successions
from .expected_words import CHAMBERS, day
from .from_lists import bare
from .member_sentences import MemberSentences
from .name_sentences import NameSentences, case
from .read_pages import PageText, Sentence

pytestmark = pytest.mark.asyncio
SEED = int(os.environ.get("MOUVEMENTS_SEED", "15"))
EACH = 10  # of each of two chambers of three sets: 60 members and 60 names
WINDOWS = ["an-legislature-2022", "se-renouvellement-2017", "se-trou-2020"]
TEN_YEARS = (
    *("archives/an-mensuel", "archives/se-mensuel", "audit/an-noms-2017-fevrier"),
    *("audit/an-noms-2017", "audit/an-derniere-2024"),
)
Drawn = TypeVar("Drawn")


def a_year(folder: Path) -> Iterator[ListFile]:
    """Every list of a year of each chamber."""
    for name in ("an-quotidien-2020", "se-quotidien-2018"):
        yield from lists_of(DATA / "archives" / f"{name}.tar.xz")


def renewals(folder: Path) -> Iterator[ListFile]:
    """Two renewals and holes, day by day."""
    for name in WINDOWS:
        yield from windows.list_files(windows.available()[name])


def ten_years(folder: Path) -> Iterator[ListFile]:
    """A list a month, three renewals of the Assemblée and two of the Sénat, exchanged names."""
    yield from walk([unpacked(DATA / f"{name}.tar.xz") for name in TEN_YEARS]).files


def european(folder: Path) -> Iterator[ListFile]:
    """A list a month, functions, contracts that members share, groups of the last days alone."""
    yield from lists_of(DATA / "archives" / "ep-mensuel.tar.xz")


def invented(folder: Path) -> Iterator[ListFile]:
    """Lists that are always at hand."""
    years.write(folder)
    yield from walk([folder / "lists", folder / "last"]).files


class Real(NamedTuple):
    """A database of real lists, the day on which its pages speak, and what the lists alone tell."""

    database: Path
    today: str
    chambers: dict[str, Chamber]

    def __repr__(self) -> str:  # what pytest prints of it names nobody
        return f"Real({self.today})"


SETS = [
    (invented, "2026-09-22"),
    (a_year, "2021-01-02"),
    (renewals, "2022-09-05"),
    (ten_years, "2024-06-14"),
    (european, "2022-12-05"),
]


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Real]:
    @cache
    def read(lists: Callable[[Path], Iterator[ListFile]], today: str) -> Real:
        folder = tmp_path_factory.mktemp("lists")
        files = list(lists(folder))
        return built(
            folder, files, today, folder / "members" if lists is invented else DATA / "elus"
        )

    return read


@pytest.fixture(params=SETS, ids=lambda one: one[0].__name__)
def real(request: pytest.FixtureRequest, read_once: Callable[..., Real]) -> Real:
    if request.param[0] is not invented and not DATA.is_dir():
        pytest.skip(MISSING)
    return read_once(*request.param)


def built(folder: Path, files: list[ListFile], today: str, members: Path) -> Real:
    database = folder / "movements.db"
    inputs = Inputs(lists=files, members=Members.read(members))
    build(database, inputs, datetime.datetime.fromisoformat(f"{today}T05:00:00+00:00"))
    accepted = {n for n, row in Published(database).lists.items() if row[3] != "refusee"}
    days: dict[str, dict[str, Any]] = defaultdict(dict)
    names: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(files, key=lambda one: (one.date, one.name)):
        if file.name in accepted:
            content = file.data() if callable(file.data) else file.data
            assert content is not None
            content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
            days[file.chamber][file.date.isoformat()] = from_lists.rows(content)
            for member, name in dict.fromkeys((r.member, r.member_name) for r in raw_rows(content)):
                # A name of the same words keeps its first order.
                known = names[member][-1][1] if names[member] else ""
                if sorted(known.split()) != sorted(name.split()):
                    names[member].append((file.date.isoformat(), name))
    chambers = {
        name: expected_pages.chamber(name, of, names, members, today) for name, of in days.items()
    }
    return Real(database, today, chambers)


@pytest_asyncio.fixture
async def datasette(shared: Any, real: Real) -> Any:
    started = await shared({"contact": "contact@exemple.fr"}, path=real.database)
    moment = datetime.datetime.fromisoformat(f"{real.today}T10:00:00+00:00")
    site(started).service.clock = lambda: moment
    for _ in range(20):  # it waits a second each time
        try:
            await site(started).facts()
            break
        except CountPending:
            continue
    return started


async def sentences(datasette: Any, address: str) -> list[Sentence]:
    answer = await datasette.client.get(address)
    assert answer.status_code == 200
    return PageText(answer.text).sentences


def drawn(among: Iterable[Drawn], case: Callable[[Drawn], object]) -> list[Drawn]:
    """Some of them by the seed, of each case in turn, so that rare ones are there."""
    cases: dict[object, list[Drawn]] = defaultdict(list)
    for one in among:
        cases[case(one)].append(one)
    order, chance = sorted(cases.values(), key=len), random.Random(SEED)
    for of in order:
        chance.shuffle(of)
    rest = [of[turn] for turn in range(EACH) for of in order if turn < len(of)]
    return rest[:EACH]


def shown_moves(page: list[Sentence]) -> int:
    """How many movements a page says that it shows; as many as there are without a word of it."""
    said = re.search(r"Les (\d+) plus récents sont ici", " ".join(one.text for one in page))
    return int(said[1]) if said else 9999


def hidden(text: str, names: Iterable[str]) -> str:
    """A text without the words of names."""
    words = {word for name in names for word in name.split()}
    return " ".join("N." if word.strip(",.") in words else word for word in text.split())


def report(wrong: dict[str, list[str]]) -> str:
    lines = [f"{page}: {text}" for page, found in wrong.items() for text in found]
    return "\n".join([f"MOUVEMENTS_SEED={SEED}: {len(wrong)} pages", *lines[:40]])


async def test_every_sentence_of_a_members_page_is_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    wrong, successions = {}, Successions(real.chambers)
    for chamber, lists in real.chambers.items():
        for member in drawn(sorted(lists.by_member), lists.case):
            page = await sentences(datasette, f"/elus/{chamber}/{member}")
            of_member = MemberSentences(lists, member, successions, shown_moves(page))
            names = [n for s in lists.by_member[member] for n in (s.written, s.as_begun)]
            if found := of_member.said.wrong(page):
                wrong[f"/elus/{chamber}/{member}"] = [hidden(text, names) for text in found]
    assert not wrong, report(wrong)


async def test_every_sentence_of_a_names_page_is_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    addresses = {
        bare(f"{stay.collab_nom} {stay.collab_prenom}"): site(datasette).staff(
            stay.collab_nom, stay.collab_prenom
        )
        for stay in Published(real.database).tenures()
    }
    wrong, successions = {}, Successions(real.chambers)
    for chamber, lists in real.chambers.items():
        # Written with another family name, the same words have pages of their own.
        once = [n for n, of in lists.by_name.items() if len({stay.filed for stay in of}) == 1]
        if chamber == "europarl":  # there a line may be a contract with many members
            once = [n for n in once if not any("grouping" in s.function for s in lists.by_name[n])]
        for name in drawn(sorted(once, key=sorted), lambda name: case(real.chambers, name)):
            page = await sentences(datasette, addresses[lists.by_name[name][0].filed])
            of_name = NameSentences(real.chambers, name, successions)
            if found := of_name.said.wrong(page):
                digest = hashlib.sha256(" ".join(sorted(name)).encode()).hexdigest()[:8]
                wrong[f"{chamber} {digest}"] = [hidden(text, of_name.spellings) for text in found]
    assert not wrong, report(wrong)


async def test_the_home_page_agrees_with_itself_and_with_the_lists(
    datasette: Any, real: Real
) -> None:
    said = [one.text for one in await sentences(datasette, "/")]
    until = max(lists.last for lists in real.chambers.values())
    week = [
        event
        for lists in real.chambers.values()
        for event in lists.events
        if moved(until, -7) < event.day <= until
    ]
    [title] = [text for text in said if text.startswith("En sept jours")]
    if "non calculable" not in title:
        told = {
            kind: count(number) for number, kind in re.findall(r"(\d[\d ]*) (arr|dép|tra)", title)
        }
        assert +Counter(told) == Counter(event.kind[:3].lower() for event in week)
    for chamber, lists in real.chambers.items():
        months, notes = months_of(said, CHAMBERS[chamber])
        counted = {month: in_month(lists, month) for month in months}
        assert {m: cells for m, cells in months.items() if cells != counted[m][-len(cells) :]} == {}
        # The notes under the chart have what it leaves out.
        assert sum(notes.values()) == sum(cells[-1] for cells in months.values())
        for on in {event.day for event in week}:
            of_day = [e for e in lists.events if e.day == on and lists.context(e)]
            noted = [number for text, number in notes.items() if f"e {day(on)}," in text]
            assert not noted or noted[0] >= len(of_day)


async def test_no_more_members_are_said_to_sit_than_there_are_seats(
    datasette: Any, real: Real
) -> None:
    for address in ("/", "/elus"):
        said = await sentences(datasette, address)
        for chamber, lists in real.chambers.items():
            sitting = [member for member in lists.by_member if lists.sits(member)]
            own = (
                one
                for one in said
                if chamber == one.section or one.text.startswith(CHAMBERS[chamber])
            )
            sits = re.compile(r"([\d ]+) (?:membre|parlementaire)s? dont une liste nomme ou")
            told = [count(found[1]) for one in own if (found := sits.search(one.text))]
            assert not told or len(sitting) in told
            assert all(number <= SEATS[chamber] for number in told)


async def test_the_first_page_stays_light(datasette: Any) -> None:
    """With ten years of lists it has more holes and months than invented ones give."""
    assert len((await datasette.client.get("/")).content) < 60_000


def months_of(said: list[str], chamber: str) -> tuple[dict[str, list[int]], dict[str, int]]:
    """What a chart of months says: month -> the numbers of its row, and note -> how many movements it names."""
    chart = next(
        n for n, text in enumerate(said) if text.startswith(f"{chamber}, mouvements par mois")
    )
    table = said.index(f"Les nombres en tableau : {chamber}, mouvements par mois")
    notes = {
        text: sum(count(number) for number in re.findall(r"\d[\d ]* (?=dép|arr|tra|mouv)", text))
        for text in said[chart:table]
        if "équipes entières parties" in text
    }
    rows = (text.split(" | ") for text in said[table + 3 : table + 27])
    return {
        month.partition(",")[0]: [count(cell) for cell in cells if "liste" not in cell]
        for month, *cells in rows
    }, notes


def in_month(lists: Chamber, month: str) -> list[int]:
    """Arrivals, departures, transfers of a month, and those with a mandate."""
    of_month = [event for event in lists.events if day(event.day).endswith(f" {month}")]
    alone = Counter(event.kind for event in of_month if not lists.context(event))
    return [
        *(alone[kind] for kind in ("Arrivée", "Départ", "Transfert")),
        len(of_month) - alone.total(),
    ]


def count(text: str) -> int:
    found = re.search(r"\d[\d ]*", text)
    return int(found[0].replace(" ", "")) if found else 0


# The Sénat's year has no lists of 10 to 30 January 2018.
HOLE = ("2018-01-09", "2018-01-31")
OFFICES_SEED = 24
# Who left, of how many, in the order in which the offices are drawn: counted on the rows of the lists. Of the
# second one person left in the hole, as of the eighth; of the fourth one is back; of the seventh all left
# with the member.
BY_HAND = [(0, 3), (2, 5), (0, 3), (2, 6), (1, 4), (2, 5), (0, 3), (3, 7), (1, 3), (0, 3)]


@pytest.fixture
def senate(read_once: Callable[..., Real]) -> tuple[ChamberFigures, Chamber]:
    """The figures of its year, and its lists."""
    if not DATA.is_dir():
        pytest.skip(MISSING)
    real = read_once(a_year, "2021-01-02")
    with closing(DataVersion(real.database)) as snapshot:
        return counting.count(snapshot).figures["senat"], real.chambers["senat"]


async def test_ten_offices_drawn_by_a_seed_are_as_counted_by_hand(
    senate: tuple[ChamberFigures, Chamber],
) -> None:
    figures, lists = senate
    names: dict[str, list[frozenset[str]]] = {}
    for of_day in lists.days.values():
        for member, there in of_day.items():
            names.setdefault(member, []).extend(there)
    changed = [
        member
        for member, of in sorted(names.items())
        if len(set(of)) > 2 and any(of.count(name) < len(lists.days) for name in of)
    ]
    drawn = [
        figures.offices[m].turnover
        for m in random.Random(OFFICES_SEED).sample(changed, len(BY_HAND))
    ]
    assert [(one.left, one.people) for one in drawn if isinstance(one, Turnover)] == BY_HAND
    assert {one.holes for one in drawn} == {(HOLE,)}


async def test_every_office_is_as_the_lists_give_it(senate: tuple[ChamberFigures, Chamber]) -> None:
    figures, lists = senate
    assert lists.inside == [HOLE]
    wrong, given = [], 0
    for member in {stay.member for stay in lists.stays}:
        year, found = lists.year(lists.by_member[member]), figures.offices[member].turnover
        if isinstance(found, NotGiven):
            wrong += [member] * (year.rate is not None or found.gap is not None)
        else:
            given += 1
            wrong += [member] * (found[:2] != (len(year.left), len(year.people)))
    assert (wrong, given) == ([], 255)
