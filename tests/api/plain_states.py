"""What the calls of states must answer, read again from the tables of a file in plain SQL."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from parlement_lists.movement import words

Row = dict[str, Any]
ADDED = {"retour_de", "retour_jours", "vu_ensuite", "vu_ensuite_jours", "mandat_fin"}
# Whose lists those of these days are.
PUBLISHERS = {
    "assemblee": "Assemblée nationale",
    "senat": "Sénat",
    "europarl": "Parlement européen",
}
_GROUP_OF_DAY = """
    coalesce((select groupe from _appartenances a
      where a.chambre = c.chambre and a.elu_id = c.elu_id and a.debut <= :le
        and :le <= coalesce(nullif(a.fin, ''), '9999') order by a.debut desc, a.fin = '' desc,
        a.fin desc, a.groupe), c.elu_groupe)
"""
# A mandate that ended is none of a member who has a later one.
_OVER = """
    exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id)
    and not exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id
      and (m.fin = '' or m.fin >= :today))
"""
_PRESENT = f"""
    c.fin is null and c.fin_apres = (select max(date) from listes l
      where l.chambre = c.chambre and l.statut <> 'refusee') and not ({_OVER})
"""
_TEAM = """
    m.elu_id = :equipe
    or m.id in (select mouvement_fin from collaborations where elu_id = :equipe)
