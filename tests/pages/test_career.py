"""The page of a staff member's name: its lines, what speaks for namesakes, and how to ask for a correction."""

from __future__ import annotations

import datetime
import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.coverage import Coverage
from datasette_mouvements.dataset.stays.namesakes import at_once
from datasette_mouvements.pages.people import career
from parlement_lists.tenure import Tenure
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Read, told

LAST = "2026-09-21"
DAYS = ["2026-06-01", "2026-07-06", "2026-08-03", "2026-08-31", LAST]
SHARED, SMALL, NAMESAKE = "Ugo COMMUN", "Lia PETIT", "Noé DOUBLE"
MASKED = "Ida ONZAIN"
GROUPING = "Accredited assistants (grouping)"
CONTACT = "contact@exemple.fr"


def stay(number: int, debut: str = "2026-01-10", **given: str) -> Tenure:
    usual = {"chambre": "senat", "elu_id": f"e{number}", "elu_cle": f"e{number:03}"}
    usual |= {"collab_nom": "UN", "collab_prenom": "Ada", "debut_apres": "2026-01-09"}
    usual |= {"debut": debut, "fin_apres": LAST}
    return Tenure(**{"id": f"col_{number}"} | usual | given)


def europarl(number: int, **given: str) -> Tenure:
    return stay(number, **{"chambre": "europarl", "fonction": "Local assistants"} | given)


def ids(lines: list[career.CareerLine]) -> list[list[str]]:
    return [[one.id.removeprefix("col_") for one in line.stays + line.members] for line in lines]


def test_stays_with_one_member_are_one_line_in_the_order_of_begins():
    again = stay(3, "2026-03-01", elu_id="e1", elu_cle="e001")
    first = stay(1, "2026-01-01", fin="2026-02-01", fin_apres="2026-01-31")
    other = stay(2, "2026-02-01")
    assert ids(career.lines([again, other, first])) == [["1", "3"], ["2"]]
    elsewhere = first._replace(id="col_9", chambre="assemblee")
    assert len(career.lines([first, elsewhere])) == 2


def test_stays_at_once_with_one_member_are_beside_each_other():
    """Two people of one name in one office, or two contracts: bars over each other would hide one."""
    stays = [stay(7, collab_civilite="Mme"), stay(7, collab_civilite="M.", id="col_8")]
    assert ids(career.lines(stays)) == [["7"], ["8"]]


def test_stays_of_one_day_end_and_function_with_three_members_of_the_european_parliament_are_one():
    contract = [europarl(n, elu_groupe=group) for n, group in ((3, "A"), (1, "B"), (2, "A"))]
    [line] = career.lines(contract)
    assert ids([line]) == [["2", "2", "3", "1"]]  # by group, the first stands for all
    assert career.groups(line) == "2 A, 1 B"


@pytest.mark.parametrize(
    "other",
    [
        {"fonction": "Assistante"},
        {"debut": "2026-01-11"},
        {"debut_apres": "2026-01-08"},
        {"fin": "2026-09-01", "fin_apres": "2026-08-31"},
        {"collab_civilite": "Mme"},
        {"collab_nom": "DEUX"},
        {"elu_id": "e1"},
    ],
)
def test_what_differs_in_one_of_them_or_has_two_members_is_no_shared_contract(other):
    stays = [europarl(1), europarl(2), europarl(3)._replace(**other)]
    assert not any(line.members for line in career.lines(stays))


def test_no_other_chamber_has_shared_contracts():
    assert len(career.lines([stay(n) for n in range(5)])) == 5


def test_lines_at_once_are_counted_by_days_that_lists_show():
    first = stay(1, "2026-01-01", fin="2026-03-02", fin_apres="2026-03-01")
    same_day, next_day = stay(2, "2026-03-01"), stay(2, "2026-03-02")
    assert at_once(career.lines([first, same_day])) == 2
    assert at_once(career.lines([first, next_day])) == 1
    assert at_once(career.lines([europarl(n) for n in range(9)])) == 1
    assert at_once([]) == 0


