"""What a host is sent, by publish.sh or by `datasette publish` as documented, is started by its own line and keeps keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.contract.environment import ROOT, done
from tests.contract.service import OverHttp
from tests.docs.commands import Reader, blocks
from tests.docs.tables import DOCS
from tests.keys.postgres_server import PostgresServer

from .host import Machine, Published

pytestmark = pytest.mark.process
STORE = "postgresql://mouvements:secret@db.example.org/mouvements"
SETTINGS = ("allow_download off", "allow_csv_stream off", "suggest_facets off")
# The host's own name of the store.
SETTING = {"cloudrun": "MOUVEMENTS_STORE", "heroku": "DATABASE_URL"}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def typed(folder: Path, database: Path, host: str, store: str) -> tuple[Machine, list[str]]:
    """The machine after the host's documented commands, typed in a fresh clone, and the key that they make."""
    page = DOCS / "how-to" / "publish-without-script.md"
    commands = {re.search(r"datasette publish (\w+)", block)[1]: block for block in blocks(page)}
    assert set(commands) == {"fly", "cloudrun", "heroku"}
    reader = Reader(folder)
    (reader.machine.clone / "data" / "movements.db").write_bytes(database.read_bytes())
    ran = reader.follow(commands[host].replace(STORE, store), DATABASE_URL=store)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # What the store asks for is told on standard input alone.
    secret = [
        line for line in reader.machine.arguments() if "secret" in line.partition("import")[0]
    ]
    assert [line for line in secret if not line.startswith("flyctl secrets import")] == []
    return reader.machine, re.findall(r"\bmvt_\w{20,}", ran.stdout)


def scripted(folder: Path, database: Path, host: str, store: str) -> tuple[Machine, list[str]]:
    """The machine after `publish.sh`, twice: the second deploy takes the place of the first."""
    machine = Machine(folder)
    for _ in range(2):
        given = {"MOUVEMENTS_STORE": store} if store else {}
        ran = machine.publish(host, "essai", "--db", database, **given)
        assert ran.returncode == 0, ran.stderr
    return machine, []


Sent = tuple[Published, str, list[str]]


@pytest.fixture(scope="module")
def sent(
    tmp_path_factory: pytest.TempPathFactory, database: Path, server: PostgresServer
) -> Callable[[str, str], Sent]:
    """What a host was sent, its store and the keys that were made: once, with a store of its own where the host keeps no disk."""

    @cache
    def publish(way: str, host: str) -> Sent:
        folder = tmp_path_factory.mktemp(host)
        store = server.new_database() if host in SETTING else ""
        ways = {"typed": typed, "scripted": scripted}
        machine, keys = ways[way](folder, database, host, store)
        (volume := folder / "volume").mkdir()
        return Published(machine, volume), store, keys

    return publish


def answered(service: OverHttp, key: str) -> list[int]:
    """What is left after each of two requests."""
    answers = [service.ask("/v1/mouvements?limit=1", {"X-API-Key": key}) for _ in range(2)]
    assert {answer.status for answer in answers} == {200}, answers[0].body
    assert service.ask("/internal/mouvements_keys").status == 404
    return [answer.remaining for answer in answers]


@pytest.mark.parametrize("host", ["fly", "cloudrun", "heroku"])
def test_it_installs_the_datasette_that_is_deployed_and_has_the_settings_of_every_service(
    sent: Callable[[str, str], Sent], host: str
) -> None:
    made, _, _ = sent("typed", host)
    (pin,) = re.findall(r'^deploy = \["(.*)"\]', (ROOT / "pyproject.toml").read_text(), re.M)
    names = ("requirements.txt", "Dockerfile")
    (installs,) = [made.context / name for name in names if (made.context / name).exists()]
    assert pin in installs.read_text().split()
    assert [name for name in SETTINGS if f"--setting {name}" not in made.line] == []
    assert "--setting force_https_urls on" in made.line
    if host == "heroku":
        (version,) = re.findall(r"^export PYTHON=(\S+)", (ROOT / "publish.sh").read_text(), re.M)
        assert (made.context / ".python-version").read_text() == f"{version}\n"


@pytest.mark.parametrize(
    ("way", "host"),
    [
        *(("typed", "fly"), ("typed", "cloudrun"), ("typed", "heroku")),
        *(("scripted", "fly"), ("scripted", "heroku")),
    ],
)
def test_a_key_and_the_day_s_count_outlive_a_start(
    sent: Callable[[str, str], Sent], way: str, host: str
) -> None:
    made, store, keys = sent(way, host)
    place = ("--store", store) if store else ("--internal", made.volume / "internal.sqlite3")
    setting = SETTING[host] if way == "typed" and store else "MOUVEMENTS_STORE"
    given = {setting: store} if store else {}
    key, left = "".join(keys), []
    for secret in ({}, {"DATASETTE_SECRET": "the host's"}):
        service = made.serve(**given, **secret)
        try:
            key = key or json.loads(done("keys", "create", way, *place, "--json").stdout)["key"]
            left += answered(service, key)
            if (way, host) == ("typed", "fly"):
                assert ("the secret of the image" in service.log()) == (not secret)
        finally:
            service.close()
    assert left == [999, 998, 997, 996]


@pytest.mark.parametrize("host", [*SETTING, "docker"])
def test_without_its_store_or_volume_it_serves_pages_takes_no_key_and_says_what_is_missing(
    sent: Callable[[str, str], Sent], host: str
) -> None:
    made, store, _ = sent("typed" if host in SETTING else "scripted", host)
    if not store:
        made.volume.rmdir()
    service = made.serve()
    try:
        assert service.ask("/movements").status == 200
        answer = service.ask("/v1/mouvements")
        assert answer.status == 503
        if store:
            assert "MOUVEMENTS_STORE" in answer.json()["detail"]
        else:
            assert f"{made.volume} is not there: mount a volume on it" in service.log()
            assert "DATASETTE_SECRET is not set" in service.log()
            assert not made.volume.exists()
    finally:
        service.close()


def test_cloud_run_is_given_the_store_and_a_secret_in_a_file(
    sent: Callable[[str, str], Sent],
) -> None:
    made, store, _ = sent("typed", "cloudrun")
    flags = (made.context.parent / "clone" / "var" / "cloudrun.yml").read_text()
    assert f"'MOUVEMENTS_STORE': '{store}'" in flags
    assert re.search(r"'DATASETTE_SECRET': '[0-9a-f]{64}'", flags)
