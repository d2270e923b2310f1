"""A page of a search: ready-made rows, their total, and the envelope (specification, "The answer")."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from .. import addresses
from ..dataset.served.snapshot import Rowids, Snapshot
from ..refusal import SITE
from .parameters.search_parameters import Search
from .service import Service

_ADDRESS = SITE + addresses.SEARCH
ENVELOPE = ("total", "limit", "offset", "mouvements", "licence", "attribution")


class SearchPage(NamedTuple):
    """A page of movements as joined JSON objects, newest first, and how many the search finds in all."""

    lines: bytes
    total: int


def page_at_once(snapshot: Snapshot, search: Search) -> SearchPage | None:
    """The page, if its filter's rowids are in memory: a few tens of microseconds. Else None."""
    rowids = snapshot.known(search.filter)
    return None if rowids is None else cut_page(snapshot, rowids, search)


async def find_page(snapshot: Snapshot, search: Search) -> SearchPage:
    """The page, its filter's rowids read in a thread: some megabytes at most.

    Raises sqlite3.Error or NotServable when the file cannot be read.
    """
    rowids = await asyncio.to_thread(snapshot.rowids, search.filter)
    snapshot.keep(search.filter, rowids)
    return cut_page(snapshot, rowids, search)


def cut_page(snapshot: Snapshot, rowids: Rowids, search: Search) -> SearchPage:
    """The page of a search whose filter finds `rowids`."""
    low, high = snapshot.between(rowids, search.depuis, search.jusqua)
    last = high - search.offset
    lines = snapshot.lines(rowids[max(low, last - search.limit) : last]) if last > low else b""
    return SearchPage(lines, high - low)


def body(service: Service, search: Search, page: SearchPage) -> bytes:
    """The JSON of an answer: the members of `ENVELOPE`, in this order."""
    head = f'{{"total":{page.total},"limit":{search.limit},"offset":{search.offset},"mouvements":['
    return b"".join((head.encode(), page.lines, b"],", service.credits))


def at_offset(start: str, offset: int) -> str:
    """The query in normal form of the page at an offset, from that of the first page."""
    return (f"{start}&offset={offset}" if start else f"offset={offset}") if offset else start


def links(search: Search, start: str, total: int) -> list[str]:
    """The first, previous, next and last page, as links of RFC 8288; `start` is the query of the first."""
    offsets = {"first": 0}
    if search.offset:
        # From past the end back to the last page.
        last = max(0, total - 1) // search.limit * search.limit
        offsets["prev"] = max(0, min(search.offset - search.limit, last))
    if search.offset + search.limit < total:
        offsets["next"] = search.offset + search.limit
    if total:
        offsets["last"] = (total - 1) // search.limit * search.limit
    queries = {rel: at_offset(start, offset) for rel, offset in offsets.items()}
    return [f'<{_ADDRESS}{query and "?"}{query}>; rel="{rel}"' for rel, query in queries.items()]
