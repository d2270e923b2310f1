"""Ways to ask the running service: inside this process, or over HTTP to a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import http.client
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from datasette.app import Datasette

from datasette_mouvements.api import service
from datasette_mouvements.api.front import front_of

# Installed and in this process; installed, as its own command; not installed, by --plugins-dir.
WAYS = ("in-process", "serve", "plugins-dir")
# For what a server may change: headers, raw bytes, paths, methods, connections, credentials.
in_every_way = pytest.mark.ways(*WAYS)
over_http = pytest.mark.ways(*WAYS[1:])
NO_HEADERS: Mapping[str, str] = {}
# What carries a key, or asks on condition.
Headers = dict[str, str]


@dataclass(frozen=True)
class Answer:
    """One response as it came: header names in lower case, in order, repeats kept."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    received: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key == name.lower()]
        return ", ".join(found) if found else None

    def listed(self, name: str) -> set[str]:
        """The members of a comma-separated header, in lower case."""
        return {part.strip().lower() for part in (self.header(name) or "").split(",")} - {""}

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def remaining(self) -> int:
        return int(self.header("X-RateLimit-Remaining") or "none sent")


class InProcess:
    """A Datasette of this process, asked through its ASGI application on an event loop of its own.

    No HTTP library stands between: targets are sent as written, and a body where none may be shows.
    """

    def __init__(self, datasette: Datasette, internal: Path, name: str = "in-process") -> None:
        self.name, self.internal, self.datasette = name, internal, datasette
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._lifespan: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self._told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        try:
            self.run(self._start())
        except BaseException:
            self._stop()
            raise

    def ask(
        self, target: str, headers: Mapping[str, str] = NO_HEADERS, method: str = "GET"
    ) -> Answer:
        answer: Answer = self.run(self.answer(target, headers, method))
        return answer

    def volley(self, target: str, headers: Mapping[str, str], count: int) -> list[Answer]:
        async def all_at_once() -> list[Answer]:
            return await asyncio.gather(*(self.answer(target, headers) for _ in range(count)))

        answers: list[Answer] = self.run(all_at_once())
        return answers

    def close(self) -> None:
        async def shut_down() -> None:
            await self._lifespan.put({"type": "lifespan.shutdown"})
            await self._told.get()
            await self._running

        self.run(shut_down())
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.datasette.close()

    def run(self, coroutine: Any) -> Any:
        """What the coroutine returns, run on the service's own loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    async def _start(self) -> None:
        await self.datasette.invoke_startup()
        self._app = self.datasette.app()
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}}
        self._running = asyncio.create_task(self._app(scope, self._lifespan.get, self._told.put))
        await self._lifespan.put({"type": "lifespan.startup"})
        told = await self._told.get()
        assert told["type"] == "lifespan.startup.complete", told

    async def answer(
        self,
        target: str,
        headers: Mapping[str, str],
        method: str = "GET",
        body: bytes = b"",
        client: str = "127.0.0.1",
    ) -> Answer:
        path, _, query = target.partition("?")
        sent = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in sent.items()],
            "client": (client, 50000),
            "server": ("localhost", 80),
        }
        messages: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        await self._app(scope, receive, send)
        start, *parts = messages
        return Answer(
            start["status"],
            [(n.decode("latin-1").lower(), v.decode("latin-1")) for n, v in start["headers"]],
            b"".join(part.get("body", b"") for part in parts),
        )


class OverHttp:
    """A server process on a loopback port, started by a command that ends in its port."""

    def __init__(self, name: str, command: list[str], internal: Path, cwd: Path) -> None:
        self.name, self.internal = name, internal
        self.port = free_port()
        self._log = internal.with_name(f"{name}.log")
        self._command, self._cwd = [*command, str(self.port)], cwd
        self.start()

    def start(self) -> None:
        """For the first time, or again once it has ended."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, cwd=self._cwd, stdout=log, stderr=log)
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def ask(
        self, target: str, headers: Mapping[str, str] = NO_HEADERS, method: str = "GET"
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, target, headers=dict(headers))
            with connection.getresponse() as response:
                got = [(name.lower(), value) for name, value in response.getheaders()]
                return Answer(response.status, got, response.read())

    def volley(self, target: str, headers: Mapping[str, str], count: int) -> list[Answer]:
        with ThreadPoolExecutor(64) as threads:
            return list(threads.map(lambda _: self.ask(target, headers), range(count)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _wait(self) -> None:
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(ConnectionError):
                self.ask("/v1/mouvements")
                return
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} does not answer:\n{self.log()}")


Service = InProcess | OverHttp
# Starts a service of this process, with settings of the plugin (a mapping) and of core (keywords).
Start = Callable[..., InProcess]


def used(asked: Service, key: Headers) -> int:
    """How many requests of today the key has paid for."""
    return int(asked.ask("/v1/quota", key).json()["utilise"])


def behind(asked: InProcess) -> service.Service:
    """What the interface answers with."""
    front = front_of(asked.datasette)
    assert front is not None
    return front.service


def adopt(asked: InProcess) -> None:
    """Have the file that lies there now served: two looks must find it unchanged."""
    for _ in range(2):
        asked.run(behind(asked).served.look())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
