"""What the names of a chamber's teams tell together: the longest stays, changes of group, two chambers."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from heapq import nlargest
from itertools import islice, takewhile
from typing import Any

from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, slug_of
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import NO_GROUP_YET

from ...dataset.schema import TABLE, TENURES
from ...dataset.stays.namesakes import namesake_signs, stay_lines
from ..counts.facts import SHOWN as SHOWN_OF_A_MOVEMENT
from ..counts.facts import STAY_COLUMNS, Facts, Row
from ..frame.site import Site
from . import periods

# Of each kind; the page must stay below 60 kB.
SHOWN = 40
# Bytes that the names of two chambers take, about.
NAMES_BYTES = 100_000
# On the list of a day, the earliest first; a name withheld is in no list of names.
_LONGEST = f"""
    select {STAY_COLUMNS} from {TENURES} where chambre = :chamber and debut <= :day and fin_apres >= :day and collab_nom is not null
    order by debut, collab_nom, collab_prenom
"""
_CHANGES = f"""
    select {SHOWN_OF_A_MOVEMENT} from {TABLE} where chambre = ? and type = 'transfert' and collab_nom is not null
      and coalesce(elu_groupe, '') <> '' and coalesce(elu_origine_groupe, '') <> ''
      and elu_groupe <> elu_origine_groupe
    order by date_event desc, rowid desc
"""
_IN_TWO = f"""
    select collab_nom, coalesce(collab_prenom, '') from {TENURES} where collab_nom is not null
    group by 1, 2 having count(distinct chambre) > 1
"""
_OF_NAMES = f"""
    select rowid, {STAY_COLUMNS} from {TENURES} where rowid in (
      select c.rowid from json_each(?) cross join {TENURES} c on c.collab_nom = json_extract(value, '$[0]')
        and c.collab_prenom is nullif(json_extract(value, '$[1]'), ''))
    order by debut, rowid
"""


async def page(site: Site, request: Request) -> Response:
    """The careers of the chamber that is asked for, else of the first one that has lists."""
    facts = await site.facts()
    listed = [chamber for chamber in CHAMBERS if facts.coverage[chamber].last]
    asked = request.args.get("chambre")
    chamber = asked if asked in listed else (listed or CHAMBERS)[0]
    key = ("careers", facts.build, chamber)
    return await site.cached(
        request, key, "careers", lambda: _context(site, facts, chamber, listed)
    )


async def _context(site: Site, facts: Facts, chamber: str, listed: list[str]) -> dict[str, Any]:
    reader, then = facts.reader, await periods.facts_by_default(site, facts, chamber)
    day = then.coverage[chamber].last
    longest, as_long = await reader.count(lambda db: _longest(db, then, chamber, day))
    both, number = await site.kept(
        ("two chambers", facts.edition), lambda: reader.count(_in_two), lambda _: NAMES_BYTES
    )
    return {
        "chamber": chamber,
        "listed": listed,
        "known": facts.coverage[chamber],
        "day": day,
        "canonical_query": {"chambre": chamber},
        "longest": longest,
        "as_long": as_long,
        "changes": await reader.count(lambda db: _changes(db, chamber, facts.renamed[chamber])),
        "both": both,
        "number": number,
        "shown": SHOWN,
    }


def _longest(
    db: sqlite3.Connection, facts: Facts, chamber: str, day: str
) -> tuple[list[Tenure], int]:
    """The stays on the list of `day` that began first, at members who sat then.

    With how many began on the day of the last one, where not all of them are there, else 0.
    """
    if not day:
        return [], 0
    on = datetime.date.fromisoformat(day)
    over = {one.identifier for one in facts.members[chamber] if one.ended(on)}
    rows = db.execute(_LONGEST, {"chamber": chamber, "day": day})
    there = (one for one in map(Tenure._make, rows) if one.elu_id not in over)
    shown = list(islice(there, SHOWN))
    more = sum(1 for _ in takewhile(lambda one: one.debut == shown[-1].debut, there))
    return shown, more and more + sum(one.debut == shown[-1].debut for one in shown)


def _changes(db: sqlite3.Connection, chamber: str, same: set[tuple[str, str]]) -> list[Row]:
    """The latest transfers from one group to another: not to the same with a new name, nor from or to none."""
    of_two = (
        dict(row)
        for row in db.execute(_CHANGES, [chamber])
        if (groups := (row["elu_origine_groupe"], row["elu_groupe"])) not in same
        and not {*groups} & {*NO_GROUP_YET}
    )
    return list(islice(of_two, SHOWN))


def _in_two(db: sqlite3.Connection) -> tuple[list[list[Tenure]], int]:
    """The names that lists of two chambers have, the first stay in each, the latest change first; and how many there are.

    Names of which several people are a sign are left out.
    """
    spellings: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in map(tuple, db.execute(_IN_TWO)):
        spellings[slug_of(*name)].append(name)
    found: list[tuple[str, int, list[Tenure]]] = []
    number = 0
    for of in spellings.values():
        rows = db.execute(_OF_NAMES, [json.dumps(of)]).fetchall()
        stays = [Tenure._make(stay) for _, *stay in rows]
        if not namesake_signs(stays, stay_lines(stays)).found:
            number += 1
            first = list({one.chambre: one for one in reversed(stays)}.values())[::-1]
            found.append((first[-1].debut, -rows[0][0], first))
            # As many stays as names would take megabytes.
            found = nlargest(SHOWN, found)
    return [first for _, _, first in found], number
