"""What the page of a week tells: who came and left, what is not known, what changed in the data."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta

import pytest
import pytest_asyncio

from tests.tracking.lists import member

from . import busy_weeks, sealed
from .busy_weeks import CAME, CONTRACT, FORMER, HOLE, LEFT, MASKED, MOVED, SHARED, TEAM, WEEK
from .conftest import Read, site, told
from .invented import movement, publish

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    return busy_weeks.build(tmp_path_factory.mktemp("busy"))


@pytest_asyncio.fixture
async def datasette(shared, busy):
    return await shared(path=busy, now=busy_weeks.NOW)


def office(text: str, name: str) -> str:
    """What follows a member's name on the page, up to the next office or day."""
    return text.partition(f" {name} Assemblée nationale")[2].partition("Élue")[0]


async def test_the_week_is_told_in_numbers_and_by_the_lists_it_was_read_on(served):
    facts = await site(served).facts()
    rows = await facts.reader.movements(
        "where date_event between ? and ?", ["2026-11-09", "2026-11-15"]
    )
    counts = Counter((row["chambre"], row["type"]) for row in rows)
    text = await told(served, "/semaine/2026-W46")
    assert "Ce qui a changé du 9 au 15 novembre 2026" in text
    came, left, moved = (
        sum(row["type"] == kind for row in rows) for kind in ("arrivee", "depart", "transfert")
    )
    assert (
        f"{came} arrivées, {left} départs et {moved} transfert dans les équipes parlementaires,"
        " d’après les listes jusqu’à celle du 13 novembre 2026" in text
    )
    assert "novembre 2026 (Assemblée nationale, Parlement européen)." in text
    of = [counts["assemblee", kind] for kind in ("arrivee", "depart", "transfert")]
    summary = text.partition("La semaine par chambre")[2]
    assert f"Assemblée {of[0]} {of[1]} {of[2]} Sénat pas de liste connue Parl. eu" in summary


async def test_a_week_in_which_a_hole_ends_has_no_total(datasette):
    """What changed in the hole is dated in the week, and was not all in it."""
    answer = await datasette.client.get(f"/semaine/{WEEK}")
    text = Read(answer.text).plain
    why = "Pas de total : une interruption des listes de l’Assemblée nationale s’achève cette semaine."
    assert (
        "Mouvements des équipes parlementaires, d’après les listes jusqu’à celle du 16 septembre 2026"
        f" (Assemblée nationale, Parlement européen). {why}" in text
    )
    summary = text.partition("La semaine par chambre")[2]
    assert "Assemblée non calculable Sénat pas de liste connue Parl. européen 3 0 0" in summary
    said = f"Mouvements des équipes parlementaires, du 14 au 20 septembre 2026. {why}"
    head = re.sub(r"[\u00a0\u202f]", " ", answer.text)
    assert f'<meta name="description" content="{said}">' in head
    assert "5 arrivées" not in answer.text
    assert "Pas de total" not in (await datasette.client.get("/semaine/2026-W39")).text


async def test_each_day_tells_its_offices_with_departures_first_and_how_long_the_stay_was(
    datasette,
):
    text = await told(datasette, f"/semaine/{WEEK}")
    days = re.findall(
        r"(?:Mercredi 16|Lundi 14) septembre \d+ mouvements?(?:, dont 3 de contrats communs)?", text
    )
    assert days == [
        "Mercredi 16 septembre 7 mouvements, dont 3 de contrats communs",
        "Lundi 14 septembre 1 mouvement",
    ]
    team = text.partition(f" Élue Numéro{TEAM} ")[2].partition("Contrat commun")[0]
    assert re.findall(r"[−+→] [A-Z][a-zé]+ \S+ \S+", team) == [
        f"− Départ {LEFT}",
        "− Départ nom retiré",
        f"→ Transfert {MOVED}",
        f"+ Arrivée {CAME}",
    ]
    assert f"{LEFT} après au moins 15 jours · entre le 14 et le 16 septembre −" in team
    assert f"{MOVED} vient de l’équipe de Élue" in text


