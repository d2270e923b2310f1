"""A service with workers that can be killed, and clients that ask it without pause."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.contract import environment
from tests.contract.service import Answer, OverHttp

STATE = "/-/mouvements/etat"
# Seconds: longer than a busy machine stands still.
PATIENCE = 30.0


class Server(OverHttp):
    """`datasette mouvements serve` with workers."""

    def __init__(self, database: Path, internal: Path, workers: int = 2, *options: str) -> None:
        self.database = database
        command = environment.serve_command(database, internal, "--workers", str(workers), *options)
        secret = f"DATASETTE_SECRET={environment.SECRET}"
        super().__init__("served", ["env", secret, *command], internal, environment.ROOT)

    def workers(self) -> list[int]:
        """The numbers of the processes that answer."""
        main = self.process.pid
        try:
            children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        except FileNotFoundError:
            return []
        return [int(child) for child in children if b"spawn_main" in _command_line(child)]

    def kill(self, *processes: int) -> None:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def kill_all(self) -> None:
        """The supervisor too."""
        self.kill(self.process.pid, *self.workers())
        self.process.wait(PATIENCE)


def _command_line(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for it to be so; AssertionError with `what` if it is not in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


class Load:
    """Clients that ask targets in turn, each on a connection of its own, while the block runs.

    What `judge` says of an answer to a target is wrong; a broken connection is not.
    """

    def __init__(
        self,
        service: OverHttp,
        targets: Sequence[str],
        headers: dict[str, str],
        judge: Callable[[str, Answer], str],
        clients: int = 8,
    ) -> None:
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.seconds: list[float] = []
        self.sent = 0
        self._service, self._targets = service, targets
        self._headers, self._judge = headers, judge
        self._lock, self._stopping = threading.Lock(), threading.Event()
        self._threads = [
            threading.Thread(target=self._insist, args=[number]) for number in range(clients)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def check(self) -> None:
        assert not self.wrong, "\n".join(self.wrong[:5])
        assert self.statuses.total()

    def _insist(self, number: int) -> None:
        """Ask, on a new connection where the old one broke."""
        while not self._stopping.is_set():
            port = self._service.port
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            with (
                contextlib.closing(connection),
                contextlib.suppress(ConnectionError, http.client.HTTPException),
            ):
                while not self._stopping.is_set():
                    number += 1
                    self._ask(connection, self._targets[number % len(self._targets)])
            time.sleep(0.005)

    def _ask(self, connection: http.client.HTTPConnection, target: str) -> None:
        with self._lock:
            self.sent += 1
        began = time.monotonic()
        connection.request("GET", target, headers=self._headers)
        try:
            with connection.getresponse() as response:
                headers = [(name.lower(), value) for name, value in response.getheaders()]
                answer = Answer(response.status, headers, response.read())
        except TimeoutError:
            self.wrong.append(f"{target}: no answer in {PATIENCE} s")
            raise ConnectionError from None
        fault = self._judge(target, answer)
        with self._lock:
            self.seconds.append(time.monotonic() - began)
            self.statuses[answer.status] += 1
            if fault:
                self.wrong.append(f"{target}: {fault}")
