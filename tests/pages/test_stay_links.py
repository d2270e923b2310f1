"""What pages tell of returns and of where a name is seen next, from lists in which each case happens once."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterable

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.stays.lines import LINK_FIELDS
from datasette_mouvements.pages.counts.stay_links import MOVEMENT_LINK_FIELDS, read_successions
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import site, told
from .test_datapackage import whole

pytestmark = pytest.mark.asyncio
NOW = datetime.datetime(2026, 9, 30, 10, tzinfo=datetime.UTC)
BACK, GONE_ON, SEVERAL, MASKED = "Ria RETOUR", "Sam SUITE", "Tom TRIPLE", "Uma ULTIME"
MOVED, BOTH, LATE, SHARED = "Vic VERSE", "Yan YEUSE", "Wim WAGON", "Zed ZONE"
DAILY = [f"2026-09-{day:02}" for day in range(1, 31)]
WITH_HOLE = [day for day in DAILY if not "2026-09-02" < day < "2026-09-20"]
HOLED = [day for day in WITH_HOLE if not "2026-09-21" < day < "2026-09-24"]


def senate(day: str) -> dict[int, list[str]]:
    """Who works for whom at the Sénat, whose lists are daily."""
    before, after = day < "2026-09-06", day >= "2026-09-18"
    found = lists.many(60)
    joined: dict[int, Iterable[str]] = {
        1: [BACK] * (before or day >= "2026-09-17"),
        2: [GONE_ON] * before,
        3: [GONE_ON] * after,
        4: [SEVERAL] * before,
        5: [SEVERAL],
        6: [SEVERAL],
        7: [SEVERAL] * after,
        8: [MASKED] * (before or after),
        9: [MASKED] * after,
        10: [MOVED] * (day < "2026-09-08"),
        11: [MOVED] * (day >= "2026-09-08"),
        12: [BOTH] * (before or day >= "2026-09-20"),
        13: [BOTH] * ("2026-09-10" <= day < "2026-09-15"),
        14: [SHARED] * before,
        15: [SHARED] * after,
    }
    return {n: [*names, *joined.get(n, [])] for n, names in found.items()}


def assembly(day: str) -> dict[int, list[str]]:
    """The same at the Assemblée, whose lists have a hole."""
    found = lists.many(60)
    found[1] = [*found[1], *[LATE] * (day < "2026-09-03")]
    found[2] = [*found[2], *[LATE] * (day >= "2026-09-22")]
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("links")
    for day in DAILY:
        lists.write(folder / "lists", "senat", day, senate(day))
    for day in HOLED:
        lists.write(folder / "lists", "assemblee", day, assembly(day))
    corrections = folder / "corrections.yml"
    mask = f"masquer: {{nom: {MASKED}}}"
    several = f"homonymes: {{nom: {SHARED}, elus: [{member('senat', 15)}]}}"
    entries = (f"- {{date: 2026-09-30, raison: Demande, {one}}}\n" for one in (mask, several))
    corrections.write_text("".join(entries))
    given = ("--lists", folder / "lists", "--corrections", corrections)
    environment.done("build", folder / "movements.db", *given)
    environment.done("check", folder / "movements.db")
    return folder / "movements.db"


@pytest_asyncio.fixture
async def datasette(shared, built):
    return await shared(path=built, now=NOW)


async def of_member(datasette, number: int, chamber: str = "senat") -> tuple[str, str]:
    """The departures of the year on a member's page, and the movements."""
    text = await told(datasette, f"/elus/{chamber}/{member(chamber, number)}")
    _, _, rest = text.partition("Départs des douze derniers mois")
    departures, _, movements = rest.partition("Tous les mouvements")
    return departures, movements.partition("Signaler une erreur")[0]


async def test_an_arrival_that_is_a_return_says_so_and_the_departure_that_it_was_answered(
    datasette,
):
    _, movements = await of_member(datasette, 1)
    came, _, left = movements.partition("Le 6 septembre 2026")
    assert (
        f"Arrivée {BACK} retour : nom déjà ici jusqu’au 5 septembre 2026, puis absent 11 jours"
        in came
    )
    assert f"Départ {BACK} nom revenu ici 11 jours après" in left


async def test_where_a_name_is_seen_next_stands_beside_the_departure(datasette):
    departures, movements = await of_member(datasette, 2)
    next_seen = "nom vu ensuite chez Élue NUMÉRO3, 12 jours après"
    assert f"{GONE_ON}, le 6 septembre 2026, après au moins 5 jours ; {next_seen}." in departures
    assert f"Départ {GONE_ON} {next_seen}" in movements
    page = (await datasette.client.get(f"/elus/senat/{member('senat', 2)}")).text
    assert f'chez <a href="/elus/senat/{member("senat", 3)}">' in page
    # The arrival is no return, and does not say where the name was.
    _, joined = await of_member(datasette, 3)
    assert "nom " not in joined


async def test_both_are_told_where_the_name_was_elsewhere_in_between(datasette):
    _, movements = await of_member(datasette, 12)
    assert (
        f"Départ {BOTH} nom vu ensuite chez Élue NUMÉRO13, 4 jours après ; nom revenu ici 14 jours après"
        in movements
    )
    # From there the next stay of the name is that with the member it was with before.
    _, other = await of_member(datasette, 13)
    assert "nom vu ensuite chez Élue NUMÉRO12, 5 jours après" in other


async def test_days_that_lists_do_not_tell_are_told_within_bounds(datasette):
    _, movements = await of_member(datasette, 1, "assemblee")
    assert f"Départ {LATE} nom vu ensuite chez Élue NUMÉRO2, 2 à 21 jours après" in movements


