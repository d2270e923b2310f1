"""Atom feeds: what they tell, in which order, filtered as the interface is and by group and name."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import feedparser
import pytest
from datasette.app import Datasette

from datasette_mouvements.pages.files.feed import MOST
from tests.contract import sample

from .conftest import Read, site
from .invented import (
    ATOM,
    TOMBSTONE,
    Element,
    contract,
    elements_of,
    instant,
    movement,
    publish,
)

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture
def published(make, tmp_path):
    """Start a service on a file that these runs have written."""

    async def starting(*runs, **settings):
        return await make(settings, publish(tmp_path / "movements.db", *runs))

    return starting


async def ask(datasette: Datasette, path: str = "/flux", **filters: str) -> list[Element]:
    answer = await datasette.client.get(path, params=filters)
    assert answer.status_code == 200
    return elements_of(answer.text)


async def test_what_is_published_last_comes_first_whatever_its_day(published):
    before = [movement(number) for number in (1, 2)]
    late = movement(3, date_event="2019-03-01")
    datasette = await published(before, [*before, late])
    answer = await datasette.client.get("/flux")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["x-robots-tag"] == "noindex"
    elements = elements_of(answer.text)
    assert [element.at for element in elements] == [instant(1), instant(0), instant(0)]
    assert (elements[0].id, elements[0].title) == (late.id, "Ida PERSONNE3 rejoint Élu Numéro3")
    assert elements[0].summary.startswith("1ᵉʳ mars 2019. Parlement européen. Assistante.")
    assert {element.id for element in elements[1:]} == {one.id for one in before}
    feed = ElementTree.fromstring(answer.text)
    assert feed.findtext(f"{ATOM}updated") == instant(1)
    assert feed.find(f".//{ATOM}published") is None  # a day is no instant
    without = ElementTree.fromstring((await datasette.client.get("/flux?depuis=2026-01-01")).text)
    assert without.findtext(f"{ATOM}updated") == instant(0)


async def test_a_change_brings_a_movement_to_the_front_under_its_identifier(published):
    one, other = movement(1), movement(2)
    datasette = await published([one, other], [one._replace(fonction="Juriste"), other])
    elements = await ask(datasette)
    assert [(entry.id, entry.at) for entry in elements] == [
        (one.id, instant(1)),
        (other.id, instant(0)),
    ]
    assert "Juriste" in elements[0].summary


async def test_a_team_that_was_emptied_is_told_as_on_pages_and_never_left(published):
    emptied = {"type": "depart", "contexte": "elu_sortant", "elu_nom": "Océane Numéro"}
    (entry,) = await ask(await published([movement(1, **emptied)]))
    told = "sortie de la liste, équipe d’Océane Numéro vidée ou mandat fini"
    assert entry.title == f"Ida PERSONNE1 : {told}"
    assert "Équipe entière sortie de la liste." in entry.summary


async def test_what_was_withdrawn_is_told_in_the_feed_of_everything_alone(published):
    stays, goes = movement(1), movement(2, collab_nom="SECRETE")
    masked = movement(8, collab_nom="", collab_prenom="", elu_nom="Élu Numéro1")
    datasette = await published([stays, goes], [stays, masked])
    answer = await datasette.client.get("/flux")
    assert "SECRETE" not in answer.text
    assert {element.id: element.title for element in elements_of(answer.text)} == {
        stays.id: "Ida PERSONNE1 rejoint Élu Numéro1",
        goes.id: "",
        masked.id: "nom retiré rejoint Élu Numéro1",
    }
    feed = ElementTree.fromstring(answer.text)
    tombstone = feed.find(TOMBSTONE)
    # What a reader erases is what it was told under that identifier.
    names = {
        one.findtext(f"{ATOM}id").replace(stays.id, goes.id) for one in feed.iter(f"{ATOM}entry")
    }
    assert tombstone.get("ref") in names
    assert (tombstone.get("when"), list(tombstone)) == (instant(1), [])
    for filters in ({"chambre": "europarl"}, {"groupe": "GRA"}, {"nom": "ida"}):
        assert goes.id not in [element.id for element in await ask(datasette, **filters)]


async def test_an_identifier_is_the_one_that_readers_have_whatever_the_host(published):
    datasette = await published([movement(1)])
    ids = [
        re.findall(r"<id>(.*?)</id>", (await datasette.client.get("/flux", headers=host)).text)
        for host in ({"Host": "a.exemple"}, {"Host": "b.exemple"})
    ]
    lineage = site(datasette).version.cursor.lineage
    paths = ("/flux", f"/movements/mouvements/{movement(1).id}")
    assert ids == [[f"tag:{lineage}.invalid,2026:{path}" for path in paths]] * 2


async def test_identifiers_and_links_are_absolute_and_lead_on(make):
    datasette = await make({"public_url": "https://exemple.fr/suivi"}, base_url="/suivi/")
    answer = await datasette.client.get("/flux?depuis=2026-01-01&chambre=senat")
    feed = ElementTree.fromstring(answer.text)
    own = "https://exemple.fr/suivi/flux?chambre=senat&depuis=2026-01-01"
    assert feed.findtext(f"{ATOM}id") == own
    entry = feed.findtext(f"{ATOM}entry/{ATOM}id")
    assert entry.startswith("https://exemple.fr/suivi/movements/mouvements/mvt_")
    links = [link.get("href") or "" for link in feed.iter(f"{ATOM}link")]
    assert all(link.startswith("https://") for link in links)
    for page in (next(link for link in links if "/mouvements/mvt_" in link), links[1]):
        path = page.removeprefix("https://exemple.fr/suivi")
        assert (await datasette.client.get(path, follow_redirects=True)).status_code == 200


async def test_withdrawals_count_within_the_bound(published):
    movements = [movement(number) for number in range(70)]
    elements = await ask(await published(movements, movements[:40]))
    assert (len(elements), sum(not element.title for element in elements)) == (MOST, 30)


@pytest.mark.parametrize(
    "filters",
    [{"chambre": "senat"}, {"type": "transfert", "depuis": "2026-01-01"}, {"elu": "PA999001"}],
)
async def test_a_feed_takes_the_interface_s_filters(datasette, filters):
    expected = sample.matching(**filters)
    assert len(await ask(datasette, **filters)) == min(MOST, len(expected))


async def test_a_feed_may_be_of_a_group_in_one_chamber_or_all_and_of_a_name(published):
    movements = [
        movement(1, elu_groupe="RDA"),
        movement(2, elu_groupe="RDA", chambre="senat"),
        movement(3, collab_nom="ÉLOÏSEAU"),
    ]
    datasette = await published(movements)
    for filters, numbers in (
        ({"groupe": "RDA"}, [1, 2]),
        ({"nom": "RDA"}, []),  # not the kept feed of the group
        ({"groupe": "RDA", "chambre": "senat"}, [2]),
        ({"nom": "eloi", "groupe": "", "type": ""}, [3]),
        ({"nom": "ida", "groupe": "GRA", "chambre": ""}, [3]),
        ({"groupe": "Rda"}, []),
    ):
        ids = [element.id for element in await ask(datasette, **filters)]
        assert sorted(int(id.removeprefix("mvt_"), 16) for id in ids) == numbers
    title = (await datasette.client.get("/flux?groupe=RDA&chambre=senat")).text
    assert "<title>Derniers mouvements – Groupe\u00a0: RDA – Chambre\u00a0: Sénat</title>" in title


@pytest.mark.parametrize(
    "query",
    [
        *("chambre=mars", "limit=10", "nom=%2D%2D", "groupe=a&groupe=b", f"groupe={'a' * 101}"),
    ],
)
async def test_a_wrong_filter_is_refused_as_by_the_interface(datasette, query):
    answer = await datasette.client.get(f"/flux?{query}")
    assert answer.status_code == 400
    assert answer.json()["parametre"] == query.partition("=")[0]


@pytest.mark.parametrize(
    "path", ["/flux", "/flux?elu=93", "/flux?type=depart", "/flux?nom=commun20"]
)
async def test_a_feed_is_what_atom_and_its_readers_want(published, path):
    """What RFC 4287 demands of a feed and its entries, and what a reader makes of them."""
    movements = [*contract(20, 13), *(movement(n) for n in range(8))]
    text = (await (await published(movements, movements[:-1])).client.get(path)).text
    feed = ElementTree.fromstring(text)
    for element in [feed, *feed.findall(f"{ATOM}entry")]:
        for name in ("id", "title", "updated"):
            assert len(element.findall(ATOM + name)) == 1
        assert INSTANT.fullmatch(element.findtext(f"{ATOM}updated"))
        relations = [link.get("rel") for link in element.findall(f"{ATOM}link")]
        assert relations.count("alternate") == 1
    relations = [link.get("rel") for link in feed.findall(f"{ATOM}link")]
    assert relations == ["self", "alternate", "license"]
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    identifiers = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert len(set(identifiers)) == len(identifiers)
    read = feedparser.parse(text)
    assert not read.bozo
    assert [entry.id for entry in read.entries] == identifiers
    assert all(entry.updated_parsed for entry in read.entries)
    assert read.feed.rights.startswith("Open Database License")


async def test_a_shared_contract_is_an_entry_for_each_member_as_the_page_of_files_says(published):
    datasette = await published(contract(20, 13))
    assert len(await ask(datasette)) == 13
    said = "Chaque mouvement est une entrée : un contrat que plusieurs députés européens partagent"
    assert said in Read((await datasette.client.get("/fichiers")).text).plain


async def test_a_feed_is_the_same_bytes_for_the_same_data(make, tmp_path):
    movements = [*contract(20, 3), movement(1)]
    once = publish(tmp_path / "once" / "movements.db", movements)
    again = publish(tmp_path / "again" / "movements.db", movements, movements)
    public = {"public_url": "https://exemple.fr"}
    services = [await make(public, path=path) for path in (once, again)]
    bodies = [(await service.client.get("/flux")).content for service in services]
    assert bodies[0] == bodies[1]


async def test_a_feed_that_has_not_changed_is_not_sent_again(published):
    datasette = await published([movement(1)])
    first = await datasette.client.get("/flux")
    tag = first.headers["etag"]
    for sent, status in (
        *((tag, 304), (tag[2:], 304), ("*", 304), (f'"x", {tag}', 304)),
        (f"{tag}x", 200),
    ):
        answer = await datasette.client.get("/flux", headers={"If-None-Match": sent})
        assert (answer.status_code, bool(answer.content)) == (status, status == 200), sent
    assert first.headers["cache-control"] == "public, max-age=300"
    assert first.headers["last-modified"] == "Tue, 01 Sep 2026 05:00:00 GMT"
    assert first.headers["content-type"] == "application/atom+xml; charset=utf-8"


async def test_an_empty_feed_is_of_the_last_change(published):
    datasette = await published([movement(1)], [])
    feed = ElementTree.fromstring((await datasette.client.get("/flux?chambre=senat")).text)
    assert feed.findtext(f"{ATOM}updated") == instant(1)


async def test_an_arrival_that_is_a_return_says_to_what(shared, month_of_lists):
    elements = await ask(await shared(path=month_of_lists), nom="retour")
    before = "Retour : nom déjà chez Élue NUMÉRO1 jusqu’au 5 septembre 2026, puis absent 11 jours."
    assert [element.summary.endswith(before) for element in elements] == [
        element.title.startswith("Ria RETOUR rejoint") for element in elements
    ]
    assert len(elements) == 2


@pytest.mark.parametrize(
    ("page", "feed"),
    [
        ("/", "/flux"),
        ("/elus/senat", "/flux?chambre=senat"),
        ("/elus/assemblee/PA999001", "/flux?chambre=assemblee&equipe=PA999001"),
        ("/recherche?q=orme", "/flux?nom=orme"),
        ("/collaborateurs/ormevalle-louis-ferreol", "/flux?nom=Louis-Ferr%C3%A9ol+ORMEVALLE"),
        ("/recherche?q=o", ""),
    ],
)
async def test_a_page_leads_to_the_feed_of_the_same(datasette, page, feed):
    html = (await datasette.client.get(page)).text
    feeds = [link for link in Read(html).links if re.search(r"/flux(\?|$)", link)]
    assert set(feeds) == {feed} - {""}
    if feed:
        assert "<entry>" in (await datasette.client.get(feed)).text
