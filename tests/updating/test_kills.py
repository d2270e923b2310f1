"""Real processes, killed: the database and its tracking state stay a pair."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.lists import AFTER, NAME

pytestmark = pytest.mark.process


KILLED = """
import os, signal, sys
from datasette_mouvements.updating.state_file import StateFile
from datasette_mouvements.cli import mouvements
add = StateFile.add
def killed(*arguments):
    if sys.argv[1] == "before":
        add(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(StateFile, "add" if sys.argv[1] == "before" else "keep", killed)
mouvements(sys.argv[2:])
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_killed_between_state_and_database_is_repaired_by_the_next(
    database: Path, folder: Path, when: str
) -> None:
    run("track", database, "--lists", folder)
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    arguments = ["track", str(database), "--lists", str(folder)]
    killed = subprocess.run([sys.executable, "-c", KILLED, when, *arguments], env=_environment())
    assert killed.returncode == -signal.SIGKILL
    assert inspect(database) == []
    assert len(Published(database).identifiers()) == (1 if when == "before" else 2)
    left = list(database.parent.glob(".x.db.build-*"))
    assert len(left) == (1 if when == "before" else 0)
    lists.write(folder, "senat", "2026-09-14", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert len(Published(database).identifiers()) == 2
    assert not list(database.parent.glob(".x.db.build-*"))
    assert "nothing new" in run(*arguments).output


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("command", ["track", "build"])
def test_a_first_run_killed_is_repaired_too(
    database: Path, folder: Path, when: str, command: str
) -> None:
    arguments = [command, str(database), "--lists", str(folder)]
    killed = subprocess.run([sys.executable, "-c", KILLED, when, *arguments], env=_environment())
    assert killed.returncode == -signal.SIGKILL
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert len(Published(database).identifiers()) == 1


KILLED_MASK = """
import os, signal, sys
from datasette_mouvements.updating.state_file import StateFile
from datasette_mouvements.cli import mouvements
add = StateFile.add_pseudonyms
def killed(*arguments):
    add(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
StateFile.add_pseudonyms = killed
mouvements(sys.argv[1:])
"""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "corrections.yml"
    path.write_text(f"- {{date: 2026-10-01, raison: Demande, masquer: {{nom: {NAME}}}}}\n")
    return path


@pytest.mark.parametrize("after", ["mask", "track", "build"])
def test_a_mask_killed_before_it_is_in_place_is_made_with_the_identifiers_it_kept(
    database: Path, folder: Path, asked: Path, after: str
) -> None:
    run("track", database, "--lists", folder)
    arguments = ["mask", str(database), "--corrections", str(asked)]
    killed = subprocess.run([sys.executable, "-c", KILLED_MASK, *arguments], env=_environment())
    assert killed.returncode == -signal.SIGKILL
    kept = StateFile(database).pseudonyms()
    assert Published(database).identifiers() < kept.keys()
    lists_given = [] if after == "mask" else ["--lists", folder]
    done = run(after, database, "--corrections", asked, *lists_given)
    assert done.exit_code == 0, done.output
    assert StateFile(database).pseudonyms() == kept
    published = Published(database)
    assert {*published.identifiers(), *(t.id for t in published.tenures())} > {*kept.values()}
    assert inspect(database) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_that_masks_killed_between_state_and_database_is_repaired_by_the_next(
    database: Path, folder: Path, asked: Path, when: str
) -> None:
    run("track", database, "--lists", folder)
    arguments = ["track", str(database), "--lists", str(folder), "--corrections", str(asked)]
    killed = subprocess.run([sys.executable, "-c", KILLED, when, *arguments], env=_environment())
    assert killed.returncode == -signal.SIGKILL
    kept = StateFile(database).pseudonyms()
    assert len(kept) == 2
    lists.write(folder, "senat", "2026-09-14", AFTER)
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert StateFile(database).pseudonyms() == kept
    assert Published(database).identifiers() < {*kept.values()}


def test_a_run_killed_at_any_moment_leaves_the_old_or_the_new(database: Path, folder: Path) -> None:
    began = time.monotonic()
    assert _process("track", database, folder).wait() == 0
    whole = time.monotonic() - began
    for number in range(1, 6):
        extra = [f"Une NOUVELLE{'ABCDEFGHI'[n]}" for n in range(number)]
        content = {**AFTER, 9: [*AFTER[9], *extra]}
        lists.write(folder, "senat", f"2026-09-{12 + number}", content)
        began = time.monotonic()
        process = _process("track", database, folder)
        # Most of a run is starting: the moments that matter come at its end.
        while process.poll() is None and time.monotonic() - began < whole * (0.55 + 0.1 * number):
            time.sleep(0.001)
        process.kill()
        process.wait()
        assert inspect(database) == []
        done = run("track", database, "--lists", folder)
        assert done.exit_code == 0, done.output
        assert len(Published(database).identifiers()) == 1 + number


def test_two_runs_at_once_do_not_mix(database: Path, folder: Path) -> None:
    processes = [_process("track", database, folder, stderr=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0 or b"another run is at work" in said
    assert len(Published(database).identifiers()) == 1


def _process(
    command: str, database: Path, folder: Path, stderr: int | None = None
) -> subprocess.Popen[bytes]:
    arguments = ["-m", "datasette", "mouvements", command, database, "--lists", folder]
    return subprocess.Popen(
        [sys.executable, *arguments], env=_environment(), stderr=stderr, stdout=subprocess.DEVNULL
    )


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