@pytest.mark.parametrize("number", [4, 8, 10, 14])
async def test_nothing_is_told_of_possible_namesakes_of_masked_names_or_beside_a_transfer(
    datasette, number
):
    departures, movements = await of_member(datasette, number)
    assert "6 septembre" in movements or "8 septembre" in movements
    assert not re.search(r"nom (vu|revenu|déjà)", departures + movements)


async def test_the_page_of_a_name_tells_the_same_in_its_periods_and_movements(datasette):
    text = await told(datasette, "/collaborateurs/yeuse-yan")
    periods, _, movements = text.partition("Vous êtes cette personne")
    back = "retour : nom déjà ici jusqu’au 5 septembre 2026, puis absent 14 jours"
    assert f"le 20 septembre 2026 {back}" in periods
    left = "nom vu ensuite chez Élue NUMÉRO13, 4 jours après ; nom revenu ici 14 jours après"
    assert f"le 6 septembre 2026 {left}" in periods
    assert "retour : nom déjà chez Élue NUMÉRO12 jusqu’au 5 septembre 2026" in movements
    assert "nom revenu chez Élue NUMÉRO12 14 jours après" in movements


async def test_the_page_of_a_name_says_that_a_correction_tells_several_people(datasette):
    text = await told(datasette, "/collaborateurs/zone-zed")
    assert "Plusieurs personnes portent ce nom." in text
    assert "ici, une correction dit qu’elles sont plusieurs. Ne lisez pas" in text
    assert "vu ensuite" not in text


async def test_the_week_and_the_home_page_tell_it(datasette):
    week = await told(datasette, "/semaine/2026-W38")
    assert f"Arrivée {BACK} retour : nom déjà ici jusqu’au 5 septembre" in week
    before = await told(datasette, "/semaine/2026-W36")
    assert f"Départ {GONE_ON} après au moins 5 jours · nom vu ensuite chez" in before
    home = await told(datasette, "/")
    assert "En sept jours : 1 arrivée" in home
    assert "nom revenu" not in home


async def test_the_pages_of_a_movement_and_of_a_stay_tell_it(datasette):
    facts = await site(datasette).facts()
    rows = await facts.reader.movements("where collab_nom = 'YEUSE' order by rowid", [])
    left, _, _, back = [await told(datasette, site(datasette).movement(row["id"])) for row in rows]
    assert "Nom vu ensuite chez Élue NUMÉRO13, 4 jours après ; nom revenu chez Élue NU" in left
    assert "Retour : nom déjà chez Élue NUMÉRO12 jusqu’au 5 septembre 2026" in back
    [stay] = await facts.reader.stays("where mouvement_debut = ?", [rows[-1]["id"]])
    assert "Retour : nom déjà" in await told(datasette, f"/movements/collaborations/{stay.id}")


async def test_a_feed_tells_of_an_arrival_that_it_is_a_return(datasette):
    feed = (await datasette.client.get("/flux?chambre=senat")).text.replace("\u00a0", " ")
    summaries = re.findall(r"<summary>(.*?)</summary>", feed)
    said = "Retour : nom déjà chez Élue NUMÉRO1 jusqu’au 5 septembre 2026, puis absent 11 jours."
    assert [one.endswith(said) for one in summaries].count(True) == 1
    assert "vu ensuite" not in feed
    assert "nom revenu" not in feed
    of_name = (await datasette.client.get("/collaborateurs/retour-ria/flux")).text
    assert of_name.count("nom déjà chez") == 1


async def test_the_successions_of_some_stays_are_those_of_all_stays_of_their_names(datasette):
    reader = (await site(datasette).facts()).reader
    every = await reader.stays("", [])
    whole = await read_successions(reader.rows, every)
    assert len(whole.returns) == 2
    assert len(whole.elsewhere) == 5
    for stay in every:
        alone = await read_successions(reader.rows, [stay])
        assert alone.returns.get(stay.id) == whole.returns.get(stay.id)
        assert alone.elsewhere.get(stay.id) == whole.elsewhere.get(stay.id)


async def test_the_file_of_everything_says_what_follows_which(datasette):
    held, _, _ = await whole(datasette)
    rows = list(csv.DictReader(io.StringIO(held["collaborations.csv"].decode())))
    of = {row["id"]: row for row in rows}
    returned = [row for row in rows if row["retour_de"]]
    moved = [row for row in rows if row["vu_ensuite"]]
    names = {(row["collab_prenom"], row["retour_jours"]) for row in returned}
    assert names == {("Ria", "11"), ("Yan", "14")}
    assert {(row["collab_prenom"], row["vu_ensuite_jours"]) for row in moved} == {
        *(("Sam", "12"), ("Yan", "4"), ("Yan", "5"), ("Wim", "4")),
    }
    for row in returned:
        assert of[row["retour_de"]]["elu_id"] == row["elu_id"]
    for row in moved:
        after = of[row["vu_ensuite"]]
        assert (after["collab_nom"], after["chambre"]) == (row["collab_nom"], row["chambre"])
        assert after["elu_id"] != row["elu_id"]


async def test_days_are_said_to_count_from_the_end_which_may_be_of_a_later_list() -> None:
    counted = [one for one in (*LINK_FIELDS, *MOVEMENT_LINK_FIELDS) if one.name.endswith("_jours")]
    assert len(counted) == 3
    for field in counted:
        assert "jours écoulés du jour de fin" in field.description.lower()
        assert "from the day in fin" in field.english
