"""Is a movements database sound? Its tables, indexes and invariants, one sentence a fault."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.bounds import FIRST_DAY, LAST_DAY, LETTERS, TEXT_LETTERS
from parlement_lists.movement import CHAMBERS, DIRECTION, FIELDS

from . import digest, schema
from .connections import connect_read_only
from .mandates import crowded_days
from .ready_made import LINE_SQL, spellings
from .stays.tenure_questions import QUESTIONS as _OF_TENURES

_SPACE = re.compile(r"\s+")


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


def alarms(database: Path) -> list[str]:
    """What of a sound file cannot be so, though no table contradicts another; a sentence a chamber.

    No build is refused for it: the lists are right all the same.
    """
    with closing(connect_read_only(database)) as db:
        return list(_seats(db))


def _seats(db: sqlite3.Connection) -> Iterator[str]:
    """The first day of a list, and how many, on which more members sit than a chamber has seats."""
    for chamber in CHAMBERS:
        sql = (
            "select distinct date from listes where chambre = ? and statut <> 'refusee' order by 1"
        )
        days = crowded_days(db, chamber, [day for (day,) in db.execute(sql, [chamber])])
        for day, (members, seats) in list(days.items())[:1]:
            more = f", and on {len(days) - 1} more days" if len(days) > 1 else ""
            yield (
                f"{members} members sit at {chamber} on {day}, which has {seats} seats{more}: mandates that"
                " ended are open in mandats.csv"
            )


def _structure(db: sqlite3.Connection) -> Iterator[str]:
    for (result,) in db.execute("pragma quick_check(5)"):
        if result != "ok":
            yield f"damaged: {result}"
    found = {
        name: _SPACE.sub(" ", sql or "")
        for name, sql in db.execute("select name, sql from sqlite_master")
    }
    for name, sql in (
        schema.TABLES | schema.INDEXES | schema.OF_CHANGES | schema.FULL_TEXT
    ).items():
        if name not in found:
            yield f"{name} is missing"
        elif found[name].casefold() != _SPACE.sub(" ", sql).casefold():
            yield f"{name} is not as this version makes it"
    if "_publication" in found:
        version = dict(db.execute("select cle, valeur from _publication")).get("schema")
        if version != str(schema.SCHEMA_VERSION):
            yield f"schema version {version}, this version reads {schema.SCHEMA_VERSION}"


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
    "ready-made lines without a movement": f"""
        select count(*) from _lignes where rowid not in (select rowid from {schema.TABLE})""",
    "members with staff without their ready-made line": f"""
        select count(*) from (select distinct chambre, elu_id from {schema.TENURES}
        except select chambre, elu_id from {schema.MEMBER_LINES})""",
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
} | {
    f"empty {field.name} (no value is NULL)": f"""
        select count(*) from {schema.TABLE} where {field.name} = ''"""
    for field in FIELDS
    if "" not in field.values
}
# A class of characters means to `glob` what it means to a pattern; control characters have their numbers.
_MARKS = f"*[{DIRECTION.pattern[1:-1]}\x01-\x1f\x7f-\x9f]*"
_OUT_OF_BOUNDS = (
    "select count(*) from {table} where {day} <> '' and {day} not between"
    f" '{FIRST_DAY}' and '{LAST_DAY}'"
)
# Those that pages show; the other ones are made of them.
_SHOWN = (schema.TABLE, schema.TENURES, *schema.BESIDE, "corrections", "retraits")


def _letters(db: sqlite3.Connection) -> Iterator[str]:
    """Every field over its bound, or with characters that no text may hold; every day out of its bounds."""
    for table in _SHOWN:
        names = [column.name for column in schema.columns(table) if column.kind == "text"]
        sums = ", ".join(
            f"sum(length({name}) > {LETTERS.get(name, TEXT_LETTERS)}), sum({name} glob :marks)"
            for name in names
        )
        counts = iter(db.execute(f"select {sums} from {table}", {"marks": _MARKS}).fetchone())
        for name in filter(schema.DAYS.__contains__, names):
            (days,) = db.execute(_OUT_OF_BOUNDS.format(table=table, day=name)).fetchone()
            if days:
                yield f"{days} rows of {table} whose {name} is not from {FIRST_DAY} to {LAST_DAY}"
        for name, long, unfit in zip(names, counts, counts, strict=True):
            if long:
                most = LETTERS.get(name, TEXT_LETTERS)
                yield f"{long} rows of {table} whose {name} has more than {most} letters"
            if unfit:
                yield f"{unfit} rows of {table} whose {name} holds a control character or a mark of direction"


def _invariants(db: sqlite3.Connection) -> Iterator[str]:
    for fault, question in (_QUESTIONS | _OF_TENURES).items():
        (count,) = db.execute(question).fetchone()
        if count:
            yield f"{count} {fault}"
    if db.execute(f"select * from {schema.SPELLINGS} order by rowid").fetchall() != spellings(db):
        yield f"{schema.SPELLINGS} has other names than the movements and stays, or not in their order"
    yield from _letters(db)
    yield from _publication(db)
    yield from _full_text(db)


def _publication(db: sqlite3.Connection) -> Iterator[str]:
    (count,) = db.execute("select count(*) from _lignes").fetchone()
    stored = dict(db.execute("select cle, valeur from _publication"))
    if stored.get("version") != digest.of_lines(db):
        yield "the data's version is not that of its movements"
    if stored.get("edition") != digest.of_edition(
        db, stored.get("version", ""), stored.get("lignee", "")
    ):
        yield "the edition is not that of its stays, figures, lists and changes"
    if stored.get("empreinte") != digest.of_tables(db):
        yield "its feeds, lines and names are not those that were built"
    if stored.get("mouvements") != str(count):
        yield f"{count} movements where the publication says {stored.get('mouvements')}"


def _full_text(db: sqlite3.Connection) -> Iterator[str]:
    # FTS5 checks itself through an insert, so the check runs on a private temporary copy.
    with closing(sqlite3.connect("")) as copy:
        db.backup(copy)
        for fts in schema.FULL_TEXT:
            try:
                copy.execute(f"insert into {fts} ({fts}, rank) values ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                yield f"{fts}: the full-text index differs from its table: {error}"
