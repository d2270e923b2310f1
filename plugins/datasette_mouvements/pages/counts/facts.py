"""The figures that pages show of one whole data version, and the version itself, for pages to read."""

from __future__ import annotations

import asyncio
import datetime
import threading
import weakref
from array import array
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES
from parlement_lists.tenure import Tenure

from ...dataset.coverage import CountedPeriod, Coverage, Gap
from ...dataset.mandates import MandateEnd
from ...dataset.schema import MANDATES, MEMBERSHIPS, TABLE, TENURES
from ...dataset.served import DataVersion
from ...dataset.turnover import ChamberFigures
from .name_index import NameWords

MONTHS = 24
COLUMNS = ", ".join(FIELD_NAMES)
STAY_COLUMNS = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
# What pages show of a movement: `apres` is the day after which it was, as its stay tells it.
SHOWN = f"""
    {COLUMNS}, rowid as n, coalesce(
      (select debut_apres from {TENURES} where mouvement_debut = {TABLE}.id),
      (select fin_apres from {TENURES} where mouvement_fin = {TABLE}.id)) as apres
"""

Row = dict[str, Any]
T = TypeVar("T")
# Reads the rows of a query, with its values.
Read = Callable[[str, Sequence[str]], Awaitable[Sequence[Any]]]


class CountPending(Exception):
    """No version has been counted since the start: try again later."""


Member = tuple[str, str]  # chamber, identifier


def faint(rows: Iterable[Row]) -> frozenset[str]:
    """The movements whose day is approximate."""
    return frozenset(row["id"] for row in rows if row["confiance"] == "faible")


class Part(IntEnum):
    """The parts of a version in the order in which they are counted; a page names the last one that it needs."""

    FIGURES = 0
    WORDS = 1


class ElectedMember(NamedTuple):
    """One elected member in the list of a chamber."""

    identifier: str
    name: str
    family: str  # the whole name where it is not known apart
    given: str
    civility: str  # "" where it is not known
    group: str  # as last known
    movements: int
    team: int | None  # stays on the chamber's last list, None of a chamber without lists
    end: MandateEnd | None  # of the mandate, also one that is still to come
    on_leave: int = 0  # of the team, those on unpaid leave
    group_since: str = ""  # the first day on which a group is known, "" where that is not

    def ended(self, today: datetime.date) -> MandateEnd | None:
        """How a mandate that does not go on, as far as is known, stands on a day; None of one that goes on."""
        return self.end.on(today) if self.end else None


class Group(NamedTuple):
    """A group of a chamber; its name is the code where no other is known, a day "" where it is not known."""

    chamber: str
    code: str
    name: str
    colour: str = ""  # #rrggbb
    since: str = ""
    until: str = ""