@pytest.mark.parametrize(
    ("stays", "signs"),
    [
        ([stay(1)], []),
        ([stay(1, collab_civilite="M."), stay(2)], []),
        ([stay(1, collab_civilite="M."), stay(2, collab_civilite="Mme")], ["deux civilités"]),
        ([stay(1), stay(2, chambre="assemblee")], []),
        (
            [stay(1), stay(2, chambre="assemblee"), europarl(3)],
            ["3\u00a0chambres au même moment", "3\u00a0équipes au même moment"],
        ),
        ([stay(1), stay(2), stay(3)], ["3\u00a0équipes au même moment"]),
        ([europarl(n) for n in range(9)], []),
        ([stay(1), stay(2), stay(3, "2026-10-01", fin_apres="2026-10-02")], []),
    ],
)
def test_what_speaks_for_namesakes_is_two_civilities_or_three_places_at_once(stays, signs):
    assert career.namesakes(stays, career.lines(stays), False) == signs


def test_the_title_tells_lines_chambers_since_when_and_how_many_at_once():
    assert career.title(career.lines([stay(1)])) == "Une équipe au Sénat depuis 2026"
    left = stay(1, "2024-02-01", fin="2025-03-01", fin_apres="2025-02-28")
    assert career.title(career.lines([left])) == "Une équipe au Sénat de 2024 à 2025"
    early = left._replace(debut_apres="")
    assert career.title(career.lines([early])) == "Une équipe au Sénat de 2024 ou plus tôt à 2025"
    both = [stay(1, "2024-02-01"), europarl(2)]
    expected = "Deux équipes dans deux chambres depuis 2024, jusqu’à deux en même temps"
    assert career.title(career.lines(both)) == expected


def test_under_a_name_of_several_people_lines_are_counted_and_nobody_is_in_two():
    both = career.lines([stay(1, "2024-02-01"), europarl(2)])
    assert career.title(both, namesakes=True) == "Deux équipes sous ce nom"


def test_what_members_share_is_a_contract_where_the_list_says_so_and_never_an_office():
    contract = [europarl(n, fonction=GROUPING) for n in range(18)]
    told = "n contrat commun à 18\u00a0membres"
    assert career.title(career.lines(contract)) == f"U{told} au Parlement européen depuis 2026"
    both = career.title(career.lines([*contract, stay(99, fin_apres="2026-01-11")]))
    assert both.startswith(f"Une équipe et u{told} dans deux chambres depuis 2026")
    [unsaid] = career.lines([europarl(n) for n in range(3)])
    assert unsaid.told == "le même nom chez 3\u00a0membres"
    again = [one._replace(debut="2026-02-01", id=f"col_{one.id}") for one in contract]
    several = career.title(career.lines([*contract, *again]))
    assert several.startswith("Deux contrats communs à plusieurs membres au Parlement européen")
    beside = [*contract, stay(97), stay(98)]
    expected = "3\u00a0équipes ou contrats communs au même moment"
    assert career.namesakes(beside, career.lines(beside), False) == [expected]


def test_so_many_lines_are_drawn_the_latest_ones_and_each_has_how_long_it_lasted():
    first = datetime.date(2026, 1, 10)
    stays = [stay(n, (first + datetime.timedelta(n)).isoformat()) for n in range(career.LINES + 2)]
    drawn = career.draw(career.lines(stays), {"senat": Coverage("2026-01-01", LAST)})
    assert (len(drawn.bars), drawn.more) == (career.LINES, 2)
    assert drawn.bars[0][0].first == stays[2]
    assert drawn.bars[0][1] == "8\u00a0mois"


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """Lists in which one contract has 58 members, of whom one's mandate has ended."""
    folder = tmp_path_factory.mktemp("career")
    many = lists.many(60)
    for day in DAYS:
        late = day >= DAYS[2]
        offices = {100 + n: [f"Bea N{n}"] for n in range(58)}
        rows = lists.rows("europarl", many | offices)
        rows += [
            (member("europarl", n), f"Élue Numéro{n}", "GRA", SHARED, GROUPING)
            for n in offices
            if late
        ]
        lists.write(folder / "lists", "europarl", day, lists.text(rows))
        at_senate = {200: [NAMESAKE, SMALL], 201: [NAMESAKE], 202: [NAMESAKE], 203: [MASKED]}
        lists.write(folder / "lists", "senat", day, many | at_senate)
    members = folder / "members"
    members.mkdir()
    ended = (
        f"europarl,{member('europarl', 100)},Élue Numéro100,Numéro100,Élue,,2024-07-16,2026-09-01"
    )
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
    (members / "mandats.csv").write_text(f"{head}\n{ended}\n", encoding="utf-8")
    groups = (
        f"chambre,elu_id,groupe,depuis,jusqua\neuroparl,{member('europarl', 100)},AAA,2024-07-16,\n"
    )
    (members / "groupes.csv").write_text(groups, encoding="utf-8")
    corrections = folder / "corrections.yml"
    corrections.write_text(f"- {{date: 2026-09-14, raison: Demande, masquer: {{nom: {MASKED}}}}}\n")
    given = ("--members", members, "--corrections", corrections)
    environment.done("build", folder / "movements.db", "--lists", folder / "lists", *given)
    return folder / "movements.db"


