"""Each stay as JSON: its fields, what it returns to, what follows it, the end of the mandate; what one movement is made of."""

from __future__ import annotations

import datetime
import json
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists import tenure
from parlement_lists.movement import Field
from parlement_lists.tenure import Tenure

from .. import schema
from ..coverage import coverage
from ..mandates import mandate_ends
from .successions import HOMONYMS_SQL, find_successions, homonyms

# What a line has after the columns of the table, where it applies.
LINK_FIELDS = (
    Field(
        "retour_de",
        "Retour de",
        "Identifiant de la collaboration du même nom avec le même élu qui a pris fin avant celle-ci.",
        "col_1b2c3d4e5f607182930a",
    ),
    Field(
        "retour_jours",
        "Jours avant le retour",
        "Jours écoulés du jour de fin de la précédente à la liste du retour.",
        "12",
    ),
    Field(
        "vu_ensuite",
        "Vu ensuite",
        "Identifiants (dans un CSV, séparés par une espace) des collaborations du même nom avec d’autres élus"
        " de la chambre qui suivent dans l’année. Vide si un transfert le dit, ou si des homonymes sont"
        " possibles : les listes ne disent pas si c’est la même personne.",
        "col_2c3d4e5f607182930a1b",
    ),
    Field(
        "vu_ensuite_jours",
        "Jours avant d’être vu ensuite",
        "Jours écoulés du jour de fin à la première liste où le nom est vu ensuite : selon l’espacement des"
        " listes, plus ou moins qu’en vérité.",
        "12",
    ),
)
RETURN_OF, RETURN_DAYS, NEXT, NEXT_DAYS = (field.name for field in LINK_FIELDS)
MANDATE_FIELD = Field(
    "mandat_fin",
    "Fin du mandat",
    "Dernier jour connu du mandat de l’élu, une fois qu’il a pris fin.",
    "2026-10-31",
)
# All of a line, in its order.
LINE_FIELDS = (*tenure.FIELDS, *LINK_FIELDS, MANDATE_FIELD)
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
# How a movement was found, by its type; one of days rebuilt from intervals has no list.
RULES = {"arrivee": "apparition", "depart": "disparition", "transfert": "deplacement"}
INTERVALS = "intervalle"
# The digest of a list that is rebuilt, which has no bytes; it is NULL where no run noted it.
REBUILT = ""
Line = dict[str, Any]

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
    successions = find_successions(stays.values(), homonyms(db.execute(HOMONYMS_SQL)))
    for rowid, stay in stays.items():
        values: Line = {name: text for name, text in stay._asdict().items() if text}
        if back := successions.returns.get(stay.id):
            values |= {RETURN_OF: back.ended.id, RETURN_DAYS: back.days}
        if after := successions.seen_next(stay.id):
            values |= {NEXT: [later.id for later in after.begun], NEXT_DAYS: after.days}
        if day := ends.get((stay.chambre, stay.elu_id)):
            values[MANDATE_FIELD.name] = day
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        db.execute(f"insert into {schema.STAYS.lines} values (?, ?)", (rowid, line))


_OF_MOVEMENT = f"""
    select c.mouvement_debut is :id, l.json
    from {schema.TENURES} c join {schema.STAYS.lines} l on l.rowid = c.rowid
    where c.mouvement_debut = :id or c.mouvement_fin = :id
"""
# Of an arrival the movement that it answers, of a departure the one that answers it, with the days between.
_RETURNS = " union all ".join(
    f"""
    select {other}, json_extract(cast(l.json as text), '$.{RETURN_DAYS}')
    from {schema.TENURES} {here} cross join {schema.TENURES} {there} on back.elu_id = gone.elu_id
    join {schema.STAYS.lines} l on l.rowid = back.rowid
    where {own} = :id and json_extract(cast(l.json as text), '$.{RETURN_OF}') = gone.id
    """
    for here, own, there, other in (
        ("back", "back.mouvement_debut", "gone", "gone.mouvement_fin"),
        ("gone", "gone.mouvement_fin", "back", "back.mouvement_debut"),
    )
)
_LISTS = """
    select date as jour, nom as liste, sha256 from listes
    where chambre = ? and date in (?, ?) and statut <> 'refusee' order by date, nom
"""


def evidence(db: sqlite3.Connection, movement: Line) -> Line:
    """The members beside the movement at its own address; nothing of one that no stay has.

    `origine`: the member whom a transfer leaves. `collaborations`: the identifiers of the stays that it
    begins and ends. `retour`: the movement of the same return and the days between the two. `preuve`: the
    lists before and after, and the rule by which it was found.
    """
    whose = {"id": movement["id"]}
    stays = {bool(begins): json.loads(line) for begins, line in db.execute(_OF_MOVEMENT, whose)}
    begun, ended = stays.get(True), stays.get(False)
    about: Line = {}
    if ended and movement["type"] == "transfert":
        about["origine"] = {n: ended[n] for n in ("elu_id", "elu_nom", "elu_groupe") if n in ended}
    if stays:
        names = {"commence": begun, "termine": ended}
        about["collaborations"] = {name: stay["id"] for name, stay in names.items() if stay}
    for other, days in db.execute(_RETURNS, whose).fetchmany(1):
        about["retour"] = ({"mouvement": other} if other else {}) | {"jours": days}
    if lists := _lists(db, movement, begun, ended):
        rebuilt = lists[1]["sha256"] == REBUILT
        sides = ({name: value for name, value in row.items() if value} for row in lists)
        about["preuve"] = dict(zip(("avant", "apres"), sides, strict=True))
        about["preuve"]["regle"] = INTERVALS if rebuilt else RULES[movement["type"]]
    return about


def _lists(
    db: sqlite3.Connection, movement: Line, begun: Line | None, ended: Line | None
) -> list[dict[str, str | None]]:
    """The lists before and after the movement; none where a day has others, or none is of its day."""
    steps = {
        (stay.get(before, ""), stay.get(day, ""))
        for stay, before, day in ((begun, "debut_apres", "debut"), (ended, "fin_apres", "fin"))
        if stay
    }
    # A correction may give another day; a transfer is of two lists where both stays say the same.
    if [day for _, day in steps] != [movement["date_event"]]:
        return []
    (days,) = steps
    rows = db.execute(_LISTS, (movement["chambre"], *days))
    lists = [dict(zip(("jour", "liste", "sha256"), row, strict=True)) for row in rows]
    return lists if [row["jour"] for row in lists] == [*days] else []
