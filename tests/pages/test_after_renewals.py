"""After a renewal nobody is told to sit whom no list confirms, on no page, in no count and in no file."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from parlement_lists.movement import seats_on
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Start, site, told

pytestmark = pytest.mark.asyncio
NOW = datetime.datetime(2023, 11, 5, 10, 30, tzinfo=datetime.UTC)
# Senators by the day of their mandate: renewed with the first half, and confirmed by a list or not; of the
# other half, and without staff; in the place of somebody; without a known mandate.
CONFIRMED, RENEWED, OTHER_HALF, REPLACING, NOBODY_KNOWS = 7, 8, 9, 10, 11
MANDATES = {
    CONFIRMED: "2017-10-02",
    RENEWED: "2017-10-02",
    OTHER_HALF: "2020-10-01",
    REPLACING: "2019-03-04",
}
EMPTIED = {RENEWED, OTHER_HALF, REPLACING, NOBODY_KNOWS}
# Deputies of before: without a known mandate; with one that the dissolution closes, of whom the list of three
# days later lacks one of two people; without a known mandate, and without staff on that list.
FORMER, CLOSED, JUST_LEFT = 7, 8, 9


def build(folder: Path) -> Path:
    whole = lists.many(60)
    emptied = whole | {number: [] for number in EMPTIED}
    for day in ("2023-09-15", "2023-09-22", "2023-09-30"):
        lists.write(folder / "lists", "senat", day, whole)
    for day in ("2023-10-03", "2023-10-12", "2023-10-31"):
        lists.write(folder / "lists", "senat", day, emptied)
    without = whole | {FORMER: []}
    for day, staff in (
        ("2022-06-01", whole),
        ("2022-06-07", whole),
        ("2022-06-24", without),
        ("2024-06-05", without),
        ("2024-06-07", without),
        ("2024-06-12", without | {CLOSED: whole[CLOSED][1:], JUST_LEFT: []}),
    ):
        lists.write(folder / "lists", "assemblee", day, staff)
    rows = ["chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"]
    about = "Élue Numéro,Numéro,Élue,Mme"
    rows += [f"senat,{member('senat', n)},{about},{since}," for n, since in MANDATES.items()]
    rows.append(f"assemblee,{member('assemblee', CLOSED)},{about},2022-06-22,")
    # The file is of the year of the last list.
    rows.append(f"senat,{member('senat', CONFIRMED + 30)},{about},2023-05-01,")
    (folder / "elus").mkdir()
    (folder / "elus" / "mandats.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    group = f"chambre,elu_id,groupe,depuis,jusqua\nassemblee,{member('assemblee', CLOSED)},GRA,2022-06-28,\n"
    (folder / "elus" / "groupes.csv").write_text(group)
    database = folder / "movements.db"
    environment.done("build", database, "--lists", folder / "lists", "--members", folder / "elus")
    return database


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("renewals"))


@pytest_asyncio.fixture
async def senate(shared: Start, file: Path) -> Any:
    return await shared(path=file, now=NOW)


@pytest_asyncio.fixture
async def assembly(shared: Start, file: Path) -> Any:
    return await shared(path=file, now=NOW.replace(year=2024))


async def page(service: Any, chamber: str, number: int) -> str:
    return await told(service, f"/elus/{chamber}/{member(chamber, number)}")


async def test_a_senator_whom_no_later_list_confirms_is_not_told_to_sit(senate: Any) -> None:
    unknown = "dont le mandat n’est plus connu depuis le renouvellement du 2 octobre 2023"
    for number in (RENEWED, REPLACING, NOBODY_KNOWS):
        text = await page(senate, "senat", number)
        assert unknown in text
        assert "2 personnes travaillaient ici à la dernière liste d’alors, du 30 septembre" in text
        assert "depuis le 2 octobre 2017" not in text
    assert "Sénatrice à partir du 2 octobre 2017" in await page(senate, "senat", RENEWED)


async def test_a_senator_of_the_other_half_or_with_staff_on_a_later_list_goes_on(
    senate: Any,
) -> None:
    for number, since in ((CONFIRMED, "2 octobre 2017"), (OTHER_HALF, "1 er octobre 2020")):
        text = await page(senate, "senat", number)
        assert "plus connu" not in text
        assert f"Sénatrice depuis le {since}" in text
    assert "Personne ne travaille ici" in await page(senate, "senat", OTHER_HALF)


async def test_a_chamber_has_who_sits_alone_and_on_an_earlier_day_who_sat(senate: Any) -> None:
    text = await told(senate, "/elus/senat")
    assert "57 membres et leurs 112 collaborations, à la liste du 31 octobre 2023" in text
    assert "Terminés ou non connus (3)" in text
    unknown = await told(senate, "/elus/senat?mandat=inconnu")
    assert unknown.count("2 octobre 2023") == 3
    assert "60 membres et leurs 120 collaborations, à la liste du 30 septembre 2023" in await told(
        senate, "/elus/senat?le=2023-10-01"
    )


async def test_a_renewal_of_the_very_day_of_the_last_list_is_not_told_as_after_it(
    make: Start, tmp_path: Path
) -> None:
    for day in ("2023-09-30", "2023-10-02"):
        lists.write(tmp_path / "lists", "senat", day, lists.many(60))
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", tmp_path / "lists")
    text = await told(await make(path=database, now=NOW.replace(month=10, day=4)), "/elus/senat")
    assert "à la liste du 2 octobre 2023" in text
    assert "Depuis a eu lieu" not in text


async def test_a_former_member_is_told_as_one_without_figures_of_a_year(assembly: Any) -> None:
    text = await page(assembly, "assemblee", FORMER)
    assert "Ancien membre de l’Assemblée nationale (listes jusqu’au 7 juin 2022 )" in text
    assert "Plus sur les listes (mandat non connu) : 2 personnes" in text
    assert "quitté l’équipe" not in text
    assert "douze mois" not in text
    assert not re.search(r"(?<!ncien )membre de l’Assemblée", text, re.IGNORECASE)
    assert "Terminés ou non connus" not in await told(assembly, "/elus/assemblee?mandat=ancien")


async def test_a_page_says_one_thing_of_a_mandate_that_the_renewal_closed(assembly: Any) -> None:
    text = await page(assembly, "assemblee", CLOSED)
    assert "Députée jusqu’à la dissolution du 9 juin 2024" in text
    assert (
        "Députée du 22 juin 2022 à la dissolution du 9 juin 2024, XVIe législature (2022-2024)"
        in text
    )
    assert "depuis le 22 juin 2022" not in text
    # Whom the list three days later lacks: that the person left is not known.
    gone = "nom absent de la liste du 12 juin 2024 (mandat terminé le 9 juin 2024)"
    assert text.count(gone) >= 1
    given, family = lists.many(60)[CLOSED][0].split()[-2:]
    assert gone in await told(assembly, site(assembly).staff(family, given))
    assert "La liste du 12 juin 2024 nomme encore 1 personne ici" in text
    assert "quitté l’équipe" not in text


async def test_check_fails_where_more_sit_than_there_are_seats(tmp_path: Path) -> None:
    assert [
        seats_on("europarl", datetime.date.fromisoformat(day))
        for day in ("2020-01-31", "2020-02-01", "2024-07-15", "2024-07-16")
    ] == [74, 79, 79, 81]
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    for number in (79, 80):
        european = lists.data("europarl", lists.many(number, each=1), lists.KEPT)
        lists.write(folder, "europarl", "2023-11-02", european)
        environment.done("build", database, "--lists", folder)
        done = environment.command("check", database)
        expected = "80 members sit at europarl on 2023-11-02, which has 79 seats"
        assert (done.exit_code, expected in done.stderr) == (number - 79, number == 80)


async def test_groups_are_those_of_the_list_before_a_renewal_of_every_mandate(
    assembly: Any,
) -> None:
    text = await told(assembly, "/groupes/assemblee/GRA")
    assert "1 membre et 2 collaborations sur la liste de l’Assemblée nationale du 7 juin" in text
    ended = "Tous les mandats ont pris fin à la dissolution du 9 juin 2024 : les groupes sont ceux"
    assert f"{ended} de la liste d’avant, du 7 juin 2024." in text
    assert f"{ended} de la liste d’avant" in await told(assembly, "/groupes")


async def test_the_page_of_an_election_tells_what_it_did_to_teams(senate: Any) -> None:
    text = await told(senate, "/elections/2023")
    emptied = "4 équipes vidées entre la liste du 30 septembre 2023 et celle du 31 octobre 2023"
    assert f"Sénat, le renouvellement du 2 octobre 2023 {emptied}, " in text
    assert "Aucun de ces noms n’est vu ensuite chez un autre membre" in text
    assert (await senate.client.get("/elections/2021")).status_code == 404
