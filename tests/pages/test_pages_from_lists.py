"""Sentences of pages and figures of offices are what an independent reader of the lists computes.

They stand in one file because the sets of real lists are dear to read. MOUVEMENTS_SEED draws other members and names; what fails says the seed, and names nobody.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
import pytest_asyncio

from datasette_mouvements.building.build import Inputs, build
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.walk import walk
from tests.published import Published
from tests.tracking import windows
from tests.tracking.raw_lists import raw_rows
from tests.tracking.windows import DATA, MISSING, lists_of, unpacked

from . import chamber_sentences, expected_pages, from_lists, read_pages, years
from .conftest import site
from .expected_pages import SEATS, Chamber
from .expected_successions import Successions
from .expected_words import CHAMBERS, day, plural
from .from_lists import words
from .member_sentences import MemberSentences
from .name_sentences import NameSentences, case

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
    return started


async def sentences(datasette: Any, address: str) -> list[str]:
    answer = await datasette.client.get(address)
    assert answer.status_code == 200, address
    return read_pages.sentences(answer.text)


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
            expected = MemberSentences(lists, member, successions).expected()
            names = [n for s in lists.by_member[member] for n in (s.written, s.begun.written)]
            if found := list(read_pages.wrong(page, expected)):
                wrong[f"/elus/{chamber}/{member}"] = [hidden(text, names) for text in found]
    assert not wrong, report(wrong)


async def test_every_sentence_of_a_names_page_is_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    addresses = {
        words(f"{stay.collab_nom} {stay.collab_prenom}"): site(datasette).staff(
            stay.collab_nom, stay.collab_prenom
        )
        for stay in Published(real.database).tenures()
    }
    wrong, successions = {}, Successions(real.chambers)
    for chamber, lists in real.chambers.items():
        # Written in two ways, the same words have pages of their own.
        once = [n for n, of in lists.by_name.items() if len({stay.written for stay in of}) == 1]
        if chamber == "europarl":  # there a line may be a contract with many members
            once = [
                n for n in once if not any("grouping" in s.row.function for s in lists.by_name[n])
            ]
        for name in drawn(sorted(once, key=sorted), lambda name: case(real.chambers, name)):
            page = await sentences(datasette, addresses[name])
            of_name = NameSentences(real.chambers, name, successions)
            if found := list(read_pages.wrong(page, of_name.expected())):
                digest = hashlib.sha256(" ".join(sorted(name)).encode()).hexdigest()[:8]
                wrong[f"{chamber} {digest}"] = [hidden(text, of_name.spellings) for text in found]
    assert not wrong, report(wrong)


async def test_the_pages_of_chambers_and_groups_say_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    wrong = {}
    for address, expected in (
        ("/elus", chamber_sentences.index(real.chambers)),
        ("/groupes", chamber_sentences.groups(real.chambers)),
    ):
        page = await sentences(datasette, address)
        if found := list(read_pages.wrong(page, expected)):
            wrong[address] = found
    assert not wrong, report(wrong)


async def test_the_home_page_counts_what_the_last_lists_have(datasette: Any, real: Real) -> None:
    page = [text.lower() for text in await sentences(datasette, "/")]
    for name, lists in real.chambers.items():
        here = chamber_sentences.sitting(lists)
        stays = plural(sum(map(lists.present, here)), "collaboration")
        counts = f"{CHAMBERS[name]} {stays}, {plural(len(here), 'membre')} sur la liste du {day(lists.last)}"
        told = [text for text in page if text.startswith(f"{CHAMBERS[name].lower()} ")]
        if here:
            assert any(text.startswith(counts.lower()) for text in told), report({"/": [counts]})
        else:
            assert any("aucun mandat en cours" in text for text in told)
        assert len(here) <= SEATS[name]
