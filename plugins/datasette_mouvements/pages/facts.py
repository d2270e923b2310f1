"""The figures that pages show of one whole data version, which SQLite counts once, in a thread."""

from __future__ import annotations

import datetime
import statistics
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from contextlib import closing
from hashlib import blake2s
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from ..dataset.schema import TABLE
from ..dataset.snapshot import Snapshot
from ..movement import CHAMBERS, FIELD_NAMES, TYPES, plain
from . import french

LATEST = 20
MONTHS = 24
GROUPS = 12
COLUMNS = ", ".join(FIELD_NAMES)

Row = dict[str, Any]
Member = tuple[str, str]  # chamber, identifier
# slug -> a row, the family and the given name, for each spelling
Spellings = dict[str, list[tuple[int, str | None, str | None]]]


class Turnover(NamedTuple):
    """Over the last twelve months, with one member: who was there, and who no longer is."""

    people: int
    left: int

    @property
    def rate(self) -> float:
        return self.left / self.people if self.people else 0.0


class Listed(NamedTuple):
    """One elected member in the list of a chamber."""

    identifier: str
    name: str
    group: str  # as last known
    movements: int


class Names:
    """Which rows show a name, by its slug: twelve bytes a name, where a dictionary takes 350."""

    def __init__(self, names: Spellings) -> None:
        pairs = sorted(
            (_hash(slug), rowid) for slug, known in names.items() for rowid, _, _ in known
        )
        self._hashes = array("Q", (digest for digest, _ in pairs))
        self._rowids = array("I", (rowid for _, rowid in pairs))

    def rowids(self, slug: str) -> list[int]:
        """One row for each spelling; another name's too if their digests are the same."""
        digest = _hash(slug)
        low, high = bisect_left(self._hashes, digest), bisect_right(self._hashes, digest)
        return list(self._rowids[low:high])


def _hash(slug: str) -> int:
    return int.from_bytes(blake2s(slug.encode(), digest_size=8).digest(), "big")


class Facts(NamedTuple):
    """One data version, counted."""

    version: str
    built_at: str
    first: str  # first and latest day of a movement, "" if there is none
    latest: str
    since: str  # a year before the latest
    total: int
    chambers: dict[str, dict[str, int]]  # chamber -> type -> movements
    latest_rows: list[Row]
    months: dict[str, dict[str, dict[str, int]]]  # chamber -> month -> type -> movements
    groups: list[tuple[str, str, int, int]]  # chamber, group, arrivals, departures in a year
    members: dict[str, list[Listed]]  # chamber -> its members, by name
    turnover: dict[Member, Turnover]
    median: dict[str, float]  # chamber -> median of its members' rates
    names: Names
    left_for: dict[tuple[str, str], list[int]]  # chamber, member left by name -> rowids
    namesakes: dict[tuple[str, str], list[str]]  # chamber, member's name -> identifiers


