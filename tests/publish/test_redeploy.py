"""What publish.sh sends a host is started by its own line; keys and the day's counts outlive the next deploy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.environment import done
from tests.keys.postgres_server import PostgresServer

from .host import Machine, Published

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@pytest.mark.parametrize("target", ["fly", "heroku"])
def test_a_key_and_the_day_s_count_outlive_a_deploy(
    target: str, machine: Machine, tmp_path: Path, database: Path, postgres: PostgresServer
) -> None:
    store = {"MOUVEMENTS_STORE": postgres.new_database()} if target == "heroku" else {}
    place = ("--store", *store.values()) if store else ("--internal", tmp_path / "internal.sqlite3")
    key, left = "", []
    for _ in range(2):
        ran = machine.publish(target, "essai", "--db", database, **store)
        assert ran.returncode == 0, ran.stderr
        service = Published(machine, tmp_path).serve(DATASETTE_SECRET="x", **store)
        try:
            key = key or json.loads(done("keys", "create", "alice", *place, "--json").stdout)["key"]
            for _ in range(2):
                answer = service.ask("/v1/mouvements?limit=1", {"X-API-Key": key})
                assert answer.status == 200, answer.body
                left.append(answer.remaining)
            assert service.ask("/internal/mouvements_keys").status == 404
        finally:
            service.close()
    assert left == [999, 998, 997, 996]


def test_without_its_volume_it_serves_pages_takes_no_key_and_says_why(
    machine: Machine, tmp_path: Path, database: Path
) -> None:
    assert machine.publish("docker", "essai", "--db", database).returncode == 0
    service = Published(machine, tmp_path / "not-mounted").serve()
    try:
        assert service.ask("/movements").status == 200
        assert service.ask("/v1/mouvements").status == 503
        assert "not-mounted is not there: mount a volume on it" in service.log()
        assert "DATASETTE_SECRET is not set" in service.log()
        assert not (tmp_path / "not-mounted").exists()
    finally:
        service.close()
