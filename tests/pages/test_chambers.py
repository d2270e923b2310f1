"""The members of a chamber from A to Z: who stands where, on which page, and what is said of a team."""

from __future__ import annotations

import csv
import datetime
import io
import re
from contextlib import closing

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.mandates import (
    CURRENT,
    FORMER,
    OVER,
    RENEWED,
    UNKNOWN,
    MandateEnd,
    state_of,
)
from datasette_mouvements.pages.counts.facts import ElectedMember
from datasette_mouvements.pages.offices import chambers, seats
from tests.tracking.lists import member

from . import sealed, years
from .conftest import Read, site, told
from .invented import movement, publish

pytestmark = pytest.mark.asyncio
LAST = "21 septembre 2026"


@pytest_asyncio.fixture
async def datasette(shared, listed):
    return await shared(path=listed, now=years.TODAY)


def named(family: str, given: str = "Ada", **other) -> ElectedMember:
    usual = {"civility": "", "group": "GRA", "movements": 0, "team": 2, "end": None}
    return ElectedMember(f"1{family}", f"{given} {family}", family, given, **usual | other)


@pytest.mark.parametrize(
    ("family", "shown"),
    [
        ("d’Arguillères", ("Arguillères", "d’")),
        ("d'Arguillères", ("Arguillères", "d'")),
        ("de Brindavoine", ("Brindavoine", "de")),
        ("de La Tour", ("La Tour", "de")),
        ("von Lindau", ("Lindau", "von")),
        ("von der Aue", ("Aue", "von der")),
        ("von und zu Aue", ("Aue", "von und zu")),
        ("van der Aue", ("van der Aue", "")),
        ("D’Issoncelle", ("D’Issoncelle", "")),
        ("Le Floc’halec", ("Le Floc’halec", "")),
        ("Dessalines", ("Dessalines", "")),
        ("du Chesne", ("du Chesne", "")),
        ("de ", ("de ", "")),
    ],
)
async def test_a_particle_stands_after_the_given_name(family, shown):
    assert seats.split_particle(family) == shown


async def test_who_sits_is_known_by_a_mandate_that_goes_on_or_by_the_last_list():
    def state(since: str | None, team: int | None = 2, end: MandateEnd | None = None) -> str:
        return state_of(end and end.on(datetime.date(2026, 9, 10)), since, team)

    assert state("2024-07-08") == state(None) == CURRENT
    assert state("2024-07-08", team=0) == CURRENT
    assert state("2024-07-08", end=MandateEnd("2026-09-09")) == OVER
    assert state("2024-07-08", end=MandateEnd("2026-09-10")) == CURRENT
    # At a renewal nobody is there from its very day.
    assert state("2024-07-08", end=MandateEnd("2026-09-10", RENEWED)) == OVER
    assert state("2024-07-08", end=MandateEnd("2026-09-10", UNKNOWN)) == UNKNOWN
    assert state("2024-07-08", end=MandateEnd("2026-09-11", UNKNOWN)) == CURRENT
    half = MandateEnd("2023-10-02", UNKNOWN, listed="2023-09-01", renewed="2026-09-10")
    assert state(None, end=half) == FORMER
    assert state(None, end=half._replace(renewed="2026-09-11")) == UNKNOWN
    assert state(None, team=0) == state(None, team=None) == UNKNOWN


async def test_the_index_leads_to_each_chamber_with_its_last_list(datasette):
    answer = await datasette.client.get("/elus")
    text = await told(datasette, "/elus")
    assert (
        "Sénat 58 parlementaires dont une liste nomme ou a nommé l’équipe ; 116 collaborations"
        f" sur celle du {LAST}" in text
    )
    assert "Parlement européen Pas de liste connue." in text
    assert "La dernière liste de l’Assemblée nationale date du 3 août 2026" in text
    links = Read(answer.text).links
    assert {"/elus/assemblee", "/elus/senat", "/elus/europarl"} <= set(links)
    assert "x-robots-tag" not in answer.headers


@pytest_asyncio.fixture
async def over(make, listed, tmp_path):
    """The Sénat's mandates have all ended."""
    path = tmp_path / "movements.db"
    with sealed.changing(listed, path) as db:
        db.execute("delete from _mandats where chambre = 'senat'")
        db.execute(
            "insert into _mandats select distinct 'senat', elu_id, '2023-10-02', '2026-09-20'"
            " from collaborations where chambre = 'senat'"
        )
    return await make(path=path, now=years.TODAY)


