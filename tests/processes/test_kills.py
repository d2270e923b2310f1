"""Real processes, killed: the old file or the new one stands, whole, and the next run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from tests.building.conftest import database as database
from tests.building.conftest import folder as folder
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER

pytestmark = pytest.mark.process


@pytest.mark.rule("record-killed")
def test_a_run_killed_at_any_moment_leaves_the_old_or_the_new(database: Path, folder: Path) -> None:
    began = time.monotonic()
    assert _process(database, folder).wait() == 0
    whole = time.monotonic() - began
    for number in range(1, 6):
        extra = [f"Une NOUVELLE{'ABCDEFGHI'[n]}" for n in range(number)]
        content = {**AFTER, 9: [*AFTER[9], *extra]}
        lists.write(folder, "senat", f"2026-09-{12 + number}", content)
        began = time.monotonic()
        process = _process(database, folder)
        # Most of a run is starting: the moments that matter come at its end.
        while process.poll() is None and time.monotonic() - began < whole * (0.55 + 0.1 * number):
            time.sleep(0.001)
        process.kill()
        process.wait()
        assert inspect(database) == []
        assert len(Published(database).identifiers()) in (number, 1 + number)
        done = run("build", database, "--lists", folder, "--source", "suivi")
        assert done.exit_code == 0, done.output
        assert len(Published(database).identifiers()) == 1 + number


def _process(database: Path, folder: Path) -> subprocess.Popen[bytes]:
    arguments = ["-m", "datasette", "mouvements", "build", database, "--lists", folder]
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
    )
