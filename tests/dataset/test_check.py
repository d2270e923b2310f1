"""`check` finds what is wrong: each kind of damage is made in a real file and must be named."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect

DAMAGE = {
    "a table dropped": ("drop table _noms", "_noms is missing"),
    "an index dropped": (
        "drop index idx_mouvements_source_date_event",
        "idx_mouvements_source_date_event is missing",
    ),
    "an index changed": (
        "drop index idx_mouvements_source_date_event;"
        " create index idx_mouvements_source_date_event on mouvements (confiance)",
        "idx_mouvements_source_date_event is not as",
    ),
    "full-text search dropped": ("drop table mouvements_fts", "mouvements_fts is missing"),
    "a movement deleted": ("delete from mouvements where rowid = 5", "rowids missing"),
    "a movement changed": ("update mouvements set elu_groupe = 'X' where rowid = 5", "ready-made"),
    "a day changed": (
        "update mouvements set date_event = '2001-01-01' where rowid = 5",
        "comes before",
    ),
    "a line deleted": ("delete from _lignes where rowid = 5", "ready-made line"),
    "a line too many": ("insert into _lignes values (9999, '{}')", "version is not that of"),
    "an empty value": ("update mouvements set elu_nom = '' where rowid = 5", "empty elu_nom"),
    "an origin without transfer": (
        "update mouvements set elu_origine_nom = 'A'"
        " where rowid = (select min(rowid) from mouvements where type = 'depart')",
        "not a transfer",
    ),
    "a member too many": ("insert into elus values ('senat', '1', 'A', 'B', '', null)", "edition"),
    "names out of order": ("update _noms set rowid = 9999 where rowid = 5", "names are not those"),
    "another version": ("update _publication set valeur = 'x' where cle = 'version'", "version"),
    "another schema": ("update _publication set valeur = '0' where cle = 'schema'", "schema"),
    "another count": ("update _publication set valeur = '7' where cle = 'mouvements'", "says 7"),
    "full-text search astray": (
        "insert into mouvements_fts (mouvements_fts, rowid, collab_nom, collab_prenom, elu_nom,"
        " elu_origine_nom) select 'delete', rowid, collab_nom, collab_prenom, elu_nom,"
        " elu_origine_nom from mouvements where rowid = 5",
        "full-text index differs",
    ),
}


def test_a_built_database_is_sound(built: Path) -> None:
    assert inspect(built) == []


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(database: Path, damage: str) -> None:
    sql, named = DAMAGE[damage]
    with closing(sqlite3.connect(database)) as db:
        db.executescript(sql)
    assert named in "\n".join(inspect(database))


@pytest.mark.parametrize("keep", [0, -4096])
def test_a_truncated_file_is_not_sound(database: Path, keep: int) -> None:
    os.truncate(database, keep if keep >= 0 else database.stat().st_size + keep)
    assert inspect(database)


def test_garbage_is_not_sound_and_is_left_alone(tmp_path: Path) -> None:
    garbage = tmp_path / "movements.db"
    garbage.write_bytes(b"not a database" * 500)
    assert "not a readable SQLite database" in inspect(garbage)[0]
    assert garbage.read_bytes() == b"not a database" * 500


def test_looking_at_a_missing_file_does_not_make_it(tmp_path: Path) -> None:
    assert inspect(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
