"""What a visitor's request may be: its address, its body, its time."""

from __future__ import annotations

import asyncio
import functools
import time
import types
from collections import Counter
from collections.abc import Awaitable, Collection, Coroutine, Generator
from contextlib import closing
from typing import Any
from urllib.parse import parse_qsl

from datasette.utils.sqlite import sqlite3

from ..api.routes import Receive, Send
from ..dataset import schema
from ..refusal import Refusal

ADDRESS_BYTES = 2048
FACETS = 3  # beside those that the table's configuration shows
FACET_SIZE = 30
PAGE_ROWS = 100
SQL_MILLISECONDS = 250
BEYOND = (
    "Sans compte, cette page admet au plus {}. Connectez-vous, ou envoyez votre clé, pour demander"
    " davantage."
)
BODY_BYTES = 65_536
BODY_SECONDS = 10.0
# A page that held the event loop for so long lets it turn before it goes on: /v1 waits for no page.
STEP_SECONDS = 0.002
REST_SECONDS = 0.001


def check_address(
    path: bytes, query: bytes, configured: Collection[str], table: str = schema.TABLE
) -> None:
    """Raise Refusal("bounds") for what only an account or a key may ask of a table's page.

    `configured` are the facets that the page shows by itself. Refusal("parameter") for what core would
    end in an error for, with a traceback in the log.
    """
    if len(path) + len(query) + 1 > ADDRESS_BYTES:
        raise _beyond(f"une adresse de {ADDRESS_BYTES} octets")
    asked = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    # Core counts a facet as often as it is asked for; those it shows by itself are asked for once.
    given = Counter(
        pair for pair in asked if pair[0].startswith("_facet") and pair[0] != "_facet_size"
    )
    free = Counter({("_facet", name): 1 for name in configured})
    if (given - free).total() > FACETS:
        raise _beyond(f"{FACETS} facettes ajoutées (_facet)")
    for name, most in (("_facet_size", FACET_SIZE), ("_size", PAGE_ROWS)):
        for known, value in asked:
            # Core reads a number in every form that Python knows: here a plain one is within the bound.
            if known == name and not (value.isascii() and value.isdigit() and int(value) <= most):
                raise _beyond(f"{name}={most}")
    for name, value in asked if table in schema.TABLES else ():
        if (
            name in ("_through", "_facet_array")  # no table of ours has links or lists
            or (name in ("_facet", "_facet_date") and value not in _columns(table))
            or (name == "_timelimit" and not (value.isascii() and value.isdigit()))
            or (name.endswith(("__in", "__notin")) and value.startswith("["))
        ):
            raise Refusal("parameter", "Cette page ne comprend pas un des paramètres de l’adresse.")


@functools.cache
def _columns(table: str) -> frozenset[str]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(schema.TABLES[table])
        names = {name for _, name, *_ in db.execute(f"pragma table_info({table})")}
    return frozenset(names | {"rowid"})


def _beyond(bound: str) -> Refusal:
    return Refusal("bounds", BEYOND.format(bound))


def too_long(visiting: bool) -> str:
    """What a visitor, or who pays, is told when SQL took longer than it may."""
    if visiting:
        return BEYOND.format(f"{SQL_MILLISECONDS} ms pour chaque requête SQL")
    return "La requête SQL a pris plus de temps ou de mémoire qu’il n’est admis : resserrez-la."


