"""uvicorn's HTTP protocol with limits: the size of a head, the time of a request and of an answer.

It answers the interface itself; everything else goes to the application.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ...api.replies import Headers
from ...api.routes import Routes
from .exchange import Exchange

HEAD_BYTES = 32_768
HEADERS = 200
# Requests that wait on a connection for the answers to those before them.
PIPELINED = 8
# A request with one of these headers may have a body: the application answers it.
_OF_BODIES = frozenset((b"content-length", b"transfer-encoding", b"expect", b"upgrade"))
_FORWARDED = b"x-forwarded-proto"
_SCHEMES = (b"http", b"https", b"ws", b"wss")


class Times(NamedTuple):
    """Seconds that a connection has.

    A request must come within `request`. A body at `body_bytes` a second or faster gets more time, again and again:
    a long body may come, a slow one may not. After an answer that came before the request's end, the rest is read
    for `linger` and thrown away: a connection that is closed at once is reset, and the answer may be lost. The
    connection of a client that reads nothing of its answer for `unread` is cut.
    """

    request: float = 10.0
    body_bytes: int = 8_192
    linger: float = 2.0
    unread: float = 30.0


class BoundedProtocol(HttpToolsProtocol):  # type: ignore[misc]
    """The protocol of one connection. uvicorn's own has no limits: it reads, and waits, for ever.

    `routes` are those of the service once it has started: they make the response to what is not HTTP,
    and where nothing else wants to see requests (`direct`), the protocol asks them itself.
    """

    routes: ClassVar[Callable[[], Routes | None]] = lambda: None
    direct: ClassVar[Callable[[], bool]] = lambda: False
    times: ClassVar = Times()

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
    # What answers the interface, whether a proxy is trusted to say the scheme, whether the request is ordinary.
    _interface: Routes | None = None
    _behind_proxy = False
    _forwarded = b""
    _ordinary = False
    _ready: Exchange | None = None
    # Answers given since bytes last came: a client may send very many requests at once.
    _at_once = 0
    _idle_since: float | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._for_answers = SimpleNamespace(
            write=transport.write, is_closing=transport.is_closing, close=self._end
        )
        # What is set for uvicorn's cycles, they do.
        if not self.access_log and not self.root_path and type(self).direct():
            self._interface = type(self).routes()
        if isinstance(self.app, ProxyHeadersMiddleware):
            self._behind_proxy = (self.client or (None,))[0] in self.app.trusted_hosts
        self._wait(self.times.request)

    def connection_lost(self, exc: Exception | None) -> None:
        self._awaited = False
        self._stop_waiting()
        for timer in (self._unread, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()
        for cycle in (self._answered, *(waiting for waiting, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        body_bytes = self._body_bytes
        self._at_once = 0
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
            self._wait(self.times.request)

    def on_message_begin(self) -> None:
        self._awaited = self._in_head = self._ordinary = True
        self._idle_since = None  # also of a request that came in one piece with the one before
        self._head_bytes = self._body_bytes = 0
        self.url = self._forwarded = b""
        self.headers: Headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # a trailer would become a header that no proxy in front has checked
            name = name.lower()
            self.headers.append((name, value))
            if name in _OF_BODIES:
                self._ordinary = False
            elif name == _FORWARDED:
                self._forwarded = value.strip()

    def on_headers_complete(self) -> None:
        self._in_head = False
        if len(self.headers) > HEADERS or len(self.pipeline) >= PIPELINED or self._ending:
            raise ValueError("too many")  # the parser ends the connection
        free = self.cycle is None or self.cycle.response_complete
        # Who reads slowly is answered by a cycle, which waits until something was read.
        quick = self._ordinary and self._at_once < PIPELINED and not self.flow.write_paused
        if self._interface and free and quick:
            self._at_once += 1
            self._ready = self._exchange(self._interface)
        if self._ready is None:
            url, headers = self.url, self.headers
            super().on_message_begin()
            self.url = url
            for name, value in headers:
                super().on_header(name, value)
            super().on_headers_complete()

    def _exchange(self, routes: Routes) -> Exchange | None:
        """The request's exchange, if the interface answers it."""
        path, _, query = self.url.partition(b"?")
        if path[:1] != b"/" or b"#" in self.url:
            return None
        parser = self.parser
        method: str = parser.get_method().decode()
        forwarded = self._behind_proxy and self._forwarded in _SCHEMES
        answer = routes.answer(
            {
                "method": method,
                "scheme": self._forwarded.decode() if forwarded else self.scheme,
                "raw_path": path,
                "query_string": query,
                "headers": self.headers,
            }
        )
        if answer is None:
            return None
        keep_alive = parser.should_keep_alive() and parser.get_http_version() != "1.0"
        self.cycle = self._answered = Exchange(self, method, keep_alive, answer)
        return self.cycle

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
        if self._ready is not None:
            ready, self._ready = self._ready, None
            ready.step()
            return
        super().on_message_complete()
        if self._ending:
            self.transport.close()

    def on_response_complete(self) -> None:
        unfinished = self._unfinished
        self.server_state.total_requests += 1
        self._watch_reader()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            # One timer for many answers: to make one takes longer than to write the answer.
            self._idle_since = self.loop.time()
            if self.timeout_keep_alive_task is None:
                self._wait_idle(self.timeout_keep_alive)
        if unfinished:
            self._linger()

    def _unset_keepalive_if_required(self) -> None:
        self._idle_since = None

    def _wait_idle(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = None
        if self._idle_since is not None:
            rest = self._idle_since + self.timeout_keep_alive - self.loop.time()
            if rest > 0:
                self._wait_idle(rest)
            else:
                super().timeout_keep_alive_handler()

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
        self._deadline = self.loop.call_later(self.times.linger, self.transport.close)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread_bytes = sys.maxsize  # something was read, whatever waits at the next look

    def send_400_response(self, msg: str) -> None:
        routes = type(self).routes()
        if self.transport.is_closing():
            return
        if routes is None:
            super().send_400_response(msg)
        else:
            self.transport.write(routes.malformed())
            self.transport.close()

    def _wait(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self._overdue)

    def _overdue(self) -> None:
        """End the connection, unless a body has come fast enough to get more time."""
        self._deadline = None
        earned, self._body_bytes = self._body_bytes / self.times.body_bytes, 0
        if earned >= 1 and not self._in_head:
            self._wait(min(earned, self.times.request))
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
            self._unread = self.loop.call_later(self.times.unread, self._look_at_reader)

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
