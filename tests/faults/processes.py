"""A service of its own processes, whose workers can be killed one by one or all at once."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.contract import environment

STATE = "/-/mouvements/etat"


class Server:
    """`datasette mouvements serve` with workers, in a process group of its own."""

    def __init__(
        self,
        database: Path,
        internal: Path,
        workers: int = 2,
        variables: Mapping[str, str] | None = None,
        command: list[str] | None = None,
    ) -> None:
        self.database, self.internal = database, internal
        self.log = internal.with_suffix(".log")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        serve = environment.serve_command(database, internal)[:-1]
        self._command = [
            *(command or [*serve, "--workers", str(workers)]),
            "--port",
            str(self.port),
        ]
        self._variables = {
            **os.environ,
            "DATASETTE_SECRET": environment.SECRET,
            **(variables or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self, wait: bool = True) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=environment.ROOT,
                env=self._variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if wait:
            self.wait()

    def wait(self, seconds: float = 60) -> None:
        """Until it answers whatever it answers."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.ask(STATE)
                return
            assert self._process is not None
            ended = self._process.poll() is not None or time.monotonic() > deadline
            assert not ended, self.log.read_text(encoding="utf-8", errors="replace")
            time.sleep(0.02)

    def ask(self, target: str, key: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", target, headers={"X-API-Key": key} if key else {})
            response = connection.getresponse()
            response.read()
            return response

    @property
    def process(self) -> int:
        """The number of the process that was started."""
        assert self._process is not None
        return self._process.pid

    def workers(self) -> list[int]:
        """The numbers of the processes that answer."""
        assert self._process is not None
        main = self._process.pid
        try:
            children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        except FileNotFoundError:
            return []
        return [int(child) for child in children if b"spawn_main" in _command_line(child)]

    def memory(self) -> int:
        """Bytes that its processes have in memory, shared pages counted once each."""
        assert self._process is not None
        return sum(map(_own_bytes, [self._process.pid, *self.workers()]))

    def kill(self, process: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    def kill_all(self) -> None:
        """At once, the supervisor too."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)
            self._process = None

    def stop(self, asked: int) -> int:
        """Ask it to stop, and wait until it and its workers have: its exit status."""
        assert self._process is not None
        self._process.send_signal(asked)
        return self._process.wait(60)

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(15)
            self.kill_all()


def _command_line(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _own_bytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
