"""The figures of every year and term of a chamber, and its headcount by month, as one data version tells them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from statistics import fmean
from sys import intern
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ...dataset.coverage import CountedPeriod, Coverage
from ...dataset.schema import SPELLINGS, TABLE, TENURES
from ...dataset.stays.rotation import (
    JOINED_DAYS,
    NEVER,
    SEXES,
    CountedStay,
    HeldGroup,
    JoinedStay,
    Part,
    Rotation,
    headcounts,
    join_stays,
    ordinal,
    rotations,
    sex_of,
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

# A name that is withheld tells nobody, so its stay is a person of its own.
_STAYS = f"""
    select c.rowid, coalesce(n.mots, c.id), c.elu_id, coalesce(c.elu_groupe, ''),
      coalesce(c.collab_civilite, ''), c.debut, c.fin, c.fin_apres, c.debut_apres is not null,
      c.mouvement_fin is not null and m.id is null
    from {TENURES} c
    left join {SPELLINGS} n on (n.nom, n.prenom) = (coalesce(c.collab_nom, ''), coalesce(c.collab_prenom, ''))
    left join {TABLE} m on m.id = c.mouvement_fin and m.chambre = c.chambre and m.contexte = 'elu_sortant'
    where c.chambre = ? and c.debut <= ? order by c.debut, c.rowid
"""
_RETURNS = f"""
    {RETURNED} select s.rowid, o.rowid from returned r
    join {TENURES} s on s.id = r.id join {TENURES} o on o.id = r.of where r.days < ?
"""


class ChamberStays(NamedTuple):
    """All stays of a chamber, and what is asked of them for each period."""

    stays: list[CountedStay]
    joined: list[JoinedStay]
    held: dict[str, list[HeldGroup]]
    last: str

    def rotations(self, period: CountedPeriod) -> dict[Part, Rotation]:
        """The figures of a period that is known."""
        return rotations(self.joined, self.stays, period, self.last, self.held)


def returns(db: sqlite3.Connection) -> dict[int, int]:
    """The stays after short absences, each with the one that it returns to, by row."""
    return dict(map(tuple, db.execute(_RETURNS, [JOINED_DAYS])))


def read_chamber(
    db: sqlite3.Connection, chamber: str, lists: Coverage, returned: Mapping[int, int]
) -> ChamberStays:
    """The stays of a chamber that has lists."""
    stays = list(_read(db, chamber, lists.last))
    held = _held_groups(db, chamber)
    return ChamberStays(stays, join_stays(stays, returned), held, lists.last)


def _read(db: sqlite3.Connection, chamber: str, until: str) -> Iterator[CountedStay]:
    found = db.execute(_STAYS, [chamber, until])
    while some := found.fetchmany(directory.READ_AT_ONCE):
        for row, person, member, group, civility, begin, end, listed, arrival, leaves in some:
            yield CountedStay(
                row,
                person,
                intern(member),
                intern(group),
                sex_of(civility),
                ordinal(begin),
                ordinal(end) if end else NEVER,
                ordinal(listed),
                bool(arrival),
                bool(leaves),
            )
        time.sleep(0)  # let waiting threads run


def chamber_rotation(
    db: sqlite3.Connection, chamber: str, lists: Coverage, returned: Mapping[int, int]
) -> ChamberRotation:
    """The figures of a chamber that has lists; `returned` are all `returns`."""
    known = read_chamber(db, chamber, lists, returned)
    days = db.execute(
        "select distinct date from listes where chambre = ? and statut <> 'refusee' order by 1",
        [chamber],
    )
    figures = [
        _figures(period, known.rotations(period.counted) if period.given else {})
        for period in years_and_terms(chamber, lists, [day for (day,) in days])
    ]
    return ChamberRotation(figures, _months(known.stays, lists))


def _held_groups(db: sqlite3.Connection, chamber: str) -> dict[str, list[HeldGroup]]:
    """The groups of each member; where two are known of a day it is the one that began later."""
    found: dict[str, list[HeldGroup]] = {}
    for member, of in by_member(db.execute(HELD_SQL, [chamber])).items():
        spans: list[HeldGroup] = []
        found[member] = spans
        for code, first, until in formed(of):
            begin = ordinal(first) if first else 0
            if spans and begin < spans[-1][2]:
                spans[-1] = (*spans[-1][:2], begin)
            spans.append((code, begin, ordinal(until) + 1 if until else NEVER))
    return found


def _figures(period: YearOrTerm, found: dict[Part, Rotation]) -> RotationFigures:
    known = sum(one.headcount for (group, sex), one in found.items() if group and not sex)
    grouped = bool(found) and 2 * known >= found["", ""].headcount
    if not grouped:
        found = {part: one for part, one in found.items() if not part[0]}
    return RotationFigures(period, found, grouped)


def _months(stays: list[CountedStay], lists: Coverage) -> list[MonthCount]:
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
