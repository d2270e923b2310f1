"""Chromium, shown a page of another origin whose script asks the service and tells what it got."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Without the services of its maker: it must ask nothing of any other host.
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps"),
)
_PAGE = """<!doctype html><meta charset="utf-8"><title>Another site</title><script type="module">
const tell = async () => {{ {script} }};
const told = await tell().catch(error => ({{error: String(error)}}));
await fetch("/told", {{method: "POST", body: JSON.stringify(told)}});
</script>"""


def told_by(script: str, folder: Path) -> Any:
    """What the script returns, run in a page of another site, with an empty cache; skipped without Chromium."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    answers: queue.Queue[Any] = queue.Queue()
    with _site(_PAGE.format(script=script).encode(), answers) as address, _log(folder) as log:
        command = [program, *_FLAGS, f"--user-data-dir={folder / 'profile'}", address]
        # A group of its own, so that all of its processes end with it.
        running = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            return answers.get(timeout=180)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait(30)


@contextlib.contextmanager
def _log(folder: Path) -> Iterator[Any]:
    with (folder / "chromium.log").open("wb") as log:
        yield log


@contextlib.contextmanager
def _site(page: bytes, answers: queue.Queue[Any]) -> Iterator[str]:
    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            answers.put(json.loads(self.rfile.read(length)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
