"""What the page of a week tells: who came and left, whole teams apart, what is not known, what changed in the data."""

from __future__ import annotations

import re
from typing import Any

import pytest

from datasette_mouvements.pages.calendar.days import Office, _cut, by_office, fold
from tests.tracking.lists import member

from . import busy_weeks, databases
from .busy_weeks import CAME, FORMER, LEFT, MOVED, TEAM, WEEK
from .conftest import Read, text_of
from .invented import contract, movement, publish

GROUPED = "Accredited assistants (grouping)"


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    return busy_weeks.build(tmp_path_factory.mktemp("busy"))


@pytest.fixture
async def datasette(shared, busy):
    return await shared(path=busy, now=busy_weeks.NOW)


def dissolution(path):
    """Movements of the week of a dissolution: 25 teams, of one of which a name went to another team."""
    gone = {"date_event": "2024-06-12", "chambre": "assemblee", "contexte": "elu_sortant"}
    own = {"date_event": "2024-06-11", "chambre": "assemblee", "elu_id": "PA1"}
    new = {"chambre": "senat", "contexte": "elu_entrant", "date_event": "2024-06-13"}
    rows = [movement(n, **gone, type="depart", elu_id=f"PA{n // 2:03}") for n in range(50)]
    rows.append(movement(60, **gone, type="transfert", elu_id="PA1", elu_origine_nom="Élue Partie"))
    rows += [movement(70, **own, type="depart"), movement(71, **own), movement(72, **own)]
    rows += [movement(80, **new, elu_id="1Z"), movement(81, **new, elu_id="1Z")]
    return publish(path, rows)


async def test_emptied_teams_are_told_first_and_never_as_departures(make, tmp_path):
    datasette = await make(path=dissolution(tmp_path / "movements.db"))
    text = await text_of(datasette, "/semaine/2024-W24")
    assert (
        "Semaine du 10 au 16 juin 2024 Dissolution du 9 juin 2024 à l’Assemblée nationale : 25 équipes, 50 noms"
        " retirés de la liste. Équipes nouvelles au Sénat : 1 équipe, 2 noms. 2 arrivées, 1 départ et 1 transfert"
        " à l’Assemblée nationale, sans compter ces équipes." in text
    )
    assert "Assemblée 2 1 1" in text
    assert (
        "Mercredi 12 juin 1 mouvement Mandats finis ou équipes vidées à l’Assemblée nationale :"
        " 25 équipes, 50 noms retirés de la liste." in text
    )
    assert text.count("− Départ") == 1
    assert "Équipe nouvelle : Ida PERSONNE80, Ida PERSONNE81" in text
    described = (await datasette.client.get("/semaine/2024-W24")).text.partition("</head>")[0]
    assert "PERSONNE" not in described


async def test_a_week_without_any_list_is_told_as_one(changed, busy):
    lists = "delete from listes where date between '2026-09-21' and '2026-09-27'"
    text = await text_of(await changed(busy, lists), "/semaine/2026-W39")
    assert text.count("Aucune liste n’est connue") == 1
    assert "Aucune liste n’est connue de ces jours." in text
    assert "Assemblée nationale : non calculable, pas de liste du 17 au 27 septembre 2026." in text


async def test_each_day_tells_its_offices_departures_first(datasette):
    text = await text_of(datasette, f"/semaine/{WEEK}")
    assert text.index("Mercredi 16 septembre") < text.index("Lundi 14 septembre")
    team = text.partition(f" Élue Numéro{TEAM} ")[2].partition("Contrat commun")[0]
    assert re.findall(r"[−+→] [A-Z][a-zé]+ \S+ \S+", team) == [
        f"− Départ {LEFT}",
        "− Départ nom retiré",
        f"→ Transfert {MOVED}",
        f"+ Arrivée {CAME}",
    ]


async def test_a_movement_and_the_office_that_a_transfer_left_are_one_link_away(datasette):
    links = Read((await datasette.client.get(f"/semaine/{WEEK}")).text).links
    assert f"/elus/assemblee/{member('assemblee', FORMER)}" in links
    movements = [link for link in links if link.startswith("/mouvements/")]
    assert len(movements) == 5  # a shared contract has none
    answer = await datasette.client.get(movements[0])
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("until", "is_told"),
    [("2026-09-14", False), ("2026-09-15", True), ("2026-09-16", True), ("2026-09-17", False)],
)
async def test_a_member_who_changes_group_is_told_but_not_who_was_in_none_or_two_between(
    changed, busy, until, is_told
):
    whose = f"where groupe = 'GRA' and elu_id = '{member('assemblee', TEAM)}'"
    datasette = await changed(busy, f"update _appartenances set fin = '{until}' {whose}")
    text = await text_of(datasette, f"/semaine/{WEEK}")
    said = "Assemblée nationale passe du groupe GRA au groupe AUR le 16 septembre 2026."
    assert (said in text) == is_told


