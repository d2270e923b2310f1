"""The stays of one version as they are served: who worked for whom, on a day or on the last lists."""

from __future__ import annotations

import datetime
import json
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, words

from ..connections import connect_read_only
from ..coverage import Coverage
from ..mandates import MandateEnd, mandate_ends
from ..schema import MEMBERSHIPS, SPELLINGS, STAYS, TENURES
from .rows import Rowids, ServedRows

# What one worker may have in memory: rowids of a thousand days.
POSITIONS_BYTES = 16_000_000
# The group that the members' folder knows of a day, else that of the stay.
_GROUP_OF_DAY = f"""
    coalesce((select groupe from {MEMBERSHIPS} a
      where a.chambre = c.chambre and a.elu_id = c.elu_id and a.debut <= :day
        and (a.fin = '' or a.fin >= :day) order by a.debut desc limit 1), c.elu_groupe)
"""


class StayFilter(NamedTuple):
    """A search for stays; "" filters nothing. `present` is the day for which mandates are judged."""

    chamber: str = ""
    member: str = ""
    group: str = ""
    name: str = ""
    day: str = ""
    present: str = ""

    @property
    def narrow(self) -> bool:
        """Whether an index finds all that it is of, few rows."""
        return bool(self.member) and not any(self._replace(member="", chamber=""))


class StayRows(ServedRows):
    """The stays of an open file; `rowids` may take long and belongs in a thread."""

    def __init__(
        self, db: sqlite3.Connection, path: Path, built_at: str, coverage: Mapping[str, Coverage]
    ) -> None:
        super().__init__(db, STAYS, built_at, POSITIONS_BYTES)
        self._path, self._coverage = path, coverage
        self._days: dict[str, list[str]] = defaultdict(list)
        for chamber, day in db.execute(
            "select distinct chambre, date from listes where statut <> 'refusee' order by 1, 2"
        ):
            self._days[str(chamber, "utf-8")].append(str(day, "utf-8"))
        self._ends = cache(self._read_ends)

    def known(self, filter_: StayFilter) -> Rowids | None:
        """The rowids of a filter if they can be had without delay, else None: then call `rowids` in a thread."""
        if not any(filter_):
            return range(1, self.rows + 1)
        found = self._rowids.get(filter_)
        if found is None and filter_.narrow:
            found = self._found(self._db, filter_)
            self.keep(filter_, found)
        return found

    def rowids(self, filter_: StayFilter) -> Rowids:
        """The rowids of a filter, ascending, those of the latest first day last."""
        with closing(connect_read_only(self._path, immutable=True)) as db:
            return self._found(db, filter_)

    def between(self, rowids: Rowids, since: str, until: str) -> tuple[int, int]:
        """All of `rowids`: no parameter gives two days."""
        return 0, len(rowids)

    def lists(self, day: str) -> dict[str, dict[str, str]]:
        """Of each chamber the list of a day and the next one; without a day, the last list."""
        found = {}
        for chamber in filter(self._days.__contains__, CHAMBERS):
            days = self._days[chamber]
            place = bisect_right(days, day) if day else len(days)
            told = {"le": days[place - 1]} if place else {}
            found[chamber] = told | ({"suivante": days[place]} if place < len(days) else {})
        return found

    def _found(self, db: sqlite3.Connection, filter_: StayFilter) -> Rowids:
        where, values = _conditions(filter_)
        if filter_.name:
            where.append("c.rowid in (select value from json_each(:rowids))")
            values["rowids"] = json.dumps(_of_name(db, filter_.name))
        if not filter_.present:
            sql = f"select c.rowid from {TENURES} c where {' and '.join(where)} order by 1"
            return array("I", (rowid for (rowid,) in db.execute(sql, values)))
        today = datetime.date.fromisoformat(filter_.present)
        found = array("I")
        for chamber, lists in self._coverage.items():
            rows = db.execute(
                f"""
                select c.rowid, c.elu_id from {TENURES} c
                where {" and ".join([*where, "c.chambre = :of", "c.fin is null", "c.fin_apres = :last"])}
                """,
                values | {"of": chamber, "last": lists.last},
            ).fetchall()
            found.extend(rowid for rowid, member in rows if not self.ended(chamber, member, today))
        return array("I", sorted(found))

    def ended(self, chamber: str, member: str, today: datetime.date) -> bool:
        """Whether a member's mandate is known to have ended by a day, or not known to go on."""
        end = self._ends(chamber).get(member)
        return end is not None and end.on(today) is not None

    def _read_ends(self, chamber: str) -> dict[str, MandateEnd]:
        with closing(connect_read_only(self._path, immutable=True)) as db:
            return mandate_ends(db, chamber, self._coverage[chamber].last)


def _conditions(filter_: StayFilter) -> tuple[list[str], dict[str, Any]]:
    """What the filter asks of a row, its names and its presence apart."""
    group = _GROUP_OF_DAY if filter_.day else "c.elu_groupe"
    asked = {
        "chamber": "c.chambre = :chamber",
        "member": "c.elu_id = :member",
        "group": f"{group} = :group",
        "day": "c.debut <= :day and (c.fin is null or :day < c.fin)",
    }
    values = filter_._asdict()
    return ["1", *(sql for name, sql in asked.items() if values[name])], values


def _of_name(db: sqlite3.Connection, name: str) -> list[int]:
    """The stays under a name of just these words, in any order and spelling."""
    wanted = words(name)
    longest = max(wanted.split(), key=len, default="")
    if not longest:  # signs alone are no name
        return []
    # Whole words: to part every name that has a letter somewhere would hold the interpreter for long.
    spelled = db.execute(
        f"""
        select nom, prenom from {SPELLINGS}
        where instr(' ' || cle_nom || ' ' || cle_prenom || ' ', ' ' || ? || ' ')
        """,
        [longest],
    ).fetchall()
    return [
        rowid
        for spelling in spelled
        if words(*spelling) == wanted
        for (rowid,) in db.execute(
            f"select rowid from {TENURES} where collab_nom is nullif(?, '')"
            " and collab_prenom is nullif(?, '')",
            spelling,
        )
    ]
