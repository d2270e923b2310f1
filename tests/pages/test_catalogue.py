"""What catalogues read: the DCAT-AP record and data.gouv.fr's card, true to the settings, the lists and the addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import PUBLIC, site
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
RECORD, CARD = "/catalogue.jsonld", "/catalogue.json"
# What DCAT-AP 3 wants of each class.
MANDATORY = {
    "dcat:Dataset": {"dct:title", "dct:description"},
    "dcat:DataService": {"dct:title", "dcat:endpointURL"},
    "dcat:Distribution": {"dcat:accessURL"},
    "vcard:Kind": {"vcard:fn"},
    "dct:PeriodOfTime": {"dcat:startDate", "dcat:endDate"},
    "dct:ProvenanceStatement": {"rdfs:label"},
}


async def graph(datasette) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The context, the data set and the interface."""
    answer = await datasette.client.get(RECORD)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/ld+json")
    told = json.loads(answer.text)
    data_set, interface = told["@graph"]
    return told["@context"], data_set, interface


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from nodes(one)
    elif isinstance(value, dict):
        yield value
        for one in value.values():
            yield from nodes(one)


async def test_each_node_has_what_its_class_must_have_in_vocabularies_that_are_named(make, listed):
    datasette = await make({"contact": "contact@exemple.fr", "public_url": PUBLIC}, path=listed)
    context, *described = await graph(datasette)
    seen = set()
    for node in nodes(described):
        for name in node:
            prefix, _, word = name.partition(":")
            assert name.startswith("@") or (prefix in context and word), name
        kind = node.get("@type", "")
        seen.add(kind)
        assert MANDATORY.get(kind, set()) <= node.keys(), kind
        if "@id" in node:
            assert re.match(r"(https?|mailto):[!-~]+$", node["@id"]), node["@id"]
    assert seen >= MANDATORY.keys()


async def test_the_periods_are_those_of_the_coverage_and_the_sources_those_of_the_credits(
    make, listed
):
    datasette = await make(path=listed)
    _, data_set, _ = await graph(datasette)
    answer = await datasette.client.get("/v1/couverture", headers=bearer(await key(datasette)))
    coverage = answer.json()["couverture"].values()
    assert [
        (one["dcat:startDate"]["@value"], one["dcat:endDate"]["@value"])
        for one in data_set["dct:temporal"]
    ] == [
        (one["premiere_liste"], one["derniere_liste"])
        for one in coverage
        if "derniere_liste" in one
    ]
    told = {source["rdfs:label"] for source in data_set["dct:provenance"]}
    assert told == {source["nom"] for one in coverage for source in one["sources"]}
    assert data_set["dcat:version"]["@value"] == site(datasette).snapshot().edition


@pytest.mark.parametrize("opened", [True, False])
async def test_what_is_said_to_be_downloaded_is_open_and_all_else_asks_for_a_key(shared, opened):
    datasette = await shared({"open_whole_file": opened, "public_url": PUBLIC})
    _, data_set, interface = await graph(datasette)
    files = {one["@id"].partition("#")[2]: one for one in data_set["dcat:distribution"]}
    open_ones = {name for name, one in files.items() if "dcat:downloadURL" in one}
    whole = {"tout", "mouvements.parquet", "collaborations.parquet"}
    assert open_ones == ({"flux"} | whole if opened else {"flux"})
    assert whole <= files.keys()
    for name, one in files.items():
        address = one.get("dcat:downloadURL", one["dcat:accessURL"])["@id"]
        assert address.startswith(f"{PUBLIC}/"), name
        if "dcat:accessService" in one:
            assert one["dcat:accessService"]["@id"] == interface["@id"]
            continue
        answer = await datasette.client.get(address.removeprefix(PUBLIC))
        assert answer.status_code == 200, name
        if "dcat:downloadURL" in one:
            media = one["dcat:mediaType"]["@id"].partition("media-types/")[2]
            assert answer.headers["content-type"].startswith(media)
    for word in ("dcat:endpointDescription", "dcat:landingPage", "foaf:page"):
        path = interface[word]["@id"].removeprefix(PUBLIC)
        assert (await datasette.client.get(path)).status_code == 200, word


@pytest.mark.parametrize("closed", [True, False])
async def test_nothing_of_a_closed_table_is_said_to_be_open(make, closed):
    datasette = await make({"open_whole_file": True})
    datasette.config["databases"] = {"movements": {"allow": {"id": "x"}}}
    before, _, _ = await told_open(datasette)
    assert before == {"RESTRICTED", "restricted"}
    if not closed:
        del datasette.config["databases"]
    rights, downloads, sentences = await told_open(datasette)
    assert rights == before if closed else rights == {"PUBLIC", "open_with_account"}
    assert (downloads, sentences) == ((0, 0) if closed else (4, 4))


