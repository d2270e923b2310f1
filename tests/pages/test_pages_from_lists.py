"""Of real lists: every name, count, duration and percentage of pages is what the lists alone give."""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from datasette_mouvements.pages.counts.latest_facts import Counting
from datasette_mouvements.updating import update
from datasette_mouvements.updating.published import Published
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import windows
from tests.tracking.windows import DATA, MISSING

from . import against_lists, expected_pages, from_lists, read_pages
from .conftest import site

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not DATA.is_dir(), reason=MISSING),
]
ARCHIVES = ["an-quotidien-2020", "se-quotidien-2018"]
WINDOWS = ["an-legislature-2022", "se-renouvellement-2017", "se-trou-2020"]
# The Assemblée's year of 2020 is known when its last list stands for the last day of the year too.
AGAIN = ("2020-12-30", datetime.date(2020, 12, 31))
SEED, EACH = 15, 15  # of each of two chambers: 30


class Real(NamedTuple):
    """A database of real lists, the day on which its pages speak, and what the lists alone tell."""

    database: Path
    today: str
    chambers: dict[str, expected_pages.Chamber]
    names: dict[str, str]  # of members, as the members file has them, else the lists

    def __repr__(self) -> str:  # what pytest prints of it names nobody
        return f"Real({self.today})"


def built(folder: Path, files: list[ListFile], today: str) -> Real:
    database = folder / "movements.db"
    inputs = update.Inputs(lists=files, members=Members.read(DATA / "elus"))
    update.build(database, inputs, datetime.datetime.fromisoformat(f"{today}T05:00:00+00:00"))
    accepted = {n for n, row in Published(database).lists.items() if row[3] != "refusee"}
    days: dict[str, dict[str, Any]] = defaultdict(dict)
    names: dict[str, str] = {}
    for file in files:
        if file.name in accepted:
            content = file.data() if callable(file.data) else file.data
            assert content is not None
            content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
            days[file.chamber][file.date.isoformat()] = from_lists.rows(content)
            names |= from_lists.member_names(content)
    chambers = {
        chamber: expected_pages.Chamber(
            of,
            from_lists.stays(of),
            expected_pages.mandates(DATA / "elus", chamber),
            expected_pages.groups(DATA / "elus", chamber),
        )
        for chamber, of in days.items()
    }
    for chamber in chambers:
        rows = expected_pages.csv_rows(DATA / "elus" / "mandats.csv", chamber)
        names |= {row["elu_id"]: row["nom_complet"] for row in rows}
    return Real(database, today, chambers, names)


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Real:
    """A whole year of each of two chambers, of which the Sénat's is two years old."""
    files = list(walk([DATA / "archives" / f"{name}.tar.xz" for name in ARCHIVES]).files)
    [last] = [f for f in files if f.chamber == "assemblee" and f.date.isoformat() == AGAIN[0]]
    files.append(dataclasses.replace(last, date=AGAIN[1], digest=""))
    return built(tmp_path_factory.mktemp("years"), files, "2021-01-02")


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Real:
    """Two renewals and holes."""
    every = windows.available()
    files = [file for name in WINDOWS for file in windows.list_files(every[name])]
    return built(tmp_path_factory.mktemp("turns"), files, "2022-09-05")


async def served(make: Any, real: Real) -> Any:
    started = await make({"contact": "contact@exemple.fr"}, path=real.database)
    moment = datetime.datetime.fromisoformat(f"{real.today}T10:00:00+00:00")
    site(started).service.clock = lambda: moment
    for _ in range(20):  # it waits a second each time
        try:
            await site(started).facts()
            break
        except Counting:
            continue
    return started


async def page_of(datasette: Any, chamber: str, member: str) -> read_pages.MemberPage:
    answer = await datasette.client.get(f"/elus/{chamber}/{member}")
    assert answer.status_code == 200
    return read_pages.member(answer.text)


def some(among: Iterable[Any], number: int = EACH) -> list[Any]:
    return random.Random(SEED).sample(list(among), number)


async def wrong_members(datasette: Any, real: Real, chamber: str, members: Iterable[str]) -> Any:
    """What is wrong on the pages of members, and on how many."""
    found: Counter[str] = Counter()
    lists, medians = (
        real.chambers[chamber],
        expected_pages.medians(real.chambers[chamber]),
    )
    for member in members:
        page = await page_of(datasette, chamber, member)
        wrong = against_lists.member(page, lists, member, medians, real.today)
        if page.name != real.names[member]:
            wrong.append("name")
        found.update(wrong)
        found.update(f"in {member}" for one in wrong[:1])
    return found


async def test_thirty_members_pages_say_what_the_lists_give(make: Any, years: Real) -> None:
    datasette = await served(make, years)
    for chamber, lists in years.chambers.items():
        members = some(sorted({stay.member for stay in lists.stays}))
        assert not await wrong_members(datasette, years, chamber, members)


