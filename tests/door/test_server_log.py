"""What a server process writes to its log while it is asked for people, with keys and without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp

NAME = "zorglub"
KEY = "mvt_" + "Zorglub0" * 4 + "aaaa"


@pytest.fixture(scope="module", params=["serve", "plain"])
def service(
    request: pytest.FixtureRequest, database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OverHttp]:
    internal = tmp_path_factory.mktemp("log") / "internal.sqlite3"
    if request.param == "serve":
        command = [*environment.serve_command(database, internal)[:-1], "--access-log", "--port"]
    else:
        command = environment.plain_command(Path(sys.executable), database, internal)
    running = OverHttp(request.param, command, internal, environment.ROOT)
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
    said = [line for line in written.splitlines() if '"GET ' in line]
    assert len(said) > len(asked)  # requests are logged
    assert "Bearer" not in written.replace("Authorization: Bearer mvt_", "", 1)  # the first key's
    for secret in (NAME, "Zorglub", good, KEY, "select", "?"):
        assert not [line for line in said if secret in line]
    assert NAME not in written.lower()
