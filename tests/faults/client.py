"""Clients that ask without pause over kept connections, and judge every answer."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import NamedTuple

from .outcome import Outcome

PATIENCE = 10.0


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


# What is wrong with an answer to a target, "" if nothing.
Judge = Callable[[str, Response], str]


async def response(reader: asyncio.StreamReader, began: float, method: str = "GET") -> Response:
    """One HTTP response with a Content-Length, or without a body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split()[1])
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", 0))
    bodiless = method == "HEAD" or status in (204, 304)
    body = b"" if bodiless else await reader.readexactly(length)
    return Response(status, headers, body, time.monotonic() - began)


async def ask_on(
    port: int, targets: Callable[[], str], key: str, outcome: Outcome, judge: Judge
) -> None:
    """Ask on one connection until it breaks or the task is cancelled; broken is not wrong."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while True:
            target = targets()
            head = (
                f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n"
            )
            outcome.sent += 1
            began = time.monotonic()
            writer.write(head.encode())
            try:
                async with asyncio.timeout(PATIENCE):  # wait_for may lose a cancellation
                    got = await response(reader, began)
            except TimeoutError:
                outcome.wrong.append(f"{target}: no answer in {PATIENCE} s")
                return
            outcome.statuses[got.status] += 1
            fault = judge(target, got)
            if fault:
                outcome.wrong.append(f"{target}: {fault}")
            elif got.status in (200, 304, 400, 429):
                outcome.good()
            if got.headers.get("connection") == "close":
                return
    finally:
        await closed(writer)


async def insist(
    port: Callable[[], int], targets: Callable[[], str], key: str, outcome: Outcome, judge: Judge
) -> None:
    """The same for ever, on a new connection when the old one broke."""
    while True:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await ask_on(port(), targets, key, outcome, judge)
        await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def load(
    port: Callable[[], int],
    targets: Callable[[], str],
    key: str,
    outcome: Outcome,
    judge: Judge,
    clients: int = 8,
) -> AsyncIterator[None]:
    """Clients that ask while the block runs."""
    tasks = [
        asyncio.create_task(insist(port, targets, key, outcome, judge)) for _ in range(clients)
    ]
    try:
        yield
        broken = [task for task in tasks if task.done()]
        for task in broken:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
