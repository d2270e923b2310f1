"""Caching clients as people install them walk everything twice: all rows both times, the second time for nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import hishel
import httpx2
import pytest
import requests
import requests_cache
from hishel.httpx2 import CacheClient
from hishel.requests import CacheAdapter

from tests.contract.sample import in_order

from .chromium import told_by
from .conftest import HEADERS, Origin

pytestmark = pytest.mark.process
# Gets an address with these headers: status, headers, and the JSON of the body.
Get = Callable[[str, dict[str, str]], tuple[int, Mapping[str, str], Any]]
# Where a walk begins, and the member of an answer that holds its rows.
WALKS = {
    "/v1/mouvements?limit=60": "mouvements",
    "/v1/changements?limit=60": "changements",
}
# A client of one person, which is what its users ask for; the default of both is a shared cache.
PRIVATE = hishel.CacheOptions(shared=False)


def answered(answer: requests.Response | httpx2.Response) -> tuple[int, Mapping[str, str], Any]:
    return answer.status_code, answer.headers, answer.json()


def stored(folder: Path) -> closing[hishel.SqliteStorage]:
    return closing(hishel.SqliteStorage(database_path=folder / "cache.sqlite"))


@contextmanager
def requests_cache_client(folder: Path) -> Iterator[Get]:
    with requests_cache.CachedSession(folder / "cache.sqlite", cache_control=True) as session:
        yield lambda address, headers: answered(session.get(address, headers=headers))


@contextmanager
def hishel_requests_client(folder: Path) -> Iterator[Get]:
    with stored(folder) as storage, requests.Session() as session:
        session.mount("http://", CacheAdapter(rfc=PRIVATE, storage=storage))
        yield lambda address, headers: answered(session.get(address, headers=headers))


@contextmanager
def hishel_httpx_client(folder: Path) -> Iterator[Get]:
    with stored(folder) as storage, CacheClient(rfc=PRIVATE, storage=storage) as client:
        yield lambda address, headers: answered(client.get(address, headers=headers))


CLIENTS = (requests_cache_client, hishel_requests_client, hishel_httpx_client)


def walk(
    get: Get, headers: dict[str, str], first: str, rows: str
) -> Iterator[list[dict[str, Any]]]:
    """The rows of each page, from one to the next by its Link."""
    address: str | None = first
    while address is not None:
        status, told, body = get(address, headers)
        assert status == 200
        yield body[rows]
        found = re.search(r'<([^>]*)>; rel="next"', told["link"])
        address = urljoin(first, found[1]) if found else None


@pytest.mark.parametrize("first", WALKS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_a_second_walk_has_every_row_and_costs_nothing(
    client: Callable[[Path], AbstractContextManager[Get]],
    header: str,
    first: str,
    origin: Origin,
    tmp_path: Path,
) -> None:
    _, key = origin.new_account()
    headers = HEADERS[header](key)
    with client(tmp_path) as get:
        for pages_charged in (7, 0, 0):
            before = origin.charged(key)
            pages = list(walk(get, headers, origin.url + first, WALKS[first]))
            rows = [row["id"] for page in pages for row in page]
            assert len(rows) == len(set(rows)) == len(in_order())
            assert origin.charged(key) - before == pages_charged


# Each walk's identifiers and what it was charged; `first`, `rows`, `headers` stand before it.
BROWSED = """
    const used = async () => (await (await fetch(new URL("/v1/quota", first), {headers})).json()).utilise;
    const walks = [];
    for (let times = 0; times < 3; times++) {
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


@pytest.mark.parametrize("first", WALKS)
@pytest.mark.parametrize("header", HEADERS)
def test_a_second_walk_of_another_site_s_page_in_chromium_has_every_row_and_costs_nothing(
    header: str, first: str, origin: Origin, tmp_path: Path
) -> None:
    _, key = origin.new_account()
    given = {"first": origin.url + first, "rows": WALKS[first], "headers": HEADERS[header](key)}
    constants = "".join(f"const {name} = {json.dumps(value)};" for name, value in given.items())
    walks = told_by(constants + BROWSED, tmp_path)
    assert [charged for _, charged in walks] == [7, 0, 0]
    for identifiers, _ in walks:
        assert len(identifiers) == len(set(identifiers)) == len(in_order())
