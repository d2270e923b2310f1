"""Search -> the rows of a page, ready made, and the total."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from ..dataset.snapshot import Rowids, Snapshot
from .parameters import Search

# The search's filters as SQL on the movements table, for a page whose positions are not known in time.
CONDITIONS = {
    "chambre": "chambre = ?",
    "type": "type = ?",
    "source": "source = ?",
    "depuis": "date_event >= ?",
    "jusqua": "date_event <= ?",
    "elu": "elu_id = ?",
}


class Page(NamedTuple):
    """A page of results: movements as joined JSON objects, newest first; total None if not counted."""

    lines: bytes
    total: int | None


def page_at_once(snapshot: Snapshot, search: Search) -> Page | None:
    """The page, if its filter's positions are at hand: a few tens of microseconds. Else None."""
    rowids = snapshot.known(search.chambre, search.type, search.source, search.elu)
    return None if rowids is None else _cut(snapshot, rowids, search)


async def page(snapshot: Snapshot, search: Search, count_budget: float) -> Page:
    """The page and its total; total None if counting takes longer than `count_budget` seconds.

    The count goes on and is remembered. Raises sqlite3.Error when the file cannot be read.
    """
    counting = asyncio.ensure_future(
        asyncio.to_thread(snapshot.rowids, search.chambre, search.type, search.source, search.elu)
    )
    done, _ = await asyncio.wait([counting], timeout=count_budget)
    if done:
        return _cut(snapshot, counting.result(), search)
    counting.add_done_callback(_forget)
    filters = [
        (condition, getattr(search, name))
        for name, condition in CONDITIONS.items()
        if getattr(search, name)
    ]
    lines = await asyncio.to_thread(snapshot.plain_lines, filters, search.limit, search.offset)
    return Page(lines, None)


def _cut(snapshot: Snapshot, rowids: Rowids, search: Search) -> Page:
    low, high = snapshot.between(rowids, search.depuis, search.jusqua)
    last = high - search.offset
    lines = snapshot.lines(rowids[max(low, last - search.limit) : last]) if last > low else b""
    return Page(lines, high - low)


def _forget(counting: asyncio.Future[Rowids]) -> None:
    """Take the late count's outcome, which `rowids` has remembered if there was one."""
    if not counting.cancelled():
        counting.exception()
