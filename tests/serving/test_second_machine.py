"""The example by which a second machine follows the first, run by a shell against a real service."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp

EXAMPLE = environment.ROOT / "docs" / "examples" / "follow.sh"
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("curl") is None, reason="the example needs curl"),
]


class Follower:
    """A second machine: where it serves its file, and a key for the first."""

    def __init__(self, folder: Path, key: str) -> None:
        self.served = folder / "second.db"
        self.header = folder / "key.header"
        self.header.write_text(f"Authorization: Bearer {key}\n")

    def follow(self, port: int) -> subprocess.CompletedProcess[str]:
        address = f"http://127.0.0.1:{port}"
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", EXAMPLE, address, self.header, self.served],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PATH": programs},
        )


@pytest.fixture
def first(tmp_path: Path) -> Iterator[OverHttp]:
    """The first machine, on a file that a test may replace."""
    database, internal = tmp_path / "movements.db", tmp_path / "internal.sqlite3"
    environment.done("build", database, "--movements", environment.SAMPLE)
    service = OverHttp(
        "first", environment.serve_command(database, internal), internal, environment.ROOT
    )
    yield service
    service.close()


def test_a_second_machine_takes_each_version_once_and_asks_for_nothing_between(
    first: OverHttp, tmp_path: Path
) -> None:
    key = environment.issue("seconde", first.internal)
    second = Follower(tmp_path, key)

    def used() -> int:
        found: int = first.ask("/v1/quota", {"X-API-Key": key}).json()["utilise"]
        return found

    began = second.follow(first.port)
    assert began.returncode == 0, began.stderr
    assert second.served.read_bytes() == (tmp_path / "movements.db").read_bytes()
    inode = second.served.stat().st_ino
    for _ in range(2):
        again = second.follow(first.port)
        assert again.returncode == 0, again.stderr
    assert (second.served.stat().st_ino, used()) == (inode, 1)

    lines = environment.SAMPLE.read_text(encoding="utf-8").splitlines()
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    environment.done("build", tmp_path / "movements.db", "--movements", fewer)
    deadline = time.monotonic() + 20
    while second.served.stat().st_ino == inode:
        assert second.follow(first.port).returncode == 0
        assert time.monotonic() < deadline
    assert second.served.read_bytes() == (tmp_path / "movements.db").read_bytes()
    assert used() == 2
    assert not list(tmp_path.glob("second.db.new*"))


class _Junk(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("ETag", '"x"')
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"junk")

    def log_message(self, *said: object) -> None:
        pass


def test_what_is_not_sound_never_takes_the_place_of_the_file(
    first: OverHttp, tmp_path: Path
) -> None:
    second = Follower(tmp_path, environment.issue("seconde", first.internal))
    assert second.follow(first.port).returncode == 0
    before = second.served.read_bytes()
    with http.server.HTTPServer(("127.0.0.1", 0), _Junk) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        assert second.follow(server.server_port).returncode != 0
        server.shutdown()
        serving.join()
    second.header.write_text("Authorization: Bearer mvt_faux\n")
    assert second.follow(first.port).returncode != 0
    assert second.served.read_bytes() == before
