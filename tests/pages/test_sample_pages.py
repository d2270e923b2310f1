"""The pages of the invented sample that a first start serves: what they weigh, how they are described."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from datasette_mouvements.serving.sample import SCRIPT, build_sample
from tests.browser.places import EXPLORER
from tests.contract import environment

from .conftest import site

pytestmark = pytest.mark.asyncio
NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
ROWS = 50
# Bytes of HTML of Datasette's table pages as they open.
HEAVIEST = {EXPLORER: 75_000, "/movements/mouvements": 75_000, "/movements/collaborations": 45_000}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "movements.db"
    build_sample(path, NOW, environment.ROOT / SCRIPT)
    return path


@pytest_asyncio.fixture
async def served(make, sample):
    datasette = await make({"public_url": "https://exemple.fr"}, path=sample)
    await site(datasette).facts()
    return datasette


def rows(html: str) -> int:
    return len(re.findall("<tr", html)) - 1


@pytest.mark.parametrize("path", HEAVIEST)
async def test_a_table_page_opens_with_fifty_rows_and_shows_more_on_demand(served, path):
    html = (await served.client.get(path)).text
    assert rows(html) == ROWS
    assert len(html.encode()) < HEAVIEST[path]
    more = f"{path}{'&' if '?' in path else '?'}_size=100"
    assert rows((await served.client.get(more)).text) == 2 * ROWS
