"""One data version, counted: by SQLite where it is quick, else from the positions that the file holds.

A thread beside the one that answers requests does it. Nothing in it may hold the interpreter lock for more
than some milliseconds: no sort, copy or comparison of everything at once.
"""

from __future__ import annotations

import datetime
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, TYPES, plain
from parlement_lists.tenure import Tenure

from ...dataset.coverage import CountedPeriod, Coverage, Gap, year_before
from ...dataset.mandates import MandateEnd
from ...dataset.schema import SPELLINGS, TABLE, TENURES
from ...dataset.served import DataVersion, NotServable
from ...dataset.turnover import ChamberFigures, chamber_figures
from .directory import groups, list_members, stays
from .facts import MONTHS, ElectedMember, Facts, VersionReader, at_once, connect
from .group_times import HELD_SQL, by_member, renamed
from .name_index import NameWords, in_order


def count(snapshot: DataVersion) -> Facts:
    """Everything that pages show of one whole version, except the words of the names of staff.

    Raises NotServable when its file is another version's by now, sqlite3.Error.
    """
    reader = VersionReader(snapshot.path)
    with _open(snapshot) as db:
        coverage, latest = snapshot.coverage, snapshot.latest
        members = list_members(db, coverage)
        namesakes = _namesakes(db)
        counted = months(db, max(latest, *(one.last for one in coverage.values())))
        return replace(
            at_once(snapshot),
            months=counted,
            unlisted={c: unlisted_months(coverage[c], counted[c]) for c in CHAMBERS},
            years={c: _year(coverage[c], latest) for c in CHAMBERS},
            figures={
                c: figures(db, c, coverage[c], {m.identifier: m.end for m in members[c] if m.end})
                for c in CHAMBERS
                if coverage[c].last
            },
            members=members,
            member_of={(c, one.identifier): one for c in CHAMBERS for one in members[c]},
            group_of=groups(db),
            renamed={c: renamed(by_member(db.execute(HELD_SQL, [c])).values()) for c in CHAMBERS},
            member_words=NameWords(in_order(_member_names(members, namesakes)), shared=True),
            left_for=_left_for(db),
            namesakes=namesakes,
            counted=reader,
        )


def words(snapshot: DataVersion) -> NameWords:
    """The words of the names of staff of one version; raises as `count`."""
    with _open(snapshot) as db:
        # The rows are in the order of names already; to sort them would hold all of them in memory.
        names = db.execute(f"select cle_nom, cle_prenom, rowid from {SPELLINGS} order by rowid")
        return NameWords(map(tuple, names))


@contextmanager
def _open(snapshot: DataVersion) -> Iterator[sqlite3.Connection]:
    with closing(connect(snapshot.path)) as db:
        said = db.execute("select valeur from _publication where cle = 'edition'").fetchone()
        if said is None or said[0] != snapshot.edition:
            raise NotServable("another version has taken its place")
        yield db


def _year(lists: Coverage, latest: str) -> CountedPeriod:
    """The twelve months up to the last list; of a chamber without any, up to the latest movement."""
    if lists.last:
        return lists.period(*lists.year)
    return CountedPeriod(year_before(latest), latest)


def months(db: sqlite3.Connection, until: str) -> dict[str, dict[str, dict[str, int]]]:
    """The months of each chamber up to a day, those without movement included; none up to ""."""
    if not until:
        return {chamber: {} for chamber in CHAMBERS}
    last = int(until[:4]) * 12 + int(until[5:7]) - 1
    names = [f"{n // 12:04}-{n % 12 + 1:02}" for n in range(last - MONTHS + 1, last + 1)]
    found = {c: {m: dict.fromkeys(TYPES, 0) for m in names} for c in CHAMBERS}
    for chamber, month, type_, number in db.execute(
        f"""
        select chambre, substr(date_event, 1, 7), type, count(*) from {TABLE}
        where date_event >= ? and date_event <= ? and contexte = '' group by 1, 2, 3
        """,
        [names[0], f"{names[-1]}-31"],
    ):
        found[chamber][month][type_] = number
    return found


def unlisted_months(lists: Coverage, months: Mapping[str, Mapping[str, int]]) -> dict[str, Gap]:
    """The months that have no number, and why. Files of movements may have movements of a month without a list.

    Changes in a hole are dated on the day of the list that ends it, so the month of that day has no number.
    """
    found = {month: lists.gap_in_month(month) for month in months if lists.last}
    return {
        month: gap
        for month, gap in found.items()
        if gap is not None and (gap in lists.holes or not any(months[month].values()))
    }


def figures(
    db: sqlite3.Connection,
    chamber: str,
    lists: Coverage,
    ends: Mapping[str, MandateEnd],
    period: tuple[str, str] | None = None,
    day: str = "",
    of_time: Callable[[Iterable[Tenure]], Iterable[Tenure]] = iter,
) -> ChamberFigures:
    """What `chamber_figures` tells of a period and the list of a `day`; `of_time` gives stays the groups of then.

    `ends` are those of mandates as that list tells them: it may name staff of members whose mandate had ended.
    """
    on = datetime.date.fromisoformat(day or lists.last)
    since, until = period or lists.year
    gone = db.execute(
        f"select id from {TABLE} where chambre = ? and contexte = 'elu_sortant' and date_event >= ?",
        [chamber, since],
    )
    return chamber_figures(
        of_time(stays(db, chamber, since, until)),
        lists,
        {id for (id,) in gone},
        (since, until),
        {member for member, end in ends.items() if end.on(on)},
        day,
    )


def _member_names(
    members: Mapping[str, list[ElectedMember]], namesakes: Mapping[tuple[str, str], list[str]]
) -> Iterator[tuple[str, str, int]]:
    """Every name that a member has had, with the member's place among all."""
    place: dict[tuple[str, str], tuple[int, set[str]]] = {}
    for chamber in CHAMBERS:
        for one in members[chamber]:
            words = set(plain(f"{one.family} {one.given}").split())
            yield one.family, one.given, len(place)
            place[chamber, one.identifier] = len(place), words
    for (chamber, name), identifiers in namesakes.items():
        for identifier in identifiers:
            known = place.get((chamber, identifier))
            if known is not None and not known[1].issuperset(name.split()):
                yield "", name, known[0]


def _namesakes(db: sqlite3.Connection) -> dict[tuple[str, str], list[str]]:
    """The identifiers of a chamber's members under each name that one of them has had."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for chamber, name, identifier in db.execute(
        f"""
        select distinct chambre, elu_nom, elu_id from {TABLE}
        where elu_nom <> '' and elu_id <> ''
        union select chambre, elu_nom, elu_id from {TENURES} where elu_nom <> ''
        """
    ):
        known = found[chamber, plain(name)]
        if identifier not in known:
            known.append(identifier)
    return dict(found)


def _left_for(db: sqlite3.Connection) -> dict[tuple[str, str], array[int]]:
    """Transfers by the member they left, whom the record names without identifier."""
    found: dict[tuple[str, str], array[int]] = defaultdict(lambda: array("I"))
    spelled: dict[str, str] = {}
    for rowid, chamber, name in db.execute(
        f"""
        select rowid, chambre, elu_origine_nom from {TABLE}
        where type = 'transfert' and elu_origine_nom <> '' order by rowid desc
        """
    ):
        if name not in spelled:
            spelled[name] = plain(name)
        found[chamber, spelled[name]].append(rowid)
    return dict(found)
