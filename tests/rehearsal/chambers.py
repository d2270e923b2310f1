"""The chambers' servers, for a rehearsal: each gives its list of the current day."""

from __future__ import annotations

import http.server
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "exemple"
CHAMBERS = ("assemblee", "senat", "europarl")
# The sample's days and two on which nothing changes any more.
DAYS = (
    *sorted(path.stem for path in (SAMPLE / "listes" / "senat").iterdir()),
    *("2026-09-23", "2026-09-24"),
)


class Chambers(http.server.ThreadingHTTPServer):
    """Serves each chamber's list of the current day; one of them can be cut in half."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Chamber)
        self.day = DAYS[0]
        self.broken = ""

    def body(self, chamber: str) -> bytes:
        files = sorted((SAMPLE / "listes" / chamber).iterdir())
        body = [file for file in files if file.stem <= self.day][-1].read_bytes()
        return body[: len(body) // 2] if chamber == self.broken else body


class _Chamber(http.server.BaseHTTPRequestHandler):
    server: Chambers

    def do_GET(self) -> None:
        body = self.server.body(self.path.strip("/"))
        tag = f'"{hash(body)}"'
        same = self.headers["if-none-match"] == tag
        self.send_response(304 if same else 200)
        self.send_header("etag", tag)
        self.send_header("content-length", str(0 if same else len(body)))
        self.end_headers()
        if not same:
            self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass
