"""The figures of every year and term of a chamber, and its headcount by month, as one data version tells them."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

from datasette.utils.sqlite import sqlite3

from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ...dataset.schema import MEMBERSHIPS, TABLE
from ...dataset.stays.periods import (
    ChamberPeriods,
    ListedPeriod,
    MonthCount,
    PeriodFigures,
    listed_periods,
)
from ...dataset.stays.rotation import (
    JOINED_DAYS,
    GroupOf,
    Part,
    Rotation,
    headcounts,
    join_stays,
    ordinal,
    rotations,
)
from . import directory
from .stay_links import RETURNED

_Memberships = dict[str, list[tuple[str, str, str]]]


def chamber_periods(db: sqlite3.Connection, chamber: str, lists: Coverage) -> ChamberPeriods:
    """The figures of a chamber that has lists."""
    stays = [(one.person, one) for one in directory.stays(db, chamber, "")]
    returned = f"{RETURNED} select id, of from returned where days < ?"
    joined = join_stays(stays, dict(map(tuple, db.execute(returned, [JOINED_DAYS]))))
    gone = frozenset(
        id
        for (id,) in db.execute(
            f"select id from {TABLE} where chambre = ? and contexte = 'elu_sortant'", [chamber]
        )
    )
    days = db.execute(
        "select distinct date from listes where chambre = ? and statut <> 'refusee' order by 1",
        [chamber],
    )
    memberships: _Memberships = defaultdict(list)
    for member, *held in db.execute(
        f"select elu_id, groupe, debut, fin from {MEMBERSHIPS} where chambre = ? order by debut desc",
        [chamber],
    ):
        memberships[member].append((held[0], held[1], held[2]))
    figures = []
    for period in listed_periods(chamber, lists, [day for (day,) in days]):
        found: dict[Part, Rotation] = {}
        if period.given:
            group_of = _group_of(memberships, period.counted.until)
            found = rotations(joined, stays, period.counted, lists.last, group_of, gone)
        figures.append(_figures(period, found))
    return ChamberPeriods(figures, _months([stay for _, stay in stays], lists))


def _group_of(memberships: _Memberships, until: str) -> GroupOf:
    """The group of a stay on its last day of a period: one that goes on may end in another group, years later."""

    def group(stay: Tenure) -> str:
        if stay.fin_apres <= until:
            return stay.elu_groupe
        held = memberships.get(stay.elu_id, ())
        return next((code for code, a, b in held if a <= until and (not b or until <= b)), "")

    return group


def _figures(period: ListedPeriod, found: dict[Part, Rotation]) -> PeriodFigures:
    known = sum(one.headcount for (group, sex), one in found.items() if group and not sex)
    grouped = bool(found) and 2 * known >= found["", ""].headcount
    if not grouped:
        found = {part: one for part, one in found.items() if not part[0]}
    return PeriodFigures(period, found, grouped)


def _months(stays: list[Tenure], lists: Coverage) -> list[MonthCount]:
    by_day, first = headcounts(stays, lists.first, lists.last), ordinal(lists.first)
    found = []
    for month in lists.months:
        gap = lists.gap_in_month(month)
        since, until = (ordinal(day) - first for day in lists.covered_days(month))
        means = {} if gap else {sex: fmean(of[since : until + 1]) for sex, of in by_day.items()}
        found.append(MonthCount(month, means, gap))
    return found
