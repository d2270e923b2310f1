"""How values are written, charts drawn, and the documentation kept to what is in force."""

from __future__ import annotations

import datetime
import re
from xml.etree import ElementTree

import pytest

from datasette_mouvements import tenure
from datasette_mouvements.api.parameters import PARAMETERS
from datasette_mouvements.dataset.coverage import Gap
from datasette_mouvements.movement import CONFIDENCES, FIELDS, MEANINGS
from datasette_mouvements.pages import charts, french
from datasette_mouvements.pages.archive import NOT_KNOWN
from datasette_mouvements.refusal import KINDS
from tests.contract import sample

from .conftest import Read, site


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Quoi ? Non ; si !", "Quoi\u202f? Non\u202f; si\u202f!"),
        ("ainsi : « oui » à 5 %", "ainsi\u00a0: «\u00a0oui\u00a0» à 5\u00a0%"),
        ("https://exemple.fr/?a=b;c", "https://exemple.fr/?a=b;c"),
    ],
)
def test_signs_keep_to_the_word_before(text, written):
    assert french.typography(text) == written


def test_days_months_and_numbers():
    assert french.day("2026-09-01") == "1er\u00a0septembre 2026"
    assert french.day("2026-09-14") == "14\u00a0septembre 2026"
    assert french.day("bientôt") == "bientôt"
    assert french.month("2026-02") == "février\u00a02026"
    assert french.gap(Gap("2026-01-12", "2026-02-23")) == (
        "pas de liste du 13\u00a0janvier 2026 au 22\u00a0février 2026"
    )
    assert french.gap(Gap("", "2026-02-23")) == "pas de liste avant le 23\u00a0février 2026"
    assert french.gap(Gap("2026-02-23", "")) == "pas de liste après le 23\u00a0février 2026"
    assert french.gap(Gap("", "")) == "pas de liste"
    assert french.number(1234567) == "1\u202f234\u202f567"
    assert french.counted(0, "départ") == "0\u00a0départ"
    assert french.counted(2, "est partie", "sont parties") == "2\u00a0sont parties"
    assert french.percent(1, 3) == "33\u00a0%"
    assert french.percent(0, 0) == "0\u00a0%"
    noon = datetime.datetime(2026, 9, 14, 12, 5)
    assert french.instant(noon) == "14\u00a0septembre 2026 à 12\u00a0h\u00a005"


@pytest.mark.parametrize(
    ("after", "day", "written"),
    [
        ("2024-03-11", "2024-03-12", "le 12 mars 2024"),
        ("2024-03-12", "2024-03-12", "le 12 mars 2024"),
        (None, "2024-03-12", "le 12 mars 2024"),
        ("2021-03-03", "2021-03-09", "entre le 3 et le 9 mars 2021"),
        ("2021-03-30", "2021-04-01", "entre le 30 mars et le 1er avril 2021"),
        ("2018-06-19", "2022-02-01", "entre le 19 juin 2018 et le 1er février 2022"),
        ("2021-04-01", "2021-04-09", "entre le 1er et le 9 avril 2021"),
    ],
)
def test_a_change_between_two_lists_is_told_with_the_days_of_both(after, day, written):
    assert french.between(after, day).replace("\u00a0", " ") == written


@pytest.mark.parametrize(
    ("since", "until", "written"),
    [
        ("2021-09-01", "2022-09-01", "12 mois"),
        ("2021-09-01", "2022-08-31", "11 mois"),
        ("2024-01-31", "2024-02-29", "1 mois"),
        ("2024-01-15", "2024-02-14", "30 jours"),
        ("2024-02-01", "2024-02-22", "21 jours"),
        ("2024-02-22", "2024-02-22", "1 jour"),
        ("2020-02-29", "2026-03-01", "72 mois"),
    ],
)
def test_a_duration_is_counted_by_the_calendar(since, until, written):
    days = datetime.date.fromisoformat(until) - datetime.date.fromisoformat(since)
    assert french.duration(days.days + 0.5, until).replace(" ", " ") == written


@pytest.mark.parametrize(
    ("kind", "confidence", "after", "written"),
    [
        ("depart", "bot", "2024-06-11", "12 juin 2024"),
        ("depart", "faible", "2024-06-03", "entre le 3 et le 12 juin 2024"),
        ("transfert", "faible", "2024-06-11", "vers le 12 juin 2024"),
        ("depart", "faible", "", "vers le 12 juin 2024"),
        ("arrivee", "moyen", "", "vers le 12 juin 2024"),
        ("arrivee", "moyen", "2024-06-11", "12 juin 2024"),
        ("arrivee", "fort", "", "12 juin 2024"),
        (
            "depart",
            "faible",
            "2024-06-11",
            "nom absent de la liste du 12 juin 2024 (liste en retard ou fin de mandat : le jour du"
            " départ n’est pas connu)",
        ),
    ],
)
def test_a_day_is_told_as_well_as_it_is_known(kind, confidence, after, written):
    row = {"type": kind, "confiance": confidence, "date_event": "2024-06-12"}
    told = french.when(row, after)
    assert told.text.replace("\u00a0", " ") == written
    assert told.exact is (written == "12 juin 2024")


def test_a_withdrawn_name_has_words_but_no_address():
    assert french.full_name(None, "") == french.WITHDRAWN
    assert french.slug(None, None) == ""


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
