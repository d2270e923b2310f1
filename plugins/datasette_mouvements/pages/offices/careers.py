"""What the names of a chamber's teams tell together: the longest stays, changes of group, two chambers."""

from __future__ import annotations

import datetime
import json
from itertools import islice
from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, slug_of
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import NO_GROUP_YET

from ...dataset.schema import TENURES
from ...dataset.stays.namesakes import namesake_signs, stay_lines
from ..counts.facts import Facts, Row
from ..frame.site import Site
from . import periods

# Of each kind; the page must stay below 60 kB.
SHOWN = 40
# Bytes that the names of two chambers take, about.
NAMES_BYTES = 100_000
_ORDER = "order by debut, collab_nom, collab_prenom"
# On the list of a day, the earliest first; a name withheld is in no list of names.
_EARLIEST = f"""
    select rowid, elu_id, debut from {TENURES}
    where chambre = :chamber and debut <= :day and fin_apres >= :day and collab_nom is not null
    {_ORDER}
"""
_CHANGES = """
    where chambre = ? and type = 'transfert' and collab_nom is not null
      and coalesce(elu_groupe, '') <> '' and coalesce(elu_origine_groupe, '') <> ''
      and elu_groupe <> elu_origine_groupe
    order by date_event desc, rowid desc
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
    then = await periods.facts_by_default(site, facts, chamber)
    longest, as_long = await _longest(then, chamber)
    changes = await facts.reader.movements(_CHANGES, [chamber])
    same = facts.renamed[chamber]
    return {
        "chamber": chamber,
        "listed": listed,
        "known": facts.coverage[chamber],
        "day": then.coverage[chamber].last,
        "canonical_query": {"chambre": chamber},
        "longest": longest,
        "as_long": as_long,
        "changes": list(islice((row for row in changes if _of_two(row, same)), SHOWN)),
        "both": await site.kept(
            ("two chambers", facts.edition), lambda: _in_two(facts), lambda _: NAMES_BYTES
        ),
        "shown": SHOWN,
    }


async def _longest(facts: Facts, chamber: str) -> tuple[list[Tenure], int]:
    """The stays on the last list that began first, at members who sat then.

    With how many began on the day of the last one, where not all of them are there, else 0.
    """
    day = facts.coverage[chamber].last
    if not day:
        return [], 0
    on = datetime.date.fromisoformat(day)
    over = {one.identifier for one in facts.members[chamber] if one.ended(on)}
    found = await facts.reader.rows(_EARLIEST, {"chamber": chamber, "day": day})
    there = [(row, debut) for row, member, debut in found if member not in over]
    shown = json.dumps([row for row, _ in there[:SHOWN]])
    longest = await facts.reader.stays(
        f"where rowid in (select value from json_each(?)) {_ORDER}", [shown]
    )
    days = [debut for _, debut in there]
    cut = days[SHOWN - 1 : SHOWN + 1]
    return longest, days.count(cut[0]) if len(cut) == 2 and cut[0] == cut[1] else 0


def _of_two(row: Row, same: set[tuple[str, str]]) -> bool:
    """Whether a transfer is from one group to another: not to the same with a new name, nor from or to none."""
    groups = row["elu_origine_groupe"], row["elu_groupe"]
    return groups not in same and not set(groups) & set(NO_GROUP_YET)


async def _in_two(facts: Facts) -> list[tuple[Tenure, list[Tenure]]]:
    """The names that lists of two chambers have, with the first stay in each, the latest change first.

    Names of which several people are a sign are left out.
    """
    rows = await facts.reader.rows(
        f"""
        select collab_nom, collab_prenom from {TENURES} where collab_nom is not null
        group by 1, 2 having count(distinct chambre) > 1
        """,
        [],
    )
    asked = json.dumps([[family, given or ""] for family, given in rows])
    stays = await facts.reader.stays(
        """
        where (collab_nom, coalesce(collab_prenom, '')) in
          (select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?)) order by debut
        """,
        [asked],
    )
    names: dict[str, list[Tenure]] = {}
    for stay in stays:
        names.setdefault(slug_of(stay.collab_nom, stay.collab_prenom), []).append(stay)
    found = []
    for of_name in names.values():
        if not namesake_signs(of_name, stay_lines(of_name)).found:
            first = list({one.chambre: one for one in reversed(of_name)}.values())[::-1]
            found.append((first[0], first))
    return sorted(found, key=lambda one: one[1][-1].debut, reverse=True)