async def test_a_transfer_leads_to_the_office_that_was_left(datasette):
    page = Read((await datasette.client.get(f"/semaine/{WEEK}")).text)
    assert f"/elus/assemblee/{member('assemblee', FORMER)}" in page.links


async def test_a_contract_of_three_members_is_one_line_with_the_members_folded(datasette):
    answer = await datasette.client.get(f"/semaine/{WEEK}")
    text = Read(answer.text).plain
    assert text.count(SHARED) == 2  # the line, and what the fold is of
    assert f"Contrat commun à 3 membres Parlement européen + Arrivée {SHARED}" in text
    folded = answer.text.partition("Les 3\u00a0membres")[2].partition("</details>")[0]
    links = Read(folded).links
    assert links == [f"/elus/europarl/{member('europarl', number)}" for number in CONTRACT]


async def test_days_without_a_list_are_told_and_never_zero(datasette):
    text = await told(datasette, f"/semaine/{WEEK}")
    assert "Sénat : pas de liste du 8 au 20 septembre 2026." in text
    assert "Ce qui y a changé cette semaine n’est pas connu." in text
    # What a hole hid is dated by the list that ends it, and says between which days it was.
    assert (
        "Assemblée nationale : pas de liste du 2 au 13 septembre 2026. Tout ce qui a"
        " changé dans cet intervalle est daté du 14 septembre 2026, jour de la liste suivante."
        in text
    )
    assert "entre le 1er et le 14 septembre" in office(text, f"Élue Numéro{HOLE}").replace(
        "1 er", "1er"
    )


async def test_a_name_withheld_is_nowhere_and_leads_nowhere(datasette):
    page = await datasette.client.get(f"/semaine/{WEEK}")
    assert "nom retiré" in page.text
    assert "ONZAIN" not in page.text.upper()
    assert "onzain" not in " ".join(Read(page.text).links)
    assert MASKED.split()[0] not in Read(page.text).text


async def test_a_member_who_changes_group_is_told(datasette):
    text = await told(datasette, f"/semaine/{WEEK}")
    assert (
        f"Élue Numéro{TEAM} Assemblée nationale passe du groupe GRA au groupe AUR le 16 septembre 2026."
        in text
    )


async def test_many_members_who_change_group_are_folded_and_very_many_are_a_number(
    make, busy, tmp_path
):
    path = tmp_path / "movements.db"
    with sealed.changing(busy, path) as db:
        for chamber, number in (("senat", 6), ("europarl", 60)):
            for n in range(1, number + 1):
                whose = [chamber, member(chamber, n)]
                db.execute("delete from _appartenances where chambre = ? and elu_id = ?", whose)
                db.execute("insert into _appartenances values (?, ?, 'X', '', '2026-09-15')", whose)
                db.execute("insert into _appartenances values (?, ?, 'Y', '2026-09-16', '')", whose)
    text = await told(await make(path=path), f"/semaine/{WEEK}")
    changes = text.partition("Parmi les parlementaires")[2].partition("Dans les données")[0]
    assert "60 membres Parlement européen passent du groupe X au groupe Y le 16" in changes
    assert "6 membres Élue" in changes
    assert changes.count("Élue") == 7  # and the one of the Assemblée


@pytest.mark.parametrize(
    ("until", "changed"),
    [("2026-09-14", False), ("2026-09-15", True), ("2026-09-16", True), ("2026-09-17", False)],
)
async def test_who_was_in_no_group_or_in_two_between_does_not_change_group(
    make, busy, tmp_path, until, changed
):
    path = tmp_path / "movements.db"
    with sealed.changing(busy, path) as db:
        db.execute(
            "update _appartenances set fin = ? where groupe = 'GRA' and elu_id = ?",
            [until, member("assemblee", TEAM)],
        )
    text = await told(await make(path=path), f"/semaine/{WEEK}")
    assert ("passe du groupe GRA au groupe AUR le 16" in text) == changed


