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


def assert_refused(done: Result, file: Path, said: str) -> None:
    assert done.stderr == f"{file}: {said}\nRefused: nothing was changed.\n"
    assert done.exit_code == 1


def hire(folder: Path) -> None:
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})


@pytest.mark.parametrize("standing", [False, True])
def test_a_run_on_a_failing_disk_changes_nothing(
    database: Path, folder: Path, tmp_path: Path, standing: bool
) -> None:
    command = ["build", database, "--lists", folder]
    if standing:
        assert run(*command).exit_code == 0
        hire(folder)
    before = contents(tmp_path)
    for most in (100_000,) if standing else (0, 5_000, 100_000):
        with files_up_to(most):
            done = run(*command)
        assert_refused(done, database, "disk I/O error")
        assert contents(tmp_path) == before
    assert run(*command).exit_code == 0


@pytest.mark.rule("record-disk")
@pytest.mark.parametrize("standing", [False, True])
def test_on_a_full_disk_a_run_is_whole_or_nothing(
    tmp_path: Path, folder: Path, standing: bool
) -> None:
    with small_disk(tmp_path / "small", "3m") as small:
        database = small / "x.db"
        command = ["build", database, "--lists", folder]
        if standing:
            run(*command)
            hire(folder)
        refused = 0
        for room in range(0, 1_500_000, 65_536):
            leave(small, room)
            before = contents(small)
            done = run(*command)
            if done.exit_code == 0:
                break
            full = "No space left on device (there, or where temporary files go)"
            assert_refused(done, database, full)
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


def test_a_folder_or_a_file_that_the_user_may_not_touch_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.csv").write_text(MOVEMENT)
    database = tmp_path / "x.db"
    run("build", database, "--movements", tmp_path / "m.csv")
    database.chmod(0)
    tmp_path.chmod(0o777)
    (tmp_path / "locked").mkdir(mode=0o555)
    monkeypatch.chdir(tmp_path)  # the folders above are for their owner only
    before = database.stat()
    with as_nobody():
        unread = run("build", "x.db", "--movements", "m.csv")
        unwritten = run("build", Path("locked") / "x.db", "--movements", "m.csv")
    assert_refused(unread, Path("x.db"), "Permission denied")
    assert_refused(unwritten, Path("locked") / ".x.db.lock", "Permission denied")
    assert database.stat() == before
    assert list((tmp_path / "locked").iterdir()) == []
