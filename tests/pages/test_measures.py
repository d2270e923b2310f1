"""The metrics handed on to signed-in accounts; the listener is one of the standard library's."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from datasette.app import Datasette

from datasette_mouvements.pages.measures import MEASURES

PATH = "/-/mouvements/mesures"
OPS = {"id": "ops"}
pytestmark = pytest.mark.asyncio


class Listener(http.server.BaseHTTPRequestHandler):
    """Says which format it was asked for."""

    status = 200

    def do_GET(self) -> None:
        body = f"{self.path} {self.headers['Accept']}\n".encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def measured(datasette: Datasette, port: int) -> Datasette:
    datasette.config["plugins"][MEASURES] = {"port": port}
    return datasette


async def test_an_account_gets_them_in_the_format_it_asks_for(datasette, port) -> None:
    measured(datasette, port)
    answer = await datasette.client.get(PATH, actor=OPS, headers={"Accept": "text/openmetrics"})
    assert (answer.status_code, answer.text) == (200, "/metrics text/openmetrics\n")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-store"
    head = await datasette.client.head(PATH, actor=OPS)
    assert (head.status_code, head.text) == (200, "")


async def test_nobody_else_gets_them(datasette, port) -> None:
    measured(datasette, port)
    assert (await datasette.client.get(PATH)).status_code == 403
    junk = await datasette.client.get(PATH, headers={"Authorization": "Bearer dstok_junk"})
    assert junk.status_code == 401
    assert (await datasette.client.get(PATH, actor={"name": "no id"})).status_code == 403


async def test_a_token_of_the_account_opens_them_unless_it_was_restricted(datasette, port) -> None:
    measured(datasette, port)
    restrictions = {"a": ["vt"]}
    for more, status in (({}, 200), ({"_r": restrictions}, 403)):
        token = "dstok_" + datasette.sign({"a": "ops", "t": 1, **more}, namespace="token")
        answer = await datasette.client.get(PATH, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == status


async def test_the_accounts_named_are_the_only_ones(make, port) -> None:
    datasette = measured(await make({"metrics_accounts": "ops, night shift"}), port)
    for account, status in (("ops", 200), ("night shift", 200), ("night", 403), ("OPS", 403)):
        answer = await datasette.client.get(PATH, actor={"id": account})
        assert answer.status_code == status, account


async def test_nothing_measured_and_no_answer_are_said(datasette, port) -> None:
    assert (await datasette.client.get(PATH, actor=OPS)).status_code == 404
    with http.server.HTTPServer(("127.0.0.1", 0), Listener) as gone:
        closed = gone.server_address[1]
    measured(datasette, closed)
    assert (await datasette.client.get(PATH, actor=OPS)).status_code == 503


async def test_an_error_of_the_port_is_not_handed_on_as_metrics(
    datasette, port, monkeypatch
) -> None:
    monkeypatch.setattr(Listener, "status", 500)
    measured(datasette, port)
    answer = await datasette.client.get(PATH, actor=OPS)
    assert (answer.status_code, "/metrics" in answer.text) == (503, False)
