"""The documentation's backup commands, with the real tools: what was acknowledged is restored, and goes on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from datasette_mouvements.keys import open_store
from datasette_mouvements.keys.keys import digest
from datasette_mouvements.keys.store import AccountError, Store
from tests.contract.environment import ROOT, done
from tests.docs.commands import blocks
from tests.keys.postgres_server import PostgresServer
from tests.keys.processes import Child, charge_for_ever

BLOCKS = blocks(ROOT / "docs" / "how-to" / "restore.md")
COMMANDS = "".join(BLOCKS).splitlines()
PATIENCE = 60  # seconds


def documented(start: str) -> str:
    """The one command of the page that starts so."""
    (command,) = [line for line in COMMANDS if re.match(rf"(\(umask 077 && )?{start}\b", line)]
    return command


def run(command: str, folder: Path, programs: Path, **environment: str) -> None:
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr


def used(store: Store, key: str, amount: int = 0) -> int:
    (charge,) = store.charge([(digest(key), amount)], datetime.now(UTC), 1_000_000)
    assert charge is not None
    assert charge.granted
    return charge.used


def filled(*where: object) -> tuple[str, str]:
    """A key under charge, and one that was rotated away."""
    (live, ended) = (key_of("create", account, *where) for account in ("zoé", "anne"))
    key_of("rotate", "anne", *where)
    return live, ended


def key_of(*arguments: object) -> str:
    found = re.search(r"mvt_\w{36}", done("keys", *arguments).output)
    assert found
    return found[0]


def accepts_what_it_accepted(store: Store, before: Store, key: str, ended: str) -> None:
    """Same keys with their numbers, the count going on, the ended key refused, room for a new one."""
    now = datetime.now(UTC)
    unused = {"used_today": 0, "last_used_at": None}
    assert [record._replace(**unused) for record in store.list(now)] == [
        record._replace(**unused) for record in before.list(now)
    ]
    count = used(store, key)
    assert used(store, key, 1) == count + 1
    assert store.charge([(digest(ended), 1)], now, 10) == [None]
    with pytest.raises(AccountError):
        store.create("zoé", b"other", "mvt_", now)
    store.create("newcomer", b"new", "mvt_", now)


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def test_a_dump_taken_under_charges_restores_into_an_empty_database_and_over_one_that_went_on(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    (tmp_path / "var").mkdir()
    url, other = postgres.new_database(), postgres.new_database()
    key, ended = filled("--store", url)
    child = Child(charge_for_ever, url, "", digest(key))
    before = [child.hear() for _ in range(100)][-1]
    run(documented("pg_dump"), tmp_path, postgres.programs, STORE=url)
    child.kill()
    with closing(open_store(url, Path())) as old:
        after = used(old, key)
        for _ in range(2):
            run(documented("pg_restore"), tmp_path, postgres.programs, STORE=other)
            with closing(open_store(other, Path())) as restored:
                restored.prepare()
                assert before <= used(restored, key) <= after
                accepts_what_it_accepted(restored, old, key, ended)
    assert (tmp_path / "var" / "keys.dump").stat().st_mode & 0o077 == 0


def test_a_backup_taken_every_day_under_charges_is_restored_as_often_as_it_is_needed(
    tmp_path: Path,
) -> None:
    back_up, restore = BLOCKS[:2]
    internal = tmp_path / "var" / "internal.sqlite3"
    programs = Path(sys.executable).parent
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(programs)
    (tmp_path / "sudo").write_text("#!/bin/sh\n")
    (tmp_path / "sudo").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{programs}:{os.environ['PATH']}"}
    key, ended = filled("--internal", internal)
    child = Child(charge_for_ever, "", str(internal), digest(key))
    for _ in range(2):  # next week's takes the place of this week's
        before = [child.hear() for _ in range(100)][-1]
        run(back_up, tmp_path, programs)
    child.kill()
    (backup,) = (tmp_path / "var" / "backup").iterdir()
    with closing(open_store("", internal)) as old:
        after = used(old, key)
    for _ in range(2):
        shutil.copy(internal, was := tmp_path / "was.sqlite3")
        run(restore, tmp_path, programs, **environment)
        assert {path.stat().st_mode & 0o777 for path in (backup, internal)} == {0o600}
    with closing(open_store("", internal)) as restored, closing(open_store("", was)) as old:
        assert before <= used(restored, key) <= after
        accepts_what_it_accepted(restored, old, key, ended)
    assert len(list(tmp_path.glob("var/damaged.*/internal.sqlite3"))) == 2


def test_a_backup_of_what_is_not_there_leaves_the_last_one(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    internal = tmp_path / "var" / "internal.sqlite3"
    filled("--internal", internal)
    run(BLOCKS[0], tmp_path, Path(sys.executable).parent)
    (backup,) = (tmp_path / "var" / "backup").iterdir()
    internal.unlink()
    before = backup.read_bytes()
    with pytest.raises(AssertionError, match="unable to open database file"):
        run(BLOCKS[0], tmp_path, Path(sys.executable).parent)
    assert backup.read_bytes() == before
    assert not internal.exists()
