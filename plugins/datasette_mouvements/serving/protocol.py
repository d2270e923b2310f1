"""uvicorn's HTTP protocol with bounds: a head's size, and the time a request and an answer may take."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 32_768
HEADERS = 200
# Requests that wait for the answers to those before them on their connection.
PIPELINED = 8
# A request has this time to come whole. A body that comes at this pace at least has as much again,
# and again: a long one may come, a drip may not.
REQUEST_SECONDS = 10.0
BODY_BYTES_A_SECOND = 8_192
# What follows an answer that did not wait for the request's end is read for so long and thrown
# away: closed at once, the connection would be reset, and the answer might be lost.
LINGER_SECONDS = 2.0
# A client that reads nothing of its answer for so long has its connection cut.
UNREAD_SECONDS = 30.0


class BoundedProtocol(HttpToolsProtocol):  # type: ignore[misc]
    """The protocol of one connection. uvicorn's own has no bound: it reads, and waits, for ever.

    `malformed` makes the whole response to what is not HTTP; while it has none, uvicorn's is sent.
    """

    malformed: ClassVar[Callable[[], bytes | None]] = lambda: None

    # A request is awaited from the connection on, and again from any byte after an answer.
    _awaited = True
    _in_head = False
    _head_bytes = 0
    _body_bytes = 0
    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _unread_bytes = 0
    # The request being answered; uvicorn knows the last one that came.
    _answered: Any = None
    # The connection as answers see it, and whether one has ended it.
    _for_answers: Any = None
    _ending = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._for_answers = SimpleNamespace(
            write=transport.write, is_closing=transport.is_closing, close=self._end
        )
        self._wait(REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._awaited = False
        self._stop_waiting()
        if self._unread is not None:
            self._unread.cancel()
        for cycle in (self._answered, *(waiting for waiting, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        body_bytes = self._body_bytes
        super().data_received(data)
        # Most heads come whole, and never get here. What brings a body nothing may be trailers without end.
        if self._in_head or (self._awaited and self._body_bytes == body_bytes):
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._give_up()
                return
        elif not self._awaited and self.cycle is not None and self.cycle.response_complete:
            # An empty line after an answer begins no request, and has stopped the keep-alive timer.
            self._awaited = True
        if self._awaited and self._deadline is None and not self.transport.is_closing():
            self._wait(REQUEST_SECONDS)

    def on_message_begin(self) -> None:
        self._awaited = self._in_head = True
        self._head_bytes = self._body_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if (
            self._in_head
        ):  # a trailer would become a header, which a proxy in front has not looked at
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if len(self.headers) > HEADERS or len(self.pipeline) >= PIPELINED or self._ending:
            raise ValueError("too many")  # the parser gives the connection up
        super().on_headers_complete()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._answered = cycle
        cycle.transport = self._for_answers
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._awaited = False
        self._stop_waiting()
        super().on_message_complete()
        if self._ending:
            self.transport.close()

    def on_response_complete(self) -> None:
        unfinished = self._unfinished
        super().on_response_complete()
        self._watch_reader()
        if unfinished and not self.transport.is_closing():
            self._linger()

    @property
    def _unfinished(self) -> bool:
        """Whether the request that is answered, or was, is still coming."""
        return self._awaited and not self._in_head and not self.pipeline

    def _end(self) -> None:
        """Close the connection after an answer that says so; what still comes of its request is let come."""
        if self._unfinished:
            self._ending = True
            self._linger()
        else:
            self.transport.close()

    def _linger(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread_bytes = sys.maxsize  # whatever waits at the next look, something was read

    def send_400_response(self, msg: str) -> None:
        whole = type(self).malformed()
        if self.transport.is_closing():
            return
        if whole is None:
            super().send_400_response(msg)
        else:
            self.transport.write(whole)
            self.transport.close()

    def _wait(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self._overdue)

    def _overdue(self) -> None:
        """Give the connection up, unless a body has come fast enough to earn more time."""
        self._deadline = None
        earned, self._body_bytes = self._body_bytes / BODY_BYTES_A_SECOND, 0
        if earned >= 1 and not self._in_head:
            self._wait(min(earned, REQUEST_SECONDS))
        else:
            self._give_up()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_reader(self) -> None:
        """Cut the client off if, from one look to the next, it has read nothing of what waits for it."""
        waiting = self.transport.get_write_buffer_size()
        if waiting and self._unread is None:
            self._unread_bytes = waiting
            self._unread = self.loop.call_later(UNREAD_SECONDS, self._look_at_reader)

    def _look_at_reader(self) -> None:
        self._unread = None
        if self.transport.get_write_buffer_size() >= self._unread_bytes:
            self.transport.abort()
        else:
            self._watch_reader()

    def _give_up(self) -> None:
        answered = self._unfinished and self.cycle is not None and self.cycle.response_complete
        self._awaited = self._in_head = False
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if (
            self.cycle is not None
            and self.cycle.response_started
            and not self.cycle.response_complete
        ):
            self.transport.abort()  # the answer is under way: nothing can be said any more
        elif answered:
            self.transport.close()
        else:
            # Sent as ASCII: no accents.
            super().send_400_response("Demande trop longue ou trop lente.")