@pytest_asyncio.fixture
async def start(shared, listed):
    async def starting(settings=None):
        return await shared(settings, listed, datetime.datetime(2026, 9, 22, tzinfo=datetime.UTC))

    return starting


@pytest.mark.asyncio
async def test_a_contract_of_58_members_is_one_line_and_the_page_is_light(start):
    answer = await (await start()).client.get("/collaborateurs/commun-ugo")
    text = Read(answer.text).plain
    assert len(answer.content) < 60_000
    assert answer.text.count('<li class="lane">') == 1
    assert "Un contrat commun à 58 membres au Parlement européen depuis 2026" in text
    assert "Les 58 membres du contrat commun, arrivée entre le 6 juillet et le 3 août 2026" in text
    assert "entre le 6 juillet et le 3 août 2026" in text
    assert all(f"/elus/europarl/{member('europarl', 100 + n)}" in answer.text for n in range(58))


@pytest.mark.asyncio
async def test_a_shared_contract_goes_on_when_the_mandate_of_one_of_its_members_ended(start):
    text = await told(await start(), "/collaborateurs/commun-ugo")
    assert "Sur les listes : un contrat commun à 58 membres du Parlement européen" in text
    assert "toujours sur la liste du 21 septembre 2026" in text
    assert "mandat terminé" not in text
    alone = await told(await start(), "/collaborateurs/n0-bea")
    assert "mandat terminé le 1 er septembre 2026" in alone
    assert (
        "Encore sur la liste du 21 septembre 2026 : équipe d’ Élue Numéro100, membre du Parlement"
        " européen, mandat terminé le 1 er septembre 2026. Les listes ne disent pas où" in alone
    )
    assert "n’est dans aucune équipe" not in alone


@pytest.mark.asyncio
async def test_the_first_sentence_leads_to_the_members_it_names_and_says_of_which_list(start):
    page = (await (await start()).client.get("/collaborateurs/petit-lia")).text
    lead = re.search('<p class="lead">(.*?)</p>', page)[1]
    name = f'<a href="/elus/senat/{member("senat", 200)}">Élue NUMÉRO200</a>'
    assert f"équipe d’{name}, membre du Sénat (liste du 21\u00a0septembre 2026)." in lead


@pytest.mark.asyncio
async def test_namesakes_are_warned_of_with_what_speaks_for_them(start):
    service = await start()
    text = await told(service, "/collaborateurs/double-noe")
    assert "Plusieurs personnes portent peut-être ce nom" in text
    assert "ici, 3 équipes au même moment" in text
    assert "Trois équipes sous ce nom Une ligne par équipe" in text
    assert (
        "deux barres l’une au-dessus de l’autre au même moment peuvent être deux personnes" in text
    )
    assert "en même temps" not in text
    assert "simultanées" not in text
    alone = await told(service, "/collaborateurs/petit-lia")
    assert "Plusieurs personnes portent peut-être" not in alone
    assert "des homonymes sont possibles" in alone


@pytest.mark.asyncio
async def test_no_robot_follows_the_address_of_the_stays_of_a_name(start):
    page = (await (await start()).client.get("/collaborateurs/petit-lia")).text
    leading = re.findall(r'<a href="[^"?]*\?[^"]*collab_nom=[^>]*>', page)
    assert leading
    assert [tag for tag in leading if 'rel="nofollow"' not in tag] == []


@pytest.mark.asyncio
async def test_how_to_ask_for_a_correction_stands_before_anything_technical(start):
    page = (await (await start({"contact": CONTACT})).client.get("/collaborateurs/petit-lia")).text
    at = page.index('id="droits"')
    assert page.index('id="periodes"') < at < page.index(f"mailto:{CONTACT}?")
    assert page.index(f"mailto:{CONTACT}?") < page.index('id="mouvements"')
    assert at < page.index(">Flux Atom<")


