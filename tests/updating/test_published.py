"""A file that is damaged, or of another version: what it says is kept, or nothing is written over it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.lists import AFTER, NAME, STAFF


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def spoil(database: Path, *names: str) -> None:
    """Overwrite the first pages of tables and indexes."""
    with closing(sqlite3.connect(database)) as db:
        (size,) = db.execute("pragma page_size").fetchone()
        roots = dict(db.execute("select name, rootpage from sqlite_master"))
    with database.open("r+b") as file:
        for name in names:
            file.seek((roots[name] - 1) * size)
            file.write(b"\xff" * size)


def change(database: Path, sql: str) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(sql)


@pytest.fixture
def tracked(database: Path, folder: Path) -> Path:
    """A database of the daily run."""
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    lists.write(folder, "senat", "2026-09-23", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    assert run("track", database, "--lists", folder).exit_code == 0
    return database


@pytest.fixture
def corrections(tmp_path: Path) -> Path:
    path = tmp_path / "corrections.yml"
    path.write_text(f"- {{date: 2026-10-01, raison: Demande, masquer: {{nom: {NAME}}}}}\n")
    return path


@pytest.mark.parametrize("damaged", ["retraits", "listes", "corrections", "mouvements"])
@pytest.mark.parametrize("state", [True, False])
def test_a_damaged_file_is_neither_built_over_nor_gone_on_from(
    tracked: Path, folder: Path, corrections: Path, damaged: str, state: bool
) -> None:
    if not state:
        tracked.with_name("x.suivi.sqlite3").unlink()
    # What is looked for by its identifier is found in the index alone.
    names = ["mouvements", "sqlite_autoindex_mouvements_1"] if damaged == "mouvements" else []
    spoil(tracked, *(names or [damaged]))
    lists.write(folder, "senat", "2026-09-24", STAFF)
    before = contents(tracked.parent)
    for command in (
        ["build", tracked, "--lists", folder],
        ["track", tracked, "--lists", folder],
        ["mask", tracked, "--corrections", corrections],
    ):
        done = run(*command)
        assert (done.exit_code, done.stdout) == (1, ""), done.output
        told, refused = done.stderr.splitlines()
        if command[0] == "track" and not state and damaged == "mouvements":
            assert "is missing" in told  # its state is, which is seen before the table is read
        else:
            assert told.startswith(f"{tracked}: not a movements database, or a damaged one (")
            assert told.endswith("or move both away and build it again from every list")
        assert refused.startswith("Refused: ")
        assert contents(tracked.parent) == before


@pytest.mark.parametrize("content", [b"", b"not a database"])
def test_a_file_of_something_else_is_not_built_over(
    database: Path, folder: Path, content: bytes
) -> None:
    database.write_bytes(content)
    done = run("build", database, "--lists", folder)
    assert (done.exit_code, "not a movements database" in done.stderr) == (1, True)
    assert database.read_bytes() == content


def test_someone_elses_database_is_not_built_over(database: Path, folder: Path) -> None:
    change(database, "create table mouvements (id)")
    before = database.read_bytes()
    done = run("build", database, "--lists", folder)
    assert (done.exit_code, "no table _publication" in done.stderr) == (1, True)
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "is_"), [("3", "an older"), (str(SCHEMA_VERSION + 1), "a newer")]
)
def test_the_file_of_another_version_is_refused_as_such(
    tracked: Path, folder: Path, corrections: Path, version: str, is_: str
) -> None:
    change(tracked, f"update _publication set valeur = '{version}' where cle = 'schema'")
    before = tracked.read_bytes()
    for command in (
        ["build", tracked, "--lists", folder],
        ["track", tracked, "--lists", folder],
        ["mask", tracked, "--corrections", corrections],
    ):
        done = run(*command)
        told = f"made by {is_} version of this package (schema {version}, this one reads {SCHEMA_VERSION})"
        assert (done.exit_code, told in done.stderr) == (1, True)
    assert tracked.read_bytes() == before