def count(snapshot: Snapshot) -> Facts:
    """Read the whole of one version. Takes about a second for 100,000 movements: for a thread."""
    with closing(connect(snapshot.path)) as db:
        first, latest, total = db.execute(
            f"select coalesce(min(date_event), ''), coalesce(max(date_event), ''), count(*)"
            f" from {TABLE}"
        ).fetchone()
        since = year_before(latest)
        names = _names(db)
        namesakes = _namesakes(db)
        turnover = _turnover(db, names, namesakes, since)
        return Facts(
            version=snapshot.version,
            built_at=snapshot.built_at,
            first=first,
            latest=latest,
            since=since,
            total=total,
            chambers=_chambers(db),
            latest_rows=rows(db, "order by rowid desc limit ?", [LATEST]),
            months=_months(db, latest),
            groups=_groups(db, since),
            members=_members(db),
            turnover=turnover,
            median={
                chamber: statistics.median(
                    [t.rate for (where, _), t in turnover.items() if where == chamber] or [0.0]
                )
                for chamber in CHAMBERS
            },
            names=Names(names),
            left_for=_left_for(db),
            namesakes=namesakes,
        )


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a served copy, which nobody changes."""
    db = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    db.row_factory = sqlite3.Row
    return db


def rows(db: sqlite3.Connection, rest: str, parameters: Any) -> list[Row]:
    """Movements as dictionaries: `rest` is what follows the table in the query."""
    return [dict(row) for row in db.execute(f"select {COLUMNS} from {TABLE} {rest}", parameters)]


def year_before(day: str) -> str:
    """The same day a year before; "" for ""."""
    if not day:
        return ""
    date = datetime.date.fromisoformat(day)
    if (date.month, date.day) == (2, 29):
        date = date.replace(day=28)
    return date.replace(year=date.year - 1).isoformat()


def _chambers(db: sqlite3.Connection) -> dict[str, dict[str, int]]:
    found = {chamber: dict.fromkeys(TYPES, 0) for chamber in CHAMBERS}
    for chamber, type_, number in db.execute(
        f"select chambre, type, count(*) from {TABLE} group by chambre, type"
    ):
        found[chamber][type_] = number
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


def _members(db: sqlite3.Connection) -> dict[str, list[Listed]]:
    found: dict[str, list[Listed]] = {chamber: [] for chamber in CHAMBERS}
    # The name and group are those of the latest movement (SQLite: bare columns beside max()).
    for chamber, identifier, name, group, number, _ in db.execute(
        f"""
        select chambre, elu_id, elu_nom, elu_groupe, count(*), max(rowid) from {TABLE}
        where elu_id <> '' group by chambre, elu_id
        """
    ):
        found[chamber].append(Listed(identifier, name or identifier, group or "", number))
    for listed in found.values():
        listed.sort(key=lambda one: plain(one.name))
    return found


def _names(db: sqlite3.Connection) -> Spellings:
    names: Spellings = defaultdict(list)
    for rowid, family, given in db.execute(
        f"select min(rowid), collab_nom, collab_prenom from {TABLE} group by 2, 3"
    ):
        slug = french.slug(family, given)
        if slug:
            names[slug].append((rowid, family, given))
    return names


def _namesakes(db: sqlite3.Connection) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
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


def _left_for(db: sqlite3.Connection) -> dict[tuple[str, str], list[int]]:
    """Transfers by the member they left, whom the record names without identifier."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rowid, chamber, name in db.execute(
        f"""
        select rowid, chambre, elu_origine_nom from {TABLE}
        where type = 'transfert' and elu_origine_nom <> '' order by rowid desc
        """
    ):
        found[chamber, plain(name)].append(rowid)
    return dict(found)


def _turnover(
    db: sqlite3.Connection,
    names: Spellings,
    namesakes: dict[tuple[str, str], list[str]],
    since: str,
) -> dict[Member, Turnover]:
    """Every member's turnover; a transfer from a name that two members share is left out."""
    # The table is in SQLite's temporary file: in memory the process would not give 140 MB back.
    db.execute("create temp table who (nom, prenom, who integer, primary key (nom, prenom))")
    db.executemany(
        "insert or ignore into who values (?, ?, ?)",
        (
            (family or "", given or "", number)
            for number, spellings in enumerate(names.values())
            for _, family, given in spellings
        ),
    )
    db.execute("create temp table origin (chambre, nom, elu_id, primary key (chambre, nom))")
    db.executemany(
        "insert or ignore into origin values (?, ?, ?)",
        (
            (chamber, name, namesakes[chamber, plain(name)][0])
            for chamber, name in db.execute(
                f"select distinct chambre, elu_origine_nom from {TABLE} where type = 'transfert'"
            ).fetchall()
            if len(namesakes.get((chamber, plain(name or "")), ())) == 1
        ),
    )
    db.execute(_STEPS)
    return {
        (chamber, identifier): Turnover(people, left)
        for chamber, identifier, people, left in db.execute(_TURNOVER, [since])
    }


# One step of one person at one member: there from then on (1), or no longer (0).
_STEPS = f"""
    create temp table steps as
    select m.rowid as n, m.chambre, m.elu_id, w.who, m.type <> 'depart' as there, m.date_event
    from {TABLE} m
    join who w on w.nom = coalesce(m.collab_nom, '') and w.prenom = coalesce(m.collab_prenom, '')
    where m.elu_id <> ''
    union all
    select m.rowid, m.chambre, o.elu_id, w.who, 0, m.date_event
    from {TABLE} m
    join origin o on o.chambre = m.chambre and o.nom = m.elu_origine_nom
    join who w on w.nom = coalesce(m.collab_nom, '') and w.prenom = coalesce(m.collab_prenom, '')
    where m.type = 'transfert'
"""
# `there` and `date_event` are those of the row with the greatest n (SQLite: bare columns beside max()).
_TURNOVER = """
    select chambre, elu_id, count(*), sum(not there) from (
      select chambre, elu_id, who, there, date_event, max(n) from steps
      group by chambre, elu_id, who
    )
    where there or date_event > ? group by chambre, elu_id
"""
