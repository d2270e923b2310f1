"""What a file has ready-made: names told apart, and a digest of all its tables."""

from __future__ import annotations

import itertools
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest, schema
from datasette_mouvements.dataset.ready_made import split_name

DIGESTED = (
    *(one.changes for one in schema.RESOURCES),
    *(schema.STAYS.lines, schema.MEMBER_LINES),
    *schema.OF_MEMBERS,
    *(schema.SPELLINGS, schema.HOMONYMS),
)


def test_every_row_of_every_table_and_every_border_counts() -> None:
    """The digest tells apart what the same bytes, put together, would not."""
    with closing(sqlite3.connect(":memory:")) as db:
        for table in DIGESTED:
            db.execute(schema.TABLES[table])
        seen = [digest.of_tables(db)]
        for statement in (
            "insert into _changements values (1, 'ab', '2026-01-01', 'publication', 1)",
            "update _changements set id = 'a', publie_le = 'b2026-01-01'",
            "update _changements set ligne = 2",
            "insert into _lignes_collaborations values (1, cast('bc' as blob))",
            "update _lignes_collaborations set rowid = 11, json = cast('c' as blob)",
            "insert into _lignes_elus values (1, 'senat', '1', '', 1, '', cast('{}' as blob))",
            "update _lignes_elus set json = cast('{1}' as blob)",
            "insert into elus values ('senat', '1', 'UN', 'Ida', 'M.', null)",
            "update elus set civilite = 'Mme'",
            "update elus set hatvp = 'https://a.exemple'",
            "insert into _noms values ('un-ada', 'un', 'ada', 'UN', 'Ada', 'ada un')",
            "update _noms set adresse = 'un-bo'",
        ):
            db.execute(statement)
            seen.append(digest.of_tables(db))
    assert all(one != other for one, other in itertools.combinations(seen, 2))


@pytest.mark.parametrize(
    ("name", "key", "parts"),
    [
        ("Jeanne de La Tour", "de la tour jeanne", ("de La Tour", "Jeanne")),
        ("Anne Marie Exemple", "exemple anne marie", ("Exemple", "Anne Marie")),
        ("Jeanne Exemple-Modèle", "", ("Exemple-Modèle", "Jeanne")),
        ("Anne Marie DE EXEMPLE", "", ("DE EXEMPLE", "Anne Marie")),
        ("Jeanne Exemple", "autre clé", ("Jeanne Exemple", "")),
        ("Jeanne", "", ("Jeanne", "")),
    ],
)
def test_the_join_key_tells_a_name_apart_else_capitals_or_the_first_word(
    name: str, key: str, parts: tuple[str, str]
) -> None:
    assert split_name(name, key) == parts