class VersionReader:
    """A connection to one data version, which goes on reading it after its file is deleted."""

    def __init__(self, path: Path) -> None:
        self._db = connect(path)
        self._one_at_a_time = threading.Lock()
        weakref.finalize(self, self._db.close)

    async def movements(self, rest: str, parameters: Any) -> list[Row]:
        """Movements, `n` being their rowid: `rest` is what follows the table in the query."""
        found = await self.rows(f"select {SHOWN} from {TABLE} {rest}", parameters)
        return [dict(row) for row in found]

    async def stays(self, rest: str, parameters: Any) -> list[Tenure]:
        """Stays, as `movements`."""
        return await read_stays(self.rows, rest, parameters)

    async def mandates(self, chamber: str, member: str) -> list[tuple[str, str]]:
        """The first and last days of a member's known mandates, in order."""
        sql = f"select debut, fin from {MANDATES} where chambre = ? and elu_id = ? order by 1, 2"
        return [(since, until) for since, until in await self.rows(sql, [chamber, member])]

    async def memberships(self, chamber: str, member: str) -> list[tuple[str, str, str]]:
        """A member's known groups with their first and last days, in the order of time."""
        sql = f"""
            select groupe, debut, fin from {MEMBERSHIPS} where chambre = ? and elu_id = ?
            order by debut, fin = '', fin
        """
        found = await self.rows(sql, [chamber, member])
        return [(code, since, until) for code, since, until in found]

    async def rows(self, sql: str, parameters: Any) -> list[Any]:
        """The rows of a query."""
        return await self.count(lambda db: db.execute(sql, parameters).fetchall())

    async def count(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` makes of this version, in a thread, one at a time."""

        def here() -> T:
            with self._one_at_a_time:
                return work(self._db)

        return await asyncio.to_thread(here)


async def read_stays(read: Read, rest: str, parameters: Any) -> list[Tenure]:
    """Stays: `rest` is what follows the table in the query."""
    rows = await read(f"select {STAY_COLUMNS} from {TENURES} {rest}", parameters)
    return [Tenure._make(row) for row in rows]


@dataclass(frozen=True)
class Facts:
    """One data version: what is known of it at once, then what was counted."""

    version: str
    edition: str
    build: str
    built_at: str
    changed_at: str
    first: str  # first and latest day of a movement, "" if there is none
    latest: str
    total: int
    coverage: dict[str, Coverage]
    # Chamber -> month -> type -> movements, without those of whole teams that leave and of new ones.
    months: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    # Chamber -> those of its months that have no number, and why.
    unlisted: dict[str, dict[str, Gap]] = field(default_factory=dict)
    # Chamber -> the twelve months that are counted of it.
    years: dict[str, CountedPeriod] = field(default_factory=dict)
    figures: dict[str, ChamberFigures] = field(default_factory=dict)  # of chambers that have lists
    members: dict[str, list[ElectedMember]] = field(default_factory=dict)  # by family name
    member_of: dict[Member, ElectedMember] = field(default_factory=dict)
    group_of: dict[tuple[str, str], Group] = field(default_factory=dict)  # chamber, code -> group
    # Chamber -> its groups that go on under another code, old and new.
    renamed: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    # Places in `members`, chambers in their order.
    member_words: NameWords = field(default_factory=lambda: NameWords(()))
    # Chamber, member left by name -> rowids.
    left_for: dict[tuple[str, str], array[int]] = field(default_factory=dict)
    # Chamber, member's name -> identifiers.
    namesakes: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    counted: VersionReader | None = None  # None of what was not counted
    counted_words: NameWords | None = None
    # Of an earlier time (see `past`): the day on which its members sat; None of the present.
    day: datetime.date | None = None

    def group(self, chamber: str, code: str) -> Group:
        """A group of a chamber, whether the file tells of it or not."""
        return self.group_of.get((chamber, code)) or Group(chamber, code, code)

    def groups_of(self, chamber: str) -> list[Group]:
        """The groups of a chamber that the file names, by code."""
        return [group for (of, _), group in self.group_of.items() if of == chamber]

    def listed(self, chamber: str, identifier: str) -> ElectedMember | None:
        """A member of a chamber, None where the file has no such one."""
        return self.member_of.get((chamber, identifier))

    def ended(self, chamber: str, identifier: str, today: datetime.date) -> MandateEnd | None:
        """As `ElectedMember.ended`, of a member by the identifier."""
        listed = self.listed(chamber, identifier)
        return listed.ended(today) if listed else None

    def group_since(self, chamber: str, identifier: str) -> str:
        """The first day on which a member's group is known, "" where that is not."""
        listed = self.listed(chamber, identifier)
        return listed.group_since if listed else ""

    def civility(self, chamber: str, identifier: str) -> str:
        """A member's civility, "" where it is not known."""
        listed = self.listed(chamber, identifier)
        return listed.civility if listed else ""

    @property
    def counted_to(self) -> Part:
        """The last part that is counted."""
        return Part.FIGURES if self.counted_words is None else Part.WORDS

    @property
    def words(self) -> NameWords:
        """The words of the names of staff, each name with a row of `_noms`; CountPending while they are not counted."""
        if self.counted_words is None:
            raise CountPending
        return self.counted_words

    @property
    def reader(self) -> VersionReader:
        """Who reads this version."""
        assert self.counted is not None
        return self.counted


def at_once(snapshot: DataVersion) -> Facts:
    """What is known of a version before it is counted: how many movements, and its lists."""
    return Facts(
        version=snapshot.version,
        edition=snapshot.edition,
        build=snapshot.build,
        built_at=snapshot.built_at,
        changed_at=snapshot.published_at,
        first=snapshot.first,
        latest=snapshot.latest,
        total=snapshot.rows,
        coverage=snapshot.coverage,
    )


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a served copy, which nobody changes."""
    db = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    db.row_factory = sqlite3.Row
    return db
