"""uvicorn's HTTP protocol with bounds on a request's head: its size, and the time it takes to come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 131_072
HEAD_SECONDS = 10.0


class BoundedProtocol(HttpToolsProtocol):  # type: ignore[misc]
    """The protocol of one connection. uvicorn's own has no bound: it reads, and waits, for ever.

    `malformed` makes the whole response to what is not HTTP; while it has none, uvicorn's is sent.
    """

    malformed: ClassVar[Callable[[], bytes | None]] = lambda: None

    _in_head = False
    _head_bytes = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:  # most heads come whole, and never get here
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._give_up()
            elif self._deadline is None:
                self._deadline = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        whole = type(self).malformed()
        if whole is None:
            super().send_400_response(msg)
        else:
            self.transport.write(whole)
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._stop_waiting()
        self._in_head = False
        if not self.transport.is_closing():
            super().send_400_response("The head of the request is too long or too slow.")
