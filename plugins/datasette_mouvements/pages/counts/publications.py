"""The entries of a feed, the latest publication first: the movements of each, or what was withdrawn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...dataset.schema import CHANGES, TABLE, WITHDRAWN
from .facts import SHOWN, Read, Row

# Publications in a feed.
MOST = 50
# An entry is one change, but for a contract with several members: so many changes make MOST of those, too.
READ = 30 * MOST
# A filter that lets little through is looked for no further back than so many changes: 30 ms.
SCANNED = 200_000
# What the movements of one entry share: one name on one day, and the run that published them.
_SHARED = ("date_event", "chambre", "type", "collab_nom", "collab_prenom", "collab_civilite")

Key = tuple[str | None, ...]


class FeedEntry(NamedTuple):
    """One entry: movements that one run published of one name, or the identifier of one withdrawn."""

    id: str  # of its movements the first, in the order of identifiers
    at: str  # the instant of publication
    movements: list[Row]  # none of what was withdrawn


class FeedCondition(NamedTuple):
    """Which movements a feed is of: a condition on their table (`m`), with its values.

    `match` is a search for names: an entry of which one movement is found is told whole.
    """

    where: str
    values: Sequence[str]
    match: str = ""
    few: bool = False  # an index finds them all
    withdrawn: bool = False  # what was withdrawn is told beside them


EVERYTHING = FeedCondition("1", (), withdrawn=True)


async def latest(
    read: Read, wanted: FeedCondition, most_read: int = READ, scanned: int = SCANNED
) -> list[FeedEntry]:
    """The latest entries of the version that `read` reads, the latest publication first, at most MOST."""
    values = [*wanted.values, *([wanted.match] if wanted.match else [])]
    changes = await read(_changes(wanted, most_read, scanned), values)
    found: dict[Key, list[Row]] = {}
    for change in changes:
        if len(found) == MOST and _key(change) not in found:
            break
        found.setdefault(_key(change), [])
    named = json.dumps([key[1:] for key in found if len(key) > 2])
    nameless = json.dumps([key[1] for key in found if len(key) == 2])
    for movement in await read(_movements(wanted.where), [named, *wanted.values, nameless]):
        if _key(movement) in found:
            found[_key(movement)].append(dict(movement))
    gone = {change["id"] for change in changes if change["nature"] == WITHDRAWN}
    return [
        FeedEntry(min((row["id"] for row in rows), default=key[1] or ""), key[0] or "", rows)
        for key, rows in found.items()
        # Between the two queries another version may have been adopted.
        if rows or key[1] in gone
    ]


def _key(row: Mapping[str, Any]) -> Key:
    """The key of an entry. Movements without a name are one entry each, because they may be of several people."""
    if row["collab_nom"] or row["collab_prenom"]:
        return (row["publie_le"], *(row[name] for name in _SHARED))
    return (row["publie_le"], row["id"])


def _changes(wanted: FeedCondition, most_read: int, scanned: int) -> str:
    if wanted.few:
        tables, within = f"{TABLE} m cross join {CHANGES} c on c.id = m.id", "1"
    else:
        # `cross join` keeps SQLite from beginning with the movements and sorting all that match.
        join = "left" if wanted.withdrawn else "cross"
        tables = f"{CHANGES} c {join} join {TABLE} m on m.rowid = c.ligne"
        within = f"c.seq > (select max(seq) from {CHANGES}) - {scanned}"
    named = f"and m.rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match ?)"
    return f"""
        select c.id, c.publie_le, c.nature, {", ".join(_SHARED)} from {tables}
        where {within} and {wanted.where} {named if wanted.match else ""}
        order by c.seq desc limit {most_read}
    """


def _movements(where: str) -> str:
    """The movements of the entries found: by name and day within the condition, and those without name by identifier."""
    same = " and ".join(
        f"m.{name} is json_extract(shared, '$[{place}]')" for place, name in enumerate(_SHARED)
    )
    return f"""
        select {SHOWN}, (select publie_le from {CHANGES} c where c.id = {TABLE}.id) as publie_le
        from {TABLE} where id in (
          select m.id from (select value as shared from json_each(?))
          cross join {TABLE} m on {same} where {where}
          union all select value from json_each(?))
    """
