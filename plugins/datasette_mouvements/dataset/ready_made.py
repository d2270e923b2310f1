"""What answers and pages come from: each movement as JSON, the parts and the spellings of names."""

from __future__ import annotations

import re

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, plain, slug_of, words

from . import schema

_PARTICLE_LAST = re.compile(r"(.+) \((d[eu]s?|d[’'])\)", re.IGNORECASE)
# A merge patch leaves out what is null: exactly "fields with no value are left out".
LINE_SQL = (
    "cast(json_patch('{}', json_object("
    + ", ".join(f"'{name}', {name}" for name in FIELD_NAMES)
    + ")) as blob)"
)


def split_name(name: str, key: str) -> tuple[str, str]:
    """A full name as family and given name, as the join key, family name first, tells them apart.

    Without a key the words in capitals are the family name, else all but the first: lists without
    identifiers write the given name first, and members are only filed by it.
    """
    words = name.split()
    for first in range(1, len(words)):
        before, after = " ".join(words[:first]), " ".join(words[first:])
        last, filed = plain(after).split(), key.split()
        begun, rest = sorted(filed[: len(last)]), filed[len(last) :]
        # A particle is filed after the name.
        if sorted(last) == begun and plain(before).split() == rest:
            return after, before
    capitals = [word for word in words if word.isupper() and len(word) > 1]
    if 0 < len(capitals) < len(words):
        return " ".join(capitals), " ".join(word for word in words if word not in capitals)
    given, _, family = name.partition(" ")
    return (name, "") if key or not family else (family, given)


def particle_first(family: str) -> str:
    """« de Montvert » of a family name that a list writes « Montvert (De) »."""
    match = _PARTICLE_LAST.fullmatch(family)
    if not match:
        return family
    particle = match[2].lower()
    return particle + ("" if particle.endswith(("’", "'")) else " ") + match[1]


_NAMES = " union ".join(
    f"select coalesce(collab_nom, ''), coalesce(collab_prenom, '') from {table}"
    for table in (schema.TABLE, schema.TENURES)
)


def fill_spellings(db: sqlite3.Connection) -> None:
    """Make `_noms`, in the order of names: every spelling of a movement or a stay, none of one withdrawn."""
    rows = (
        (slug_of(family, given), plain(family), plain(given), family, given, words(family, given))
        for family, given in db.execute(_NAMES).fetchall()
    )
    db.executemany(
        f"insert into {schema.SPELLINGS} values (?, ?, ?, ?, ?, ?)",
        sorted((row for row in rows if row[0]), key=lambda row: row[1:]),
    )
