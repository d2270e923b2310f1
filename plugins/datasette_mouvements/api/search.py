"""Search -> the rows of a page, ready made, and the total."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from ..dataset.served.snapshot import Rowids, Snapshot
from .parameters.search_parameters import Search


class Page(NamedTuple):
    """A page of results: movements as joined JSON objects, newest first, and how many there are in all."""

    lines: bytes
    total: int


def page_at_once(snapshot: Snapshot, search: Search) -> Page | None:
    """The page, if its filter's positions are at hand: a few tens of microseconds. Else None."""
    rowids = snapshot.known(search.filter)
    return None if rowids is None else _cut(snapshot, rowids, search)


async def find_page(snapshot: Snapshot, search: Search) -> Page:
    """The page, its filter's positions read in a thread: some megabytes at most.

    Raises sqlite3.Error or NotServable when the file cannot be read.
    """
    rowids = await asyncio.to_thread(snapshot.rowids, search.filter)
    snapshot.keep(search.filter, rowids)
    return _cut(snapshot, rowids, search)


def _cut(snapshot: Snapshot, rowids: Rowids, search: Search) -> Page:
    low, high = snapshot.between(rowids, search.depuis, search.jusqua)
    last = high - search.offset
    lines = snapshot.lines(rowids[max(low, last - search.limit) : last]) if last > low else b""
    return Page(lines, high - low)
