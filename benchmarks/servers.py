"""The servers that are measured, each started, awaited and stopped."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from . import machine
from .client import Client
from .invented import FOLDER

HERE = Path(__file__).parent.relative_to(Path.cwd())
INTERNAL = FOLDER / "internal.sqlite3"
BODY = FOLDER / "fixed-body.json"
QUOTA = 10_000_000  # the most that the service accepts
STARTS_WITHIN = 60.0


class Running(NamedTuple):
    """A server that answers."""

    pid: int
    address: str
    command: str
    seconds: float  # from its start to its first answer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str],
    port: int,
    first: str,
    headers: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Run a server until the block ends; ready when `first` answers 200."""
    full = machine.on_core(machine.SERVER_CORE, command)
    began = time.perf_counter()
    process = subprocess.Popen(
        full,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _await(process, address + first, dict(headers or {}), machine.shown(full, environment))
        seconds = time.perf_counter() - began
        yield Running(process.pid, address, machine.shown(full, environment), seconds)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], url: str, headers: dict[str, str], what: str) -> None:
    deadline = time.perf_counter() + STARTS_WITHIN
    request = urllib.request.Request(url, headers=headers)
    while time.perf_counter() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"ended with status {process.returncode} at its start: {what}")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                if response.status == 200:
                    return
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{url} answered {error.code} at the start of: {what}") from None
        except OSError:
            time.sleep(0.005)
    raise SystemExit(f"did not answer within {STARTS_WITHIN:.0f} s: {what}")


class Key:
    """A key with a quota that no benchmark reaches, and what it was charged."""

    def __init__(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            INTERNAL.with_name(INTERNAL.name + suffix).unlink(missing_ok=True)
        INTERNAL.parent.mkdir(parents=True, exist_ok=True)
        self.command = [
            *(sys.executable, "-m", "datasette", "mouvements", "keys", "create", "bench"),
            *("--quota", str(QUOTA), "--internal", str(INTERNAL), "--json"),
        ]
        made = subprocess.run(self.command, check=True, capture_output=True, text=True)
        self.key: str = json.loads(made.stdout)["key"]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def charged(self) -> int:
        """The charges recorded so far, read from the file itself."""
        with closing(sqlite3.connect(f"file:{INTERNAL}?mode=ro", uri=True)) as db:
            (used,) = db.execute(
                "select coalesce(sum(used), 0) from mouvements_quota where account = 'bench'"
            ).fetchone()
        return int(used)


@contextmanager
def service(database: Path, key: Key, plain: bool = False) -> Iterator[Running]:
    """This service, with the fixed routes beside it; `plain`: under `datasette serve`."""
    port = free_port()
    datasette = [sys.executable, "-m", "datasette"]
    options = ["--internal", str(INTERNAL), "--port", str(port)]
    if plain:
        command = [*datasette, "serve", str(database), *options]
    else:
        mouvements = ["mouvements", "serve", "--db", str(database)]
        command = [*datasette, *mouvements, *options]
    with running(
        [*command, "--plugins-dir", str(HERE / "fixed")],
        port,
        "/v1/mouvements?limit=1",
        key.headers,
        {"MOUVEMENTS_FIXED_BODY": str(BODY)},
    ) as started:
        yield started


def settled(server: Running, key: Key) -> None:
    """Wait until every worker has counted for its pages what it counts once, after a start."""
    for _ in range(4):  # a connection each: another worker may take it
        with Client(server.address, key.headers) as client:
            client.good("/")


@contextmanager
def datasette_alone(database: Path, first: str = "/-/versions.json") -> Iterator[Running]:
    """Datasette without the plugin, on the same database."""
    port = free_port()
    command = [sys.executable, "-m", "datasette", "serve", str(database), "--port", str(port)]
    with running(command, port, first, environment={"DATASETTE_LOAD_PLUGINS": ""}) as started:
        yield started


@contextmanager
def under_uvicorn(application: str, database: Path, first: str, *more: str) -> Iterator[Running]:
    """An ASGI application on `database`, under the server set-up that the service itself uses."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "uvicorn", application, "--port", str(port)),
        *("--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"),
        *more,
    ]
    environment = {
        "MOUVEMENTS_BENCH_DB": str(database),
        "MOUVEMENTS_FIXED_BODY": str(BODY),
        "DATASETTE_LOAD_PLUGINS": "",
    }
    with running(command, port, first, environment=environment) as started:
        yield started


def platform(database: Path) -> AbstractContextManager[Running]:
    """Datasette with the fixed routes and no other plugin."""
    factory = "benchmarks.ceilings:datasette"
    return under_uvicorn(factory, database, "/-/versions.json", "--factory")


def bare() -> AbstractContextManager[Running]:
    """No service at all: the bytes and headers of a recorded answer."""
    return under_uvicorn("benchmarks.ceilings:bare", Path(), "/ready", "--no-server-header")
