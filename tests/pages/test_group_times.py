"""Beside a person stands the group of that time: not the latest one of all years, nor nothing where none is known."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from datasette_mouvements.pages.counts import group_times
from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Start, site, told

pytestmark = pytest.mark.asyncio
NOW = datetime.datetime(2022, 3, 10, 10, 30, tzinfo=datetime.UTC)
HELD = [
    ("NI", "2017-06-21", "2017-07-02"),  # before groups were formed
    ("OLD", "2017-07-03", "2021-03-31"),
    ("MAR", "2021-04-01", ""),
]
SPANS = (("2017-07-03", "2020-09-30"), ("2020-10-01", ""))
WHOLE = lists.many(60)
(ALL_ALONG, BACK), CAME = WHOLE[7], "Une NOUVELLE"


def build(folder: Path) -> Path:
    """A senator who changes the group on 2021-04-01, and members of the European Parliament."""
    days = {
        "2021-03-01": WHOLE,
        "2021-03-10": WHOLE | {7: [ALL_ALONG]},
        "2021-03-20": WHOLE | {7: [ALL_ALONG]},
        "2021-05-01": WHOLE | {7: [ALL_ALONG, BACK]},
        "2022-03-01": WHOLE | {7: [ALL_ALONG, BACK, CAME]},
    }
    for day, staff in days.items():
        lists.write(folder / "lists", "senat", day, staff)
    for day in ("2022-02-20", "2022-03-01"):
        lists.write(folder / "lists", "europarl", day, lists.many(60))
    elus, database = folder / "elus", folder / "movements.db"
    elus.mkdir()
    mandates = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n"
    (elus / "mandats.csv").write_text(
        f"{mandates}europarl,{member('europarl', 7)},Élue Sept,Sept,Élue,Mme,2019-07-02,\n"
        f"europarl,{member('europarl', 8)},Élue Huit,Huit,Élue,Mme,2019-07-02,2023-01-01\n"
    )
    rows = [f"senat,{member('senat', 7)},{code},{since},{until},x" for code, since, until in HELD]
    rows.append(f"europarl,{member('europarl', 7)},EPP,2019-06-02,,parltrack")
    (elus / "groupes.csv").write_text(
        "\n".join(["chambre,elu_id,groupe,depuis,jusqua,origine", *rows]) + "\n"
    )
    environment.done("build", database, "--lists", folder / "lists", "--members", elus)
    return database


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("groups"))


@pytest_asyncio.fixture
async def datasette(shared: Start, file: Path) -> Any:
    return await shared(path=file, now=NOW)


async def name(datasette: Any, person: str) -> str:
    given, family = person.split(" ", 1)
    return await told(datasette, f"/collaborateurs/{slug_of(family, given)}")


@pytest.mark.parametrize(
    ("since", "until", "group", "groups"),
    [
        ("2017-08-01", "2020-01-01", "OLD", ["OLD"]),
        ("2017-06-25", "2021-06-01", "MAR", ["OLD", "MAR"]),
        ("2021-04-01", "2022-03-01", "MAR", ["MAR"]),
        ("2021-03-31", "2022-03-01", "MAR", ["OLD", "MAR"]),
        ("2015-01-01", "2016-01-01", "", []),
        ("2015-01-01", "2016-01-01", "GRA", ["GRA"]),
    ],
)
async def test_a_stay_has_the_groups_of_its_time(since, until, group, groups) -> None:
    stay = Tenure("col_1", "senat", "1A", elu_groupe=group, debut=since, fin_apres=until)
    assert group_times.groups_of(stay, HELD) == groups
    assert group_times.before("MAR", "2022-03-01", HELD) == [("OLD", "2021-03-31")]
    assert group_times.before("MAR", "2021-03-31", HELD) == []


async def test_who_stays_through_a_change_is_not_told_to_have_been_in_the_latest_group_only(
    datasette: Any,
) -> None:
    text = await name(datasette, ALL_ALONG)
    assert text.count("MAR (avant : OLD )") == 2
    assert "(avant" not in await name(datasette, CAME)


async def test_each_of_two_stays_with_one_member_has_the_group_of_its_last_day(
    datasette: Any,
) -> None:
    text = await name(datasette, BACK)
    assert "MAR (avant : OLD )" in text  # on the line of both
    periods = text.partition("Périodes de travail")[2].partition("Vous êtes")[0]
    assert [code for code in periods.split() if code in ("OLD", "MAR")] == ["MAR", "OLD"]


async def test_the_page_of_a_stay_has_the_groups_of_its_time(datasette: Any) -> None:
    given, family = ALL_ALONG.split(" ", 1)
    [stay] = await (await site(datasette).facts()).reader.stays(
        "where collab_nom = ? and collab_prenom = ? and chambre = 'senat'", [family, given]
    )
    assert "MAR (avant : OLD )" in await told(datasette, f"/movements/collaborations/{stay.id}")


async def test_a_member_is_told_with_the_groups_of_before(datasette: Any) -> None:
    text = await told(datasette, f"/elus/senat/{member('senat', 7)}")
    assert "Auparavant : OLD jusqu’au 31 mars 2021" in text


async def test_a_group_of_the_european_parliament_that_is_not_known_is_said_to_be_so(
    datasette: Any,
) -> None:
    # The file saw a mandate end on this day: it is the one on which the other's group is known.
    unknown = "groupe non connu avant le 1 er janvier 2023"
    text = await told(datasette, f"/elus/europarl/{member('europarl', 7)}")
    assert unknown in text
    assert "EPP" not in text
    assert unknown in await name(datasette, WHOLE[7][0])
    assert unknown in await told(datasette, "/elus/europarl")
    assert unknown in await told(datasette, "/recherche?q=sept")
    other = await told(datasette, f"/elus/europarl/{member('europarl', 8)}")
    assert "groupe non connu" in other
    assert "non connu avant" not in other
    assert "groupe non connu" not in await told(datasette, f"/elus/senat/{member('senat', 8)}")


@pytest.mark.parametrize(
    ("moves", "same"),
    [
        # Old and new code of each member at the change, "" where there is none.
        ([("OLD", "NEW")] * 4, {("OLD", "NEW")}),
        ([("OLD", "NEW")] * 4 + [("OLD", "OTH"), ("OLD", ""), ("", "NEW")], {("OLD", "NEW")}),
        ([("OLD", "NEW")] * 2 + [("OLD", "OTH")] * 2, set()),
        ([("OLD", "NEW")] * 2 + [("OTH", "NEW")] * 2, set()),
        ([("OLD", "NEW")] * 4 + [("OLD", "OLD")], set()),  # the old one goes on
    ],
)
async def test_a_group_is_another_s_new_name_where_most_members_of_both_went_along(moves, same):
    held = [
        [(code, *span) for code, span in zip(pair, SPANS, strict=True) if code] for pair in moves
    ]
    assert group_times.renamed(held) == same


async def test_who_joins_a_later_group_years_after_shows_no_new_name():
    held = [[("OLD", "2017-07-03", "2020-09-30"), ("NEW", "2022-10-01", "")]] * 4
    assert group_times.renamed(held) == set()


async def test_one_who_goes_along_makes_no_new_name_of_a_whole_group():
    """All others were not elected again, and those of the other group are new to the chamber."""
    held = [[("OLD", "2017-07-03", "2022-06-21")]] * 40
    held += [[("OLD", "2017-07-03", "2022-06-21"), ("NEW", "2022-06-28", "")]]
    held += [[("NEW", "2022-06-28", "")]] * 30
    assert group_times.renamed(held) == set()


async def test_a_new_name_may_begin_on_the_day_on_which_the_old_one_ends():
    held = [[("OLD", "2017-07-03", "2020-09-30"), ("NEW", "2020-09-30", "")]] * 4
    assert group_times.renamed(held) == {("OLD", "NEW")}
