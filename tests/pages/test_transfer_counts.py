"""Wherever transfers are counted, the page says that their number depends on the spacing of the lists."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio

from parlement_lists.meanings import TRANSFERS_COUNT

from . import years
from .conftest import Read

pytestmark = pytest.mark.asyncio
# A number of transfers, in a sentence or as a column of a table.
COUNTED = re.compile(r"\d\W+transferts?\b|>Transf\.<|>Transferts<|abbr title=\"Transferts\"")
COUNTING = ("/semaine/2026-W19",)
OTHERS = (
    "/",
    "/semaine",
    "/groupes",
    "/groupes/senat/GRA",
    "/elus/senat",
    "/fichiers",
    "/documentation",
)


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


def says_why(html: str) -> bool:
    return TRANSFERS_COUNT in Read(html).plain


@pytest.mark.parametrize("path", COUNTING + OTHERS)
async def test_no_page_counts_transfers_without_that_sentence(datasette, path):
    html = (await datasette.client.get(path)).text
    counted = bool(COUNTED.search(html))
    assert counted or path not in COUNTING
    assert says_why(html) or not counted
    described = re.search(r'<meta name="description" content="([^"]*)"', html)
    assert described
    assert "transfert" not in described[1]


async def test_the_explorer_says_it_of_a_filter_and_beside_its_counts(datasette):
    table = "/movements/mouvements?type=transfert"
    filtered = (await datasette.client.get(table)).text
    facets = (await datasette.client.get("/movements/mouvements?_facet=type")).text
    assert says_why(facets.partition('class="facets"')[2].partition("</ul>")[0])
    other = (await datasette.client.get("/movements/mouvements?type=depart")).text
    # Its facets count transfers too.
    assert Read(filtered).plain.count(TRANSFERS_COUNT) == 1 + Read(other).plain.count(
        TRANSFERS_COUNT
    )


async def test_the_whole_file_s_description_and_the_interface_s_say_it(datasette):
    described = (await datasette.client.get("/v1/openapi.json")).json()
    kind = described["components"]["schemas"]["Mouvement"]["properties"]["type"]
    assert TRANSFERS_COUNT in kind["description"]
