"""A disk that is full, a folder that cannot be written to: one line says so, and all is as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import FIELD_NAMES
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.disk import files_up_to, leave, small_disk
from tests.tracking.lists import AFTER

MOVEMENT = ",".join(FIELD_NAMES) + "\n,2020-01-01,senat,depart,,,,,,,,,,,,archives,fort\n"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_refused(
    done: Result, file: Path, said: str, unchanged: str = "nothing was changed"
) -> None:
    assert done.stderr == f"{file}: {said}\nRefused: {unchanged}.\n"
    assert done.exit_code == 1


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, with room for two databases."""
    with small_disk(tmp_path / "small", "3m") as folder:
        yield folder


@pytest.fixture
def commands(database: Path, folder: Path, tmp_path: Path) -> dict[str, list[object]]:
    movements = tmp_path / "m.csv"
    movements.write_text(MOVEMENT)
    return {
        "build": ["build", database, "--lists", folder],
        "build from movements": ["build", database, "--movements", movements],
    }


@pytest.mark.parametrize("command", ["build", "build from movements"])
def test_a_first_run_on_a_failing_disk_leaves_nothing(
    database: Path, commands: dict[str, list[object]], tmp_path: Path, command: str
) -> None:
    before = contents(tmp_path)
    for most in (0, 5_000, 100_000):
        with files_up_to(most):
            done = run(*commands[command])
        assert_refused(done, database, "disk I/O error")
        assert contents(tmp_path) == before
    assert run(*commands[command]).exit_code == 0


@pytest.mark.parametrize("command", ["build"])
def test_a_later_run_on_a_failing_disk_changes_nothing(
    database: Path, folder: Path, commands: dict[str, list[object]], tmp_path: Path, command: str
) -> None:
    assert run(*commands["build"]).exit_code == 0
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    before = contents(tmp_path)
    with files_up_to(100_000):
        done = run(*commands[command])
    assert_refused(done, database, "disk I/O error")
    assert contents(tmp_path) == before
    assert run(*commands[command]).exit_code == 0


@pytest.mark.rule("record-disk")
@pytest.mark.parametrize("standing", [False, True])
def test_on_a_full_disk_a_run_is_whole_or_nothing(
    small: Path, folder: Path, standing: bool
) -> None:
    database = small / "x.db"
    command = ["build", database, "--lists", folder]
    if standing:
        run(*command)
        lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    refused = 0
    for room in range(0, 1_500_000, 65_536):
        leave(small, room)
        before = contents(small)
        done = run(*command)
        if done.exit_code == 0:
            break
        assert_refused(
            done, database, "No space left on device (there, or where temporary files go)"
        )
        assert contents(small) == before
        refused += 1
    assert refused
    assert len(Published(database).identifiers()) == 1 + standing
    assert inspect(database) == []


@contextmanager
def as_nobody() -> Iterator[None]:
    """What root may do in any folder, its user `nobody` may not; others are not allowed as it is."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("command", ["build", "build from movements"])
def test_a_folder_that_cannot_be_written_to_is_told(
    commands: dict[str, list[object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    run(*commands[command])  # what is imported late may lie where only root reads
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)  # the folders above are for their owner only
    locked = Path("locked")
    locked.mkdir(mode=0o555)
    name, _, option, source = commands[command]
    assert isinstance(source, Path)
    with as_nobody():
        done = run(name, locked / "x.db", option, source.name)
    assert_refused(done, locked / ".x.db.lock", "Permission denied")
    assert list(locked.iterdir()) == []


def test_a_database_that_cannot_be_read_is_not_replaced(
    database: Path,
    commands: dict[str, list[object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(*commands["build from movements"])
    database.chmod(0)
    tmp_path.chmod(0o777)
    monkeypatch.chdir(tmp_path)
    before = database.stat()
    with as_nobody():
        done = run("build", database.name, "--movements", "m.csv")
    assert_refused(done, Path(database.name), "Permission denied")
    assert database.stat() == before