async def test_a_short_time_in_no_group_between_two_is_told(changed, busy):
    whose = member("assemblee", TEAM)
    datasette = await changed(
        busy,
        f"update _appartenances set fin = '2026-09-13' where groupe = 'GRA' and elu_id = '{whose}'",
        f"insert into _appartenances values ('assemblee', '{whose}', 'NI', '2026-09-14', '2026-09-15')",
    )
    text = await text_of(datasette, f"/semaine/{WEEK}")
    assert "Assemblée nationale passe du groupe GRA au groupe NI le 14 septembre 2026." in text
    assert "Assemblée nationale passe du groupe NI au groupe AUR le 16 septembre 2026." in text


async def test_many_members_who_change_group_are_a_number(changed, busy):
    members = ", ".join(f"'{member('europarl', number)}'" for number in range(1, 22))
    teams = f"select chambre, elu_id, {{}} from equipes where elu_id in ({members})"
    datasette = await changed(
        busy,
        f"delete from _appartenances where elu_id in ({members})",
        *(
            f"insert into _appartenances {teams.format(span)}"
            for span in ("'X', '', '2026-09-15'", "'Y', '2026-09-16', ''")
        ),
    )
    text = await text_of(datasette, f"/semaine/{WEEK}")
    assert "21 membres Parlement européen passent du groupe X au groupe Y le 16" in text


async def test_a_group_that_takes_another_name_is_nobody_s_change_of_group(make, busy, tmp_path):
    path = tmp_path / "movements.db"
    names = (("SER", "", "2026-09-15"), ("SOCR", "", "2026-09-15"), ("LR", "", "2026-09-15"))
    with databases.changing(busy, path) as db:
        for n, (group, since, until) in enumerate(names, 1):
            whose = ["senat", member("senat", n)]
            db.execute("delete from _appartenances where chambre = ? and elu_id = ?", whose)
            for span in ((group, since, until), ("SER" if n > 1 else "SOCR", "2026-09-16", "")):
                db.execute("insert into _appartenances values (?, ?, ?, ?, ?)", [*whose, *span])
    text = await text_of(await make(path=path), f"/semaine/{WEEK}")
    changed = re.findall(r"Sénat passe du groupe (\w+) au groupe (\w+)", text)
    # A name of before that a group takes again is another group.
    assert sorted(changed) == [("LR", "SER"), ("SER", "SOCR")]


async def test_corrections_and_refused_lists_of_the_week_are_told(datasette):
    text = (await text_of(datasette, f"/semaine/{WEEK}")).partition("Dans les données")[2]
    assert "1 correction, aucun mouvement retiré cette semaine." in text
    refused = text.partition("Liste écartée : ")[2]
    assert refused.startswith("Assemblée nationale, 17 septembre 2026, ")
    assert "La liste retenue ensuite est du 21 septembre 2026." in refused
    other = (await text_of(datasette, "/semaine/2026-W40")).partition("Dans les données")[2]
    assert "Aucune correction, aucun mouvement retiré" in other
    assert "Liste écartée" not in other


async def test_weeks_follow_each_other_and_the_newest_is_the_current_one(datasette):
    current = (await datasette.client.get("/semaine")).text
    assert "Semaine du 28 septembre au 4 octobre 2026" in Read(current).plain
    assert "Pas encore de semaine suivante" in current
    links = Read((await datasette.client.get(f"/semaine/{WEEK}")).text).links
    assert {"/semaine/2026-W37", "/semaine/2026-W39"} <= set(links)
    assert "/flux?depuis=2026-09-14&jusqua=2026-09-20" in links
    assert "Pas de semaine connue avant" in (await datasette.client.get("/semaine/2026-W36")).text


async def test_the_short_address_names_the_week_s_own(make, busy):
    datasette = await make({"public_url": "https://exemple.fr"}, path=busy, now=busy_weeks.NOW)
    html = (await datasette.client.get("/semaine")).text
    assert '<link rel="canonical" href="https://exemple.fr/semaine/2026-W40">' in html


@pytest.mark.parametrize(
    "name", ["2026-W35", "2026-W41", "2026-38", "toutes", "9999-W53", "2026-W00", "２０２６-W38"]
)
async def test_a_week_that_does_not_exist_is_a_404_with_words(datasette, name):
    answer = await datasette.client.get(f"/semaine/{name}")
    assert answer.status_code == 404
    assert "Aucune liste n’est connue pour cette semaine." in answer.text


