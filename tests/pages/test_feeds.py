"""Atom feeds: open, cached, filtered as the interface is."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from datasette_mouvements.pages.entries import MOST
from tests.contract import sample

pytestmark = pytest.mark.asyncio
ATOM = "{http://www.w3.org/2005/Atom}"


def entries(text: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(text).findall(f"{ATOM}entry")


async def test_a_feed_gives_the_latest_movements_newest_first(datasette):
    answer = await datasette.client.get("/flux")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    found = entries(answer.text)
    assert len(found) == MOST
    days = [(entry.findtext(f"{ATOM}updated") or "")[:10] for entry in found]
    assert days == [movement["date_event"] for movement in sample.in_order()[:MOST]]


@pytest.mark.parametrize(
    "filters",
    [{"chambre": "senat"}, {"type": "transfert", "depuis": "2026-01-01"}, {"elu": "PA999001"}],
)
async def test_a_feed_takes_the_interface_s_filters(datasette, filters):
    found = entries((await datasette.client.get("/flux", params=filters)).text)
    assert len(found) == min(MOST, len(sample.matching(**filters)))


async def test_identifiers_and_links_of_a_feed_are_absolute(make):
    datasette = await make({"public_url": "https://exemple.fr/suivi"}, base_url="/suivi/")
    feed = ElementTree.fromstring((await datasette.client.get("/flux?chambre=senat")).text)
    assert feed.findtext(f"{ATOM}id") == "https://exemple.fr/suivi/flux?chambre=senat"
    links = [link.get("href") or "" for link in feed.iter(f"{ATOM}link")]
    assert all(link.startswith("https://") for link in links)
    page = next(link for link in links if "/mouvements/mvt_" in link)
    path = page.removeprefix("https://exemple.fr/suivi")
    assert (await datasette.client.get(path)).status_code == 200


async def test_a_feed_that_has_not_changed_is_not_sent_again(datasette):
    first = await datasette.client.get("/flux")
    again = await datasette.client.get("/flux", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "max-age" in first.headers["cache-control"]


@pytest.mark.parametrize("query", ["chambre=mars", "depuis=2026-02-30", "limit=10", "inconnu=1"])
async def test_a_wrong_filter_is_refused_as_by_the_interface(datasette, query):
    answer = await datasette.client.get(f"/flux?{query}")
    assert answer.status_code == 400
    assert answer.json()["parametre"] == query.partition("=")[0]


async def test_a_staff_member_s_name_has_its_feed(datasette):
    found = entries(
        (await datasette.client.get("/collaborateurs/ormevalle-louis-ferreol/flux")).text
    )
    named = [m for m in sample.in_order() if m["collab_nom"] == "ORMEVALLE"]
    assert len(found) == len([m for m in named if m["collab_prenom"] == "Louis-Ferréol"])
    assert (await datasette.client.get("/collaborateurs/personne/flux")).status_code == 404