async def test_thirty_pages_of_names_say_what_the_lists_give(make: Any, years: Real) -> None:
    datasette = await served(make, years)
    every = [(c, stay) for c, lists in years.chambers.items() for stay in lists.stays]
    addresses = {
        from_lists.words(f"{stay.collab_prenom} {stay.collab_nom}"): site(datasette).staff(
            stay.collab_nom, stay.collab_prenom
        )
        for stay in Published(years.database).tenures()
    }
    found: Counter[str] = Counter()
    for chamber, lists in years.chambers.items():
        for name in some(sorted({stay.name for stay in lists.stays}, key=sorted)):
            answer = await datasette.client.get(addresses[name])
            assert answer.status_code == 200
            stays = [(c, stay) for c, stay in every if stay.name == name]
            page = read_pages.name(answer.text)
            wrong = against_lists.name(page, years.chambers, name, stays, years.names, years.today)
            digest = hashlib.sha256(" ".join(sorted(name)).encode()).hexdigest()[:8]
            found.update(wrong)
            found.update(f"in {chamber} {digest}" for one in wrong[:1])
    assert not found


async def test_pages_after_renewals_and_holes_say_what_the_lists_give(
    make: Any, turns: Real
) -> None:
    datasette = await served(make, turns)
    for chamber, lists in turns.chambers.items():
        members = some(sorted({stay.member for stay in lists.stays}))
        assert not await wrong_members(datasette, turns, chamber, members)


async def test_a_page_over_a_hole_says_so_and_gives_no_share(make: Any, turns: Real) -> None:
    datasette, lists = await served(make, turns), turns.chambers["senat"]
    across = {s.member for s in lists.stays if (s.seen, s.end) == ("2020-07-29", "2020-11-02")}
    there = {s.member for s in lists.stays if not s.end}
    [member] = some(sorted(across & there), 1)
    page = await page_of(datasette, "senat", member)
    assert "entre le 29 juillet et le 2 novembre 2020" in {end for _, _, end, _ in page.dates}
    assert "pas de liste du 1er novembre 2017 au 15 juin 2020" in " ".join(page.facts)
    assert "La part des départs n’est donc pas calculée" in page.text
    assert not page.figures
    assert not await wrong_members(datasette, turns, "senat", [member])


async def test_a_page_of_a_late_chamber_says_of_which_day_its_list_is(
    make: Any, years: Real
) -> None:
    datasette, lists = await served(make, years), years.chambers["senat"]
    [member] = some(sorted({s.member for s in lists.stays if not s.end}), 1)
    page = await page_of(datasette, "senat", member)
    assert "La dernière liste du Sénat date du 31 décembre 2018, il y a 733 jours." in page.text
    [timely] = some(sorted(years.chambers["assemblee"].days[AGAIN[0]]), 1)
    assert "La dernière liste" not in (await page_of(datasette, "assemblee", timely)).text


async def test_at_a_renewal_those_who_left_with_the_member_are_not_present(
    make: Any, turns: Real
) -> None:
    datasette, lists = await served(make, turns), turns.chambers["assemblee"]
    left = Counter(s.member for s in lists.stays if s.end == "2022-06-24")
    gone = [m for m, number in left.items() if number > 2 and m not in lists.days[lists.last]]
    [member] = some(sorted(gone), 1)
    page = await page_of(datasette, "assemblee", member)
    assert "Le mandat a pris fin le 21 juin 2022." in page.text
    assert f"{left[member]} personnes" in page.facts.values()
    assert "Sur la liste du" not in " ".join(page.titles)
    assert not await wrong_members(datasette, turns, "assemblee", [member])


async def test_who_is_renamed_has_one_stay_under_the_new_name(make: Any, turns: Real) -> None:
    datasette = await served(make, turns)
    found = [(c, *both) for c, lists in turns.chambers.items() for both in renamed(lists)]
    assert found
    for chamber, stay, old in found:
        page = await page_of(datasette, chamber, stay.member)
        rows = [(who, begin) for who, begin, *_ in page.dates if who in (stay.name, old)]
        # Compared first: what fails must not print a name.
        shown, rightly = len(rows), rows[:1] == [(stay.name, expected_pages.began(stay))]
        del rows
        assert (shown, rightly) == (1, True)
        assert not await wrong_members(datasette, turns, chamber, [stay.member])


def renamed(lists: expected_pages.Chamber) -> Iterable[tuple[from_lists.Stay, from_lists.Words]]:
    """Stays that began under another family name of one civility and given name, and that name.

    They are those at which the old name has no stay of its own, and the new one no other.
    """
    for stay in lists.stays:
        first = lists.days[stay.begin][stay.member]
        now = lists.days[stay.seen][stay.member][stay.name]
        others = {other.name for other in lists.of(stay.member) if other is not stay}
        old = [n for n, row in first.items() if row[1:] == now[1:] and n not in others]
        family = stay.name - now.given
        new = bool(now.given) and stay.name not in others | first.keys()
        if new and len(old) == 1 and not (old[0] - now.given) & family:
            yield stay, old[0]
