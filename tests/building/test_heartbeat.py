"""The monitor that is asked after each run: a bad run differs from a good one, a silent monitor spoils none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner

from datasette_mouvements.building.daily import beat
from datasette_mouvements.cli import mouvements


class Monitor(HTTPServer):
    """A monitor on loopback that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.status = 200
        monitor = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                monitor.asked.append(self.path)
                self.send_response(monitor.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Answering)
        self.address = f"http://127.0.0.1:{self.server_port}/ping/secret"


@pytest.fixture
def monitor() -> Iterator[Monitor]:
    server = Monitor()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_good_run_asks_the_address_and_a_bad_one_its_failure(monitor):
    assert beat(monitor.address, good=True) == beat(monitor.address, good=False) == ""
    assert beat(f"{monitor.address}/?of=mornings", good=False) == ""
    assert monitor.asked == ["/ping/secret", "/ping/secret/fail", "/ping/secret/fail?of=mornings"]


def test_a_monitor_that_does_not_take_it_is_told_without_its_address(monitor):
    monitor.status = 404
    told = [
        beat(monitor.address, True),
        beat("file:///etc/secret", True),
        beat("http://[secret", True),
    ]
    assert told[0] == "heartbeat: the monitor did not take it (404)"
    assert all(told)
    assert not any("secret" in one for one in told)


def test_the_daily_run_tells_the_monitor_how_it_ended(monitor, tmp_path):
    where = [str(tmp_path / "lists"), str(tmp_path / "movements.db")]
    options = ["--source", "nobody", "--heartbeat", monitor.address]
    ran = CliRunner().invoke(mouvements, ["daily", *where, *options])
    assert ran.exit_code == 1
    assert monitor.asked == ["/ping/secret/fail"]
    assert "heartbeat" not in ran.stderr
