"""Random questions about states: each answer is what plain SQL finds in the tables. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import csv
import datetime
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from parlement_lists.movement import CHAMBERS, words
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import serving
from .test_stays import ADDED

Row = dict[str, Any]
COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "240"))
SEED = 28
MEMBERS = 30
LISTS = 20  # a chamber
FIRST = datetime.date(2026, 1, 5)
GROUPS = ("GRA", "NI", "HIR", "S&D")

GROUP_OF_DAY = """
    coalesce((select groupe from _appartenances a
      where a.chambre = c.chambre and a.elu_id = c.elu_id and a.debut <= :le
        and :le <= coalesce(nullif(a.fin, ''), '9999') order by a.debut desc, a.fin = '' desc,
        a.fin desc, a.groupe),
      (select c.elu_groupe where not exists (select 1 from _groupes g
        where g.chambre = c.chambre and g.code = c.elu_groupe and g.debut > :le
          and g.chambre <> 'europarl')))
"""
# Everything of a chamber is told as of its last list.
LAST = """
    (select max(date) from listes l where l.chambre = c.chambre and l.statut <> 'refusee')
"""
# A mandate that ended is none of a member who has a later one.
OVER = f"""
    exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id)
    and not exists (select 1 from _mandats m where m.chambre = c.chambre and m.elu_id = c.elu_id
      and (m.fin = '' or m.fin >= {LAST}))
