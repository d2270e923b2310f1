"""Is a movements database sound? Its tables, indexes and invariants, one sentence a fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.bounds import FIRST_DAY, LAST_DAY, LETTERS, TEXT_LETTERS
from parlement_lists.movement import CHAMBERS, DIRECTION, seats_on

from ..fields import MOVEMENT_FIELDS, STAY_FIELDS
from . import digest, schema
from .connections import connect_read_only
from .ready_made import LINE_SQL


def inspect(database: Path) -> list[str]:
    """Every fault of the file, in words; empty when it is sound. Reads everything once."""
    faults: list[str] = []
    try:
        with closing(connect_read_only(database)) as db:
            db.execute("begin")  # nobody locks it on the way: a copy would wait without end
            faults.extend(_structure(db))
            if not faults:
                faults.extend(_invariants(db))
    except OSError as error:
        faults.append(error.strerror or str(error))
    except sqlite3.Error as error:
        faults.append(f"not a readable SQLite database: {error}")
    except TypeError as error:  # SQLite lets any column hold any type
        faults.append(f"a value is not of its column's type: {error}")
    return faults


# How many members sit on each day of a list. One of whom no mandate is known sits as long as lists name somebody; where
# none is known of the whole chamber only the last list counts, because lists go on naming staff of those who left.
_SITTING = f"""
    with known as (select elu_id, debut, fin from {schema.MANDATES} where chambre = :chamber),
    sitting as (
      select elu_id, k.debut as since, coalesce(nullif(k.fin, ''), mandat_fin, '{LAST_DAY}') as until
      from known k join {schema.TEAMS} using (elu_id) where chambre = :chamber
      union all select elu_id, min(debut), max(fin_apres) from {schema.TENURES}
      where chambre = :chamber and elu_id not in (select elu_id from known) group by 1),
    days as (select distinct date from listes where chambre = :chamber and statut <> 'refusee')
    select date, count(distinct elu_id) from days join sitting on date between since and until
    where exists (select 1 from known) or date = (select max(date) from days) group by 1 order by 1
"""


def alarms(database: Path) -> Iterator[str]:
    """What of a sound file cannot be so, though no table contradicts another; a sentence a chamber.

    It is the first day of a list, and how many, on which more members sit than a chamber has seats. No build is
    refused for it: the lists are right all the same.
    """
    with closing(connect_read_only(database)) as db:
        for chamber in CHAMBERS:
            crowded = [
                (members, day, seats)
                for day, members in db.execute(_SITTING, {"chamber": chamber})
                if members > (seats := seats_on(chamber, date.fromisoformat(day)))
            ]
            for members, day, seats in crowded[:1]:
                more = f", and on {len(crowded) - 1} more days" if len(crowded) > 1 else ""
                yield (
                    f"{members} members sit at {chamber} on {day}, which has {seats} seats{more}: mandates that"
                    " ended are open in mandats.csv"
                )


def _structure(db: sqlite3.Connection) -> Iterator[str]:
    for (result,) in db.execute("pragma quick_check(5)"):
        if result != "ok":
            yield f"damaged: {result}"
    made = dict(db.execute("select name, sql from sqlite_master"))
    expected = schema.TABLES | schema.INDEXES | schema.OF_CHANGES | schema.FULL_TEXT
    for name, sql in expected.items():
        if name not in made:
            yield f"{name} is missing"
        elif (made[name] or "").casefold().split() != sql.casefold().split():
            yield f"{name} is not as this version makes it"
    if "_publication" in made:
        version = dict(db.execute("select cle, valeur from _publication")).get("schema")
        if version != str(schema.SCHEMA_VERSION):
            yield f"schema version {version}, this version reads {schema.SCHEMA_VERSION}"


# A movement that files or a correction gave comes from no list: no stay begins or ends with it. Where
# a correction says who is who, an earlier run's movements may be of people it now joins or parts.
_ALL_FROM_LISTS = """
    (select valeur from _publication where cle = 'hors_listes') = '0'
    and not exists (select 1 from corrections where genre in
      ('ajouter', 'meme_personne', 'homonymes', 'deux_personnes', 'retirer'))
