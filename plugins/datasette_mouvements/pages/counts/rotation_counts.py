"""The figures of every year and term of a chamber, and its headcount by month, as one data version tells them."""

from __future__ import annotations

from statistics import fmean
from sys import intern
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.tenure import Tenure

from ...dataset.coverage import CountedPeriod, Coverage
from ...dataset.schema import TABLE
from ...dataset.stays.rotation import (
    JOINED_DAYS,
    SEXES,
    HeldGroup,
    JoinedStay,
    Part,
    Rotation,
    day_after,
    headcounts,
    join_stays,
    ordinal,
    rotations,
)
from ...dataset.stays.years_and_terms import (
    ChamberRotation,
    MonthCount,
    RotationFigures,
    YearOrTerm,
    years_and_terms,
)
from . import directory
from .group_times import HELD_SQL, by_member, formed
from .stay_links import RETURNED


class ChamberStays(NamedTuple):
    """All stays of a chamber, and what is asked of them for each period."""

    stays: list[tuple[str, Tenure]]
    joined: list[JoinedStay]
    held: dict[str, list[HeldGroup]]
    gone_with_member: frozenset[str]
    last: str

    def rotations(self, period: CountedPeriod) -> dict[Part, Rotation]:
        """The figures of a period that is known."""
        return rotations(
            self.joined, self.stays, period, self.last, self.held, self.gone_with_member
        )


def read_chamber(db: sqlite3.Connection, chamber: str, lists: Coverage) -> ChamberStays:
    """The stays of a chamber that has lists."""
    stays = [
        (one.person, _counted_fields(one)) for one in directory.stays(db, chamber, "", lists.last)
    ]
    returned = f"{RETURNED} select id, of from returned where days < ?"
    joined = join_stays(stays, dict(map(tuple, db.execute(returned, [JOINED_DAYS]))))
    gone = db.execute(
        f"select id from {TABLE} where chambre = ? and contexte = 'elu_sortant'", [chamber]
    )
    held = _held_groups(db, chamber)
    return ChamberStays(stays, joined, held, frozenset(id for (id,) in gone), lists.last)


def _counted_fields(stay: Tenure) -> Tenure:
    """The stay with what figures are counted of, in a third of the memory: a chamber has ten thousands."""
    return Tenure(
        stay.id,
        intern(stay.chambre),
        intern(stay.elu_id),
        elu_groupe=intern(stay.elu_groupe),
        collab_civilite=intern(stay.collab_civilite),
        debut=intern(stay.debut),
        debut_apres=intern(stay.debut_apres),
        fin=intern(stay.fin),
        fin_apres=intern(stay.fin_apres),
        mouvement_fin=stay.mouvement_fin,
    )


def chamber_rotation(db: sqlite3.Connection, chamber: str, lists: Coverage) -> ChamberRotation:
    """The figures of a chamber that has lists."""
    known = read_chamber(db, chamber, lists)
    days = db.execute(
        "select distinct date from listes where chambre = ? and statut <> 'refusee' order by 1",
        [chamber],
    )
    figures = [
        _figures(period, known.rotations(period.counted) if period.given else {})
        for period in years_and_terms(chamber, lists, [day for (day,) in days])
    ]
    return ChamberRotation(figures, _months([stay for _, stay in known.stays], lists))


def _held_groups(db: sqlite3.Connection, chamber: str) -> dict[str, list[HeldGroup]]:
    """The groups of each member; where two are known of a day it is the one that began later."""
    found: dict[str, list[HeldGroup]] = {}
    for member, of in by_member(db.execute(HELD_SQL, [chamber])).items():
        spans: list[HeldGroup] = []
        found[member] = spans
        for code, first, until in formed(of):
            if spans and (not spans[-1][2] or first < spans[-1][2]):
                spans[-1] = (*spans[-1][:2], first)
            spans.append((code, first, day_after(until) if until else ""))
    return found


def _figures(period: YearOrTerm, found: dict[Part, Rotation]) -> RotationFigures:
    known = sum(one.headcount for (group, sex), one in found.items() if group and not sex)
    grouped = bool(found) and 2 * known >= found["", ""].headcount
    if not grouped:
        found = {part: one for part, one in found.items() if not part[0]}
    return RotationFigures(period, found, grouped)


def _months(stays: list[Tenure], lists: Coverage) -> list[MonthCount]:
    by_day, first = headcounts(stays, lists.first, lists.last), ordinal(lists.first)
    found = []
    for month in lists.months:
        gap = lists.gap_in_month(month)
        since, until = (ordinal(day) - first for day in lists.covered_days(month))
        means = {} if gap else {sex: fmean(of[since : until + 1]) for sex, of in by_day.items()}
        # Where lists give no civility nobody knows how many women and men there are.
        known = means if any(means.get(sex) for sex in SEXES) else {"": means[""]} if means else {}
        found.append(MonthCount(month, known, gap))
    return found