"""
OF_STAYS = {
    "chambre": "c.chambre = :chambre",
    "elu": "c.elu_id = :elu",
    "nom": "has_words(words(c.collab_nom, c.collab_prenom), words(:nom, ''))",
    "le": "c.debut <= :le and coalesce(c.fin, '9999') > :le",
    "present": f"c.fin is null and c.fin_apres = {LAST} and not ({OVER})",
}
OF_TEAMS = {
    "equipe": """
        (c.elu_id = :equipe
        or c.id in (select mouvement_fin from collaborations where elu_id = :equipe))
    """,
    "type": "c.type = :type",
    "depuis": "c.date_event >= :depuis",
}


def random_lists(chance: random.Random) -> Iterator[tuple[datetime.date, dict[int, list[str]]]]:
    """Lists in which people leave, come back after short and long absences, and go to others."""
    staff = lists.many(MEMBERS, 3)
    staff[1] += ["Ada UN", "Ada DEUX-UN", "Ada DEUX", "Ada UNIE"]  # names that share words
    away: list[tuple[int, str]] = []
    day = FIRST
    for _ in range(LISTS):
        yield day, staff
        day += datetime.timedelta(chance.choice((1, 3, 4, 8, 9, 12)))
        # A list in which more than one of them changes member is refused.
        moves = chance.random() < 0.5
        for _ in range(min(len(away), chance.randrange(3))):
            number, name = away.pop(chance.randrange(len(away)))
            if moves and chance.random() < 0.3:
                number, moves = chance.randint(1, MEMBERS), False
            staff[number].append(name)
        # Mostly the same people leave, so that some come back twice.
        for number in chance.sample(range(1, chance.choice((8, MEMBERS)) + 1), chance.randrange(5)):
            if staff[number]:
                name = staff[number].pop(chance.randrange(len(staff[number])))
                if moves:
                    staff[chance.randint(1, MEMBERS)].append(name)
                    moves = False
                else:
                    away.append((number, name))


def write_members(folder: Path, chance: random.Random) -> Path:
    """The mandates and groups of some members; some mandates end about the last list."""
    mandates = [["chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite", "debut", "fin"]]
    groups = [["chambre", "elu_id", "groupe", "depuis", "jusqua"]]
    begun = {"assemblee": "2024-07-08", "senat": "2023-10-02", "europarl": "2024-07-16"}
    for chamber in CHAMBERS:
        for number in chance.sample(range(1, MEMBERS + 1), MEMBERS // 2):
            of = [chamber, member(chamber, number)]
            ended = FIRST + datetime.timedelta(chance.randint(90, 150))
            names = [f"Élue Numéro{number}", f"Numéro{number}", "Élue", "Mme"]
            fin = ended.isoformat() if chance.random() < 0.4 else ""
            # A folder of members without a day of the last year says of nobody that the mandate goes on.
            since = "2025-12-15" if number < MEMBERS // 2 else begun[chamber]
            mandates.append([*of, *names, since, fin])
            changed = FIRST + datetime.timedelta(chance.randrange(90))
            one, other = chance.sample(GROUPS, 2)
            groups.append([*of, one, begun[chamber], changed.isoformat()])
            # Some sources have a member in two groups for days, or in none.
            since = changed + datetime.timedelta(chance.choice((-20, 10)))
            groups.append([*of, other, since.isoformat(), ""])
    folder.mkdir()
    for name, rows in (("mandats", mandates), ("groupes", groups)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return folder


def rows(database: Path, sql: str, **values: Any) -> list[Row]:
    """Rows as answers have them: an empty context is one."""
    with closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        db.create_function("words", 2, lambda *names: words(*(name or "" for name in names)))
        db.create_function("has_words", 2, lambda a, b: {*a.split()} >= {*b.split()} != set())
        return [
            {name: row[name] for name in row.keys() if row[name] or name == "contexte"}  # noqa: SIM118
            for row in db.execute(sql, values)
        ]


def some(chance: random.Random, every: Row) -> Row:
    return {name: value for name, value in every.items() if value and chance.random() < 0.35}


def returns(database: Path, stay: Row) -> list[Row]:
    """The stay of the same name with the member that ended last before this one, and the days between."""
    name = words(stay.get("collab_nom", ""), stay.get("collab_prenom", ""))
    return rows(
        database,
        """
        select id as retour_de, cast(julianday(:debut) - julianday(fin) as integer) as retour_jours
        from collaborations where :name <> '' and chambre = :chambre and elu_id = :elu_id
          and fin <= :debut and words(collab_nom, collab_prenom) = :name order by fin desc limit 1
        """,
        name=name,
        **{field: stay[field] for field in ("debut", "chambre", "elu_id")},
    )


def test_every_answer_is_what_plain_sql_finds_in_the_tables(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for chamber in CHAMBERS:
        for day, staff in random_lists(chance):
            lists.write(tmp_path / "lists", chamber, day.isoformat(), staff)
    given = ("--lists", tmp_path / "lists", "--members", write_members(tmp_path / "of", chance))
    database = tmp_path / "movements.db"
    # Only a daily run leaves open whether who is missing has left.
    environment.done("build", database, *given, "--source", "suivi")
    stays = rows(database, "select * from collaborations")
    movements = rows(database, "select * from mouvements")
    adas = [stay for stay in stays if stay.get("collab_prenom") == "Ada"]
    transfers = {one["id"] for one in movements if one["type"] == "transfert"}
    left = [stay["elu_id"] for stay in stays if stay.get("mouvement_fin") in transfers]
    last_days = rows(
        database, "select elu_id as elu, groupe, fin as le from _appartenances where fin <> ''"
    )
    met: Counter[str] = Counter()

    def of_stays() -> tuple[str, Row, str]:
        stay = chance.choice(chance.choice((stays, stays, adas)))
        names = f"{stay.get('collab_prenom', '')} {stay.get('collab_nom', 'X')}".swapcase().split()
        chance.shuffle(names)
        edges = [stay["debut"], stay.get("fin"), stay["fin_apres"]]
        asked = {"chambre": stay["chambre"], "elu": stay["elu_id"]}
        asked["groupe"] = chance.choice((*GROUPS, stay.get("elu_groupe")))
        asked["nom"] = " ".join(names[: chance.randrange(1, 4)])
        asked = some(chance, asked | {"le": chance.choice(edges) or "2026-02-01"})
        asked = chance.choice((asked, asked, asked, chance.choice(last_days)))
        if "le" not in asked:
            asked |= some(chance, {"present": "oui"})
        group = GROUP_OF_DAY if "le" in asked else "c.elu_groupe"
        conditions = OF_STAYS | {"groupe": f"{group} = :groupe"}
        where = " and ".join(["1", *(conditions[name] for name in asked)])
        sql = f"select * from collaborations c where {where} order by debut desc, rowid desc"
        return "collaborations", asked, sql

    def of_teams() -> tuple[str, Row, str]:
        one = chance.choice(movements)
        asked = {"equipe": chance.choice((one["elu_id"], chance.choice(left)))}
        asked |= some(chance, {"type": one["type"], "depuis": one["date_event"]})
        where = " and ".join(OF_TEAMS[name] for name in asked)
        return "mouvements", asked, f"select * from mouvements c where {where} order by rowid desc"

    with serving(database, tmp_path, quota=10_000_000) as served:
        for _ in range(COUNT):
            name, asked, sql = chance.choice((of_stays, of_stays, of_teams))()
            page = {"limit": chance.choice((1, 7, 500)), "offset": chance.randrange(1, 40)}
            page = some(chance, page)
            target = f"/v1/{name}?{urlencode(asked | page)}"
            told, every = served.find(target), rows(database, sql, **asked)
            offset = page.get("offset", 0)
            expected = every[offset : offset + page.get("limit", 100)]
            items = [{n: v for n, v in one.items() if n not in ADDED} for one in told[name]]
            assert (told["total"], items) == (len(every), expected), target
            met[name] += len(every)
            if name == "mouvements":
                met["away"] += sum(one["elu_id"] != asked["equipe"] for one in every)
                continue
            days = rows(
                database,
                """
                select chambre, max(date) filter (where date <= :day) as le,
                  min(date) filter (where date > :day) as suivante
                from listes where statut <> 'refusee' group by 1
                """,
                day=asked.get("le", "9999"),
            )
            assert told["listes"] == {row.pop("chambre"): row for row in days}, target
            for one in told[name][:3]:
                back = {n: one[n] for n in ("retour_de", "retour_jours") if n in one}
                assert returns(database, one) == ([back] if back else []), target
                met["returns"] += bool(back)
    assert all(met[what] for what in ("collaborations", "mouvements", "away", "returns")), met
