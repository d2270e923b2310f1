"""What stands before a service and counts what it gives to each key."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Meter(ThreadingHTTPServer):
    """Stands before the service and counts the bytes of the bodies that it gives to each key."""

    daemon_threads = True

    def __init__(self, origin: int) -> None:
        super().__init__(("127.0.0.1", 0), _Metered)
        self.origin = origin
        self.bytes: Counter[str] = Counter()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Metered(BaseHTTPRequestHandler):
    server: Meter

    def do_GET(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.origin, timeout=30)
        connection.request("GET", self.path, headers=dict(self.headers))
        with connection.getresponse() as answer:
            body = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() != "transfer-encoding":
                    self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        connection.close()
        self.server.bytes[self.headers["Authorization"].removeprefix("Bearer ")] += len(body)

    def log_message(self, *arguments: Any) -> None:
        pass


@contextmanager
def metering(origin: int) -> Iterator[Meter]:
    with Meter(origin) as meter:
        thread = threading.Thread(target=meter.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield meter
        finally:
            meter.shutdown()
            thread.join()
