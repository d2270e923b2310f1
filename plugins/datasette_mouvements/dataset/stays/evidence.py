"""What one movement is made of: the stays that it begins and ends, and the two lists between which it was seen."""

from __future__ import annotations

import json
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import words

from ..schema import SPELLED_STAYS, STAYS
from .lines import RETURN_DAYS, RETURN_OF

# How a movement was found, by its type; one of days rebuilt from intervals has no list.
RULES = {"arrivee": "apparition", "depart": "disparition", "transfert": "deplacement"}
INTERVALS = "intervalle"
# The digest of a list that is rebuilt, which has no bytes; it is NULL where no run noted it.
REBUILT = ""
_STAYS = f"select l.json from {STAYS.table} c join {STAYS.lines} l on l.rowid = c.rowid where"
# The stays with a member under a name that began by a day or after.
UNDER_NAME = f"""
    select l.json from {SPELLED_STAYS} cross join {STAYS.lines} l on l.rowid = c.rowid
    where n.mots = ? and c.chambre = ? and c.elu_id = ? and c.debut >= ? order by c.rowid
"""
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
    told: Line = {}
    if ended and movement["type"] == "transfert":
        told["origine"] = {n: ended[n] for n in ("elu_id", "elu_nom", "elu_groupe") if n in ended}
    stays = {"commence": begun, "termine": ended}
    if any(stays.values()):
        told["collaborations"] = {name: stay["id"] for name, stay in stays.items() if stay}
    if back := _return(db, begun, ended):
        told["retour"] = back
    days = _days(begun, ended)
    # A correction may give another day; a transfer is of two lists where both stays say the same.
    as_seen = days[1] == movement["date_event"]
    if as_seen and not (begun and ended and days != _days({}, ended)):
        rows = db.execute(_LISTS, (movement["chambre"], *days))
        if lists := _lists(rows.fetchall(), *days):
            rebuilt = lists["apres"]["sha256"] == REBUILT
            told["preuve"] = {
                side: {n: value for n, value in one.items() if value} for side, one in lists.items()
            } | {"regle": INTERVALS if rebuilt else RULES[movement["type"]]}
    return told


def _stay(db: sqlite3.Connection, where: str, *values: str) -> Line:
    row = db.execute(f"{_STAYS} {where}", values).fetchone()
    return json.loads(row[0]) if row else {}


def _return(db: sqlite3.Connection, begun: Line, ended: Line) -> Line:
    """Of an arrival the movement that it answers, of a departure the one that answers it."""
    if RETURN_OF in begun:
        known = _stay(db, "c.id = ?", begun[RETURN_OF]).get("mouvement_fin")
        return _told(known, begun)
    if ended:
        name = words(*(ended.get(part, "") for part in ("collab_nom", "collab_prenom")))
        rows = db.execute(UNDER_NAME, (name, ended["chambre"], ended["elu_id"], ended["fin"]))
        for later in (json.loads(line) for (line,) in rows):
            if later.get(RETURN_OF) == ended["id"]:
                return _told(later.get("mouvement_debut"), later)
    return {}


def _told(movement: str | None, later: Line) -> Line:
    return ({"mouvement": movement} if movement else {}) | {"jours": later[RETURN_DAYS]}


def _days(begun: Line, ended: Line) -> tuple[str, str]:
    """The day of the list before the change and of the one after, "" where there is none."""
    if begun:
        return begun.get("debut_apres", ""), begun["debut"]
    return ended.get("fin_apres", ""), ended.get("fin", "")


def _lists(lists: list[tuple[str, str, str | None]], before: str, after: str) -> dict[str, Line]:
    """The two lists, by their days; none where a day has others."""
    found = [{"jour": day, "liste": name, "sha256": sha256} for name, day, sha256 in lists]
    if [one["jour"] for one in found] != [before, after]:
        return {}
    return {"avant": found[0], "apres": found[1]}
