"""The documentation kept to what is in force, and words of another language told from French."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from datasette_mouvements.api.parameters import PARAMETERS
from datasette_mouvements.pages.files.archive import NOT_KNOWN
from datasette_mouvements.pages.words import french
from datasette_mouvements.refusal import KINDS
from parlement_lists import tenure
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CONFIDENCES, FIELDS

from .conftest import Read


@pytest.mark.asyncio
async def test_the_documentation_holds_every_definition(shared):
    datasette = await shared({"quota": 1234, "contact": "contact@exemple.fr"})
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
    explained = urlsplit(refused.json()["type"])
    assert explained.fragment in Read((await datasette.client.get(explained.path)).text).ids


@pytest.mark.parametrize("path", ["/movements/mouvements?chambre=europarl", "/documentation"])
@pytest.mark.asyncio
async def test_english_functions_are_told_from_french(datasette, path):
    text = (await datasette.client.get(path)).text
    assert re.findall(r"[^>]*>[^<]*(?:Accredited|Local) assistants", text)
    assert set(re.findall(r"<\w+([^>]*)>[^<]*(?:Accredited|Local) assistants", text)) == {
        ' lang="en"'
    }
