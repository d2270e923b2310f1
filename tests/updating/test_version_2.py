"""A file of the version before, which has no feed: the daily run goes on over it, and begins one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from tests.tracking import lists
from tests.tracking.lists import AFTER, NAME
from tests.updating.follower import Follower, table


def run(*arguments: object) -> Result:
    return CliRunner().invoke(mouvements, [str(argument) for argument in arguments])


def made_version_2(database: Path) -> None:
    """Make a database and its state what the version before would have left: a mask left identifiers."""
    kept = StateFile(database).pseudonyms()
    with closing(sqlite3.connect(database)) as db, db:
        for internal, public in kept.items():
            for table, column in (
                ("mouvements", "id"),
                ("collaborations", "id"),
                ("collaborations", "mouvement_debut"),
                ("collaborations", "mouvement_fin"),
            ):
                db.execute(
                    f"update {table} set {column} = ? where {column} = ?", [internal, public]
                )
        for table in ("_noms", "_elus", "_appartenances", "_groupes", "_changements", "_passages"):
            db.execute(f"drop table {table}")
        db.execute("delete from _publication where cle = 'lignee'")
        db.execute("update _publication set valeur = '2' where cle = 'schema'")
    with closing(sqlite3.connect(StateFile(database).path)) as db, db:
        db.execute("drop table if exists pseudonymes")


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "corrections.yml"
    path.write_text(f"- {{date: 2026-10-01, raison: Demande, masquer: {{nom: {NAME}}}}}\n")
    return path


def lineage(database: Path) -> str:
    return Published(database).publication["lignee"]


def test_the_daily_run_goes_on_over_it_and_begins_a_feed(database: Path, folder: Path) -> None:
    run("track", database, "--lists", folder)
    old = lineage(database)
    ids = Published(database).identifiers()
    made_version_2(database)
    assert Published(database).without_feed
    done = run("track", database, "--lists", folder)
    assert (done.exit_code, "nothing new" in done.output) == (0, False), done.output
    assert inspect(database) == []
    assert lineage(database) != old
    assert Published(database).identifiers() == ids
    copy = Follower()
    copy.walk(database)
    assert copy.movements == table(database)
    assert "nothing new" in run("track", database, "--lists", folder).output


def test_what_it_had_withdrawn_is_in_the_feed(database: Path, folder: Path) -> None:
    run("track", database, "--lists", folder)
    made_version_2(database)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("insert into retraits values ('mvt_old', '2026-09-05', 'Erreur')")
    run("track", database, "--lists", folder)
    with closing(sqlite3.connect(database)) as db:
        (nature,) = db.execute("select nature from _changements where id = 'mvt_old'").fetchone()
    assert nature == "retrait"
    assert list(Published(database).withdrawn) == ["mvt_old"]


@pytest.mark.parametrize("command", ["track", "mask", "build"])
def test_what_it_masked_gets_other_identifiers(
    database: Path, folder: Path, asked: Path, command: str
) -> None:
    options = ["--corrections", asked] + (["--lists", folder] if command != "mask" else [])
    run("track", database, "--lists", folder, "--corrections", asked)
    hashes = set(StateFile(database).pseudonyms())
    made_version_2(database)
    old, stays = Published(database).identifiers(), {t.id for t in Published(database).tenures()}
    assert old | stays >= hashes
    done = run(command, database, *options)
    assert done.exit_code == 0, done.output
    assert inspect(database) == []
    published = Published(database)
    assert published.identifiers().isdisjoint(hashes)
    assert {t.id for t in published.tenures()}.isdisjoint(hashes)
    assert published.withdrawn.keys() == old
    links = {t.mouvement_fin for t in published.tenures()} - {""}
    assert links == published.identifiers()
    lists.write(folder, "senat", "2026-09-20", AFTER)
    assert (
        run("track", database, "--lists", folder, "--corrections", asked).exit_code,
        Published(database).identifiers(),
    ) == (0, published.identifiers())


def test_its_masks_are_not_forgotten(database: Path, folder: Path, asked: Path) -> None:
    run("track", database, "--lists", folder, "--corrections", asked)
    made_version_2(database)
    before = database.read_bytes()
    done = run("track", database, "--lists", folder)
    assert (done.exit_code, "give --corrections" in done.stderr) == (1, True)
    assert database.read_bytes() == before


def test_one_that_lacks_a_table_is_damaged(database: Path, folder: Path) -> None:
    run("track", database, "--lists", folder)
    made_version_2(database)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("drop table listes")
    done = run("track", database, "--lists", folder)
    assert (done.exit_code, "no table listes" in done.stderr) == (1, True)
