"""What the interface serves as lists, a row each; and the SQL of their pages and feeds."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from .. import addresses
from ..dataset import schema
from ..dataset.changes import Cursor
from ..dataset.served import DataVersion
from .parameter import Arguments, Value
from .parameters import LIMIT_DEFAULT, MEMBERS, MOVEMENTS, OF, STAYS

# A page so far from the last mark of its filter leaves one, from which the pages after it are found.
MARK_EVERY = 200


class Listing(NamedTuple):
    """One list: its address, its table and the order of its rows `r`, its ready-made lines.

    `onward` are the rows from that of the rowid `:mark` on, `first` is the rowid of a page's first row: rowids of
    movements and stays rise with their days. The day is there for the index.

    `rows` say whose version it has, and what is published of it by a feed and by identifier; of members neither is.
    """

    name: str
    path: str
    table: str
    order: str
    onward: str
    first: str
    lines: str
    rows: schema.Resource
    feed: str = ""
    item: str = ""  # the member of an answer that holds a single row


def _by_day(name: str, path: str, rows: schema.Resource, day: str, **published: str) -> Listing:
    """A list of rows with the latest `day` first, which has a feed and items."""
    table = rows.table
    return Listing(
        name,
        path,
        table,
        f"r.{day} desc, r.rowid desc",
        f"r.rowid <= :mark and r.{day} <= (select {day} from {table} where rowid = :mark)",
        "max(place)",
        rows.lines,
        rows,
        **published,
    )


SEARCH = _by_day(
    MOVEMENTS,
    addresses.SEARCH,
    schema.MOVEMENTS,
    "date_event",
    feed=addresses.CHANGES,
    item="mouvement",
)
STAY_SEARCH = _by_day(
    STAYS,
    addresses.STAYS,
    schema.STAYS,
    "debut",
    feed=addresses.STAY_CHANGES,
    item="collaboration",
)
MEMBER_SEARCH = Listing(
    MEMBERS,
    addresses.MEMBERS,
    schema.MEMBER_LINES,
    "r.rowid",
    "r.rowid >= :mark",
    "min(place)",
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
    where, values = condition(resource, arguments)
    key = (resource.name, where, *values.values())
    total = version.totals.get(key)
    if total is None:
        sql = f"select count(*) from {resource.table} r where {where}"
        (total,) = version.db.execute(sql, values).fetchone()
        version.totals.put(key, total, 1)
    limit, offset = int(arguments.get("limit", LIMIT_DEFAULT)), int(arguments.get("offset", 0))
    if offset >= total:
        return b"", total
    marks: list[tuple[int, int]] = version.marks.get(key) or []
    place = bisect_right(marks, offset, key=itemgetter(0)) - 1
    skipped = 0
    asked = {**values, "limit": limit}
    if place >= 0:
        skipped, asked["mark"] = marks[place]
        # Before `jusqua`: SQLite seeks by the first bound of the day that it reads.
        where = f"{resource.onward} and {where}"
    asked["offset"] = offset - skipped
    sql = f"""
        select cast(group_concat(l.json, ',') as blob), {resource.first} from (
          select r.rowid as place from {resource.table} r where {where}
          order by {resource.order} limit :limit offset :offset
        ) cross join {resource.lines} l on l.rowid = place
    """
    lines, first = version.db.execute(sql, asked).fetchone()
    if lines is None:
        raise sqlite3.DatabaseError("a row has no line")
    if offset - skipped >= MARK_EVERY:
        marks = [*marks[: place + 1], (offset, first), *marks[place + 1 :]]
        version.marks.put(key, marks, len(marks))
    return lines, total


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
