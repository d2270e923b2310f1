"""A disk that is full, a folder that cannot be written to: one line says so, and all is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from tests.contract.environment import command as run
from tests.disk import leave, small_disk
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hire(folder: Path) -> None:
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})


@pytest.mark.rule("record-disk")
@pytest.mark.parametrize("standing", [False, True])
def test_a_full_disk_leaves_all_or_nothing(tmp_path: Path, folder: Path, standing: bool) -> None:
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
            assert done.stderr == f"{database}: {full}\nRefused: nothing was changed.\n"
            assert done.exit_code == 1
            assert contents(small) == before
            refused += 1
        assert refused
        assert len(Published(database).identifiers()) == 1 + standing
        assert inspect(database) == []
