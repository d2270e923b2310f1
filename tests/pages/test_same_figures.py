"""What two pages, or a page and a file, show of one thing is the same number."""

from __future__ import annotations

import csv
import io
import re

import pytest

from datasette_mouvements.pages.counts.facts import Part
from parlement_lists.movement import CHAMBERS

from .conftest import site, told

pytestmark = pytest.mark.asyncio


async def rows(datasette, path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((await datasette.client.get(path)).text)))


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, (pattern, text[:2000])
    return int(found[1])


@pytest.mark.parametrize("chamber", CHAMBERS)
async def test_members_and_their_teams_are_as_many_wherever_they_are_counted(served, chamber):
    sitting = {
        row["elu_id"]: int(row["equipe"])
        for row in await rows(served, f"/elus/{chamber}.csv")
        if row["mandat"] == "en-cours"
    }
    compared = {
        row["elu_id"]: int(row["personnes"])
        for row in await rows(served, f"/classements/{chamber}.csv")
    }
    assert compared == sitting
    groups = await rows(served, f"/groupes/{chamber}.csv")
    assert sum(int(row["membres"]) for row in groups) == len(sitting)
    assert sum(int(row["collaborations"]) for row in groups) == sum(sitting.values())
    page = await told(served, f"/elus/{chamber}")
    assert number(r"(\d+) parlementaires dont une liste nomme", page) == len(sitting)
    assert number(r"(\d+) collaborations", page) == sum(sitting.values())
    page = await told(served, f"/classements/{chamber}")
    assert number(r"Présence médiane des (\d+)", page) == sum(sitting.values())
    least = [number for number in sitting.values() if number >= 3]
    assert number(r"(\d+) équipes d’au moins 3 personnes", page) == len(least)
    page = await told(served, f"/groupes?chambre={chamber}")
    assert f"{len(sitting)} membres dont une liste" in page


async def test_the_first_pages_count_as_the_pages_to_which_they_lead(served):
    chambers, home = await told(served, "/elus"), await told(served, "/")
    for chamber in CHAMBERS:
        page = await told(served, f"/elus/{chamber}")
        members = number(r"(\d+) parlementaires dont une liste nomme", page)
        stays = number(r"(\d+) collaborations", page)
        assert re.search(
            rf"\b{members} parlementaires dont .{{1,60}} {stays} collaborations", chambers
        )
        assert f"{members} membres dont une liste nomme" in home
    for week, shown in ((await told(served, "/semaine"), home),):
        # What left waits for seven days of lists.
        kinds = re.search(r"(\d+) arrivées dans les équipes", week)
        assert kinds
        assert f"{kinds[1]} arrivées, 0 départ" in shown


async def test_an_office_tells_what_the_tables_tell_of_it(served):
    compared = await rows(served, "/classements/assemblee.csv")
    some = [row for row in compared if int(row["personnes"]) > 2][::9]
    assert len(some) > 5
    for row in some:
        page = await told(served, f"/elus/assemblee/{row['elu_id']}")
        assert number(r"(\d+) personnes dans l’équipe, liste du", page) == int(row["personnes"])
        assert f"{row['parties']} sur {row['passees']} " in page
        found = await told(served, f"/recherche?q={row['elu_nom']}")
        assert f"{row['personnes']} personnes dans l’équipe" in found


async def test_the_last_office_of_a_name_is_one_wherever_it_is_told(served):
    facts = await site(served).facts(Part.WORDS)
    stays = await facts.reader.stays(
        "where collab_nom is not null group by collab_nom, collab_prenom order by max(fin_apres)",
        [],
    )
    for stay in (*stays[::70], *stays[-3:]):
        found = await told(served, f"/recherche?q={stay.collab_prenom} {stay.collab_nom}")
        shown = re.search(r"équipe(?: connue)? : ([^,]+),", found)
        assert shown, found
        page = await told(served, site(served).staff(stay.collab_nom, stay.collab_prenom))
        lead = page.partition("Les listes ne")[0]
        assert shown[1] in lead
