"""Figures that other sites may show: what they say, and that nothing else of this site may be shown so."""

from __future__ import annotations

import datetime
import html
import re

import pytest
import pytest_asyncio

from datasette_mouvements.pages.frame import page_headers
from datasette_mouvements.pages.offices import figures

from . import sealed, years
from .conftest import Read, site, told

pytestmark = pytest.mark.asyncio
OF_CHAMBER, OF_GROUP = "/figures/chambres/senat", "/figures/groupes/senat/GRA"
PERIOD = "?depuis=2025-10-02&jusqua=2026-06-30"
SOURCE = "Source : Mouvements des collaborateurs parlementaires"


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


async def test_only_a_figure_may_stand_in_another_site_s_page(datasette):
    for path in (OF_CHAMBER, OF_GROUP, OF_GROUP):  # made, then remembered
        policy = (await datasette.client.get(path)).headers["content-security-policy"]
        assert policy == figures.POLICY
        assert "frame-ancestors *" in policy
        assert "script" not in policy
    assert "x-frame-options" not in (await datasette.client.get(OF_GROUP)).headers
    facts = await site(datasette).facts()
    one = facts.members["senat"][0].identifier
    paths = ["/", "/groupes", "/groupes/senat/GRA", "/classements", "/classements/senat", "/elus"]
    paths += ["/elus/senat", f"/elus/senat/{one}", "/semaine", "/collaborateurs", "/fichiers"]
    paths += ["/documentation", "/-/cle", "/recherche", "/movements/mouvements", "/-/"]
    for path in [*paths, "/figures/groupes/senat/XYZ", "/figures", "/figures/chambres/cour"]:
        policy = (await datasette.client.get(path)).headers["content-security-policy"]
        assert re.findall("frame-ancestors ([^;]*)", policy) in (["'none'"], ["'self'"]), path
        assert "frame-ancestors *" not in policy
    assert "frame-ancestors 'none'" in page_headers.STRICT


async def test_a_figure_has_its_source_the_day_of_the_list_and_the_licence(datasette):
    for path, page in ((OF_CHAMBER, "/elus/senat"), (OF_GROUP, "/groupes/senat/GRA")):
        text = await told(datasette, path)
        assert f"{SOURCE}, liste du 21 septembre 2026. Open Database License (ODbL) 1.0." in text
        assert "entre le 22 septembre 2025 et le 21 septembre 2026" in text
        assert "Une fin de contrat a bien des raisons" in text
        source = (await datasette.client.get(path)).text
        read = Read(source)
        assert page in read.links
        assert not read.inline
        assert [one.partition("?")[0].rpartition("/")[2] for one in read.addresses] == [
            "mouvements.css"
        ]
        assert source.count("<h1") == 1
        assert len(source.encode()) < 15_000


async def test_the_canonical_address_is_the_site_s_own_and_no_host_that_was_asked_for(
    datasette, shared, grouped
):
    for host in ("un.exemple", "deux.exemple"):
        page = (await datasette.client.get(OF_GROUP, headers={"host": host})).text
        assert "canonical" not in page
        assert "exemple" not in page
    own = await shared({"public_url": "https://ici.exemple"}, path=grouped, now=years.TODAY)
    page = (await own.client.get(OF_GROUP, headers={"host": "un.exemple"})).text
    assert '<link rel="canonical" href="https://ici.exemple/groupes/senat/GRA">' in page


async def test_a_figure_says_that_its_list_is_late_from_the_day_on_that_it_is(make, grouped):
    datasette = await make(path=grouped, now=years.TODAY)
    late = "La dernière liste du Sénat date du 21 septembre 2026, il y a"
    for path in (OF_GROUP, OF_CHAMBER):
        assert late not in await told(datasette, path)
    site(datasette).service.clock = lambda: years.TODAY + datetime.timedelta(10)
    for path in (OF_GROUP, OF_CHAMBER):
        assert f"{late} 11 jours." in await told(datasette, path)


