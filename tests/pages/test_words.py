"""How values are written, charts drawn, and the documentation kept to what is in force."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from datasette_mouvements import tenure
from datasette_mouvements.api.parameters import PARAMETERS
from datasette_mouvements.movement import CONFIDENCES, FIELDS, MEANINGS
from datasette_mouvements.pages import charts, french
from datasette_mouvements.pages.archive import NOT_KNOWN
from datasette_mouvements.refusal import KINDS
from tests.contract import sample

from .conftest import Read, site


@pytest.mark.parametrize("size", charts.SIZES)
@pytest.mark.asyncio
async def test_a_chart_is_a_picture_and_nothing_else(datasette, size):
    for name in charts.names():
        answer = await datasette.client.get(f"/graphiques/{name}/{size}")
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"] == charts.POLICY
        drawn = ElementTree.fromstring(answer.content)
        tags = {element.tag.rpartition("}")[2] for element in drawn.iter()}
        assert not tags & {"script", "image", "foreignObject", "a"}
        assert "http" not in answer.text.replace("http://www.w3.org/", "")
    assert (await datasette.client.get(f"/graphiques/autre/{size}")).status_code == 404


@pytest.mark.asyncio
async def test_the_same_numbers_give_the_same_picture(datasette):
    facts = await site(datasette).facts()
    for name in charts.names():
        assert charts.draw(name, "large", facts) == charts.draw(name, "large", facts)


def test_nothing_to_draw_is_drawn_too():
    assert charts.usage([("2026-09-14", 0)], "large").startswith(b"<svg")


@pytest.mark.asyncio
async def test_the_table_beside_a_chart_holds_its_numbers(datasette):
    facts = await site(datasette).facts()
    for chamber, months in facts.months.items():
        assert len(months) == 24
        for month, types in months.items():
            for kind, number in types.items():
                found = [
                    movement
                    for movement in sample.matching(chambre=chamber, type=kind)
                    if movement["date_event"].startswith(month)
                ]
                assert number == len(found)
    home = (await datasette.client.get("/")).text
    assert home.count("<table") == 4


@pytest.mark.asyncio
async def test_the_documentation_holds_every_definition(make):
    datasette = await make({"quota": 1234, "contact": "contact@exemple.fr"})
    page = (await datasette.client.get("/documentation")).text
    read = Read(page)
    for parameter in PARAMETERS:
        assert f"<code>{parameter.name}</code>" in page
    for field in FIELDS:
        assert french.typography(field.description).replace("’", "’") in read.text
    for field in tenure.FIELDS:
        assert f"<code>{field.name}</code>" in page
        assert french.typography(field.description) in read.text
    for line in NOT_KNOWN:
        assert french.typography(line) in read.text
    for value in CONFIDENCES:
        assert f"confiance-{value}" in read.ids
        assert french.typography(MEANINGS[value]) in read.text
    for kind in KINDS.values():
        assert kind.anchor in read.ids
        assert french.typography(kind.meaning) in read.text
    assert "1\u202f234" in read.text
    assert "mailto:contact@exemple.fr" in page
    assert "renouveler une clé ne le remet pas à zéro" in read.text


@pytest.mark.asyncio
async def test_the_address_of_a_refusal_leads_to_its_explanation(datasette):
    refused = await datasette.client.get("/v1/mouvements")
    path, _, anchor = refused.json()["type"].partition("#")
    assert anchor in Read((await datasette.client.get(path)).text).ids


@pytest.mark.parametrize(
    "path", ["/movements/mouvements?chambre=europarl", "/elus/europarl/ID", "/documentation"]
)
@pytest.mark.asyncio
async def test_english_functions_are_told_from_french(datasette, path):
    listed = (await site(datasette).facts()).members["europarl"][0]
    text = (await datasette.client.get(path.replace("ID", listed.identifier))).text
    assert re.findall(r"[^>]*>[^<]*(?:Accredited|Local) assistants", text)
    assert set(re.findall(r"<\w+([^>]*)>[^<]*(?:Accredited|Local) assistants", text)) == {
        ' lang="en"'
    }
