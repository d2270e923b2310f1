"""Sentences of pages and figures of teams are what an independent reader of the lists computes.

They stand in one file because the sets of real lists are dear to read. MOUVEMENTS_SEED draws other members, names and weeks; what fails says the seed, and names nobody.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import os
import random
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import pytest

from datasette_mouvements.building.build import Inputs, build
from parlement_lists.tracking import corrections_file
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import ListFile
from parlement_lists.tracking.reading.walk import walk
from tests.pages.raw_lists import raw_rows
from tests.published import Published
from tests.real import windows
from tests.real.windows import DATA, MISSING, lists_of, unpacked
from tests.tracking.lists import member as member_id

from . import (
    busy_weeks,
    chamber_sentences,
    expected_pages,
    from_lists,
    renewed,
    september,
    three_groups,
    week_sentences,
    years,
)
from .conftest import site
from .expected_groups import SEATS
from .expected_mandates import RENEWALS
from .expected_pages import Chamber
from .expected_successions import Successions
from .expected_words import plural
from .from_lists import Words, bare, words
from .member_sentences import MemberSentences
from .name_sentences import NameSentences, case
from .read_pages import Expected, plain_text, sentences, wrong

SEED = int(os.environ.get("MOUVEMENTS_SEED", "15"))
EACH = 10  # of each of two chambers of three sets of real lists: 60 members and 60 names
OF_INVENTED = 250
WEEKS = 6  # of each set
WINDOWS = ["an-legislature-2022", "se-renouvellement-2017", "se-trou-2020"]
TEN_YEARS = (
    *("archives/an-mensuel", "archives/se-mensuel", "audit/an-noms-2017-fevrier"),
    *("audit/an-noms-2017", "audit/an-derniere-2024"),
)
MASK = "- {{date: 2026-09-14, raison: Demande, masquer: {{nom: {}}}}}\n"
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
    """A list a month, three renewals of the Assemblée and two of the Sénat, exchanged names, the dissolution."""
    yield from walk([unpacked(DATA / f"{name}.tar.xz") for name in TEN_YEARS]).files


def european(folder: Path) -> Iterator[ListFile]:
    """A list a month, functions, contracts that members share, groups of the last days alone."""
    yield from lists_of(DATA / "archives" / "ep-mensuel.tar.xz")


def invented(folder: Path) -> Iterator[ListFile]:
    """Lists that are always at hand: more than a year."""
    years.write(folder)
    yield from walk([folder / "lists", folder / "last"]).files


def groups(folder: Path) -> Iterator[ListFile]:
    """Two chambers with groups."""
    # What groups are called in full is asked of the files of the Sénat alone.
    (three_groups.write(folder) / "noms_groupes.csv").unlink()
    yield from (file for file in walk([folder / "lists"]).files if file.chamber != "europarl")


def weeks(folder: Path) -> Iterator[ListFile]:
    """A week in which much happens, a refused list."""
    busy_weeks.write(folder)
    yield from walk([folder / "lists"]).files


def month(folder: Path) -> Iterator[ListFile]:
    """Returns, stays of a few days, names of many teams, a contract of 58 members."""
    september.write(folder)
    yield from walk([folder / "lists"]).files


def renewal(folder: Path) -> Iterator[ListFile]:
    """Around a renewal of the Sénat, one of the Assemblée and its dissolution."""
    renewed.write(folder)
    yield from walk([folder / "lists"]).files


class Real(NamedTuple):
    """A database of lists, the day on which its pages speak, and what the lists alone tell."""

    database: Path
    today: str
    chambers: dict[str, Chamber]
    successions: Successions
    each: int  # how many members and names are drawn of each chamber

    def __repr__(self) -> str:  # what pytest prints of it names nobody
        return f"Real({self.today})"


# The sets that are always at hand, and whose name is masked in each.
MASKED = {
    invented: years.IDA,
    groups: "",
    weeks: busy_weeks.MASKED,
    month: september.MASKED,
    renewal: "",
}
SETS = [
    (invented, "2026-09-22"),
    (groups, "2026-09-22"),
    (weeks, "2026-09-29"),
    (month, "2026-09-30"),
    (renewal, "2023-11-05"),
    (renewal, "2024-11-05"),
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
        return built(folder, files, today, lists in MASKED, MASKED.get(lists, ""))

    return read


@pytest.fixture(params=SETS, ids=lambda one: one[0].__name__)
def real(request: pytest.FixtureRequest, read_once: Callable[..., Real]) -> Real:
    if request.param[0] not in MASKED and not DATA.is_dir():
        pytest.skip(MISSING)
    return read_once(*request.param)


def built(folder: Path, files: list[ListFile], today: str, own: bool, masked: str) -> Real:
    """`own`: the folder has members of its own; `masked` is a name of which a mask is wanted."""
    database, corrections = folder / "movements.db", folder / "corrections.yml"
    members = folder / "members" if own else DATA / "elus"
    corrections.write_text(MASK.format(masked) if masked else "[]", encoding="utf-8")
    inputs = Inputs(
        lists=files,
        members=Members.read(members),
        corrections=corrections_file.read(corrections),
    )
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
                latest = names[member][-1][1] if names[member] else ""
                if sorted(latest.split()) != sorted(name.split()):
                    names[member].append((file.date.isoformat(), name))
    mask = words(masked)
    chambers = {
        name: expected_pages.chamber(name, of, names, members, today, mask)
        for name, of in days.items()
    }
    return Real(database, today, chambers, Successions(chambers), OF_INVENTED if own else EACH)


@pytest.fixture
async def datasette(shared: Any, real: Real) -> Any:
    started = await shared({"contact": "contact@exemple.fr"}, path=real.database)
    moment = datetime.datetime.fromisoformat(f"{real.today}T10:00:00+00:00")
    site(started).service.clock = lambda: moment
    return started


async def get(datasette: Any, address: str) -> str:
    answer = await datasette.client.get(address)
    assert answer.status_code == 200, address.partition("?")[0]
    text: str = answer.text
    return text


def drawn(among: Iterable[Drawn], case: Callable[[Drawn], object], each: int) -> list[Drawn]:
    """Some of them by the seed, of each case in turn, so that rare ones are there."""
    cases: dict[object, list[Drawn]] = defaultdict(list)
    for one in among:
        cases[case(one)].append(one)
    order, chance = sorted(cases.values(), key=len), random.Random(SEED)
    for of in order:
        chance.shuffle(of)
    rest = [of[turn] for turn in range(each) for of in order if turn < len(of)]
    return rest[:each]


class Held:
    """Pages held against what the lists give, and what was wrong; `check` fails with it and names nobody."""

    def __init__(self, real: Real) -> None:
        self.lines: list[str] = []
        stays = (stay for lists in real.chambers.values() for stay in lists.stays)
        self._names = {word for stay in stays for word in stay.name if len(word) > 2}

    def hold(self, page: str, said: list[str], expected: Iterable[Expected]) -> None:
        self.lines += [f"{page}: {self._hidden(text)}" for text in wrong(said, expected)]

    def check(self) -> None:
        told = [f"MOUVEMENTS_SEED={SEED}: {len(self.lines)} sentences", *self.lines[:40]]
        assert not self.lines, "\n".join(told)

    def _hidden(self, text: str) -> str:
        return " ".join("N." if self._names & words(word) else word for word in text.split())


async def test_every_sentence_of_a_members_page_is_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    held = Held(real)
    for name, lists in real.chambers.items():
        for member in drawn(sorted(lists.by_member), lists.case, real.each):
            page = f"/elus/{name}/{member}"
            of_member = MemberSentences(lists, member, real.successions)
            held.hold(page, sentences(await get(datasette, page)), of_member.expected())
    held.check()


def one_spelling(real: Real, name: str) -> list[Words]:
    """The names of a chamber: written with another family name, the same words have pages of their own."""
    lists = real.chambers[name]
    once = [n for n, of in lists.by_name.items() if len({stay.row.filed for stay in of}) == 1]
    if name == "europarl":  # there a line may be a contract with many members
        once = [n for n in once if not any("grouping" in s.row.function for s in lists.by_name[n])]
    return sorted((n for n in once if n not in map(words, MASKED.values())), key=sorted)


async def test_every_sentence_of_a_names_page_is_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    held = Held(real)
    addresses = {
        bare(f"{stay.collab_nom} {stay.collab_prenom}"): site(datasette).staff(
            stay.collab_nom, stay.collab_prenom
        )
        for stay in Published(real.database).tenures()
    }
    for chamber, lists in real.chambers.items():
        for name in drawn(
            one_spelling(real, chamber), lambda name: case(real.chambers, name), real.each
        ):
            digest = hashlib.sha256(" ".join(sorted(name)).encode()).hexdigest()[:8]
            page = sentences(await get(datasette, addresses[lists.by_name[name][0].row.filed]))
            of_name = NameSentences(real.chambers, name, real.successions)
            held.hold(f"{chamber} {digest}", page, of_name.expected())
    held.check()


async def test_the_home_page_and_six_weeks_are_what_the_lists_give(
    datasette: Any, real: Real
) -> None:
    held = Held(real)
    home = week_sentences.home(real.chambers, real.successions)
    held.hold("/", sentences(await get(datasette, "/")), home)
    for monday in drawn(mondays(real), lambda monday: is_of_election(real, monday), WEEKS):
        year, week, _ = datetime.date.fromisoformat(monday).isocalendar()
        address = f"/semaine/{year}-W{week:02}"
        pages = [await get(datasette, address)]
        while f'?page={len(pages) + 1}"' in pages[-1]:
            pages.append(await get(datasette, f"{address}?page={len(pages) + 1}"))
        said = [text for page in pages for text in sentences(page)]
        of_week = week_sentences.week(real.chambers, monday, len(pages), real.successions)
        held.hold(address, said, of_week)
    held.check()


async def test_the_pages_of_elections_count_what_the_lists_give(datasette: Any, real: Real) -> None:
    held = Held(real)
    for year in sorted({on[:4] for renewals in RENEWALS.values() for on in renewals}):
        expected = week_sentences.elections(real.chambers, year, real.successions)
        answer = await datasette.client.get(f"/elections/{year}")
        assert answer.status_code == (200 if expected else 404)
        held.hold(year, sentences(answer.text) if expected else [], expected)
    held.check()


def mondays(real: Real) -> list[str]:
    days = {on for lists in real.chambers.values() for on in lists.order}
    return sorted({week_sentences.monday_of(on) for on in days})


def is_of_election(real: Real, monday: str) -> bool:
    """Whether a list of the week is the first one after an election."""
    for name, lists in real.chambers.items():
        first = [min((d for d in lists.order if d > on), default="") for on in RENEWALS[name]]
        if monday in {week_sentences.monday_of(on) for on in first if on}:
            return True
    return False


_SEAT = re.compile(r'(?s)<tr><th scope="row"><a href="/elus/\w+/(\w+)">(.*?)</a></th>(.*?)</tr>')


async def test_the_pages_of_chambers_and_the_table_of_teams_have_the_same_numbers(
    datasette: Any, real: Real
) -> None:
    held = Held(real)
    index = chamber_sentences.index(real.chambers)
    held.hold("/elus", sentences(await get(datasette, "/elus")), index)
    for name, lists in real.chambers.items():
        seats: dict[str, str] = {}
        page, text = 0, 'rel="next"'
        while 'rel="next"' in text:
            page += 1
            text = await get(datasette, f"/elus/{name}?page={page}")
            assert chamber_sentences.lead(lists) in sentences(text)
            for member, who, cells in _SEAT.findall(text):
                assert words(plain_text(who)) == words(lists.member(member)[0]), member
                seats[member] = plain_text(cells)
        assert seats == {m: " | ".join(own) for m, own in chamber_sentences.rows(lists).items()}
        assert [row async for row in of_table(datasette, name)] == [
            {
                "elu_id": member,
                "mandat_fin": None if lists.sits(member) else lists.over(member),
                "presents": lists.present(member),
                "ayant_travaille": None if year.why else len(year.people),
                "parties": None if year.why else len(year.left),
                "pourquoi": year.why or None,
            }
            for member, year in sorted(lists.teams.items())
        ]
    held.check()


async def of_table(datasette: Any, chamber: str) -> AsyncIterator[dict[str, Any]]:
    """The figures of Datasette's table of teams, in the order of identifiers."""
    columns = ("mandat_fin", "presents", "ayant_travaille", "parties", "pourquoi")
    address = f"/movements/equipes.json?chambre={chamber}&_sort=elu_id&_size=100"
    address += "".join(f"&_col={column}" for column in ("elu_id", *columns))
    following = ""
    while following is not None:
        answer = (await datasette.client.get(address + following)).json()
        for row in answer["rows"]:
            yield {name: row[name] for name in ("elu_id", *columns)}
        following = answer["next"] and f"&_next={quote(answer['next'])}"


