"""The spellings of staff names that a file has, by which pages find the rows under a name."""

from __future__ import annotations

from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import plain, slug_of, words

from .schema import INDEXES, SPELLINGS, TABLE, TENURES


class Spelling(NamedTuple):
    """A row of `_noms`: a family and a given name as rows spell them, "" for the part they do not tell."""

    address: str  # of the page, which spellings share
    family_key: str  # in the order of names, see `plain`
    given_key: str
    family: str
    given: str
    words: str  # of both, see `movement.words`


def _names_of(rows: str) -> str:
    """SQL for the names of some rows of movements and of stays; `rows` is a table and a condition."""
    select = "select coalesce(collab_nom, '') as nom, coalesce(collab_prenom, '') as prenom from "
    return " union ".join(select + rows.format(table=table) for table in (TABLE, TENURES))


_NAMED = _names_of("{table}")
_FRESH = _names_of("{table} where rowid in (select n from staged.fresh_{table})")
# Names of rows that went, changed or moved which no row has now.
_LEFT = (
    f"select nom, prenom from ({_names_of('staged.old_{table}')}) o where not "
    + " and not ".join(
        f"exists (select 1 from {table} where collab_nom is nullif(o.nom, '')"
        " and collab_prenom is nullif(o.prenom, ''))"
        for table in (TABLE, TENURES)
    )
)


def spelling(family: str, given: str) -> Spelling:
    """The row of a name."""
    address = slug_of(family, given)
    return Spelling(address, plain(family), plain(given), family, given, words(family, given))


def spellings(db: sqlite3.Connection) -> list[Spelling]:
    """Every spelling that a movement or a stay has, in the order of names; none of a name that was withdrawn."""
    found = (spelling(family, given) for family, given in db.execute(_NAMED))
    return sorted((one for one in found if one.address), key=lambda one: one[1:])


def fill_spellings(db: sqlite3.Connection) -> bool:
    """Make `_noms` what `spellings` tells, from what it told of the rows before.

    Returns whether a name that it had is nobody's now.

    `staged` is what `merge` left: only names of rows that are fresh, or were there before, are looked at.
    """
    db.execute(
        "create table staged.names_left (nom not null, prenom not null, primary key (nom, prenom))"
    )
    db.execute(f"insert into staged.names_left {_LEFT}")
    db.execute(
        f"create table staged.kept as select * from {SPELLINGS} n where not exists"
        " (select 1 from staged.names_left l where l.nom = n.nom and l.prenom = n.prenom)"
    )
    (left,) = db.execute(
        f"select (select count(*) from {SPELLINGS}) - (select count(*) from staged.kept)"
    ).fetchone()
    come = db.execute(f"{_FRESH} except select nom, prenom from {SPELLINGS}")
    rows = (one for one in (spelling(*name) for name in come) if one.address)
    added = db.executemany("insert into staged.kept values (?, ?, ?, ?, ?, ?)", rows).rowcount
    if not (left or added):
        return False
    for index in INDEXES:
        if index.startswith(f"idx_{SPELLINGS}"):
            db.execute(f"drop index if exists {index}")
    db.execute(f"delete from {SPELLINGS}")
    db.execute(
        f"insert into {SPELLINGS} select * from staged.kept"
        " order by cle_nom, cle_prenom, nom, prenom, mots"
    )
    return bool(left)
