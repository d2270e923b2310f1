"""uvicorn's HTTP protocol with limits: the size of a head, the time of a request and of an answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 32_768
HEADERS = 200
# Requests that wait on a connection for the answers to those before them.
PIPELINED = 8
# A request must come within this time. A body at this rate or faster gets more time, again and again:
# a long body may come, a slow one may not.
REQUEST_SECONDS = 10.0
BODY_BYTES_A_SECOND = 8_192
# After an answer that came before the request's end, the rest is read for so long and thrown away: a
# connection that is closed at once is reset, and the answer may be lost.
LINGER_SECONDS = 2.0
# The connection of a client that reads nothing of its answer for so long is cut.
UNREAD_SECONDS = 30.0


class BoundedProtocol(HttpToolsProtocol):  # type: ignore[misc]
    """The protocol of one connection. uvicorn's own has no limits: it reads, and waits, for ever.

    `malformed` makes the whole response to what is not HTTP; where it gives None, uvicorn's is sent.
    """

    malformed: ClassVar[Callable[[], bytes | None]] = lambda: None

    # A request is awaited from the start of the connection, and again from any byte after an answer.
    _awaited = True
    _in_head = False
    _head_bytes = 0
    _body_bytes = 0
    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _unread_bytes = 0
    # The request that is answered now; uvicorn's `cycle` is the last one that came.
    _answered: Any = None
    # The connection as answers see it, and whether an answer has ended it.
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
        # A head that comes whole never gets here. Bytes that add nothing to a body may be endless trailers.
        if self._in_head or (self._awaited and self._body_bytes == body_bytes):
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._give_up()
                return
        elif not self._awaited and self.cycle is not None and self.cycle.response_complete:
            # An empty line after an answer begins no request, and has stopped uvicorn's keep-alive timer.
            self._awaited = True
        if self._awaited and self._deadline is None and not self.transport.is_closing():
            self._wait(REQUEST_SECONDS)

    def on_message_begin(self) -> None:
        self._awaited = self._in_head = True
        self._head_bytes = self._body_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # a trailer would become a header that no proxy in front has checked
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if len(self.headers) > HEADERS or len(self.pipeline) >= PIPELINED or self._ending:
            raise ValueError("too many")  # the parser ends the connection
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
        """Whether the request of the last answer is still coming."""
        return self._awaited and not self._in_head and not self.pipeline

    def _end(self) -> None:
        """Close the connection after an answer with `Connection: close`; the rest of its request may come first."""
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
        self._unread_bytes = sys.maxsize  # something was read, whatever waits at the next look

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
        """End the connection, unless a body has come fast enough to get more time."""
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
        """Cut the connection if the client reads nothing from one look to the next."""
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
        cycle = self.cycle
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()  # a part of the answer is sent: no other can be
        elif answered:
            self.transport.close()
        else:
            # Sent as ASCII: no accents.
            super().send_400_response("Demande trop longue ou trop lente.")