async def test_marks_are_told_of_those_that_are_drawn(datasette):
    group, chamber = await told(datasette, OF_GROUP), await told(datasette, OF_CHAMBER)
    assert "une équipe du groupe" in group
    assert "une équipe du groupe" not in chamber
    for text in (group, chamber):
        assert "nombre d’équipes de la chambre" in text
        assert "cette équipe" not in text
    assert "cette équipe" not in await told(datasette, "/groupes/senat/GRA")


async def test_what_is_not_calculated_is_said_with_the_reason(datasette, shared):
    hole = "pas de liste du 16 septembre au 5 octobre 2025"
    for path in ("/figures/chambres/assemblee", "/figures/groupes/assemblee/GRA"):
        text = await told(datasette, path)
        assert f"Non calculable : {hole}." in text
        assert "médiane" not in text
    text = await told(await shared(), "/figures/chambres/senat")
    assert "Non calculable : ces mouvements sont publiés sans listes." in text
    assert "liste du" not in text


async def test_a_group_without_an_office_of_three_has_no_median(make, grouped, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("insert into _groupes values ('senat', 'RARE', 'Le groupe rare', '', '', '')")
    text = await told(await make(path=path), "/figures/groupes/senat/RARE")
    assert "Le groupe rare : départs en douze mois" in text
    assert "Non calculable : aucune équipe d’au moins trois personnes dans la période." in text


async def test_invented_data_say_so_on_a_figure(datasette, make, grouped, tmp_path):
    assert "Données inventées" not in await told(datasette, OF_GROUP)
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("insert into _publication values ('invente', '1')")
    started = await make(path=path)
    for figure in (OF_GROUP, OF_CHAMBER, "/figures/chambres/assemblee"):
        assert "Données inventées." in await told(started, figure)


async def test_a_figure_of_a_period_says_what_its_page_says_of_it(datasette):
    for page, figure in (("/groupes/senat/GRA", OF_GROUP), ("/elus/senat", OF_CHAMBER)):
        answer = await datasette.client.get(figure + PERIOD)
        text = await told(datasette, figure + PERIOD)
        assert "départs dans la période" in text
        assert "2 octobre 2025 – 30 juin 2026." in text
        assert "entre le 2 octobre 2025 et le 30 juin 2026" in text
        assert page + PERIOD in Read(answer.text).links
        assert text != await told(datasette, figure)
    page = (await datasette.client.get(f"/groupes/senat/GRA{PERIOD}")).text
    title = re.search(r'<h2 id="rotation">(.*?)</h2>', page)[1]
    assert title in (await datasette.client.get(OF_GROUP + PERIOD)).text
    text = await told(datasette, f"{OF_CHAMBER}?depuis=2030-01-01&jusqua=2030-02-01")
    assert "Cette période n’est pas connue" in text


async def test_pages_give_what_embeds_their_figure(datasette):
    for page, figure, title in (
        ("/groupes/senat/GRA", OF_GROUP, 'Granite "dur" & fils (GRA)'),
        ("/elus/senat", OF_CHAMBER, "Le Sénat"),
        (f"/elus/senat{PERIOD}", OF_CHAMBER + PERIOD, "Le Sénat"),
        (f"/groupes/senat/GRA{PERIOD}", OF_GROUP + PERIOD, 'Granite "dur" & fils (GRA)'),
    ):
        answer = (await datasette.client.get(page)).text
        code = html.unescape(re.findall(r"<code>(&lt;iframe.*?)</code>", answer)[0])
        frame = re.fullmatch(r'<iframe src="([^"]*)" title="([^"]*)" [^<>]*></iframe>', code)
        assert frame is not None
        assert html.unescape(frame[1]) == f"http://localhost{figure}"
        assert html.unescape(frame[2]) == title
        assert (await datasette.client.get(figure)).status_code == 200