"""
# Since a correction may give a day that no list has.
_MANUAL = f"select 1 from {schema.TABLE} m where m.confiance = 'manuel'"


def _of_no_list(day: str, link: str) -> str:
    """The question of stays with a day that no accepted list has."""
    return f"""
        select count(*) from {schema.TENURES} c where {day} is not null
        and not exists (select 1 from listes l
          where l.chambre = c.chambre and l.date = c.{day} and l.statut <> 'refusee')
        and not exists ({_MANUAL} and m.id = c.{link})"""


# Each question is answered by a number of rows at fault.
_QUESTIONS = {
    "movements whose day comes before that of an older rowid": f"""
        select count(*) from (select date_event, lag(date_event) over (order by rowid) as before
        from {schema.TABLE}) where date_event < before""",
    "rowids missing from 1 to the number of movements": f"""
        select max(0, coalesce(max(rowid), 0) - count(*)) from {schema.TABLE}""",
    "movements without their ready-made line, or with another's": f"""
        select count(*) from {schema.TABLE} m left join _lignes l on l.rowid = m.rowid
        where l.json is not {LINE_SQL}""",
    "movements that the feed of changes has not, or not as published": f"""
        select count(*) from {schema.TABLE} m left join {schema.CHANGES} c on c.id = m.id
        where c.nature is not '{schema.PUBLISHED}' or c.ligne is not m.rowid""",
    "movements that the feed of changes has, and nothing else": f"""
        select count(*) from {schema.CHANGES} c left join {schema.TABLE} m on m.id = c.id
        where m.id is null and (c.nature is not '{schema.WITHDRAWN}' or c.ligne is not null)""",
    "changes after the last run": f"""
        select count(*) from {schema.CHANGES}
        where seq > (select coalesce(max(dernier), 0) from {schema.RUNS})""",
    "origins on a movement that is not a transfer": f"""
        select count(*) from {schema.TABLE} where type <> 'transfert'
        and (elu_origine_nom is not null or elu_origine_groupe is not null)""",
    "stays whose days are not in order": f"""
        select count(*) from {schema.TENURES}
        where debut_apres > debut or debut > fin_apres or fin_apres > fin""",
    "stays that a movement ends and that have no end": f"""
        select count(*) from {schema.TENURES} where fin is null and mouvement_fin is not null""",
    "stays begun by a movement that is not there, or not their arrival": f"""
        select count(*) from {schema.TENURES} c left join {schema.TABLE} m on m.id = c.mouvement_debut
        where c.mouvement_debut is not null and (m.id is null or m.type = 'depart'
          or m.chambre <> c.chambre or m.elu_id is not c.elu_id or m.date_event <> c.debut)""",
    "stays ended by a movement that is not there, or not their departure": f"""
        select count(*) from {schema.TENURES} c left join {schema.TABLE} m on m.id = c.mouvement_fin
        where c.mouvement_fin is not null and (m.id is null or m.type = 'arrivee'
          or m.chambre <> c.chambre
          or (m.type = 'depart' and (m.elu_id is not c.elu_id or m.date_event <> c.fin))
          or m.date_event < c.fin)""",
    "stays begun by a movement that begins another, too": f"""
        select count(mouvement_debut) - count(distinct mouvement_debut) from {schema.TENURES}""",
    "stays ended by a movement that ends another, too": f"""
        select count(mouvement_fin) - count(distinct mouvement_fin) from {schema.TENURES}""",
    "stays in progress of one person with one member beside another": f"""
        select count(*) from (select 1 from {schema.TENURES} where fin is null and collab_nom is not null
        group by chambre, elu_id, collab_nom, collab_prenom having count(*) > 1)""",
    "arrivals and transfers that begin no stay": f"""
        select count(*) from {schema.TABLE} m where {_ALL_FROM_LISTS} and type <> 'depart'
        and not exists (select 1 from {schema.TENURES} c where c.mouvement_debut = m.id)""",
    "departures and transfers that end no stay": f"""
        select count(*) from {schema.TABLE} m where {_ALL_FROM_LISTS} and type <> 'arrivee'
        and not exists (select 1 from {schema.TENURES} c where c.mouvement_fin = m.id)""",
    "beginnings on a day of no accepted list": _of_no_list("debut", "mouvement_debut"),
    "ends on a day of no accepted list": _of_no_list("fin", "mouvement_fin"),
} | {
    f"empty {field.name} in {table} (no value is NULL)": f"""
        select count(*) from {table} where {field.name} = ''"""
    for table, fields in ((schema.TABLE, MOVEMENT_FIELDS), (schema.TENURES, STAY_FIELDS))
    for field in fields
    if "" not in field.values
}
# A class of characters means to `glob` what it means to a pattern; control characters have their numbers.
_MARKS = f"*[{DIRECTION.pattern[1:-1]}\x01-\x1f\x7f-\x9f]*"
# Those that pages show; the other ones are made of them.
_SHOWN = (schema.TABLE, schema.TENURES, *schema.BESIDE, "corrections", "retraits")


def _letters(db: sqlite3.Connection) -> Iterator[str]:
    """Every field over its bound, or with characters that no text may hold; every day out of its bounds."""
    for table in _SHOWN:
        names = [column.name for column in schema.columns(table) if column.kind == "text"]
        faults: dict[str, str] = {}
        for name in names:
            most = LETTERS.get(name, TEXT_LETTERS)
            faults[f"{name} has more than {most} letters"] = f"length({name}) > {most}"
            faults[f"{name} holds a control character or a mark of direction"] = (
                f"{name} glob :marks"
            )
        for name in filter(schema.DAYS.__contains__, names):
            faults[f"{name} is not from {FIRST_DAY} to {LAST_DAY}"] = (
                f"{name} <> '' and {name} not between '{FIRST_DAY}' and '{LAST_DAY}'"
            )
        sums = ", ".join(f"sum({condition})" for condition in faults.values())
        counts = db.execute(f"select {sums} from {table}", {"marks": _MARKS}).fetchone()
        for fault, count in zip(faults, counts, strict=True):
            if count:
                yield f"{count} rows of {table} whose {fault}"


def _invariants(db: sqlite3.Connection) -> Iterator[str]:
    for fault, question in _QUESTIONS.items():
        (count,) = db.execute(question).fetchone()
        if count:
            yield f"{count} {fault}"
    yield from _letters(db)
    (count,) = db.execute("select count(*) from _lignes").fetchone()
    stored = dict(db.execute("select cle, valeur from _publication"))
    version, lineage = stored.get("version", ""), stored.get("lignee", "")
    if version != digest.of_lines(db):
        yield "the data's version is not that of its movements"
    if stored.get("edition") != digest.of_edition(db, version, lineage):
        yield "the edition is not that of its stays, figures, lists and changes"
    if stored.get("empreinte") != digest.of_tables(db):
        yield "its feeds, lines and names are not those that were built"
    if stored.get("mouvements") != str(count):
        yield f"{count} movements where the publication says {stored.get('mouvements')}"
    # FTS5 checks itself through an insert, so the check runs on a private temporary copy.
    with closing(sqlite3.connect("")) as copy:
        db.backup(copy)
        for fts in schema.FULL_TEXT:
            try:
                copy.execute(f"insert into {fts} ({fts}, rank) values ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                yield f"{fts}: the full-text index differs from its table: {error}"
