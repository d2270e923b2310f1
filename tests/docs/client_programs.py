"""The client of the documentation, run as it stands, against a service that publishes when it is told to."""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from benchmarks.invented import COLUMNS
from tests.contract import environment
from tests.contract.service import OverHttp
from tests.sources.misbehaving import Behaviour, Server

EXAMPLES = environment.ROOT / "docs" / "examples"
Rows = list[list[str]]
CLIENT = EXAMPLES / "client.py"
# Of the server in between and the connection to it, not of what is said.
_OWN = ("connection", "transfer-encoding", "date", "server")


class Publisher(OverHttp):
    """A service, the key of one who asks it, and the states of its file that it publishes in turn."""

    def __init__(self, folder: Path, states: list[tuple[Rows, tuple[str, ...]]]) -> None:
        self.database = folder / "movements.db"
        self._corrections = folder / "corrections.yml"
        # Each is movements, and the names withheld of them.
        self._states = itertools.cycle(states)
        self._build(*next(self._states))
        internal = folder / "internal.sqlite3"
        command = environment.serve_command(self.database, internal)
        super().__init__("publisher", command, internal, environment.ROOT)
        self.key = environment.issue("lectrice", internal)

    def _build(self, rows: Rows, masked: tuple[str, ...]) -> None:
        lists = self.database.with_name("mouvements.csv")
        with lists.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
        entries = [
            {"date": "2026-10-03", "raison": f"Demande {number}", "masquer": {"nom": name}}
            for number, name in enumerate(masked)
        ]
        self._corrections.write_text(json.dumps(entries, ensure_ascii=False))  # YAML, too
        corrections = ("--corrections", self._corrections)
        environment.done("build", self.database, "--movements", lists, *corrections)

    def publish(self) -> None:
        """Build the next state over the file, and wait until it is served."""
        before = self.version()
        self._build(*next(self._states))
        deadline = time.monotonic() + 20
        while self.version() == before:
            assert time.monotonic() < deadline, "a new file is served within two seconds"
            time.sleep(0.05)

    def asked(self, target: str) -> Any:
        """What the service answers to the key, which is charged."""
        return self.ask(target, {"Authorization": f"Bearer {self.key}"})

    def version(self) -> str:
        found = self.asked("/v1/quota").header("Mouvements-Version")
        assert found
        return found

    def charged(self) -> int:
        used: int = self.asked("/v1/quota").json()["utilise"]
        return used

    def movements(self) -> dict[str, Any]:
        """Everything that is published, by identifier: read from pages while nothing changes."""
        found: dict[str, Any] = {}
        total = 1
        while len(found) < total:
            answer = self.asked(f"/v1/mouvements?limit=500&offset={len(found)}").json()
            total = answer["total"]
            found |= {movement["id"]: movement for movement in answer["mouvements"]}
        return found


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """A server that behaves as it is told, to stand between a client and a service."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


def passes_on(service: OverHttp, first: Callable[[], None] = lambda: None) -> Behaviour:
    """Do something, then give what the service answers."""

    def behave(request: BaseHTTPRequestHandler) -> None:
        first()
        answer = service.ask(request.path, dict(request.headers))
        request.send_response(answer.status)
        for name, value in answer.headers:
            if name not in _OWN:
                request.send_header(name, value)
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(answer.body)

    return behave


def run(
    address: str, key: str, arguments: tuple[object, ...], seconds: float = 20
) -> subprocess.CompletedProcess[str]:
    """The client with these arguments, in a process with nothing else around it."""
    given = {"MOUVEMENTS_URL": address, "MOUVEMENTS_KEY": key, "MOUVEMENTS_TIMEOUT": str(seconds)}
    return subprocess.run(
        [sys.executable, str(CLIENT), *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": os.environ["HOME"], **given},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
