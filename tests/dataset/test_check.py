"""`check` finds what is wrong: each kind of damage is made in a real file and must be named."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from tests.contract.environment import done
from tests.tracking import lists

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
# Of a file of lists, in which one person comes and another leaves.
COMES, LEAVES = "mouvement_debut is not null", "mouvement_fin is not null"
DEPARTURE = "(select id from mouvements where type = 'depart')"
OF_STAYS = {
    "an end before the beginning": (
        f"update collaborations set fin = '2026-08-01' where {LEAVES}",
        "1 stays whose days are not in order",
    ),
    "an end taken away": (f"update collaborations set fin = null where {LEAVES}", "have no end"),
    "a beginning by a departure": (
        f"update collaborations set mouvement_debut = {DEPARTURE} where {COMES}",
        "1 stays begun by a movement that is not there, or not their arrival",
    ),
    "an end by an arrival": (
        f"update collaborations set mouvement_fin = mouvement_debut, fin = debut where {COMES}",
        "1 stays ended by a movement that is not there, or not their departure",
    ),
    "an end on another day": (
        f"update collaborations set fin = '2026-09-03' where {LEAVES}",
        "1 stays ended by a movement that is not there, or not their departure",
    ),
    "a movement that begins two": (
        "update collaborations set mouvement_debut = (select mouvement_debut from collaborations"
        f" where {COMES})",
        "stays begun by a movement that begins another, too",
    ),
    "a movement that ends two": (
        f"update collaborations set mouvement_fin = {DEPARTURE}",
        "stays ended by a movement that ends another, too",
    ),
    "one person twice": (
        "update collaborations set (collab_nom, collab_prenom) = ('A', 'B') where elu_id = '99001Z'",
        "1 stays in progress of one person with one member beside another",
    ),
    "an arrival without a stay": (
        "update collaborations set mouvement_debut = null",
        "1 arrivals and transfers that begin no stay",
    ),
    "a departure without a stay": (
        "update collaborations set mouvement_fin = null",
        "1 departures and transfers that end no stay",
    ),
    "the list of an arrival refused": (
        "update listes set statut = 'refusee' where date = '2026-09-02'",
        "1 beginnings on a day of no accepted list",
    ),
    "the list of a departure refused": (
        "update listes set statut = 'refusee' where date = '2026-09-04'",
        "1 ends on a day of no accepted list",
    ),
    "a movement out of the feed": (
        f"delete from _changements where id = {DEPARTURE}",
        "1 movements that the feed of changes has not, or not as published",
    ),
    "a withdrawal that has a movement": (
        f"update _changements set id = 'mvt_x', nature = 'retrait' where id = {DEPARTURE}",
        "1 movements that the feed of changes has, and nothing else",
    ),
    "a change after the last run": (
        "update _changements set seq = 99 where seq = (select max(seq) from _changements)",
        "1 changes after the last run",
    ),
}


@pytest.fixture(scope="module")
def of_lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists")
    came = {**lists.STAFF, 9: [*lists.STAFF[9], "Zoé VENUE"]}
    after = {**came, 7: lists.AFTER[7]}
    for day, staff in (("01", lists.STAFF), ("02", came), ("03", came), ("04", after)):
        lists.write(folder, "senat", f"2026-09-{day}", staff)
    done("build", folder / "movements.db", "--lists", folder)
    return folder / "movements.db"


def test_a_built_database_is_sound(built: Path, of_lists: Path) -> None:
    assert inspect(built) == inspect(of_lists) == []


@pytest.mark.parametrize("damage", OF_STAYS)
def test_damage_to_stays_is_named(of_lists: Path, tmp_path: Path, damage: str) -> None:
    sql, named = OF_STAYS[damage]
    database = Path(shutil.copy(of_lists, tmp_path))
    with closing(sqlite3.connect(database)) as db:
        db.executescript(sql)
    assert named in "\n".join(inspect(database))


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
