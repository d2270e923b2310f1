"""After a renewal nobody is told to sit whom no list confirms, on no page, in no count and in no file."""

from __future__ import annotations

import csv
import datetime
import io
import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from parlement_lists.movement import seats_on
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Start, told
from .test_downloads import bearer, key

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
UNKNOWN_SINCE = "mandat non connu depuis le renouvellement du 2 octobre 2023"


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
    (folder / "elus" / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n")
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
    for number in (RENEWED, REPLACING, NOBODY_KNOWS):
        text = await page(senate, "senat", number)
        assert UNKNOWN_SINCE in text
        assert "Le mandat n’est pas connu depuis le renouvellement du 2 octobre 2023" in text
        assert "depuis le 2 octobre 2017" not in text
        assert "Personne dans l’équipe" not in text
    assert "Mandat : commencé le 2 octobre 2017" in await page(senate, "senat", RENEWED)


async def test_a_senator_of_the_other_half_or_with_staff_on_a_later_list_goes_on(
    senate: Any,
) -> None:
    for number, since in ((CONFIRMED, "2 octobre 2017"), (OTHER_HALF, "1 er octobre 2020")):
        text = await page(senate, "senat", number)
        assert "non connu depuis" not in text
        assert f"Mandat : depuis le {since}" in text
    assert "Personne dans l’équipe" in await page(senate, "senat", OTHER_HALF)


async def test_counts_groups_search_and_files_have_who_sits_alone(senate: Any) -> None:
    text = await told(senate, "/elus/senat")
    assert "57 parlementaires dont une liste nomme ou a nommé l’équipe" in text
    assert "Mandat en cours (57)" in text
    assert "Mandat non connu (3)" in text
    assert "Sénat 57 membres" in await told(senate, "/")
    unknown = await told(senate, "/elus/senat?mandat=inconnu")
    assert "Non connu depuis le" in unknown
    assert unknown.count("2 oct. 2023") == 3
    found = await told(senate, "/recherche?q=numero8")
    assert f"Sénat · {UNKNOWN_SINCE}" in found
    made = await key(senate)
    answer = await senate.client.get("/elus/senat.csv", headers=bearer(made))
    rows = {row["elu_id"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    row = rows[member("senat", RENEWED)]
    assert (row["mandat"], row["mandat_fin"], row["equipe"]) == ("inconnu", "", "")
    assert row["mandat_connu_jusqu_au"] == "2023-10-02"
    assert sum(row["mandat"] == "en-cours" for row in rows.values()) == 57
    compared = await senate.client.get("/classements/senat.csv", headers=bearer(made))
    offices = {row["elu_id"] for row in csv.DictReader(io.StringIO(compared.text))}
    assert member("senat", OTHER_HALF) in offices
    assert member("senat", RENEWED) not in offices


async def test_a_former_member_is_told_as_one_without_figures_of_a_year(assembly: Any) -> None:
    text = await page(assembly, "assemblee", FORMER)
    assert "Ancien membre de l’Assemblée nationale (listes jusqu’au 7 juin 2022 )" in text
    assert "Plus sur la liste du 24 juin 2022 (mandat non connu) : 2 personnes" in text
    assert "quitté l’équipe" not in text
    assert "douze mois" not in text
    assert not re.search(r"(?<!ncien )(?<!ncien )membre de l’Assemblée", text, re.IGNORECASE)
    # Of the twelve months in which somebody was there nothing is counted either.
    just = await page(assembly, "assemblee", JUST_LEFT)
    assert "Ancien membre de l’Assemblée nationale (listes jusqu’au 7 juin 2024 )" in just
    assert "douze mois" not in just.partition("Ce qui a changé depuis")[2]
    assert "Anciens membres (2)" in await told(assembly, "/elus/assemblee?mandat=ancien")
    found = await told(assembly, "/recherche?q=numero7")
    assert "Assemblée nationale · ancien membre (listes jusqu’au 7 juin 2022)" in found


async def test_a_page_says_one_thing_of_a_mandate_that_the_renewal_closed(assembly: Any) -> None:
    text = await page(assembly, "assemblee", CLOSED)
    assert "Mandat : du 22 juin 2022 au 9 juin 2024" in text
    assert "depuis le 22 juin 2022" not in text
    # Whom the list three days later lacks: that the person left is not known.
    gone = "lus sur la liste du 12 juin 2024 (mandat terminé)"
    assert f"P{gone} : 1 personne" in text
    assert text.count(f"p{gone}") >= 2
    assert "quitté l’équipe" not in text
    slug = "-".join(reversed(lists.many(60)[CLOSED][0].lower().split()))
    name = await told(assembly, f"/collaborateurs/{slug}")
    assert f"p{gone}" in name


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
