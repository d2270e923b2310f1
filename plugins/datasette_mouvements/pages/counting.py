"""One data version, counted: by SQLite where it is quick, else from the positions that the file holds.

It is done in a thread beside the one that answers requests, so that nothing in it may keep Python
to itself for more than some milliseconds: no sort, copy or comparison of everything at once.
"""

from __future__ import annotations

import itertools
import statistics
import time
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..dataset.coverage import year_before
from ..dataset.schema import CELLS, TABLE, Filter
from ..dataset.snapshot import NotServable, Snapshot
from ..movement import CHAMBERS, TYPES, plain
from . import french
from .facts import (
    GROUPS,
    LATEST,
    MONTHS,
    Facts,
    Listed,
    Member,
    Names,
    Reader,
    Turnover,
    connect,
    digest,
    rows,
)

# What a row's cell says of it (see `schema.CELLS`).
_CHAMBER = [chamber for chamber, _, _ in CELLS]
_LEAVES = [type_ == "depart" for _, type_, _ in CELLS]
# chamber and name of a member, the name `plain` -> what is known under it
_Under = dict[tuple[str, str], list[str]]


class _Rows(NamedTuple):
    """Every movement by its rowid, as far as turnover needs it."""

    cells: bytes
    who: array[int]  # the same number for every spelling of a name; 0 for nobody
    since: int  # the last rowid of the year before the last


def count(snapshot: Snapshot) -> Facts:
    """Read the whole of one version: some seconds for a million movements.

    Raises NotServable when its file is another version's by now, sqlite3.Error.
    """
    reader = Reader(snapshot.path)
    with closing(connect(snapshot.path)) as db:
        said = db.execute("select valeur from _publication where cle = 'edition'").fetchone()
        if said is None or said[0] != snapshot.edition:
            raise NotServable("another version has taken its place")
        first, latest, total = db.execute(
            "select coalesce(min(jour), ''), coalesce(max(jour), ''), coalesce(max(dernier), 0)"
            " from _jours"
        ).fetchone()
        since = year_before(latest)
        who, names = _people(db, total)
        namesakes = _namesakes(db)
        left_for = _left_for(db)
        members, turnover = _members(db, _rows(db, who, since), namesakes, left_for)
        return Facts(
            edition=snapshot.edition,
            built_at=snapshot.built_at,
            first=first,
            latest=latest,
            since=since,
            total=total,
            chambers=_chambers(db),
            latest_rows=rows(db, "order by rowid desc limit ?", [LATEST]),
            months=_months(db, latest),
            groups=_groups(db, since),
            members=members,
            turnover=turnover,
            median={
                chamber: statistics.median(
                    [t.rate for (where, _), t in turnover.items() if where == chamber] or [0.0]
                )
                for chamber in CHAMBERS
            },
            names=names,
            left_for=left_for,
            namesakes=namesakes,
            reader=reader,
        )


def _chambers(db: sqlite3.Connection) -> dict[str, dict[str, int]]:
    found = {chamber: dict.fromkeys(TYPES, 0) for chamber in CHAMBERS}
    for chamber, type_ in itertools.product(CHAMBERS, TYPES):
        (found[chamber][type_],) = db.execute(
            "select coalesce(sum(length(rowids)), 0) / 4 from _positions where filtre = ?",
            [Filter(chamber, type_).name],
        ).fetchone()
    return found


def _months(db: sqlite3.Connection, latest: str) -> dict[str, dict[str, dict[str, int]]]:
    """The last months of each chamber, months without movement included."""
    if not latest:
        return {chamber: {} for chamber in CHAMBERS}
    last = int(latest[:4]) * 12 + int(latest[5:7]) - 1
    months = [f"{n // 12:04}-{n % 12 + 1:02}" for n in range(last - MONTHS + 1, last + 1)]
    found = {c: {m: dict.fromkeys(TYPES, 0) for m in months} for c in CHAMBERS}
    for chamber, month, type_, number in db.execute(
        f"""
        select chambre, substr(date_event, 1, 7), type, count(*) from {TABLE}
        where date_event >= ? group by 1, 2, 3
        """,
        [months[0]],
    ):
        found[chamber][month][type_] = number
    return found