class Body:
    """A request's body: read within bounds before anything is done for the request, then replayed."""

    def __init__(
        self,
        headers: Collection[tuple[bytes, bytes]],
        receive: Receive,
        seconds: float = BODY_SECONDS,
    ) -> None:
        self._receive, self._seconds = receive, seconds
        self._read: list[dict[str, Any]] = []
        self._size = 0
        self._reading = asyncio.Lock()
        self._room = asyncio.Event()
        self._room.set()
        self.complete = False
        self.gone = False
        self.refused: Refusal | None = None
        self._declared = next((v for name, v in headers if name == b"content-length"), b"0")

    async def read(self) -> None:
        """Read the body whole. Raises Refusal: `too_large` (also as declared), `too_slow`.

        What was read before is not lost by that, and `refused` keeps the Refusal.
        """
        try:
            async with asyncio.timeout(self._seconds):
                too_large = self._declared.isdigit() and int(self._declared) > BODY_BYTES
                while not self.complete and not too_large:
                    await self._read_on()
                    too_large = self._size > BODY_BYTES
        except TimeoutError:
            self.refused = Refusal(
                "too_slow", f"Le corps de la demande n’est pas arrivé en {self._seconds:.0f} s."
            )
        else:
            self.refused = self.too_large() if too_large else None
        if self.refused:
            raise self.refused

    async def _read_on(self) -> None:
        message = await self._receive()
        self._read.append(message)
        self._size += len(message.get("body", b""))
        if self._size > BODY_BYTES:
            self._room.clear()
        self.complete = not message.get("more_body", False)
        self.gone = message["type"] == "http.disconnect"

    def look_ahead(self) -> Receive:
        """ASGI's `receive` for who comes before the page, which reads it again; Refusal beyond the bounds."""
        position = 0

        async def receive() -> dict[str, Any]:
            nonlocal position
            if position == len(self._read):
                if self.refused:
                    raise self.refused
                return await self._receive()
            position += 1
            return self._read[position - 1]

        return receive

    async def receive(self) -> dict[str, Any]:
        """ASGI's `receive`: what was read, then what follows."""
        async with self._reading:
            if not self._read and not self.complete:
                await self._read_on()
            if self._read:
                message = self._read.pop(0)
                self._size -= len(message.get("body", b""))
                if self._size <= BODY_BYTES:
                    self._room.set()
                return message
        return await self._receive()

    async def follow(self) -> dict[str, Any]:
        """ASGI's `receive` for `until_gone`: a client's going is heard behind what it still sent.

        That is read ahead for `receive`, but no further than a body may be: a page that reads nothing
        of a larger one is not told that its client has gone.
        """
        while not self.complete:
            await self._room.wait()
            async with self._reading:
                if not self.complete:
                    await self._read_on()
        return {"type": "http.disconnect"} if self.gone else await self._receive()

    @staticmethod
    def too_large() -> Refusal:
        return Refusal("too_large", f"Le corps de la demande dépasse {BODY_BYTES // 1024} kio.")


def has_body(headers: Collection[tuple[bytes, bytes]]) -> bool:
    """Whether a request's head says that a body follows (RFC 9112, section 6.3)."""
    for name, value in headers:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False


def ending_unread(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """`receive` and `send` of a request with a body: answered before it was read whole, its connection ends.

    What still comes would be taken for the next request, or awaited for ever.
    """
    whole = False

    async def receiving() -> dict[str, Any]:
        nonlocal whole
        message = await receive()
        whole = not message.get("more_body", False)
        return message

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start" and not whole:
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() != b"connection"]
            message = {**message, "headers": [*kept, (b"connection", b"close")]}
        await send(message)

    return receiving, sending


class Answered:
    """Whether a request was answered whole; its `send` is ASGI's."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.whole = False

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.whole = True
        await self._send(message)


async def until_gone(receive: Receive, work: Awaitable[None], answered: Answered) -> None:
    """Do `work`, but no longer than the client waits for it; `receive` must take nothing that `work` reads.

    What is still done once the request was answered (another plugin's log, say) is let be.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and gone.result()["type"] == "http.disconnect" and not answered.whole:
            task.cancel()
        await asyncio.wait((task,))
    finally:
        gone.cancel()
        task.cancel()
    if not task.cancelled():
        task.result()


@types.coroutine
def giving_way(work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Do `work` step by step, with a rest before the step that follows one that took long.

    A step is what a coroutine does between two awaits, while nothing else is done. What awaits its
    turn then takes a few rounds of the event loop, and would wait for a step in each of them. The
    rest comes once what the work awaits is there: a cancellation reaches that, too.
    """
    result: Any = None
    failure: BaseException | None = None
    while True:
        began = time.perf_counter()
        try:
            awaited = work.send(result) if failure is None else work.throw(failure)
        except StopIteration:
            return
        result = failure = None
        long = time.perf_counter() - began > STEP_SECONDS
        try:
            result = yield awaited
            if long:
                yield from asyncio.sleep(REST_SECONDS).__await__()
        except BaseException as raised:  # a cancellation, which the work must hear of
            failure = raised
