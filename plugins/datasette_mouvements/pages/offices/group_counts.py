"""What moved in a group: by month, and with the other groups of its chamber."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from typing import NamedTuple

from ...dataset.schema import TABLE
from ..charts import months
from ..charts.months import MonthsChart
from ..counts.facts import Facts

# Movements that come with mandates from which they have a mark of their own in the chart of a group.
NUMBERED_FROM = 3
# The movements to a group, and those from it to another.
_OF_GROUP = f"""
    rowid in (select rowid from {TABLE} where elu_groupe = :code
      union select rowid from {TABLE} where type = 'transfert' and elu_origine_groupe = :code)
    and chambre = :chamber
"""


class Flow(NamedTuple):
    """How many transfers came from another group of the chamber, and went to it."""

    code: str
    came: int
    went: int


class GroupCounts(NamedTuple):
    """The movements of one group."""

    chart: MonthsChart  # its counts are `arrivals`, `departures`, `within`, none where the year has a gap
    flows: list[Flow]
    within: int  # transfers between members of the group, under any of its names, ever
    since: str  # the day of the first transfer, with another group or within, "" without any
    other_names: list[str]  # the codes that the group had just before and has next


async def read(facts: Facts, chamber: str, code: str) -> GroupCounts:
    """The counts of one group; one who comes from another group arrives, one who goes to another leaves."""
    year, first = facts.years[chamber], min(facts.months[chamber], default="")
    per_month: dict[str, Counter[str]] = {month: Counter() for month in facts.months[chamber]}
    of_year = Counter[str]()
    # The year of a chamber whose lists stopped long ago begins before the months that are shown.
    since = min(f"{first}-01", year.since)
    names = _names(facts, chamber, code)
    told = {"arrivee": "arrivals", "depart": "departures"}
    for month, kind, direction, number, in_year in await _moved(facts, chamber, code, names, since):
        name = told.get(kind, direction)
        if month in per_month:
            per_month[month][name] += number
        of_year[name] += in_year
    rows = [(m, n["arrivals"], n["departures"], n["within"]) for m, n in per_month.items()]
    given = {"chamber": chamber, "code": code}
    only = f"and {_OF_GROUP} and date_event <= :last"
    given["last"] = f"{max(facts.months[chamber], default='')}-31"
    teams = await months.count_of_whole_teams(facts, first, only, given) if first else {}
    counts = of_year if not year.gap else Counter[str]()
    chart = months.chart_of(facts, chamber, rows, teams.get(chamber, {}), counts, NUMBERED_FROM)
    others = [name for name in names if name != code]
    return GroupCounts(chart, *await _flows(facts, chamber, code, names), others)


async def _moved(
    facts: Facts, chamber: str, code: str, names: list[str], first: str
) -> list[tuple[str, str, str, int, int]]:
    """Month, type, where a transfer goes, how many, how many in the year; without what is of whole teams."""
    year = facts.years[chamber]
    same = "select value from json_each(:names)"
    found = await facts.reader.rows(
        f"""
        select substr(date_event, 1, 7), type, case
            when elu_groupe in ({same}) and elu_origine_groupe in ({same}) then 'within'
            when elu_groupe = :code then 'arrivals' else 'departures' end,
          count(*), sum(date_event between :since and :until)
        from {TABLE} where {_OF_GROUP} and contexte = '' and date_event >= :first
          and date_event <= :last
        group by 1, 2, 3
        """,
        {
            "code": code,
            "names": json.dumps(names),
            "chamber": chamber,
            "first": first,
            "since": year.since,
            "until": year.until,
            "last": max(f"{max(facts.months[chamber], default='')}-31", year.until),
        },
    )
    return [tuple(row) for row in found]


def _names(facts: Facts, chamber: str, code: str) -> list[str]:
    """The code of a group, and those that it had just before and had next."""
    pairs = [pair for pair in facts.renamed.get(chamber, ()) if code in pair]
    return sorted({code, *chain.from_iterable(pairs)})


async def _flows(
    facts: Facts, chamber: str, code: str, names: list[str]
) -> tuple[list[Flow], int, str]:
    """The transfers with every other group of the chamber, those within the group, the first day of any."""
    year = facts.years[chamber]
    came, went, within = Counter[str](), Counter[str](), 0
    days = []
    for arrives, leaves, number, day in await facts.reader.rows(
        f"""
        select coalesce(elu_groupe, ''), coalesce(elu_origine_groupe, ''), count(*), min(date_event)
        from {TABLE} where type = 'transfert' and chambre = ?
          and (elu_groupe = ? or elu_origine_groupe = ?) and date_event between ? and ?
        group by 1, 2
        """,
        # Of the present they are all that are known.
        [chamber, code, code, *((year.since, year.until) if facts.day else ("", "~"))],
    ):
        days.append(day)
        if arrives in names and leaves in names:
            within += number
        elif arrives == code and leaves:
            came[leaves] += number
        elif leaves == code and arrives:
            went[arrives] += number
    others = sorted({*came, *went}, key=lambda one: (-came[one] - went[one], one))
    return [Flow(one, came[one], went[one]) for one in others], within, min(days, default="")
