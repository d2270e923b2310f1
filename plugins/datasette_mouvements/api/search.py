"""A page of a search of movements or stays: ready-made rows, their total, the envelope (specification, "The answer")."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..dataset.served.rows import Rowids
from ..dataset.served.snapshot import Snapshot
from ..dataset.served.stay_rows import StayRows
from ..refusal import SITE
from .parameters.search_parameters import Search
from .parameters.stay_parameters import MemberSearch, StaySearch
from .service import Service

Rows = Snapshot | StayRows
Paged = Search | StaySearch | MemberSearch
ENVELOPE = ("total", "limit", "offset", "mouvements", "licence", "attribution")


class SearchPage(NamedTuple):
    """A page of movements or stays as JSON objects, newest first, and how many the search finds in all."""

    lines: Sequence[bytes | memoryview]  # in parts, with commas between them
    total: int


def page_at_once(rows: Rows, filter_: Any, search: Search | StaySearch) -> SearchPage | None:
    """The page, if its filter's rowids are in memory: a few tens of microseconds. Else None."""
    rowids = rows.known(filter_)
    return None if rowids is None else cut_page(rows, rowids, search)


async def find_page(rows: Rows, filter_: Any, search: Search | StaySearch) -> SearchPage:
    """The page, its filter's rowids read in a thread: some megabytes at most.

    Raises sqlite3.Error or NotServable when the file cannot be read.
    """
    rowids = await asyncio.to_thread(rows.rowids, filter_)
    rows.keep(filter_, rowids)
    return cut_page(rows, rowids, search)


def cut_page(rows: Rows, rowids: Rowids, search: Search | StaySearch) -> SearchPage:
    """The page of a search whose filter finds `rowids`."""
    low, high = rows.between(rowids, *search.days)
    last = high - search.offset
    lines = rows.lines(rowids[max(low, last - search.limit) : last]) if last > low else []
    return SearchPage(lines, high - low)


def body(service: Service, many: str, search: Paged, page: SearchPage, also: bytes = b"") -> bytes:
    """The JSON of an answer: the members of its envelope, in this order; `also` are those after the rows."""
    head = f'{{"total":{page.total},"limit":{search.limit},"offset":{search.offset},"{many}":['
    return b"".join((head.encode(), *page.lines, b"],", also, service.credits))


def links(path: str, search: Paged, start: str, total: int) -> list[str]:
    """The first, previous, next and last page, as links of RFC 8288; `start` is the query of the first."""
    limit, offset = search.limit, search.offset
    address = SITE + path
    further = f"{address}?{start}{'&' if start else ''}offset="
    last = max(0, total - 1) // limit * limit
    first = f"{address}?{start}" if start else address
    found = [f'<{first}>; rel="first"']
    offsets = (
        # From past the end back to the last page.
        ("prev", max(0, min(offset - limit, last)) if offset else None),
        ("next", offset + limit if offset + limit < total else None),
        ("last", last if total else None),
    )
    for rel, at in offsets:
        if at is not None:
            found.append(f'<{further}{at}>; rel="{rel}"' if at else f'<{first}>; rel="{rel}"')
    return found