async def test_corrections_and_refused_lists_of_the_week_are_told(datasette):
    text = (await told(datasette, f"/semaine/{WEEK}")).partition("Dans les données")[2]
    assert "1 correction, aucun mouvement retiré cette semaine." in text
    refused = text.partition("Liste écartée : ")[2]
    assert refused.startswith("Assemblée nationale, 17 septembre 2026, ")
    assert "La liste retenue ensuite est du 21 septembre 2026." in refused
    other = (await told(datasette, "/semaine/2026-W40")).partition("Dans les données")[2]
    assert "Aucune correction, aucun mouvement retiré" in other
    assert "Liste écartée" not in other


async def test_weeks_follow_each_other_and_the_newest_is_the_current_one(datasette):
    current = (await datasette.client.get("/semaine")).text
    assert "Ce qui a changé le 28 septembre 2026" in Read(current).plain
    assert "Pas encore de semaine suivante" in current
    links = Read((await datasette.client.get(f"/semaine/{WEEK}")).text).links
    assert {"/semaine/2026-W37", "/semaine/2026-W39"} <= set(links)
    assert "/flux?depuis=2026-09-14&jusqua=2026-09-20" in links
    first = (await datasette.client.get("/semaine/2026-W36")).text
    assert "Pas de semaine connue avant" in first


@pytest.mark.parametrize("name", ["2026-W35", "2026-W41", "2026-38", "toutes", "9999-W53"])
async def test_a_week_that_no_list_covers_is_a_404_with_words(datasette, name):
    answer = await datasette.client.get(f"/semaine/{name}")
    assert answer.status_code == 404
    assert "Aucune liste n’est connue pour cette semaine." in answer.text


async def test_what_names_staff_is_not_for_search_engines(datasette):
    for path in ("/semaine", f"/semaine/{WEEK}"):
        assert (await datasette.client.get(path)).headers["x-robots-tag"] == "noindex"


async def test_the_page_may_be_shared_without_a_staff_member_s_name(datasette):
    head = (await datasette.client.get(f"/semaine/{WEEK}")).text.partition("</head>")[0]
    assert "Ce qui a changé du 14 au 20 septembre 2026" in re.sub(r"\s+", " ", head)
    for name in (LEFT, CAME, MOVED, SHARED):
        assert name.split()[1] not in head


async def test_a_long_week_is_told_on_pages_that_are_light(make, tmp_path):
    datasette = await make(path=long_week(tmp_path / "movements.db"))
    whole: list[str] = []
    numbered = 0
    # Before anybody knows how many pages there are.
    beyond_all = await datasette.client.get(f"/semaine/{WEEK}?page=999")
    first = await datasette.client.get(f"/semaine/{WEEK}")
    assert Read(beyond_all.text).text == Read(first.text).text
    pages = max(int(n) for n in re.findall(rf"/semaine/{WEEK}\?page=(\d+)", first.text))
    assert pages > 5
    for number in range(1, pages + 1):
        answer = await datasette.client.get(f"/semaine/{WEEK}?page={number}")
        kept = f"?page={number}" if number > 1 else ""
        assert f", /semaine/{WEEK}{kept}." in Read(answer.text).text  # where it is printed from
        assert len(answer.content) < 60_000
        assert not Read(answer.text).inline
        numbered += Read(answer.text).plain.count("400 mouvements vident des équipes entières.")
        whole += re.findall(r"LONGUE(\d+)</a>", answer.text)
    assert sorted(map(int, whole)) == list(range(900))
    assert numbered == 1
    for beyond in (pages + 1, 0, "x", "²"):
        answer = await datasette.client.get(f"/semaine/{WEEK}?page={beyond}")
        assert Read(answer.text).text == Read(first.text).text


