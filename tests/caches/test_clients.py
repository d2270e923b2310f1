"""Caching clients as people install them walk everything twice: all rows both times, the second time for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
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


def requests_cache_client(folder: Path) -> Get:
    session = requests_cache.CachedSession(folder / "cache.sqlite", cache_control=True)
    return lambda address, headers: answered(session.get(address, headers=headers))


def hishel_requests_client(folder: Path) -> Get:
    session = requests.Session()
    storage = hishel.SqliteStorage(database_path=folder / "cache.sqlite")
    session.mount("http://", CacheAdapter(rfc=PRIVATE, storage=storage))
    return lambda address, headers: answered(session.get(address, headers=headers))


def hishel_httpx_client(folder: Path) -> Get:
    storage = hishel.SqliteStorage(database_path=folder / "cache.sqlite")
    client = CacheClient(rfc=PRIVATE, storage=storage)
    return lambda address, headers: answered(client.get(address, headers=headers))


CLIENTS = (requests_cache_client, hishel_requests_client, hishel_httpx_client)


def walk(get: Get, headers: dict[str, str], first: str, rows: str) -> Iterator[list[dict[str, Any]]]:
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
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the clients leave their stores to be collected
def test_a_second_walk_has_every_row_and_costs_nothing(
    client: Callable[[Path], Get], header: str, first: str, origin: Origin, tmp_path: Path
) -> None:
    _, key = origin.new_account()
    get, headers = client(tmp_path), HEADERS[header](key)
    for pages_charged in (7, 0, 0):
        before = origin.charged(key)
        pages = list(walk(get, headers, origin.url + first, WALKS[first]))
        rows = [row["id"] for page in pages for row in page]
        assert len(rows) == len(set(rows)) == len(in_order())
        assert origin.charged(key) - before == pages_charged
