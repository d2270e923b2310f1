"""A disk that is full, a folder that cannot be written to: one line says so, and all is as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile, token_of
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.state import StateError, TrackingState, to_json
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.disk import files_up_to, leave, small_disk
from tests.tracking.lists import AFTER, NAME

MOVEMENT = (
    '{"date_event": "2020-01-01", "chambre": "senat", "type": "depart", "source": "archives",'
    ' "confiance": "fort"}'
)


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
    movements, corrections = tmp_path / "m.ndjson", tmp_path / "corrections.yml"
    movements.write_text(MOVEMENT)
    corrections.write_text(f"- {{date: 2026-10-01, raison: Demande, masquer: {{nom: {NAME}}}}}")
    return {
        "build": ["build", database, "--lists", folder],
        "build from movements": ["build", database, "--movements", movements],
        "track": ["track", database, "--lists", folder],
        "mask": ["mask", database, "--corrections", corrections],
    }


@pytest.mark.parametrize("command", ["build", "build from movements", "track"])
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


@pytest.mark.parametrize("command", ["build", "track", "mask"])
def test_a_later_run_on_a_failing_disk_changes_nothing(
    database: Path, folder: Path, commands: dict[str, list[object]], tmp_path: Path, command: str
) -> None:
    assert run(*commands["track"]).exit_code == 0
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    before = contents(tmp_path)
    with files_up_to(100_000):
        done = run(*commands[command])
    unchanged = f"{database} is as it was" if command == "mask" else "nothing was changed"
    assert_refused(done, database, "disk I/O error", unchanged)
    assert contents(tmp_path) == before
    assert run(*commands[command]).exit_code == 0


@pytest.mark.parametrize("tracked", [False, True])
def test_a_state_that_cannot_be_written_changes_nothing(
    database: Path, folder: Path, tmp_path: Path, tracked: bool
) -> None:
    if tracked:
        run("track", database, "--lists", folder)
        lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    # A run that was killed left so much in it that the state is larger than the database.
    store = StateFile(database)
    with store.locked():
        store.add("x" * 3_000_000)
    before = contents(tmp_path)
    with files_up_to(1_500_000):
        done = run("track", database, "--lists", folder)
    assert_refused(done, store.path, "disk I/O error")
    assert contents(tmp_path) == before
    assert run("track", database, "--lists", folder).exit_code == 0


@pytest.mark.parametrize("tracked", [False, True])
def test_on_a_full_disk_a_run_is_whole_or_nothing(small: Path, folder: Path, tracked: bool) -> None:
    database, state = small / "x.db", small / "x.suivi.sqlite3"
    if tracked:
        run("track", database, "--lists", folder)
        lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: [*AFTER[9], "Une NOUVELLE"]})
    refused = set()
    for room in range(0, 1_500_000, 16_384):
        leave(small, room)
        before = contents(small)
        done = run("track", database, "--lists", folder)
        if done.exit_code == 0:
            break
        file = state if done.stderr.startswith(str(state)) else database
        said = "No space left on device (there, or where temporary files go)"
        assert_refused(done, file, said)
        assert contents(small) == before
        refused.add(file)
    assert refused == {database, state}
    assert len(Published(database).identifiers()) == 1 + tracked
    assert inspect(database) == []
    assert "nothing new" in run("track", database, "--lists", folder).output


def test_states_that_cannot_be_forgotten_yet_are_forgotten_later(database: Path) -> None:
    store = StateFile(database)
    old, new = to_json(TrackingState(corrections="1")), to_json(TrackingState(corrections="2"))
    with store.locked():
        for text in (old, new):
            store.add(text)
            with files_up_to(0 if text is new else 100_000):
                store.keep(text)
        assert [store.load(token_of(t), Members()).corrections for t in (old, new)] == ["1", "2"]
        store.keep(new)
        with pytest.raises(StateError):
            store.load(token_of(old), Members())


def test_on_a_full_disk_nothing_is_masked(
    small: Path, folder: Path, commands: dict[str, list[object]]
) -> None:
    database = small / "x.db"
    run("build", database, "--lists", folder)
    leave(small, 100_000)
    before = contents(small)
    done = run("mask", database, *commands["mask"][2:])
    said = "No space left on device (there, or where temporary files go)"
    assert_refused(done, database, said, f"{database} is as it was")
    assert contents(small) == before


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


@pytest.mark.parametrize("command", ["build", "build from movements", "track"])
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
    file = "x.db" if "movements" in command else "x.suivi.sqlite3"
    assert_refused(done, locked / file, "Permission denied")
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
        done = run("build", database.name, "--movements", "m.ndjson")
    assert_refused(done, Path(database.name), "Permission denied")
    assert database.stat() == before


KILLED = """
import os, signal, sys
from pathlib import Path
from datasette_mouvements.updating.state_file import StateFile
with StateFile(Path(sys.argv[1])).changed() as db:
    db.execute("pragma cache_size = 1")
    db.execute("create table etats (jeton, etat, garde)")
    for number in range(100):
        db.execute("insert into etats values (?, ?, 0)", [number, "x" * 9999])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_state_half_written_by_a_first_run_that_was_killed_is_none(
    database: Path, folder: Path
) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", KILLED, str(database)], env=environment)
    assert database.with_name("x.suivi.sqlite3-journal").exists()
    done = run("track", database, "--lists", folder)
    assert done.exit_code == 0, done.output
