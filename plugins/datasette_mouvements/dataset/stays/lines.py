"""Each stay as JSON: its fields, what it returns to, what follows it, the end of the member's mandate."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists import tenure
from parlement_lists.movement import Field
from parlement_lists.tenure import Tenure

from .. import schema
from ..coverage import covered
from ..mandates import mandate_ends
from .successions import HOMONYMS_SQL, find_successions, homonyms

# What a line has after the columns of the table, where it applies.
LINK_FIELDS = (
    Field(
        "retour_de",
        "Retour de",
        "Identifiant de la collaboration du même nom avec le même élu qui a pris fin avant celle-ci.",
        "col_1b2c3d4e5f607182930a",
        english="Identifier of the stay of the same name with the same member that ended before this one.",
    ),
    Field(
        "retour_jours",
        "Jours avant le retour",
        "Jours de la première liste sans le nom à celle du retour.",
        "12",
        english="Days from the first list without the name to that of the return.",
    ),
    Field(
        "vu_ensuite",
        "Vu ensuite",
        "Identifiants (dans un CSV, séparés par une espace) des collaborations du même nom avec d’autres élus"
        " de la chambre qui suivent dans l’année. Vide si un transfert le dit, ou si des homonymes sont"
        " possibles : les listes ne disent pas si c’est la même personne.",
        "col_2c3d4e5f607182930a1b",
        english="Identifiers (in a CSV, with a space between them) of the stays of the same"
        " name with other members of the chamber that follow within a year. Empty if a"
        " transfer says it, or if there may be homonyms: the lists do not say whether"
        " it is the same person.",
    ),
    Field(
        "vu_ensuite_jours",
        "Jours avant d’être vu ensuite",
        "Jours de la première liste sans le nom à la première où il est vu ensuite : selon l’espacement des"
        " listes, plus ou moins qu’en vérité.",
        "12",
        english="Days from the first list without the name to the first one where it is seen"
        " next: lists may lie far apart, so it may be more or less in truth.",
    ),
)
RETURN_OF, RETURN_DAYS, NEXT, NEXT_DAYS = (field.name for field in LINK_FIELDS)
MANDATE_FIELD = Field(
    "mandat_fin",
    "Fin du mandat",
    "Dernier jour connu du mandat de l’élu, une fois qu’il a pris fin.",
    "2026-10-31",
    english="Last known day of the member's mandate, once it has ended.",
)
# All of a line, in its order.
LINE_FIELDS = (*tenure.FIELDS, *LINK_FIELDS, MANDATE_FIELD)
# What files of movements have after the fields of the interface: of stays, so no copy keeps it.
LEFT_ID = "elu_origine_id"
OF_FILES = (LEFT_ID, RETURN_DAYS)


def stay_lines(db: sqlite3.Connection, today: datetime.date) -> Iterator[tuple[int, bytes]]:
    """The rowid and the line of each stay of a file whose other tables are filled, as of a day."""
    columns = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
    rows = db.execute(f"select rowid, {columns} from {schema.TENURES} order by rowid").fetchall()
    stays = [(rowid, Tenure._make(row)) for rowid, *row in rows]
    apart = homonyms(db.execute(HOMONYMS_SQL))
    found = find_successions((stay for _, stay in stays), apart)
    ends = _mandates_over(db, today)
    for rowid, stay in stays:
        told: dict[str, Any] = {n: v for n, v in stay._asdict().items() if v}
        if back := found.returns.get(stay.id):
            told[RETURN_OF], told[RETURN_DAYS] = back.ended.id, back.days
        if after := found.seen_next(stay.id):
            told[NEXT], told[NEXT_DAYS] = [one.id for one in after.begun], after.days
        if day := ends.get((stay.chambre, stay.elu_id)):
            told[MANDATE_FIELD.name] = day
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
