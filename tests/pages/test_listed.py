"""Members and groups as pages list them: names apart, teams, ends of mandates, full names and colours."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.mandates import UNKNOWN, MandateEnd
from datasette_mouvements.dataset.ready_made import split_name
from datasette_mouvements.pages.counts.facts import ElectedMember, Facts, Group
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF, member

from . import sealed
from .conftest import site

pytestmark = pytest.mark.asyncio
SEVEN, EIGHT, NINE, TEN = (member("senat", number) for number in (7, 8, 9, 10))
GROUPS = [
    f"senat,{SEVEN},GRB,2020-01-01,2023-10-01",
    f"senat,{SEVEN},GRA,,2019-12-31",
    f"senat,{SEVEN},GRA,2023-10-02,",
]


def write(path: Path, header: str, *rows: str) -> None:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def mandate(number: str, name: str, until: str) -> str:
    family, given = name.split(" ", 1)
    return f"senat,{number},{given} {family},{family},{given},Mme,2017-10-02,{until}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A month of lists; two mandates are known, one of which ended."""
    folder = tmp_path_factory.mktemp("listed")
    for day, staff in (("01", STAFF), ("02", AFTER), ("12", AFTER), ("24", AFTER | {TEN: []})):
        lists.write(folder / "lists", "senat", f"2026-09-{day}", staff)
    elus = folder / "elus"
    elus.mkdir()
    write(
        elus / "mandats.csv",
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin",
        mandate(SEVEN, "Abbé Zoé", ""),
        mandate(EIGHT, "Étienne Ada", "2026-09-20"),
        mandate(NINE, "Éternel Ada", "2099-09-20"),
    )
    write(elus / "groupes.csv", "chambre,elu_id,groupe,depuis,jusqua", *GROUPS)
    names = ("senat,GRA,Groupe Alpha,#00aaff",)
    write(elus / "noms_groupes.csv", "chambre,groupe,nom,couleur", *names)
    environment.done("build", folder / "x.db", "--lists", folder / "lists", "--members", elus)
    return folder / "x.db"


@pytest_asyncio.fixture
async def facts(shared: Any, built: Path) -> Facts:
    return await site(await shared(path=built)).facts()


async def test_members_stand_in_the_order_of_their_family_names(facts: Facts) -> None:
    found = facts.members["senat"]
    assert [one.family for one in found[:3]] == ["Abbé", "Éternel", "Étienne"]
    assert len(found) == len(STAFF)
    assert facts.members["europarl"] == []


async def test_a_member_is_told_with_name_group_team_and_mandate(facts: Facts) -> None:
    seven = ElectedMember(SEVEN, "Zoé Abbé", "Abbé", "Zoé", "Mme", "GRA", 1, 1, None)
    listed = facts.listed("senat", SEVEN)
    assert listed is not None
    # A mandate is known until its half of the Sénat is renewed.
    assert listed == seven._replace(end=MandateEnd("2029-10-01", UNKNOWN))
    eight = facts.listed("senat", EIGHT)
    assert eight is not None
    assert (eight.team, eight.end) == (2, MandateEnd("2026-09-20"))
    # A mandate that ends one day has not ended.
    today = datetime.date(2026, 9, 25)
    assert [one.identifier for one in facts.members["senat"] if one.ended(today)] == [EIGHT]
    assert facts.listed("senat", "nobody") is facts.listed("europarl", SEVEN) is None


async def test_name_and_group_are_those_of_the_latest_stay(
    make: Any, built: Path, tmp_path: Path
) -> None:
    path = tmp_path / "movements.db"
    with sealed.changing(built, path) as db:
        # Who stays on is seen last, whichever stay began first.
        for former, name in (("fin is null", "Zoé LATER"), ("fin is not null", "Zoé FORMER")):
            changed = db.execute(
                "update collaborations set elu_nom = ?, elu_groupe = ?"
                f" where elu_id = ? and {former}",
                [name, name[4:], SEVEN],
            )
            assert changed.rowcount
    one = (await site(await make(path=path)).facts()).listed("senat", SEVEN)
    assert one is not None
    assert (one.name, one.group) == ("Zoé LATER", "LATER")


async def test_a_name_that_nobody_tells_apart_is_told_apart_by_the_join_key(facts: Facts) -> None:
    ten = facts.listed("senat", TEN)
    assert ten is not None
    assert (ten.family, ten.given, ten.civility) == ("NUMÉRO10", "Élue", "")


@pytest.mark.parametrize(
    ("name", "key", "told"),
    [
        ("Jeanne de La Tour", "de la tour jeanne", ("de La Tour", "Jeanne")),
        ("Anne Marie Exemple", "exemple anne marie", ("Exemple", "Anne Marie")),
        ("Jeanne Exemple-Modèle", "", ("Exemple-Modèle", "Jeanne")),
        ("Anne Marie DE EXEMPLE", "", ("DE EXEMPLE", "Anne Marie")),
        ("Jeanne Exemple", "autre clé", ("Jeanne Exemple", "")),
        ("Jeanne", "", ("Jeanne", "")),
    ],
)
async def test_a_full_name_is_told_apart_as_far_as_it_can_be(
    name: str, key: str, told: tuple[str, str]
) -> None:
    assert split_name(name, key) == told


async def test_a_group_has_its_full_name_its_colour_and_its_days(facts: Facts) -> None:
    alpha = Group("senat", "GRA", "Groupe Alpha", "#00aaff", "", "")
    beta = Group("senat", "GRB", "GRB", "", "2020-01-01", "2023-10-01")
    assert facts.groups_of("senat") == [alpha, beta]
    assert facts.group("senat", "GRA") == alpha
    assert facts.group("assemblee", "GRA") == Group("assemblee", "GRA", "GRA")


async def test_the_groups_of_a_member_are_told_in_the_order_of_time(facts: Facts) -> None:
    assert await facts.reader.memberships("senat", SEVEN) == [
        ("GRA", "", "2019-12-31"),
        ("GRB", "2020-01-01", "2023-10-01"),
        ("GRA", "2023-10-02", ""),
    ]
    assert await facts.reader.memberships("senat", TEN) == []


async def test_teams_are_those_of_the_last_list(facts: Facts, built: Path) -> None:
    with closing(sqlite3.connect(built)) as db:
        open_ = dict(
            db.execute(
                "select elu_id, count(*) from collaborations where fin is null"
                " and fin_apres = '2026-09-24' group by 1"
            ).fetchall()
        )
    assert {one.identifier: one.team for one in facts.members["senat"]} == {
        one.identifier: open_.get(one.identifier, 0) for one in facts.members["senat"]
    }


async def test_without_lists_nobody_knows_a_team(datasette: Any) -> None:
    found = (await site(datasette).facts()).members
    assert {one.team for members in found.values() for one in members} == {None}
    assert {one.end for members in found.values() for one in members} == {None}
