"""Each stay as JSON: its fields, what it returns to, what follows it, the end of the member's mandate."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.tenure import Tenure

from ...fields import Field
from .. import schema
from ..coverage import coverage
from ..mandates import mandate_ends
from .successions import HOMONYMS_SQL, find_successions, homonyms

# What a line has after the columns of the table, where it applies.
RETURN_OF, RETURN_DAYS, NEXT, NEXT_DAYS = (
    *("retour_de", "retour_jours"),
    *("vu_ensuite", "vu_ensuite_jours"),
)
# What movements have in the file of everything after the fields of the interface: of stays, so no copy keeps it.
MOVEMENT_LINK_FIELDS = (
    Field(
        "elu_origine_id",
        "Identifiant de l’élu quitté",
        "Identifiant de l’élu qu’un transfert quitte, si une collaboration le dit.",
        "99098Z",
    ),
    Field(
        RETURN_DAYS,
        "Jours de l’absence",
        "D’une arrivée qui est un retour, et du départ auquel elle répond : jours écoulés du jour de fin de la"
        " collaboration à la liste du retour auprès du même élu.",
        "12",
    ),
)


_COLUMNS = ", ".join(f"coalesce(c.{name}, '')" for name in Tenure._fields)


def fill_stay_lines(db: sqlite3.Connection, today: datetime.date) -> None:
    """Make the lines of stays, as of a day; all tables but the feeds are filled.

    A line says what its own row does, what stays of the same name do, and the end of the member's mandate.
    """
    ends = {
        (chamber, member): end.day
        for chamber, lists in coverage(db).items()
        for member, end in mandate_ends(db, chamber, lists.last, today=today.isoformat()).items()
        if end.known
    }
    rows = db.execute(f"select rowid, {_COLUMNS} from {schema.TENURES} c order by rowid")
    stays = {rowid: Tenure(*row) for rowid, *row in rows}
    links = _links(db, stays.values())
    for rowid, stay in stays.items():
        values: dict[str, Any] = {name: text for name, text in stay._asdict().items() if text}
        values |= links[stay.id]
        if day := ends.get((stay.chambre, stay.elu_id)):
            values["mandat_fin"] = day
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        db.execute(f"insert into {schema.STAYS.lines} values (?, ?)", (rowid, line))


def _links(db: sqlite3.Connection, stays: Iterable[Tenure]) -> dict[str, dict[str, Any]]:
    """What the lines of stays say of other stays of the same name, by identifier."""
    successions = find_successions(stays, homonyms(db.execute(HOMONYMS_SQL)))
    links: dict[str, dict[str, Any]] = defaultdict(dict)
    for id, back in successions.returns.items():
        links[id] |= {RETURN_OF: back.ended.id, RETURN_DAYS: back.days}
    for id in successions.elsewhere:
        if after := successions.seen_next(id):
            links[id] |= {NEXT: [stay.id for stay in after.begun], NEXT_DAYS: after.days}
    return links
