"""A client that keeps answers walks everything twice: all rows both times, the second time for nothing."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests_cache

from tests.contract.sample import in_order

from .conftest import HEADERS, Origin

pytestmark = pytest.mark.process
# Where a walk begins, and the member of an answer that holds its rows.
WALKS = {
    "/v1/mouvements?limit=60": "mouvements",
    "/v1/changements?limit=60": "changements",
}


def walk(session: requests_cache.CachedSession, headers: dict[str, str], first: str) -> list[str]:
    """The identifiers of all pages, from one to the next by its Link."""
    identifiers: list[str] = []
    address = first
    while address:
        answer = session.get(address, headers=headers)
        assert answer.status_code == 200
        [rows] = (answer.json()[name] for name in WALKS.values() if name in answer.json())
        identifiers += [row["id"] for row in rows]
        link = re.search(r'<([^>]*)>; rel="next"', answer.headers["link"])
        address = urljoin(first, link[1]) if link else ""
    return identifiers


@pytest.mark.parametrize("first", WALKS)
@pytest.mark.parametrize("header", HEADERS)
def test_a_second_walk_has_every_row_and_costs_nothing(
    header: str, first: str, origin: Origin, tmp_path: Path
) -> None:
    """With requests-cache, as docs/how-to/write-a-client.md has it."""
    _, key = origin.new_account()
    with requests_cache.CachedSession(tmp_path / "cache.sqlite", cache_control=True) as session:
        for pages_charged in (7, 0):
            before = origin.charged(key)
            identifiers = walk(session, HEADERS[header](key), origin.url + first)
            assert len(identifiers) == len(set(identifiers)) == len(in_order())
            assert origin.charged(key) - before == pages_charged
