"""Caching clients as people have them walk everything twice: all rows both times, the second time for nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests_cache

from tests.contract.sample import in_order

from .chromium import told_by
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


# Each walk's identifiers and what it was charged; `first`, `rows`, `headers` stand before it.
BROWSED = """
    const used = async () => (await (await fetch(new URL("/v1/quota", first), {headers})).json()).utilise;
    const walks = [];
    for (let times = 0; times < 2; times++) {
        const before = await used(), identifiers = [];
        for (let address = first; address; ) {
            const answer = await fetch(address, {headers});
            if (!answer.ok) return {error: answer.status};
            identifiers.push(...(await answer.json())[rows].map(row => row.id));
            const next = /<([^>]*)>; rel="next"/.exec(answer.headers.get("Link"));
            address = next && new URL(next[1], address).href;
        }
        walks.push([identifiers, await used() - before]);
    }
    return walks;
"""


@pytest.mark.parametrize(("header", "first"), [*zip(HEADERS, WALKS, strict=True)])
def test_a_second_walk_of_another_site_s_page_in_chromium_has_every_row_and_costs_nothing(
    header: str, first: str, origin: Origin, tmp_path: Path
) -> None:
    _, key = origin.new_account()
    given = {"first": origin.url + first, "rows": WALKS[first], "headers": HEADERS[header](key)}
    constants = "".join(f"const {name} = {json.dumps(value)};" for name, value in given.items())
    walks = told_by(constants + BROWSED, tmp_path)
    assert [charged for _, charged in walks] == [7, 0]
    for identifiers, _ in walks:
        assert len(identifiers) == len(set(identifiers)) == len(in_order())
