"""`datasette publish` as the documentation writes it, without publish.sh: each image starts and keeps keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.contract.environment import ROOT, issue
from tests.contract.service import OverHttp
from tests.docs.commands import Reader, blocks
from tests.docs.tables import DOCS
from tests.keys.postgres_server import PostgresServer

from .host import Published

pytestmark = pytest.mark.process
STORE = "postgresql://mouvements:secret@db.example.org/mouvements"
SETTINGS = ("allow_download off", "allow_csv_stream off", "suggest_facets off")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def commands(folder: Path) -> dict[str, str]:
    """What is typed for each host."""
    page = DOCS / "how-to" / "publish-without-script.md"
    found = {re.search(r"datasette publish (\w+)", block)[1]: block for block in blocks(page)}
    assert set(found) == {"fly", "cloudrun", "heroku"}
    return found


def publish(
    folder: Path, database: Path, host: str, store: str
) -> tuple[Published, str, list[str]]:
    """The host's commands as they are typed in a fresh clone: what it was sent, the store, the keys that were made."""
    reader = Reader(folder)
    (reader.machine.clone / "data" / "movements.db").write_bytes(database.read_bytes())
    ran = reader.follow(commands(folder)[host].replace(STORE, store), DATABASE_URL=store)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [
        line for line in reader.machine.arguments() if "secret" in line.partition("import")[0]
    ] == [line for line in reader.machine.arguments() if line.startswith("flyctl secrets import")]
    volume = folder / "volume"
    volume.mkdir()
    published = Published(reader.machine, volume)
    return published, store, re.findall(r"\bmvt_\w{20,}", ran.stdout)


@pytest.fixture(scope="module")
def published_on(
    tmp_path_factory: pytest.TempPathFactory, database: Path, server: PostgresServer
) -> Callable[[str], Any]:
    """What a host was sent: once, with a store of its own where the host keeps no disk."""

    @cache
    def published(host: str) -> Any:
        store = "" if host == "fly" else server.new_database()
        return publish(tmp_path_factory.mktemp(host), database, host, store)

    return published


def used_twice(service: OverHttp, key: str) -> list[int]:
    answers = [service.ask("/v1/mouvements?limit=1", {"X-API-Key": key}) for _ in range(2)]
    assert {answer.status for answer in answers} == {200}, answers[0].body
    return [answer.remaining for answer in answers]


@pytest.mark.parametrize("host", ["fly", "cloudrun", "heroku"])
def test_it_installs_the_datasette_that_is_deployed_and_has_the_settings_of_every_service(
    published_on: Callable[[str], Any], host: str
) -> None:
    made, _, _ = published_on(host)
    (pin,) = re.findall(r'^deploy = \["(.*)"\]', (ROOT / "pyproject.toml").read_text(), re.M)
    names = ("requirements.txt", "Dockerfile")
    (installs,) = [made.context / name for name in names if (made.context / name).exists()]
    assert pin in installs.read_text().split()
    assert [name for name in SETTINGS if f"--setting {name}" not in made.line] == []
    assert "--setting force_https_urls on" in made.line
    if host == "heroku":
        (version,) = re.findall(r"^export PYTHON=(\S+)", (ROOT / "publish.sh").read_text(), re.M)
        assert (made.context / ".python-version").read_text() == f"{version}\n"


def test_on_fly_keys_and_counts_are_on_the_volume_and_the_image_s_secret_is_told(
    published_on: Callable[[str], Any],
) -> None:
    made, _, _ = published_on("fly")
    key, left = "", []
    for given in ({}, {"DATASETTE_SECRET": "the host's"}):
        service = made.serve(**given)
        try:
            key = key or issue("alice", made.volume / "internal.sqlite3")
            left += used_twice(service, key)
            assert service.ask("/internal/mouvements_keys").status == 404
            assert ("the secret of the image" in service.log()) == (not given)
        finally:
            service.close()
    assert left == [999, 998, 997, 996]


@pytest.mark.parametrize(
    ("host", "setting"), [("cloudrun", "MOUVEMENTS_STORE"), ("heroku", "DATABASE_URL")]
)
def test_keys_and_counts_are_in_postgresql_and_without_it_the_interface_says_what_is_missing(
    published_on: Callable[[str], Any], host: str, setting: str
) -> None:
    made, store, (key,) = published_on(host)
    service = made.serve()
    try:
        assert service.ask("/movements").status == 200
        answer = service.ask("/v1/mouvements")
        assert (answer.status, "MOUVEMENTS_STORE" in answer.json()["detail"]) == (503, True)
    finally:
        service.close()
    service = made.serve(**{setting: store})
    try:
        assert used_twice(service, key) == [999, 998]
    finally:
        service.close()


def test_cloud_run_is_given_the_store_and_a_secret_in_a_file(
    published_on: Callable[[str], Any],
) -> None:
    made, store, _ = published_on("cloudrun")
    flags = (made.context.parent / "clone" / "var" / "cloudrun.yml").read_text()
    assert f"'MOUVEMENTS_STORE': '{store}'" in flags
    assert re.search(r"'DATASETTE_SECRET': '[0-9a-f]{64}'", flags)