async def test_a_chamber_of_which_all_mandates_ended_is_said_to_be_one(over):
    for path in ("/elus", "/", "/classements", "/classements/senat"):
        text = await told(over, path)
        assert (
            "Aucun mandat en cours n’est connu. 60 parlementaires dont une liste a nommé l’équipe,"
            " ou dont des mouvements sont connus ; la dernière liste est du 21 septembre 2026"
            in text
        ), path
        assert not re.search(r"\b0 (membre|équipe|collaboration)", text), path
    # Whom the list names although the mandates ended is in no median.
    assert "Présence médiane des" not in text
    assert "60 parlementaires dont le mandat est terminé" in await told(over, "/elus/senat")


async def test_a_late_list_is_said_whatever_the_state_of_mandates(over):
    site(over).service.clock = lambda: years.TODAY.replace(month=11)
    late = "La dernière liste du Sénat date du 21 septembre 2026"
    for path in ("/elus", "/elus/senat", "/elus/senat?mandat=termine", "/classements", "/groupes"):
        assert late in await told(over, path), path


@pytest.mark.parametrize(
    ("path", "counted"),
    [
        (f"/elus/assemblee/{member('assemblee', years.TEAM)}", True),
        ("/classements/assemblee", True),
        # Chambers with lists of other days beside it, figures of none, or none of the year.
        ("/elus", False),
        ("/groupes", False),
        ("/classements", False),
        ("/elus/assemblee", False),
        ("/collaborateurs/neuvic-gus", False),
    ],
)
async def test_only_where_all_figures_are_of_that_list_the_warning_says_so(
    datasette, path, counted
):
    text = await told(datasette, path)
    assert "La dernière liste de l’Assemblée nationale date du 3 août 2026" in text
    own = "Les effectifs de cette page sont ceux de ce jour-là, et les douze mois comptés s’y arrêtent."
    assert (own in text) is counted


async def test_members_stand_with_their_group_team_and_mandate(datasette):
    page = (await datasette.client.get("/elus/senat")).text
    line = page.partition(member("senat", years.TEAM) + '"')[2].partition("</tr>")[0]
    text = Read("<a " + line).plain
    assert re.findall(r"GRA|\b3\b|2 oct\. 2023", text) == ["GRA", "3", "2 oct. 2023"]
    still = page.partition(member("senat", years.STILL) + '"')[2].partition("</tr>")[0]
    assert "pas connu" in still  # the mandate
    assert f"nombre de noms sur la liste du {LAST}" in await told(datasette, "/elus/senat")


async def test_nobody_is_told_of_the_team_of_a_mandate_that_ended(datasette):
    page = (await datasette.client.get("/elus/senat?mandat=termine")).text
    links = Read(page).links
    assert f"/elus/senat/{member('senat', years.ENDED)}" in links
    assert f"/elus/senat/{member('senat', years.TEAM)}" not in links
    assert "Équipe" not in Read(page.partition("<table")[2].partition("</table>")[0]).text
    assert "10 sept. 2026" in re.sub(r"\u00a0", " ", page)
    here = Read((await datasette.client.get("/elus/senat")).text).links
    assert f"/elus/senat/{member('senat', years.ENDED)}" not in here


async def test_a_group_filters_by_a_form_and_an_unknown_value_filters_nothing(datasette):
    whole = await told(datasette, "/elus/senat")
    group = await told(datasette, "/elus/senat?groupe=GRA")
    assert "18 parlementaires du groupe GRA" not in whole
    assert re.search(r"1\d parlementaires du groupe GRA", group)
    for query in (
        "groupe=XYZ",
        "groupe=",
        "mandat=futur",
        "tri=rang",
        "page=99",
        "page=²",
        "page=0",
    ):
        assert await told(datasette, f"/elus/senat?{query}") == whole


@pytest_asyncio.fixture
async def large(make, tmp_path):
    """A chamber of 900 members of all letters, in groups with long names and colours."""
    people = [
        movement(
            n,
            chambre="senat",
            elu_id=f"88{n:03}Z",
            elu_nom=f"Prénom-Composé {chr(65 + n % 24)}nom-de-famille-assez-long-{n:03}",
            elu_groupe=f"GR{n % 9}",
        )
        for n in range(900)
    ]
    path = publish(tmp_path / "large.db", people)
    with closing(sqlite3.connect(path)) as db, db:
        for n in range(900):
            family = f"{chr(65 + n % 24)}nom-de-famille-assez-long-{n:03}"
            db.execute(
                "insert into elus values ('senat', ?, ?, 'Prénom-Composé', 'Mme', null)",
                [f"88{n:03}Z", ("d’" if n % 7 == 0 else "") + family],
            )
            db.execute("insert into _mandats values ('senat', ?, '2023-10-02', '')", [f"88{n:03}Z"])
        for n in range(9):
            name = "Groupe du rassemblement des confins, des rivages et des territoires"
            db.execute(
                f"insert into _groupes values ('senat', 'GR{n}', '{name} {n}', '#2f7d4f', '', '')"
            )
        sealed.seal(db)
    return await make(path=path)