"""


class PlainFile:
    """A movements file, and the answers that it makes as of a day."""

    def __init__(self, path: Path, today: datetime.date) -> None:
        self.path, self.today = path, today.isoformat()
        self.edition, self.version = (
            self.rows("select valeur from _publication where cle = :cle", cle=name)[0]["valeur"]
            for name in ("edition", "version")
        )
        self.every_stay = self.rows("select * from collaborations")
        self.every_movement = self.rows("select * from mouvements")

    def rows(self, sql: str, **values: Any) -> list[Row]:
        with closing(sqlite3.connect(self.path)) as db:
            db.row_factory = sqlite3.Row
            db.create_function("words", 2, lambda *names: words(*(name or "" for name in names)))
            return [dict(row) for row in db.execute(sql, values)]

    def stays(self, asked: Row) -> list[Row]:
        """All stays that a search finds, in order."""
        group = _GROUP_OF_DAY if "le" in asked else "c.elu_groupe"
        conditions = {
            "chambre": "c.chambre = :chambre",
            "elu": "c.elu_id = :elu",
            "groupe": f"{group} = :groupe",
            "nom": "words(c.collab_nom, c.collab_prenom) = words(:nom, '')",
            "le": "c.debut <= :le and coalesce(c.fin, '9999') > :le",
            "present": _PRESENT,
        }
        where = " and ".join(["1", *(sql for name, sql in conditions.items() if name in asked)])
        return self._plain(
            f"select * from collaborations c where {where} order by c.debut desc, c.rowid desc",
            **asked,
        )

    def team(self, asked: Row) -> list[Row]:
        """The movements of a team that a search finds, in order."""
        conditions = {
            "type": "m.type = :type",
            "depuis": "m.date_event >= :depuis",
            "jusqua": "m.date_event <= :jusqua",
        }
        where = [sql for name, sql in conditions.items() if name in asked]
        where = " and ".join([f"({_TEAM})", *where])
        return self._plain(f"select * from mouvements m where {where} order by rowid desc", **asked)

    def members(self, asked: Row) -> list[tuple[str, int, int, int]]:
        """Of the members that a search finds, in the order of names whose family name has one word, the identifier
        and how many are present; mandates and groups known.
        """
        conditions = {
            "chambre": "c.chambre = :chambre",
            "elu": "c.elu_id = :elu",
            "le": """exists (select 1 from _mandats m where m.chambre = c.chambre
              and m.elu_id = c.elu_id and m.debut <= :le and (m.fin = '' or m.fin >= :le))""",
            "groupe": f"""not ({_OVER}) and :groupe = coalesce(
              (select groupe from _appartenances a where a.chambre = c.chambre
                and a.elu_id = c.elu_id and a.debut <= :today
                and (a.fin = '' or a.fin >= :today)
                order by a.debut desc, a.fin = '' desc, a.fin desc, a.groupe),
              (select x.elu_groupe from collaborations x where x.elu_id = c.elu_id
                and x.fin is null and not exists (select 1 from _appartenances a
                  where a.chambre = c.chambre and a.elu_id = c.elu_id)
                order by x.fin_apres desc))""",
        }
        where = " and ".join(["1", *(sql for name, sql in conditions.items() if name in asked)])
        known = "(select count(*) from {} k where k.chambre = c.chambre and k.elu_id = c.elu_id)"
        found = self.rows(
            f"""
            select c.elu_id, sum({_PRESENT}) as present, {known.format("_mandats")} as mandates,
              {known.format("_appartenances")} as groups
            from collaborations c where {where} group by c.chambre, c.elu_id
            order by max(c.elu_cle), c.elu_id
            """,
            today=self.today,
            **asked,
        )
        return [tuple(row.values()) for row in found]

    def lists(self, day: str = "9999") -> Row:
        """Of each chamber the last list up to a day, and the next one."""
        found = self.rows(
            """
            select chambre, max(date) filter (where date <= :day) as le,
              min(date) filter (where date > :day) as suivante
            from listes where statut <> 'refusee' group by 1
            """,
            day=day,
        )
        return {row.pop("chambre"): _valued(row) for row in found}

    def coverage(self, late_days: int) -> Row:
        """Of each chamber how many lists there are, from when to when, the days around its holes, whom they are
        owed to up to when, and whether they are late.
        """
        days = """
            select chambre, date, lead(date) over (partition by chambre order by date) as after
            from (select distinct chambre, date from listes where statut <> 'refusee')
        """
        told: Row = {}
        for row in self.rows(
            "select chambre, min(date) as a, max(date) as b, count(*) as n from listes"
            " where statut <> 'refusee' group by 1"
        ):
            holes = self.rows(
                f"select date, after from ({days}) where chambre = :chambre"
                " and julianday(after) - julianday(date) > 10",
                chambre=row["chambre"],
            )
            spans = [tuple(hole.values()) for hole in holes]
            age = datetime.date.fromisoformat(self.today) - datetime.date.fromisoformat(row["b"])
            owed = [(PUBLISHERS[row["chambre"]], row["b"])]
            told[row["chambre"]] = (row["a"], row["b"], row["n"], spans, owed, age.days > late_days)
        return told

    def returns(self, stay: Row) -> tuple[str, int] | None:
        """The stay of the same name with the member that ended last before this one, and the days between."""
        name = words(stay.get("collab_nom", ""), stay.get("collab_prenom", ""))
        found = self.rows(
            """
            select id, julianday(:debut) - julianday(fin) as days from collaborations
            where :name <> '' and chambre = :chambre and elu_id = :elu_id and fin <= :debut
              and words(collab_nom, collab_prenom) = :name order by fin desc limit 1
            """,
            name=name,
            **{field: stay[field] for field in ("debut", "chambre", "elu_id")},
        )
        return (found[0]["id"], int(found[0]["days"])) if found else None

    def begun_and_ended(self, movement: str) -> dict[str, Row]:
        """The stays that a movement begins (`commence`) and ends (`termine`)."""
        return {
            name: self._plain(f"select * from collaborations where {column} = :id", id=movement)[0]
            for name, column in (("commence", "mouvement_debut"), ("termine", "mouvement_fin"))
            if self.rows(f"select 1 from collaborations where {column} = :id", id=movement)
        }

    def answered(self, stay: str) -> list[Row]:
        """The stays that return to one, the earliest first."""
        later = self._plain(
            """
            select c.* from collaborations c join collaborations e
              on c.chambre = e.chambre and c.elu_id = e.elu_id and c.debut >= e.fin
            where e.id = :stay order by c.debut
            """,
            stay=stay,
        )
        return [one for one in later if (self.returns(one) or ("",))[0] == stay]

    def back(self, stays: dict[str, Row]) -> Row | None:
        """What is told of the return that the stays of a movement, `begun_and_ended`, are part of."""
        column = "mouvement_fin"
        found = self.returns(stays["commence"]) if "commence" in stays else None
        if found is None and "termine" in stays:
            for later in self.answered(stays["termine"]["id"])[:1]:
                column, found = (
                    "mouvement_debut",
                    (later["id"], (self.returns(later) or ("", 0))[1]),
                )
        if found is None:
            return None
        other, days = found
        [row] = self.rows(
            f"select {column} as mouvement from collaborations where id = :id", id=other
        )
        return _valued(row) | {"jours": days}

    def changes(self, after: int, most: int) -> tuple[list[tuple[str, str]], bool]:
        """The changes of stays after a place: nature and identifier; and whether more follow."""
        found = self.rows(
            "select nature, id from _changements_collaborations where seq > :after order by seq",
            after=after,
        )
        told = [(row["nature"], row["id"]) for row in found]
        return told[:most], len(told) > most

    def knows(self, cursor: str) -> bool:
        """Whether a cursor is a place of the feed of stays."""
        lineage, seq, run = cursor.split("-")
        return bool(
            self.rows(
                "select 1 from _publication, _passages_collaborations where cle = 'lignee'"
                " and valeur = :lineage and jeton = :run and dernier >= :seq",
                lineage=lineage,
                run=run,
                seq=int(seq),
            )
        )

    def _plain(self, sql: str, **values: Any) -> list[Row]:
        return [_valued(row) for row in self.rows(sql, today=self.today, **values)]


def _valued(row: Row) -> Row:
    """A row as answers have it: an empty context is one."""
    return {name: value for name, value in row.items() if value or name == "contexte"}
