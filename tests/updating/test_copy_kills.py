"""A copy that is killed at random moments, of a service of two workers that publishes meanwhile, ends equal."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.writer import write
from parlement_lists.movement import Movement
from tests.contract import environment
from tests.faults.processes import Server

from .original_service import movement, rows, said

pytestmark = pytest.mark.process
KILLS = 12
# Small pages, each written: there are many moments to be killed at.
SMALL = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from datasette_mouvements.copying.copy_run import follow
from datasette_mouvements.copying.service_client import Key, ServiceClient
now = lambda: datetime.now(UTC)
print("begins", flush=True)
url, copied, key_file = sys.argv[1:]
key = Key(Path(key_file).read_text())
with ServiceClient(url, key, "test", now, time.sleep, page=2) as service:
    print(follow(Path(copied), service, now, pages_a_write=1).as_json())
"""


class Publishing:
    """A service of two workers, and the table that it was last given."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.database = folder / "original.db"
        self.table = {one.id: one for one in map(movement, range(300))}
        self.number = 300
        self.write()
        self.server = Server(self.database, folder / "internal.sqlite3", workers=2)
        self.key = environment.issue("copiste", self.server.internal, "--quota", 1_000_000)

    def write(self, anew: bool = False) -> None:
        if anew:
            self.database.unlink()
        write(self.database, [("test", enumerate(self.table.values(), 1))])

    def publish(self) -> None:
        """Add, replace and withdraw some; now and then in a file of another lineage."""
        for _ in range(self.random.randint(1, 12)):
            self.number += 1
            new = movement(self.number)
            self.table[new.id] = new
        for id in self.random.sample(sorted(self.table), 5):
            self.table[id] = self.table[id]._replace(fonction=f"Fonction {self.number}")
        for id in self.random.sample(sorted(self.table), 4):
            del self.table[id]
        self.write(anew=self.random.random() < 0.15)

    def settle(self) -> None:
        """Wait until every worker answers of the file as it is: asked often, each answers now and then."""
        until, version = time.monotonic() + 30, said(self.database)["version"]
        found = {""}
        while found != {version}:
            assert time.monotonic() < until
            time.sleep(0.25)
            found = {
                self.server.ask("/v1/mouvements?limit=1", self.key).headers["mouvements-version"]
                for _ in range(24)
            }


@pytest.fixture
def publishing(tmp_path: Path) -> Iterator[Publishing]:
    one = Publishing(tmp_path, seed=14)
    yield one
    one.server.close()


def start(publishing: Publishing, copied: Path, key_file: Path) -> subprocess.Popen[bytes]:
    url = f"http://127.0.0.1:{publishing.server.port}"
    arguments = [url, str(copied), str(key_file)]
    process = subprocess.Popen(
        [sys.executable, "-c", SMALL, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begins\n"
    return process


def test_a_copy_killed_at_random_moments_ends_equal(
    publishing: Publishing, copied: Path, tmp_path: Path
) -> None:
    key_file = tmp_path / "cle"
    key_file.write_text(publishing.key)
    chance = random.Random(14)
    output, killed, longest = b"", 0, 0.5
    known: set[Movement] = set(publishing.table.values())
    for _ in range(5 * KILLS):
        process = start(publishing, copied, key_file)
        # A clock of its own: a publication may take longer than a run.
        ending = threading.Timer(chance.uniform(0, longest), process.kill)
        ending.start()
        while process.poll() is None:
            publishing.publish()
            known |= set(publishing.table.values())
            time.sleep(0.1)
        ending.cancel()
        output += process.communicate()[0]
        if process.returncode == -signal.SIGKILL:
            killed += 1
        else:  # a machine on which a run is over sooner is one to be quicker on
            longest *= 0.8
        if copied.exists():
            assert inspect(copied) == []
            assert {Movement(*(value or "" for value in row)) for row in rows(copied)} <= known
        if killed == KILLS:
            break
    assert killed == KILLS
    publishing.settle()
    process = start(publishing, copied, key_file)
    output += process.communicate(timeout=120)[0]
    assert process.returncode == 0, output.decode()
    assert rows(copied, "id") == rows(publishing.database, "id")
    assert inspect(copied) == []
    # Nothing of a killed run is left, and the key is nowhere.
    assert {path.name for path in copied.parent.iterdir()} <= {
        copied.name,
        "movements.suivi.sqlite3",
    }
    key = publishing.key.encode()
    assert key not in output
    assert not [path for path in copied.parent.iterdir() if key in path.read_bytes()]
    assert key not in publishing.server.log.read_bytes()
