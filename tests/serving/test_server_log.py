"""What a server process writes to its log while it is asked for people, with keys and without."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasette.utils import parse_metadata

from tests.contract import environment
from tests.contract.service import OverHttp

NAME = "zorglub"
KEY = "mvt_" + "Zorglub0" * 4 + "aaaa"


@pytest.fixture(scope="module")
def service(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OverHttp]:
    """Under `datasette serve`, which has uvicorn log each request, and with our own lines of requests."""
    folder = tmp_path_factory.mktemp("log")
    metadata = parse_metadata(environment.METADATA.read_text(encoding="utf-8"))
    metadata["plugins"][environment.PLUGIN]["log_requests"] = True
    (folder / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    options = ("-m", str(folder / "metadata.json"))
    internal = folder / "internal.sqlite3"
    command = environment.plain_command(Path(sys.executable), database, internal, *options)
    running = OverHttp("plain", command, internal, environment.ROOT)
    yield running
    running.close()


def test_no_name_key_or_query_is_written(service: OverHttp) -> None:
    good = environment.issue("lectrice", service.internal)
    asked = (
        *("/v1/mouvements?elu=zorglub", "/mouvements?zorglub=1", "/v1/zorglub", "/zorglub"),
        *("/movements/mouvements?_search=zorglub", "/movements/mouvements?_search=%22zorglub"),
        *("/movements/mouvements/zorglub", "/collaborateurs/zorglub", "/elus/zorglub"),
        *("/movements/mouvements.json?collab_nom=zorglub", "/movements/mouvements?_sort=zorglub"),
        *("/movements/-/query.json?sql=select+zorglub", "/movements/-/query?sql=zorglub"),
        *("/movements/mouvements.json?_where=zorglub", f"/v1/mouvements?key={KEY}", f"/{KEY}"),
    )
    for address in asked:
        for headers in ({}, {"X-API-Key": good}, {"Authorization": f"Bearer {KEY}"}):
            service.ask(address, {**headers, "Cookie": f"ds_actor={NAME}", "User-Agent": NAME})
    written = service.log()
    assert '"status": 401' in written  # requests are logged
    for secret in ("Bearer", NAME, "Zorglub", good, KEY, "select", "/v1/", "127.0.0.1"):
        assert not [
            line for line in written.splitlines() if secret in line and "running on" not in line
        ]
    assert NAME not in written.lower()


def test_what_the_service_says_has_its_instant_and_its_weight(service: OverHttp) -> None:
    said = [line for line in service.log().splitlines() if "movements version" in line]
    instant = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"
    assert len(said) == 1
    assert re.fullmatch(rf"{instant} INFO movements version \w+ served: \d+ rows", said[0])


def test_a_request_of_the_interface_is_a_line_of_json_with_the_number_of_the_key(
    service: OverHttp,
) -> None:
    to = ("autre", "--json", "--internal", service.internal)
    made = json.loads(environment.done("keys", "create", *to).stdout)
    key, number = made["key"], made["id"]
    service.ask("/v1/mouvements?elu=zorglub", {"X-API-Key": key})
    service.ask("/movements.json", {"X-API-Key": key})
    service.ask("/v1/mouvements", {"X-API-Key": KEY})
    service.ask("/v1/mouvements", method="POST")
    lines = [json.loads(line) for line in service.log().splitlines() if line.startswith("{")]
    told = [(line["method"], line["status"], line["key"]) for line in lines]
    assert told[-4:] == [
        *(("GET", 200, number), ("GET", 200, number), ("GET", 401, None), ("POST", 405, None)),
    ]
    assert all(set(line) == {"at", "method", "status", "key", "ms"} for line in lines)
    assert all(line["ms"] >= 0 and line["at"] for line in lines)
