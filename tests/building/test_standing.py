"""A file that is damaged, or of another version: what it says is kept, or nothing is written over it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.building import build
from datasette_mouvements.building.masks import KEY_FILE
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, NAME


def spoil(database: Path, table: str) -> None:
    """Overwrite the first page of a table."""
    with closing(sqlite3.connect(database)) as db:
        (size,) = db.execute("pragma page_size").fetchone()
        roots = dict(db.execute("select name, rootpage from sqlite_master"))
    with database.open("r+b") as file:
        file.seek((roots[table] - 1) * size)
        file.write(b"\xff" * size)


def change(database: Path, sql: str) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(sql)


@pytest.fixture
def tracked(database: Path, folder: Path) -> Path:
    """A database of lists that go on."""
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    assert run("build", database, "--lists", folder, "--source", "suivi").exit_code == 0
    return database


@pytest.mark.parametrize(
    "damaged", ["_lignes_elus", "not a database", "nameless", "without a feed"]
)
def test_a_file_that_is_damaged_or_something_else_is_not_built_over(
    tracked: Path, folder: Path, damaged: str
) -> None:
    if damaged == "_lignes_elus":  # of which a build reads nothing
        spoil(tracked, damaged)
    elif damaged == "nameless":
        change(tracked, "delete from _publication where cle = 'lignee'")
    elif damaged == "without a feed":
        change(tracked, "drop table _changements")
    else:
        tracked.write_text(damaged)
    before = tracked.read_bytes()
    done = run("build", tracked, "--lists", folder)
    assert (done.exit_code, done.stdout) == (1, "")
    sentence, refused = done.stderr.splitlines()
    assert sentence.startswith(f"{tracked}: not a movements database, or a damaged one (")
    assert sentence.endswith("build again from every list, with the same --corrections")
    assert refused == "Refused: nothing was changed."
    assert tracked.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "age"), [("3", "an older"), (str(SCHEMA_VERSION + 1), "a newer")]
)
def test_the_file_of_another_version_is_refused_as_such(
    tracked: Path, folder: Path, version: str, age: str
) -> None:
    change(tracked, f"update _publication set valeur = '{version}' where cle = 'schema'")
    before = tracked.read_bytes()
    done = run("build", tracked, "--lists", folder)
    sentence = (
        f"made by {age} version of this package (schema {version}, this one reads {SCHEMA_VERSION})"
    )
    assert (done.exit_code, sentence in done.stderr) == (1, True)
    assert tracked.read_bytes() == before


@pytest.mark.rule("record-feed")
def test_the_feed_of_the_schema_before_goes_on(tracked: Path, folder: Path) -> None:
    before = Published(tracked)
    feed = before.rows("select seq, id, publie_le from _changements order by seq")
    change(tracked, "update _publication set valeur = '7' where cle = 'schema'")
    assert run("build", tracked, "--lists", folder, "--source", "suivi").exit_code == 0
    after = Published(tracked)
    assert after.publication["schema"] == str(SCHEMA_VERSION)
    assert after.publication["lignee"] == before.publication["lignee"]
    assert after.rows("select seq, id, publie_le from _changements order by seq") == feed


def test_a_file_made_with_corrections_is_not_built_without_them(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "autres"
    lists.write(other, "europarl", "2026-09-01", AFTER)
    # Also of one made with none, by a file of corrections that is empty.
    for asked in (corrections(tmp_path), corrections(tmp_path, f"masquer: {{nom: {NAME}}}")):
        given = ("--lists", folder, "--lists", other)
        assert run("build", database, *given, "--corrections", asked).exit_code == 0
        before = database.read_bytes()
        done = run("build", database, "--lists", folder)
        assert (done.exit_code, "was made with corrections" in done.stderr) == (1, True)
        assert database.read_bytes() == before
    # The key tells that there were masks, whatever has become of the file.
    database.unlink()
    done = run("build", database, "--lists", folder)
    sentence = (
        f"{folder / KEY_FILE} was made to withhold names: give --corrections with the file of"
    )
    assert (done.exit_code, sentence in done.stderr, database.exists()) == (1, True, False)
    assert run("build", tmp_path / "x.db", "--lists", folder, "--invented").exit_code == 0


def test_a_next_file_that_is_not_sound_takes_no_place(
    tracked: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file, before = build.write_file, tracked.read_bytes()

    def write_unsound(path: Path, *given: Any) -> Any:
        written = write_file(path, *given)
        change(path, "delete from _lignes")
        return written

    monkeypatch.setattr(build, "write_file", write_unsound)
    done = run("build", tracked, "--lists", folder)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{tracked}: 2 movements without their ready-made" in done.stderr
    assert tracked.read_bytes() == before
