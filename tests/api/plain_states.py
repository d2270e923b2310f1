"""What the calls of states must answer, read again from the tables of a file in plain SQL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from parlement_lists.movement import words

Row = dict[str, Any]
ADDED = {"retour_de", "retour_jours", "vu_ensuite", "vu_ensuite_jours", "mandat_fin"}
_GROUP_OF_DAY = """
    coalesce((select groupe from _appartenances a
      where a.chambre = c.chambre and a.elu_id = c.elu_id and a.debut <= :le
        and :le <= coalesce(nullif(a.fin, ''), '9999') order by a.debut desc, a.fin = '' desc,
        a.fin desc, a.groupe), c.elu_groupe)
"""
# Everything of a chamber is told as of its last list.
_LAST = """
    (select max(date) from listes l where l.chambre = c.chambre and l.statut <> 'refusee')
"""
# A mandate that ended is none of a member who has a later one.
_OVER = f"""
    exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id)
    and not exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id
      and (m.fin = '' or m.fin >= {_LAST}))
"""
_PRESENT = f"""
    c.fin is null and c.fin_apres = {_LAST} and not ({_OVER})
"""
_TEAM = """
    m.elu_id = :equipe
    or m.id in (select mouvement_fin from collaborations where elu_id = :equipe)
"""


class PlainFile:
    """A movements file, and the answers that it makes."""

    def __init__(self, path: Path) -> None:
        self.path = path
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
            db.create_function("has_words", 2, lambda a, b: {*a.split()} >= {*b.split()} != set())
            return [dict(row) for row in db.execute(sql, values)]

    def stays(self, asked: Row) -> list[Row]:
        """All stays that a search finds, in order."""
        group = _GROUP_OF_DAY if "le" in asked else "c.elu_groupe"
        conditions = {
            "chambre": "c.chambre = :chambre",
            "elu": "c.elu_id = :elu",
            "groupe": f"{group} = :groupe",
            "nom": "has_words(words(c.collab_nom, c.collab_prenom), words(:nom, ''))",
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

    def _plain(self, sql: str, **values: Any) -> list[Row]:
        return [_valued(row) for row in self.rows(sql, **values)]


def _valued(row: Row) -> Row:
    """A row as answers have it: an empty context is one."""
    return {name: value for name, value in row.items() if value or name == "contexte"}
