"""The page of a staff member's name: nothing false about a person, and no claim that two names or stays are one's."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.dataset.stays import at_once, find_successions, stay_lines
from datasette_mouvements.pages import movement, names
from parlement_lists.tenure import Tenure
from tests.tracking import lists

from . import databases, invented, years
from .conftest import CONTACT, Read, text_of


async def test_who_is_missing_for_some_days_has_not_left(changed, listed):
    elsewhere = "delete from collaborations where collab_nom = 'CINQ' and chambre <> 'senat'"
    service = await changed(listed, elsewhere, now=years.TODAY)
    text = await text_of(service, "/collaborateurs/cinq-eve")
    assert "Absent de la liste du 21 septembre 2026 depuis sept jours au plus, ce nom peut" in text
    assert "nom absent de la liste du 21 septembre 2026" in text
    assert "0 mouvement Aucun mouvement n’est encore établi." in text
    assert "où est la personne" not in text


async def test_a_former_name_that_no_other_stay_has_leads_to_the_present_one(year):
    answer = await year.client.get("/collaborateurs/deux-bea")
    assert (answer.status_code, answer.headers["location"]) == (
        *(301, "/collaborateurs/sept-lieues-bea"),
    )


@pytest.mark.parametrize(
    ("again", "then"),
    [
        (1, "Le nom Ada TILLIER y est revenu 10 jours après."),
        (3, "Nom vu ensuite chez Élue NUMÉRO3, 10 jours après."),
    ],
)
async def test_the_page_of_a_former_name_says_where_the_present_one_was_seen_again(
    make, tmp_path, again, then
):
    elsewhere, before, after = {2: ["Ada MOREAU"]}, {1: ["Ada MOREAU"]}, {1: ["Ada TILLIER"]}
    steps = {"06-01": elsewhere, "07-01": before, "07-02": after, "07-20": after, "07-21": {}}
    steps |= {"07-30": {}, "07-31": {again: ["Ada TILLIER"]}, "09-01": {again: ["Ada TILLIER"]}}
    # Gone once more: nobody is there now.
    steps |= {"09-02": {}, "09-21": {}}
    for day, staff in steps.items():
        present = {
            number: [f"Zia PRESENTE{number}", *staff.get(number, [])] for number in (1, 2, 3)
        }
        lists.write(tmp_path / "lists", "senat", f"2026-{day}", present)
    path = databases.build(tmp_path, databases.members(tmp_path))
    service = await make(path=path, now=years.TODAY)
    text = await text_of(service, "/collaborateurs/moreau-ada")
    assert "Ada TILLIER a été sur les listes du Sénat jusqu’au 20 juillet 2026, chez Élue" in text
    assert then in text
    assert "sous le nom Ada TILLIER" in text
    # One list may have both names, and lists of two days tell no day on which a name changed.
    assert "l’un remplace l’autre sur les listes, avec la même civilité" in text


async def test_another_spelling_of_the_address_leads_to_the_one_address(year):
    answer = await year.client.get("/collaborateurs/NEUVIC%20Gus")
    assert (answer.status_code, answer.headers["location"]) == (301, "/collaborateurs/neuvic-gus")


async def test_a_masked_name_has_no_page_and_is_not_told_from_one_that_never_was(month):
    pages = [
        await month.client.get(f"/collaborateurs/{slug}")
        for slug in ("ultime-uma", "personne", "nom-retire", "-")
    ]
    assert {page.status_code for page in pages} == {404}
    assert len({page.text for page in pages}) == 1
    assert "retiré à la demande de la personne" in pages[0].text


async def test_a_movement_leads_to_no_stay_whose_name_was_withdrawn(changed, listed):
    name = "collab_nom = null, collab_prenom = null"
    service = await changed(listed, f"update collaborations set {name} where collab_nom = 'QUATRE'")
    text = await text_of(service, "/collaborateurs/quatre-dina")
    assert "Où travaille cette personne n’est pas connu" in text


def stay(number: int, debut: str, fin: str) -> Tenure:
    name = {"collab_nom": "UN", "collab_prenom": "Ada", "chambre": "senat"}
    return Tenure(
        f"col_{number}",
        elu_id=f"e{number}",
        debut=debut,
        debut_apres=debut,
        fin=fin,
        fin_apres=fin,
        **name,
    )


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        (("2026-01-01", "2026-01-09"), ("2026-02-01", "2026-02-09"), True),
        (("2026-01-01", "2026-01-08"), ("2026-02-01", "2026-02-09"), False),
        (("2026-01-01", "2026-01-09"), ("2026-02-01", "2026-02-08"), False),
    ],
)
def test_a_stay_of_seven_days_or_less_on_either_side_is_no_next_one(first, second, is_told):
    stays = [stay(1, *first), stay(2, *second)]
    assert bool(movement.seen_next(find_successions(stays, {}), stays[0])) is is_told


async def test_namesakes_whom_a_correction_tells_apart_are_warned_of(month):
    corrected = await text_of(month, "/collaborateurs/zone-zed")
    assert "Plusieurs personnes portent ce nom." in corrected
    assert "une correction dit qu’elles sont plusieurs" in corrected


async def test_a_contract_of_58_members_is_one_line_one_movement_and_a_light_page(month):
    answer = await month.client.get("/collaborateurs/commun-ugo")
    text = Read(answer.text).plain
    assert answer.text.count('<li class="lane">') == 1
    assert "avec un contrat commun à 58 membres, depuis une date comprise entre" in text
    assert "58 mouvements 2026" in text
    assert text.count("Ugo COMMUN rejoint un contrat commun à 58 membres") == 1
    assert text.count("et 10 autres") == 1
    assert "mandat" not in text.partition("Réutiliser")[0]
    assert len(answer.content) < 60_000


async def test_a_name_of_very_many_teams_shows_the_latest_on_a_light_page(month):
    answer = await month.client.get("/collaborateurs/mobile-eve")
    assert answer.text.count('<li class="lane">') == names.LINES
    assert len(answer.content) < 60_000


async def test_of_very_many_movements_the_latest_are_told_and_one_name_is_not_one_person(
    make, tmp_path
):
    older, latest = ({"collab_nom": "COMBLE", "date_event": f"2026-0{n}-01"} for n in (7, 8))
    movements = [
        invented.movement(n, **older, fonction=f"Assistante {n}") for n in range(names.MOVEMENTS)
    ]
    movements += [invented.movement(n, **latest) for n in (40, 41)]
    datasette = await make(path=invented.publish(tmp_path / "movements.db", movements))
    answer = await datasette.client.get("/collaborateurs/comble-ida")
    assert "Même nom chez 2 membres : Ida COMBLE" in Read(answer.text).plain
    assert 'rel="nofollow">tous ceux de ce nom' in answer.text


async def test_how_to_ask_for_a_correction_stands_before_the_movements(month):
    page = (await month.client.get("/collaborateurs/retour-ria")).text
    at = page.index('id="droits"')
    assert (
        page.index("<table") < at < page.index(f"mailto:{CONTACT}?") < page.index('id="mouvements"')
    )
    assert at < page.index("VOTRE_CLE")
    with_names = [
        link for link in re.findall('<a href="[^"?]*[?][^>]*>', page) if "collab_nom=" in link
    ]
    assert with_names
    assert all('rel="nofollow"' in link for link in with_names)


async def test_without_lists_where_a_person_works_is_not_said(datasette):
    text = await text_of(datasette, "/collaborateurs/ormevalle-louis-ferreol")
    assert "Où travaille cette personne n’est pas connu" in text
    assert "Durée" not in text


def test_stays_with_one_member_are_one_line_and_others_beside_it():
    again, other = stay(1, "2026-03-01", "2026-04-01"), stay(2, "2026-01-15", "2026-02-15")
    lines = stay_lines([again, other, stay(1, "2026-01-01", "2026-02-01")])
    assert [len(line.stays) for line in lines] == [2, 1]
    assert at_once(lines) == 2
    # Both are on the list of that day.
    meeting = stay_lines([stay(1, "2026-01-01", "2026-02-01"), stay(1, "2026-02-01", "2026-03-01")])
    assert [len(line.stays) for line in meeting] == [1, 1]