@pytest.mark.parametrize(
    ("query", "status", "place"),
    [
        ("/semaine?date=2026-09-20", 301, "/semaine/2026-W38"),
        ("/semaine?date=2027-01-03", 301, "/semaine/2026-W53"),
        ("/semaine?date=20-09-2026", 404, None),
        (f"/semaine/{WEEK}?page=2", 301, f"/semaine/{WEEK}"),
        (f"/semaine/{WEEK}?page=x", 301, f"/semaine/{WEEK}"),
        (f"/semaine/{WEEK}?page={'9' * 5000}", 301, f"/semaine/{WEEK}"),
        (f"/semaine/{WEEK}?page=1", 200, None),
    ],
)
async def test_a_day_leads_to_its_week_and_no_page_to_the_first(datasette, query, status, place):
    answer = await datasette.client.get(query)
    assert (answer.status_code, answer.headers.get("location")) == (status, place)


def long_week(path):
    """A file of movements alone, as many as a renewal makes."""
    rows = [
        movement(
            n,
            date_event=f"2026-09-1{4 + n % 5}",
            chambre="senat",
            elu_id=f"99{n % 300:03}Z",
            collab_nom=f"LONGUE{n}",
        )
        for n in range(900)
    ]
    gone = {"date_event": "2026-09-16", "chambre": "senat", "type": "depart"}
    rows += [
        movement(1000 + n, **gone, contexte="elu_sortant", elu_id=f"98{n}Z") for n in range(400)
    ]
    return publish(path, rows)


async def test_a_long_week_is_told_on_pages_that_are_light(make, tmp_path):
    datasette = await make(path=long_week(tmp_path / "movements.db"))
    first = await datasette.client.get(f"/semaine/{WEEK}")
    assert "Semaine du 14 au 20 septembre 2026" in Read(first.text).plain
    assert "900 arrivées au Sénat, sans compter ces équipes." in Read(first.text).plain
    pages = max(int(n) for n in re.findall(rf"/semaine/{WEEK}\?page=(\d+)", first.text))
    assert pages > 5
    names: list[str] = []
    begun: list[str] = []
    counted = 0
    for number in range(1, pages + 1):
        answer = await datasette.client.get(f"/semaine/{WEEK}?page={number}")
        assert len(answer.content) < 60_000
        assert not Read(answer.text).inline
        days = Read(answer.text).plain.partition("Dans les équipes")[2]
        counted += days.count("400 équipes, 400 noms retirés de la liste.")
        names += re.findall(r"LONGUE(\d+)</a>", answer.text)
        begun += re.findall(r"(\d+) septembre 180 mouvements", days)
    assert sorted(map(int, names)) == list(range(900))
    assert begun == ["18", "17", "16", "15", "14"]
    assert counted == 1


def rows(*movements: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in movements]


def test_offices_are_by_group_and_a_team_that_was_emptied_is_one() -> None:
    """A heading has one group: whom a member of before lost is not told under that of now."""
    here = {"elu_id": "1", "elu_nom": "Zoé Un", "elu_cle": "un zoe"}
    gone = movement(1, **here, type="depart", elu_groupe="WAS")
    came = movement(2, **here, type="arrivee", elu_groupe="NOW")
    offices = by_office(rows(gone, came))
    assert [[row["elu_groupe"] for row in office.rows] for office in offices] == [["WAS"], ["NOW"]]
    here = {"elu_id": "1", "contexte": "elu_sortant"}
    gone, moved = movement(1, **here, type="depart"), movement(2, **here, type="transfert")
    assert [office.whole for office in by_office(rows(gone, moved))] == ["elu_sortant", ""]


def test_what_several_members_share_is_one_stands_last_and_may_be_a_contract() -> None:
    shared = contract(10, 3, fonction=GROUPED)
    alone, office = by_office(rows(*shared, movement(30, elu_id="90", elu_nom="Élu N00")))
    assert not alone.shared
    assert (office.shared, office.contract) == (True, True)
    assert [row["elu_nom"] for row in office.rows] == ["Élu N00", "Élu N01", "Élu N02"]
    (office,) = fold(rows(*contract(10, 2, fonction="Local assistants")))
    assert (office.shared, office.contract) == (True, False)


def test_only_the_same_name_kind_and_day_at_the_european_parliament_are_joined() -> None:
    for other in (
        {"date_event": "2026-09-01"},
        {"type": "depart"},
        {"collab_civilite": "M."},
        {"chambre": "senat"},
        {"collab_nom": "", "collab_prenom": ""},
        {"contexte": "elu_entrant"},
    ):
        one, two = contract(10, 2, **(other if len(other) == 2 else {}))
        assert len(fold(rows(one, two._replace(**other)))) == 2, other
    assert len(fold(rows(*contract(10, 2)))) == 1
    assert len(fold(rows(*contract(10, 2, chambre="senat")))) == 2


def test_a_page_holds_an_office_that_is_longer_than_it_may_be() -> None:
    office = Office(rows(*contract(10, 60)), shared=True)
    day = {"day": "2026-08-28", "offices": [office], "counted": [], "goes_on": False}
    assert _cut([day], 1_000) == [[day]]
    assert _cut([], 1_000) == [[]]
