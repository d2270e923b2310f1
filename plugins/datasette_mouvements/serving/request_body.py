"""The body of a visitor's request: how large it may be, and how long it may take."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from ..api.replies import Headers, changing_headers, without
from ..api.service import Receive, Send
from ..refusal import Refusal

BODY_BYTES = 65_536
BODY_SECONDS = 10.0


class Body:
    """A request's body: read within its limits before the page starts, then replayed to it."""

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
        """Read the body whole. Raises Refusal: `too_large` (also by its Content-Length), `too_slow`.

        What came before the Refusal is kept, and so is the Refusal itself, in `refused`.
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
        """ASGI's `receive` for plugins that read the body before the page does; Refusal beyond the limits."""
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
        """ASGI's `receive` for `run_until_gone`: the client's disconnect comes after the rest of its body.

        That rest is read ahead for `receive`, up to the limit of a body: of a longer one that the page
        does not read, the disconnect is not seen.
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
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in headers
    )


def close_if_unread(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """`receive` and `send` of a request with a body: answered before the body has come, its connection ends.

    The rest of the body would be read as the next request, or awaited for ever.
    """
    whole = False

    async def receiving() -> dict[str, Any]:
        nonlocal whole
        message = await receive()
        whole = not message.get("more_body", False)
        return message

    def closing(status: int, headers: Headers) -> Headers:
        return headers if whole else [*without(headers, b"connection"), (b"connection", b"close")]

    return receiving, changing_headers(send, closing)
