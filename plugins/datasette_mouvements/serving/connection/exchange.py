"""One request of the interface and its answer, without the server's own cycle of a request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ...access.charge_queue import ChargeFuture
from ...api.replies import Headers, Reply, http_head, joined

log = logging.getLogger(__name__)
_FAILED = b"content-type: text/plain; charset=utf-8\r\ncontent-length: 21\r\n"


class Exchange:
    """A request of the interface and its answer, as uvicorn knows its cycles: without a task, written at once."""

    response_started = False
    response_complete = False
    disconnected = False
    more_body = False
    message_event = asyncio.Event()  # nobody waits for it
    # Headers that uvicorn makes anew each second.
    before: ClassVar[Headers | None] = None
    before_lines: ClassVar[bytes] = b""

    def __init__(
        self,
        protocol: HttpToolsProtocol,
        method: str,
        keep_alive: bool,
        answer: Coroutine[Any, Any, Reply],
    ) -> None:
        self.keep_alive = keep_alive
        self._protocol = protocol
        self._method = method
        self._answer = answer

    def step(self, _: object = None) -> None:
        """Run the answer as far as it comes without waiting, and again when what it waits for is there."""
        try:
            try:
                awaited = self._answer.send(None)
            except StopIteration as ended:
                self._write(ended.value)
            else:
                awaited._asyncio_future_blocking = False  # as a task does
                if isinstance(awaited, ChargeFuture):
                    awaited.then = self.step
                else:
                    awaited.add_done_callback(self.step)
        except (
            Exception,
            asyncio.CancelledError,
        ) as error:  # nobody foresaw it
            # To do: report it with its traceback. The request was answered 500.
            log.error("an unforeseen fault in an answer", exc_info=error)
            if self.response_started:
                self._protocol.transport.abort()
                return
            self.keep_alive = False
            self._write(Reply(500, _FAILED, b"Internal Server Error"))

    def _write(self, reply: Reply) -> None:
        protocol = self._protocol
        if self.disconnected:
            return
        before, closing = protocol.server_state.default_headers, not self.keep_alive
        if before is not Exchange.before:
            Exchange.before, Exchange.before_lines = before, joined(before)
        self.response_started = True
        head = http_head(reply, Exchange.before_lines, closing)
        if reply.body and self._method != "HEAD":
            protocol.transport.writelines((head, reply.body))  # one call of the kernel
        else:
            protocol.transport.write(head)
        self.response_complete = True
        if closing:
            protocol.transport.close()
        protocol.on_response_complete()