def long_week(path):
    """A file of movements alone, as many as a renewal makes."""
    arrivals = [
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
    departures = [
        movement(1000 + n, **gone, contexte="elu_sortant", elu_id=f"98{n:03}Z") for n in range(400)
    ]
    return publish(path, arrivals + departures)


async def test_a_week_of_movements_without_lists_tells_them_and_no_list(make, tmp_path):
    path = long_week(tmp_path / "movements.db")
    text = await told(await make(path=path), f"/semaine/{WEEK}")
    assert "900 arrivées et 400 départs dans les équipes parlementaires." in text
    assert "Sénat 900 400 0" in text
    assert "médiane" not in text.lower()


async def test_pages_are_remembered_for_the_weeks_and_pages_there_are(datasette):
    for path in ("/semaine", "/semaine?page=1"):
        await datasette.client.get(path)
    before = site(datasette).cache.weight
    for path in ("/semaine/2026-W01", "/semaine?page=77", "/semaine?page=x", "/semaine?autre=1"):
        await datasette.client.get(path)
    assert site(datasette).cache.weight == before


@pytest.mark.parametrize("digits", [6, 5000])
async def test_a_page_of_too_many_digits_is_the_first(datasette, digits):
    first = (await datasette.client.get(f"/semaine/{WEEK}")).text
    answer = await datasette.client.get(f"/semaine/{WEEK}?page={'1' * digits}")
    assert (answer.status_code, answer.text) == (200, first)


async def test_a_week_without_movements_does_not_say_that_nothing_changed(datasette):
    text = await told(datasette, "/semaine/2026-W40")
    assert "Aucun mouvement n’est établi cette semaine." in text


async def test_a_chamber_without_a_list_of_the_week_is_not_in_its_chart(served):
    """The Sénat of the sample is two weeks late: it would make the newest week look quiet."""
    facts = await site(served).facts()
    rows = await facts.reader.movements("where contexte = '' and date_event >= ?", ["2026-11-16"])
    number = len([row for row in rows if row["chambre"] != "senat"])
    text = await told(served, "/semaine")
    assert f" {number} mouvements, plus que la médiane 12 semaines, Assemblée nationale et" in text
    assert "Chambre non comptée : Sénat, où ce qui a changé cette semaine n’est pas connu." in text
    assert "hachuré" not in text
    before = await told(served, "/semaine/2026-W45")
    assert "12 semaines, les trois chambres ensemble, sans" in before
    assert "non comptée" not in before


async def test_the_week_of_a_day_is_one_form_away(datasette):
    days = await site(datasette).facts()
    known = (await datasette.client.get(f"/semaine/{WEEK}")).text
    assert '<form class="filter" action="/semaine" method="get">' in known
    asked = date.fromisocalendar(int(WEEK[:4]), int(WEEK[6:]), 3)
    answer = await datasette.client.get(f"/semaine?date={asked}")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/semaine/{WEEK}")
    # A day before every list: the first week there is, and a sentence that says so.
    answer = await datasette.client.get("/semaine?date=1999-06-20")
    where = answer.headers["location"]
    assert where.endswith("?demandee=1999-W24")
    text = await told(datasette, where)
    assert "Aucune liste n’est connue pour la semaine du 14 juin 1999 : voici la plus" in text
    first = min(lists.first for lists in days.coverage.values() if lists.first)
    assert (
        f'value="{date.fromisoformat(first) - timedelta(date.fromisoformat(first).weekday())}"'
        in (await datasette.client.get(where)).text
    )
    for wrong in ("hier", "2022-02-30", "20/06/2022"):
        answer = await datasette.client.get(f"/semaine?date={wrong}")
        assert answer.status_code == 404
        assert "un jour s’écrit comme 2022-06-20" in Read(answer.text).plain


async def test_every_week_is_in_the_list_of_its_year_and_every_year_is_linked(datasette):
    found, years = set(), {f"/semaine/{WEEK}"}
    left = set(years)
    while left:
        links = Read((await datasette.client.get(left.pop())).text).links
        weeks = {link for link in links if link.startswith("/semaine/")}
        found |= weeks
        new = {link for link in weeks if link[9:13] not in {one[9:13] for one in years}}
        years |= new
        left |= new
    rows = await site(datasette).read(
        "select distinct date from listes where statut <> 'refusee'", []
    )
    weeks = [date.fromisoformat(day).isocalendar() for (day,) in rows]
    assert {f"/semaine/{one.year}-W{one.week:02}" for one in weeks} <= found
    assert len(years) < len(found)
