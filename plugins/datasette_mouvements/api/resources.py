"""What the interface serves as lists, a row each; and the SQL of their pages and feeds."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from .. import addresses
from ..dataset import schema
from ..dataset.changes import Cursor
from ..dataset.served import DataVersion, DayCounts
from .parameter import Arguments, Value
from .parameters import LIMIT_DEFAULT, MEMBERS, MOVEMENTS, OF, STAYS

# Parameters that bound the day: here their rows are found by the counts of days, in a feed of `pages` by `where`.
BOUNDS = ("depuis", "jusqua")
LAST_DAY = "9999-12-31"
# What the counts of a filter take in memory, about, and each of its days.
FILTER_BYTES, DAY_BYTES = 700, 16


class Listing(NamedTuple):
    """One list: its address, its table and the order of its rows `r`, its ready-made lines.

    `day` is what the rows are counted by, and `order` begins with it; members, who are few, have none.
    `rows` say whose version it has, and what is published of it by a feed and by identifier; of members neither is.
    """

    name: str
    path: str
    table: str
    day: str
    order: str
    lines: str
    rows: schema.Resource
    feed: str = ""
    item: str = ""  # the member of an answer that holds a single row


def _by_day(name: str, path: str, rows: schema.Resource, day: str, **published: str) -> Listing:
    """A list of rows with the latest `day` first, which has a feed and items."""
    order = f"{day} desc, r.rowid desc"
    return Listing(name, path, rows.table, day, order, rows.lines, rows, **published)


SEARCH = _by_day(
    MOVEMENTS,
    addresses.SEARCH,
    schema.MOVEMENTS,
    "r.date_event",
    feed=addresses.CHANGES,
    item="mouvement",
)
STAY_SEARCH = _by_day(
    STAYS,
    addresses.STAYS,
    schema.STAYS,
    "r.debut",
    feed=addresses.STAY_CHANGES,
    item="collaboration",
)
MEMBER_SEARCH = Listing(
    MEMBERS,
    addresses.MEMBERS,
    schema.MEMBER_LINES,
    "''",
    "r.rowid",
    schema.MEMBER_LINES,
    schema.STAYS,
)


class FeedPage(NamedTuple):
    """Changes as joined JSON objects, the cursor after them, and whether more follow."""

    lines: bytes
    cursor: Cursor
    more: bool


def page(version: DataVersion, resource: Listing, arguments: Arguments) -> tuple[bytes, int]:
    """A page as joined JSON objects, and how many rows there are in all; sqlite3.Error when it cannot be read."""
    others = {name: value for name, value in arguments.items() if name not in BOUNDS}
    where, values = condition(resource, others)
    days, before = _counts(version, resource, where, values)
    # How many rows are before `depuis`, and how many up to `jusqua`.
    least = before[bisect_left(days, str(arguments.get("depuis", "")))]
    most = before[bisect_right(days, str(arguments.get("jusqua", LAST_DAY)))]
    total = most - least
    limit, offset = int(arguments.get("limit", LIMIT_DEFAULT)), int(arguments.get("offset", 0))
    if offset >= total:
        return b"", total
    place = bisect_left(before, most - offset)
    sql = f"""
        select cast(group_concat(l.json, ',') as blob) from (
          select r.rowid as place from {resource.table} r where {where} and {resource.day} <= :day
          order by {resource.order} limit :limit offset :offset
        ) cross join {resource.lines} l on l.rowid = place
    """
    (lines,) = version.db.execute(
        sql,
        {
            **values,
            "day": days[place - 1],
            "limit": min(limit, total - offset),
            "offset": before[place] - (most - offset),
        },
    ).fetchone()
    if lines is None:
        raise sqlite3.DatabaseError("a row has no line")
    return lines, total


def _counts(
    version: DataVersion, resource: Listing, where: str, values: dict[str, Value]
) -> DayCounts:
    """The days of the rows of a condition; counted once in a version, whatever the page and its bounds."""
    key = (resource.name, where, *values.values())
    counts = version.counts.get(key)
    if counts is None:
        sql = f"""
            select {resource.day} as day, count(*) from {resource.table} r
            where {where} group by day order by day
        """
        rows = version.db.execute(sql, values).fetchall()
        # Filters share most of their days.
        days = [sys.intern(day) for day, _ in rows]
        counts = days, array("L", accumulate((number for _, number in rows), initial=0))
        version.counts.put(key, counts, FILTER_BYTES + DAY_BYTES * len(days))
    return counts


def condition(resource: Listing, arguments: Arguments) -> tuple[str, dict[str, Value]]:
    """The rows `r` that were asked for, as an SQL condition with its values."""
    conditions, values = [], {}
    for name, value in arguments.items():
        parameter = OF[resource.name][name]
        if where := parameter.where:
            conditions.append(parameter.on_day if parameter.on_day and "le" in arguments else where)
            values[name] = parameter.bound(str(value)) if parameter.bound else value
    return " and ".join(sorted(conditions)) or "1", dict(sorted(values.items()))


def has_member(version: DataVersion, resource: Listing, name: str, value: str) -> bool:
    """Whether a row of the resource has this `elu` or `equipe`."""
    where, values = condition(resource, {name: value})
    sql = f"select 1 from {resource.table} r where {where} limit 1"
    return version.db.execute(sql, values).fetchone() is not None


def changes(version: DataVersion, resource: Listing, after: int, limit: int) -> FeedPage:
    """The changes after a number of the feed; sqlite3.Error when the file cannot be read."""
    feed = version.feeds[resource.rows]
    # An identifier of a maintainer's own file may contain any character.
    sql = f"""
        select cast(group_concat(item, ',') as blob), max(seq) from (
          select c.seq, '{{"publie_le":"' || c.publie_le || '","nature":"' || c.nature ||
            '","id":' || json_quote(c.id) || coalesce(',"{resource.item}":' || l.json, '') || '}}' as item
          from {resource.rows.changes} c left join {resource.lines} l on l.rowid = c.ligne
          where c.seq > ? order by c.seq limit ?)
    """
    lines, last = version.db.execute(sql, (after, limit)).fetchone()
    more = last is not None and last < feed.end.seq
    return FeedPage(lines or b"", feed.at(last) if more else feed.end, more)