def _groups(db: sqlite3.Connection, since: str) -> list[tuple[str, str, int, int]]:
    return [
        tuple(row)
        for row in db.execute(
            f"""
            select chambre, elu_groupe, sum(type = 'arrivee'), sum(type = 'depart')
            from {TABLE}
            where date_event > ? and elu_groupe <> '' and type <> 'transfert'
            group by 1, 2 order by count(*) desc, 1, 2 limit ?
            """,
            [since, GROUPS],
        )
    ]


def _people(db: sqlite3.Connection, total: int) -> tuple[array[int], Names]:
    """Who each row is about, and which rows show a name; the index of names says both."""
    who = array("I", bytes(4 * (total + 1)))
    numbers: dict[int, int] = {}
    by_name = db.execute(
        f"select rowid from {TABLE} indexed by idx_{TABLE}_collab_nom_collab_prenom"
        " order by collab_nom, collab_prenom, rowid"
    )
    spellings = db.execute(
        f"select collab_nom, collab_prenom, count(*) from {TABLE} group by 1, 2 order by 1, 2"
    )

    def named() -> Iterator[tuple[int, int]]:
        for family, given, times in spellings:
            same = itertools.islice(by_name, times)
            slug = french.slug(family, given)
            if not slug:
                for _ in same:
                    pass
                continue
            one = digest(slug)
            number = numbers.setdefault(one, len(numbers) + 1)
            first = 0
            for (rowid,) in same:
                first = first or rowid
                who[rowid] = number
            yield one, first

    return who, Names(named())


def _namesakes(db: sqlite3.Connection) -> _Under:
    """The identifiers of a chamber's members under each name that one of them has had."""
    found: _Under = defaultdict(list)
    for chamber, name, identifier in db.execute(
        f"""
        select distinct chambre, elu_nom, elu_id from {TABLE}
        where elu_nom <> '' and elu_id <> ''
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


def _rows(db: sqlite3.Connection, who: array[int], since: str) -> _Rows:
    (cells,) = db.execute("select cellules from _cellules").fetchone()
    (last,) = db.execute(
        "select coalesce(max(dernier), 0) from _jours where jour <= ?", [since]
    ).fetchone()
    return _Rows(cells, who, last)


def _members(
    db: sqlite3.Connection,
    movements: _Rows,
    namesakes: _Under,
    left_for: Mapping[tuple[str, str], array[int]],
) -> tuple[dict[str, list[Listed]], dict[Member, Turnover]]:
    """Every chamber's members, by name, and every member's turnover.

    A transfer from a name that two members share is left out of it.
    """
    away: dict[Member, list[int]] = defaultdict(list)
    for (chamber, name), known in namesakes.items():
        if len(known) == 1:
            away[chamber, known[0]] += left_for.get((chamber, name), ())
    listed: dict[str, list[Listed]] = {chamber: [] for chamber in CHAMBERS}
    turnover: dict[Member, Turnover] = {}
    found = db.execute(
        "select substr(filtre, 5), rowids from _positions where filtre >= 'elu=' and filtre < 'elu>'"
    )
    for identifier, blob in found:
        own: dict[str, list[int]] = defaultdict(list)
        for rowid in memoryview(blob).cast("I"):
            own[_CHAMBER[movements.cells[rowid]]].append(rowid)
        for chamber, rowids in own.items():
            member = (chamber, identifier)
            # The name and group are those of the latest movement.
            name, group = db.execute(
                f"select elu_nom, elu_groupe from {TABLE} where rowid = ?", [rowids[-1]]
            ).fetchone()
            listed[chamber].append(Listed(identifier, name or identifier, group or "", len(rowids)))
            turnover[member] = _turnover(movements, rowids, away.get(member, []))
        time.sleep(0)  # whoever waits goes first
    for members in listed.values():
        members.sort(key=lambda one: plain(one.name))
    return listed, {member: one for member, one in turnover.items() if one.people}


def _turnover(movements: _Rows, rowids: list[int], away: list[int]) -> Turnover:
    """Of one member's movements and the transfers away: whoever came last is there, or left lately."""
    cells, who, since = movements
    seen = {0}
    people = left = 0
    gone = set(away).difference(rowids)  # a transfer from a member to the same one stays
    for rowid in sorted([*rowids, *away], reverse=True):
        one = who[rowid]
        if one not in seen:
            seen.add(one)
            if not (_LEAVES[cells[rowid]] or rowid in gone):
                people += 1
            elif rowid > since:
                people += 1
                left += 1
    return Turnover(people, left)