async def test_the_pages_of_groups_are_what_the_lists_give(datasette: Any, real: Real) -> None:
    held = Held(real)
    groups = chamber_sentences.groups(real.chambers)
    held.hold("/groupes", sentences(await get(datasette, "/groupes")), groups)
    for name, lists in real.chambers.items():
        for code in lists.group_years:
            page = f"/groupes/{name}/{quote(code, safe='')}"
            of_group = chamber_sentences.group(real.chambers, lists, code)
            held.hold(page, sentences(await get(datasette, page)), of_group)
    held.check()


async def test_no_more_members_sit_than_there_are_seats_on_any_seventh_day_of_lists(
    datasette: Any, real: Real
) -> None:
    for name, lists in real.chambers.items():
        for on in [*lists.order[::7], lists.last]:
            page = await get(datasette, f"/elus/{name}?le={on}")
            assert chamber_sentences.lead(lists, on * (on < lists.last)) in sentences(page), on
            unnoted = sum(lists.is_unnoted(member, on) for member in lists.by_member)
            beside = f"La liste nomme aussi l’équipe de {plural(unnoted, 'membre')} dont le mandat de ce jour n’est pas connu."
            assert (beside in sentences(page)) == (unnoted > 0 and on < lists.last), on
            number = sum(lists.sat(member, on) for member in lists.by_member)
            assert number <= SEATS[name] or not any(lists.terms.values()), on


@pytest.mark.parametrize("real", SETS[:1], indirect=True, ids=["invented"])
async def test_a_masked_name_is_told_and_linked_nowhere(datasette: Any, real: Real) -> None:
    for name in real.chambers:
        page = await get(datasette, f"/elus/{name}/{member_id(name, years.MASKED)}")
        assert "nom retiré" in page
        assert years.IDA.split()[1].lower() not in page.lower()
        assert not re.search(r"<a [^>]*>(?:<[^>]*>)*nom retiré", page)
