"""One service for each way of starting, and a key for it."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from datasette.plugins import pm
from datasette.utils.sqlite import sqlite3

from tests.contract import environment
from tests.contract.conftest import database as database
from tests.contract.conftest import in_process as in_process
from tests.contract.conftest import secret as secret
from tests.contract.service import InProcess, OverHttp, Service

# What differs by way of starting is tried in each; what does not, in this process alone.
WAYS = ("in-process", "serve", "published")


@pytest.fixture(scope="session")
def movement(database: Path) -> str:
    """The identifier of some movement."""
    connection = sqlite3.connect(database)
    (found,) = connection.execute("select id from mouvements").fetchone()
    connection.close()
    return str(found)


def started(way: str, database: Path, folder: Path) -> Service:
    internal = folder / "internal.sqlite3"
    if way == "in-process":
        return InProcess(environment.datasette(database, internal), internal)
    if way == "serve":
        command = [*environment.serve_command(database, internal)[:-1], "--workers", "2", "--port"]
        return OverHttp(way, command, internal, environment.ROOT)
    command = published_command(database, internal, folder)
    return OverHttp(way, command, internal, environment.ROOT)


def published_command(database: Path, internal: Path, folder: Path) -> list[str]:
    """What the Dockerfile of `datasette publish` runs, with the options that publish.sh gives."""
    inspected = folder / "inspect-data.json"
    command = [sys.executable, "-m", "datasette"]
    inspect = [*command, "inspect", database.name, "--inspect-file", str(inspected)]
    subprocess.run(inspect, cwd=database.parent, check=True, capture_output=True)
    assert json.loads(inspected.read_text(encoding="utf-8"))["movements"]
    serve = ["serve", "--host", "127.0.0.1", "-i", str(database), "--cors"]
    serve += ["--inspect-file", str(inspected), "--metadata", str(environment.METADATA)]
    serve += ["--plugins-dir", str(environment.PLUGINS), "--internal", str(internal)]
    script = (environment.ROOT / "publish.sh").read_text(encoding="utf-8")
    (options,) = re.findall(r'^options="(.+)"$', script, re.M)
    return [*command, *serve, *options.split(), "--port"]


@pytest.fixture(scope="session", params=WAYS)
def service(
    request: pytest.FixtureRequest, database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """In each way."""
    running = started(request.param, database, tmp_path_factory.mktemp(request.param))
    yield running
    running.close()


@pytest.fixture(scope="session")
def here(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    """In this process, for all tests that change nothing of it."""
    running = started("in-process", database, tmp_path_factory.mktemp("here"))
    assert isinstance(running, InProcess)
    yield running
    running.close()


def reading(service: Service) -> dict[str, str]:
    """The header of a key that no test exhausts."""
    key = environment.issue("lectrice", service.internal, "--quota", 1_000_000)
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="session")
def reader(service: Service) -> dict[str, str]:
    return reading(service)


@pytest.fixture(scope="session")
def reader_here(here: InProcess) -> dict[str, str]:
    return reading(here)


@pytest.fixture
def account() -> str:
    """An account that no other test has: services are shared."""
    return f"compte-{next(_ACCOUNTS)}"


_ACCOUNTS = itertools.count(1)


@contextmanager
def registered(plugin: object) -> Iterator[None]:
    """Every Datasette has the plugin while the block runs."""
    pm.register(plugin)
    try:
        yield
    finally:
        pm.unregister(plugin)


def signed_in(service: InProcess, **actor: str) -> dict[str, str]:
    """The headers of a visitor whom Datasette's own cookie names."""
    cookie = service.datasette.client.actor_cookie({"id": "lectrice", **actor})
    return {"Cookie": f"ds_actor={cookie}"}
