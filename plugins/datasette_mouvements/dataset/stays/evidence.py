"""What one movement is made of: the stays that it begins and ends, and the two lists between which it was seen."""

from __future__ import annotations

import json
from typing import Any

from datasette.utils.sqlite import sqlite3

from ..schema import STAYS
from .lines import RETURN_DAYS, RETURN_OF

# How a movement was found, by its type; one of days rebuilt from intervals has no list.
RULES = {"arrivee": "apparition", "depart": "disparition", "transfert": "deplacement"}
INTERVALS = "intervalle"
# The digest of a list that is rebuilt, which has no bytes; it is NULL where no run noted it.
REBUILT = ""
_STAYS = f"select l.json from {STAYS.table} c join {STAYS.lines} l on l.rowid = c.rowid where"
_ANSWERING = (
    f"c.elu_id = ? and json_extract(cast(l.json as text), '$.{RETURN_OF}') = ? order by c.rowid"
)
Line = dict[str, Any]
_LISTS = """
    select nom, date, sha256 from listes
    where chambre = ? and date in (?, ?) and statut <> 'refusee' order by date, nom
"""


def evidence(db: sqlite3.Connection, movement: Line) -> Line:
    """The members beside the movement at its own address; nothing of one that no stay has.

    `origine`: the member whom a transfer leaves. `collaborations`: the identifiers of the stays that it
    begins and ends. `retour`: the movement of the same return and the days between the two. `preuve`: the
    lists before and after, and the rule by which it was found.
    """
    begun = _stay(db, "c.mouvement_debut = ?", movement["id"])
    ended = _stay(db, "c.mouvement_fin = ?", movement["id"])
    about: Line = {}
    if ended and movement["type"] == "transfert":
        about["origine"] = {n: ended[n] for n in ("elu_id", "elu_nom", "elu_groupe") if n in ended}
    stays = {"commence": begun, "termine": ended}
    if any(stays.values()):
        about["collaborations"] = {name: stay["id"] for name, stay in stays.items() if stay}
    if back := _return(db, begun, ended):
        about["retour"] = back
    if lists := _lists(db, movement, begun, ended):
        rebuilt = lists["apres"]["sha256"] == REBUILT
        about["preuve"] = {
            side: {name: value for name, value in of_day.items() if value}
            for side, of_day in lists.items()
        } | {"regle": INTERVALS if rebuilt else RULES[movement["type"]]}
    return about


def _stay(db: sqlite3.Connection, where: str, *values: str) -> Line:
    row = db.execute(f"{_STAYS} {where}", values).fetchone()
    return json.loads(row[0]) if row else {}


def _return(db: sqlite3.Connection, begun: Line, ended: Line) -> Line:
    """Of an arrival the movement that it answers, of a departure the one that answers it."""
    other, later = "", begun
    if RETURN_OF in begun:
        other = _stay(db, "c.id = ?", begun[RETURN_OF]).get("mouvement_fin", "")
    elif ended:
        later = _stay(db, _ANSWERING, ended["elu_id"], ended["id"])
        other = later.get("mouvement_debut", "")
    if RETURN_OF not in later:
        return {}
    return ({"mouvement": other} if other else {}) | {"jours": later[RETURN_DAYS]}


def _lists(
    db: sqlite3.Connection, movement: Line, begun: Line, ended: Line
) -> dict[str, dict[str, str | None]]:
    """The lists before and after the movement; none where a day has others, or none is of its day."""
    days = (begun.get("debut_apres", ""), begun["debut"]) if begun else _end_days(ended)
    # A correction may give another day; a transfer is of two lists where both stays say the same.
    if days[1] != movement["date_event"] or (begun and ended and days != _end_days(ended)):
        return {}
    rows = db.execute(_LISTS, (movement["chambre"], *days)).fetchall()
    lists = [{"jour": day, "liste": name, "sha256": sha256} for name, day, sha256 in rows]
    if [of_day["jour"] for of_day in lists] != [*days]:
        return {}
    return {"avant": lists[0], "apres": lists[1]}


def _end_days(ended: Line) -> tuple[str, str]:
    return ended.get("fin_apres", ""), ended.get("fin", "")