async def told_open(datasette) -> tuple[set[str], int, int]:
    """The rights, the files to download and the sentences of the documentation that say what is open."""
    _, data_set, interface = await graph(datasette)
    rights = {one["dct:accessRights"]["@id"].rpartition("/")[2] for one in (data_set, interface)}
    rights.add((await datasette.client.get(CARD)).json()["access_type"])
    downloads = ["dcat:downloadURL" in one for one in data_set["dcat:distribution"]]
    text = "".join(
        [
            (await datasette.client.get(path)).text
            for path in ("/documentation", "/documentation/en")
        ]
    )
    said = (
        "Les flux Atom sont ouverts à tous",
        "les fichiers de toutes les données se prennent sans clé",
        "The Atom feeds are open to all",
        "the files of all data are open, without a key",
    )
    return rights, sum(downloads), sum(words in text for words in said)


@pytest.mark.parametrize(
    ("contact", "way"),
    [
        ("contact@exemple.fr", ("vcard:hasEmail", "mailto:contact@exemple.fr")),
        ("https://exemple.fr/ecrire", ("vcard:hasURL", "https://exemple.fr/ecrire")),
        ("", None),
    ],
)
async def test_nobody_is_named_but_the_contact_of_the_settings(shared, contact, way):
    datasette = await shared({"contact": contact})
    _, *described = await graph(datasette)
    card = (await datasette.client.get(CARD)).json()
    for node in described:
        assert "dct:publisher" not in node
        if way is None:
            assert "dcat:contactPoint" not in node
        else:
            assert node["dcat:contactPoint"][way[0]] == {"@id": way[1]}
    if way is None:
        assert "contact_points" not in card
    else:
        (point,) = card["contact_points"]
        assert contact in (point.get("email"), point.get("contact_form"))


@pytest.mark.parametrize(
    ("licence", "address", "identifier"),
    [
        ("", "https://opendatacommons.org/licenses/odbl/1-0/", "odc-odbl"),
        ("À nous – https://a.exemple/l", "https://a.exemple/l", None),
        ("À nous", None, None),
    ],
)
async def test_the_licence_is_that_of_the_settings(shared, licence, address, identifier):
    datasette = await shared({"licence": licence} if licence else {})
    _, data_set, interface = await graph(datasette)
    for node in (data_set, interface, *data_set["dcat:distribution"]):
        assert node["dct:license"].get("@id") == address
        assert node["dct:rights"]["rdfs:label"] == site(datasette).config.attribution
    card = (await datasette.client.get(CARD)).json()
    assert card.get("license") == identifier


async def test_the_card_says_how_the_interface_is_reached(shared):
    datasette = await shared({"public_url": PUBLIC, "quota": 250})
    card = (await datasette.client.get(CARD)).json()
    assert card["base_api_url"] == f"{PUBLIC}/v1"
    assert card["access_type"] == "open_with_account"
    assert "250 requêtes par jour" in card["rate_limiting"]
    assert site(datasette).config.attribution in card["description"]
    for name in card:
        if name.endswith("_url") and name != "base_api_url":
            path = card[name].removeprefix(PUBLIC)
            assert (await datasette.client.get(path)).status_code == 200, name


async def test_invented_data_say_so_and_owe_nothing(make, sample):
    datasette = await make(path=sample)
    _, data_set, _ = await graph(datasette)
    card = (await datasette.client.get(CARD)).json()
    for text in (data_set["dct:title"], data_set["dct:description"], card["title"]):
        assert text.startswith("Données inventées")
    assert data_set["dct:provenance"] == []
    assert "dct:accrualPeriodicity" not in data_set


@pytest.mark.parametrize("path", [RECORD, CARD])
async def test_it_is_open_to_other_sites_and_not_sent_again(datasette, path):
    first = await datasette.client.get(path)
    assert first.headers["access-control-allow-origin"] == "*"
    assert first.headers["cache-control"].startswith("public")
    assert "Host" in first.headers["vary"]
    again = await datasette.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = await datasette.client.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == first.content
    elsewhere = await datasette.client.get(path, headers={"Host": "autre.exemple"})
    assert "http://autre.exemple/" in elsewhere.text
    assert "autre.exemple" not in (await datasette.client.get(path)).text


async def test_the_documentation_leads_to_it(datasette):
    for page in ("/documentation", "/documentation/en"):
        html = (await datasette.client.get(page)).text
        link = re.search(
            r'<link rel="describedby" type="application/ld\+json" href="([^"]+)"', html
        )
        assert link
        assert (await datasette.client.get(urlsplit(link[1]).path)).status_code == 200
        assert f'<a href="{RECORD}">' in html
