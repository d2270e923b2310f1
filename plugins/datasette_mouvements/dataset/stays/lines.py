"""Each stay as JSON: its fields, what it returns to, the end of the member's mandate."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator

from datasette.utils.sqlite import sqlite3

from parlement_lists.tenure import Tenure

from .. import schema
from ..coverage import covered
from ..mandates import mandate_ends
from .successions import find_successions

# What a line has after the columns of the table, where it applies.
RETURN_OF, RETURN_DAYS, MANDATE_END = "retour_de", "retour_jours", "mandat_fin"
# What files of movements have after the fields of the interface: of stays, so no copy keeps it.
LEFT_ID = "elu_origine_id"
OF_FILES = (LEFT_ID, RETURN_DAYS)


def stay_lines(db: sqlite3.Connection, today: datetime.date) -> Iterator[tuple[int, bytes]]:
    """The rowid and the line of each stay of a file whose other tables are filled, as of a day."""
    columns = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
    rows = db.execute(f"select rowid, {columns} from {schema.TENURES} order by rowid").fetchall()
    stays = [(rowid, Tenure._make(row)) for rowid, *row in rows]
    returns = find_successions((stay for _, stay in stays), {}).returns
    ends = _mandates_over(db, today)
    for rowid, stay in stays:
        told: dict[str, str | int] = {n: v for n, v in stay._asdict().items() if v}
        if succession := returns.get(stay.id):
            told[RETURN_OF], told[RETURN_DAYS] = succession.ended.id, succession.days
        if day := ends.get((stay.chambre, stay.elu_id)):
            told[MANDATE_END] = day
        yield rowid, json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def _mandates_over(db: sqlite3.Connection, today: datetime.date) -> dict[tuple[str, str], str]:
    """The day up to which the mandate of each member lasted of whom it is known to have ended."""
    lists = covered(db.execute("select nom, chambre, date, statut, motif from listes"))
    return {
        (chamber, member): end.day
        for chamber, known in lists.items()
        for member, found in mandate_ends(db, chamber, known.last).items()
        if (end := found.on(today)) and end.known
    }
