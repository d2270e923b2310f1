"""The spellings of staff names that a file has, by which pages find the rows under a name."""

from __future__ import annotations

from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import plain, slug_of, words

from .schema import SPELLINGS, TABLE, TENURES


class Spelling(NamedTuple):
    """A row of `_noms`: a family and a given name as rows spell them, "" for the part they do not tell."""

    address: str  # of the page, which spellings share
    family_key: str  # in the order of names, see `plain`
    given_key: str
    family: str
    given: str
    words: str  # of both, see `movement.words`


_NAMES = " union ".join(
    f"select coalesce(collab_nom, ''), coalesce(collab_prenom, '') from {table}"
    for table in (TABLE, TENURES)
)


def spelling(family: str, given: str) -> Spelling:
    """The row of a name."""
    address = slug_of(family, given)
    return Spelling(address, plain(family), plain(given), family, given, words(family, given))


def spellings(db: sqlite3.Connection) -> list[Spelling]:
    """Every spelling that a movement or a stay has, in the order of names; none of a name that was withdrawn."""
    found = (spelling(family, given) for family, given in db.execute(_NAMES))
    return sorted((one for one in found if one.address), key=lambda one: one[1:])


def fill_spellings(db: sqlite3.Connection) -> None:
    """Make `_noms` of the names of movements and stays."""
    db.executemany(f"insert into {SPELLINGS} values (?, ?, ?, ?, ?, ?)", spellings(db))