async def test_every_member_stands_once_on_pages_that_are_light(large):
    for query in ("", "tri=groupe&", "sens=descendant&", "tri=mandat&", "groupe=GR3&"):
        shown: list[str] = []
        first = (await large.client.get(f"/elus/senat?{query}")).text
        pages = max([int(n) for n in re.findall(r"page=(\d+)", first)])
        for number in range(1, pages + 1):
            answer = await large.client.get(f"/elus/senat?{query}page={number}")
            assert len(answer.content) < 60_000
            read = Read(answer.text)
            assert not read.inline
            assert len(read.ids) == len(set(read.ids))
            shown += re.findall(r'/elus/senat/88(\d+)Z"', answer.text)
        assert len(shown) == len(set(shown)) == (100 if "groupe" in query[:6] else 900)


async def test_names_are_in_the_order_of_family_names_without_particle_and_letters_lead_there(
    large,
):
    order = []
    page = "/elus/senat"
    links: dict[str, str] = {}
    while page:
        answer = await large.client.get(page)
        order += re.findall(r"<strong>(.*?)</strong>", answer.text.partition("<table")[2])
        for address, letter in re.findall(
            r'<a href="([^"]*)#lettre-(\w)">', answer.text.partition("letters")[2]
        ):
            links.setdefault(letter, address.replace("&amp;", "&") or page)
        found = re.search(r'href="([^"]*)" rel="next"', answer.text)
        page = found[1] if found else ""
    assert order == sorted(order)
    assert len(order) == 900
    assert "".join(links) == "ABCDEFGHIJKLMNOPQRSTUVWX"
    for letter, address in links.items():
        answer = await large.client.get(address)
        assert f'id="lettre-{letter}"' in answer.text
    assert "Y<span" in answer.text  # nobody: no link


async def test_a_sorted_table_says_by_what_it_is_sorted(large):
    page = (await large.client.get("/elus/senat?tri=groupe")).text
    assert re.findall(r'aria-sort="(\w+)"><a href="([^"]*)"', page) == [
        ("ascending", "/elus/senat?tri=groupe&amp;sens=descendant")
    ]
    groups = re.findall(r">(GR\d)</abbr>", page.partition("<tbody")[2])
    assert groups == sorted(groups)
    assert len(groups) == chambers.ON_PAGE


async def test_the_file_has_every_member_whatever_the_mandate_and_is_open(datasette):
    answer = await datasette.client.get("/elus/senat.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = {row["elu_id"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert tuple(rows[member("senat", years.TEAM)]) == chambers.CSV_HEADER
    assert len(rows) == len((await site(datasette).facts()).members["senat"]) == 60
    team, ended = rows[member("senat", years.TEAM)], rows[member("senat", years.ENDED)]
    assert (team["mandat"], team["mandat_debut"]) == ("en-cours", "2023-10-02")
    assert (team["equipe"], team["liste"]) == ("3", "2026-09-21")
    # The list may name people still: nobody is told to be there.
    assert (ended["mandat"], ended["mandat_fin"]) == ("termine", "2026-09-10")
    assert (ended["equipe"], ended["liste"]) == ("", "")
    assert "/elus/senat.csv" in Read((await datasette.client.get("/elus/senat")).text).links


async def test_a_chamber_without_lists_tells_of_no_team(large):
    text = await told(large, "/elus/senat")
    assert "ces mouvements sont publiés sans listes" in text
    assert "Équipe" not in text.partition("Noms de")[2].partition("Suivre")[0]
    assert "0 parlementaire dont" in await told(large, "/elus/europarl")


async def test_values_that_change_nothing_fill_no_cache(datasette):
    await datasette.client.get("/elus/senat")
    weight = site(datasette).cache.weight
    for n in range(5):
        await datasette.client.get(f"/elus/senat?page=9{n}&groupe=X{n}&tri=z{n}&autre={n}")
    assert site(datasette).cache.weight == weight