@pytest.mark.asyncio
async def test_the_mail_has_a_subject_without_name_a_reference_and_what_to_write(start):
    service = await start({"contact": CONTACT})
    subjects = set()
    for slug, words in (("petit-lia", ("petit", "lia")), ("double-noe", ("double", "noe"))):
        page = (await service.client.get(f"/collaborateurs/{slug}")).text
        [link] = {one for one in Read(page).links if one.startswith("mailto:") and "?" in one}
        mail = urlsplit(link)
        asked = parse_qs(mail.query, strict_parsing=True)
        assert unquote(mail.path) == CONTACT
        [subject], [body] = asked["subject"], asked["body"]
        assert not any(word in subject.lower() for word in words)
        reference = re.search(r"référence ([0-9A-F]{8})$", subject)[1]
        assert f"Référence : {reference}\r\n" in body
        assert f"<code>{reference}</code>" in page
        assert re.search(rf"Page : http\S+/collaborateurs/{slug}\r\n", body)
        # RFC 6068: the ends of lines of a message.
        assert "\n" not in body.replace("\r\n", "")
        assert "séparation de deux personnes" in body
        subjects.add(subject)
    assert len(subjects) == 2


@pytest.mark.asyncio
async def test_a_page_for_contact_is_linked_and_without_contact_the_page_says_so(start):
    service = await start({"contact": "https://exemple.fr/contact"})
    page = (await service.client.get("/collaborateurs/petit-lia")).text
    assert 'href="https://exemple.fr/contact">Demander une correction ou un retrait' in page
    assert "mailto:" not in page
    assert "Le lien ouvre la page de contact du site" in page
    page = (await (await start()).client.get("/collaborateurs/petit-lia")).text
    assert "Demander une correction ou un retrait" not in page
    assert "L’adresse de contact de ce site n’est pas renseignée" in page


@pytest.mark.asyncio
async def test_a_masked_name_has_no_page_and_is_not_found_even_nearly(start):
    service = await start()
    for slug in ("onzain-ida", "onzain", "nom-retire"):
        assert (await service.client.get(f"/collaborateurs/{slug}")).status_code == 404
    for typed in ("onzain", "onzin", "ozain", "ida onzain"):
        page = (await service.client.get("/recherche", params={"q": typed})).text
        assert "Aucune personne de ce nom" in page
        assert "/collaborateurs/onz" not in page
        assert "nom retiré" not in page


@pytest.mark.asyncio
async def test_the_page_of_a_name_is_not_for_search_engines(start):
    answer = await (await start()).client.get("/collaborateurs/petit-lia")
    assert answer.headers["x-robots-tag"] == "noindex"


@pytest.mark.asyncio
@pytest.mark.parametrize("slug", ["petit-fauconnet-camille", "saulnerac-dominique"])
async def test_who_is_warned_of_namesakes_is_not_told_of_one_person(served, slug):
    text = await told(served, f"/collaborateurs/{slug}")
    assert "Ne lisez pas ces lignes comme un seul parcours." in text
    assert "Deux équipes sous ce nom" in text
    assert "deux en même temps" not in text
    assert "où est la personne" not in text


@pytest.mark.asyncio
async def test_the_movements_of_a_shared_contract_are_one_line_as_the_contract_is(served):
    text = (await told(served, "/collaborateurs/galantine-rochefeuille-theodora")).partition(
        "Vous êtes cette personne"
    )[2]
    assert "36 mouvements Ce que plusieurs membres ont en commun compte un mouvement par" in text
    line = "Théodora GALANTINE-ROCHEFEUILLE quitte un contrat commun à 18 membres"
    assert text.count(line) == 1
    assert text.count("Les 18 mouvements de ce nom") == 2
    page = (await served.client.get("/collaborateurs/galantine-rochefeuille-theodora")).text
    [leave] = [one for one in Read(page).links if "type=depart" in one]
    rows = (await served.client.get(leave)).text
    assert "18\u00a0mouvements pour ces filtres" in rows


@pytest.mark.asyncio
async def test_a_stay_that_ended_with_the_mandate_says_so(served):
    text = await told(served, "/collaborateurs/osierreau-thecle")
    assert "plus sur la liste du 19 octobre 2026 (mandat terminé)" in text
    # Whose member sits on did not leave with a mandate.
    for slug in ("osierreau-gatien", "chantepierrot-maelle"):
        assert "mandat terminé" not in await told(served, f"/collaborateurs/{slug}")
