"""A server on this machine that misbehaves in the ways that servers of lists do."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `behaviours`, the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours: list[Behaviour] = []
        self.requests: list[dict[str, str]] = []
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/liste.csv"

    def answer_with(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.requests.append({name.lower(): value for name, value in self.headers.items()})
        behaviours = self.server.behaviours
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            behaviour(self)

    def log_message(self, *arguments: Any) -> None:
        pass


def says(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    def behave(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {
            "content-length": str(len(body)),
            "connection": "close",
            **headers,
        }.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return behave


def drips(request: Any) -> None:
    """A byte now and then, for ever: no silence is long enough for a time-out between two bytes."""
    request.send_response(200)
    request.end_headers()
    while not request.server.stopping.is_set():
        request.wfile.write(b"x")
        request.wfile.flush()
        time.sleep(0.02)


def is_silent(request: Any) -> None:
    request.server.stopping.wait()


def cuts_off(request: Any) -> None:
    request.send_response(200)
    request.send_header("content-length", "1000")
    request.end_headers()
    request.wfile.write(b"half a list")


def never_ends(request: Any) -> None:
    """No length told, more than anyone asked for."""
    request.send_response(200)
    request.end_headers()
    while not request.server.stopping.is_set():
        request.wfile.write(b"x" * 65536)
