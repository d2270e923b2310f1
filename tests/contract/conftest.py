"""The service the contract is asked of, in each way of loading and running it, and keys for it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from . import environment
from .service import WAYS, Answer, InProcess, OverHttp, Service, Start
from .situations import SITUATIONS, Answered, NewKey


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.hookimpl(tryfirst=True)  # so that identifiers begin with the way
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "service" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("ways")
        ways = marker.args if marker else WAYS[:1]
        metafunc.parametrize("service", ways, indirect=True)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built by the command over a file that had one movement more, which is withdrawn."""
    folder = tmp_path_factory.mktemp("data")
    path, before = folder / "movements.db", folder / "before.csv"
    lines = environment.SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    before.write_text("".join([*lines, lines[1].replace("ORMEVALLE", "RETRAIT")]), encoding="utf-8")
    for source in (before, environment.SAMPLE):
        environment.done("build", path, "--movements", source)
    return path


@pytest.fixture(scope="session")
def python_without_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment.without_package(tmp_path_factory.mktemp("not-installed"))


@pytest.fixture(scope="session")
def start(
    tmp_path_factory: pytest.TempPathFactory, python_without_package: Path
) -> Iterator[Callable[[str, Path], Service]]:
    """The service of one of the WAYS on a database, started when first asked for.

    For fixtures of the session alone: Datasette ends what a test itself starts.
    """
    running: dict[tuple[str, Path], Service] = {}

    def starting(way: str, database: Path) -> Service:
        internal = tmp_path_factory.mktemp(way) / "internal.sqlite3"
        if way == "in-process":
            return InProcess(environment.datasette(database, internal), internal)
        if way == "serve":
            command = environment.serve_command(database, internal)
        else:
            command = environment.plain_command(python_without_package, database, internal)
        return OverHttp(way, command, internal, environment.ROOT)

    def started(way: str, database: Path) -> Service:
        if (way, database) not in running:
            running[way, database] = starting(way, database)
        return running[way, database]

    yield started
    for service in running.values():
        service.close()


@pytest.fixture(scope="session")
def service(
    request: pytest.FixtureRequest, database: Path, start: Callable[[str, Path], Service]
) -> Service:
    """In this process; in the ways that a test is marked with, where a server matters."""
    return start(request.param, database)


@pytest.fixture(scope="session")
def no_movements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("unavailable") / "movements.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("create table autre (a)")
    return path


@pytest.fixture(scope="session")
def unavailable(
    service: Service, start: Callable[[str, Path], Service], no_movements: Path
) -> Service:
    """A service run the same way on a database that holds no movements."""
    return start(service.name, no_movements)


@pytest.fixture(scope="session")
def new_key() -> NewKey:
    """Issues a key to a fresh account of a service and gives the header that carries it."""
    accounts = itertools.count(1)

    def issued(service: Service, quota: int | None = None) -> dict[str, str]:
        options = () if quota is None else ("--quota", quota)
        return bearer(environment.issue(f"compte-{next(accounts)}", service.internal, *options))

    return issued


@pytest.fixture(scope="session")
def reader(service: Service, new_key: NewKey) -> dict[str, str]:
    """The header of a key whose quota no test exhausts."""
    return new_key(service, quota=1_000_000)


@pytest.fixture(scope="session")
def answered(service: Service, unavailable: Service, new_key: NewKey) -> Answered:
    """The answer of a situation by a method (the first that reaches it), asked once a service."""

    @cache
    def ask(name: str, method: str = "") -> Answer:
        situation = SITUATIONS[name]
        return situation.ask(service, unavailable, new_key, method or situation.methods[0])

    return ask


@pytest.fixture(scope="session", autouse=True)
def secret() -> Iterator[None]:
    """The secret of every process started, so that tests can sign a visitor in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATASETTE_SECRET", environment.SECRET)
        yield


@pytest.fixture
def in_process(database: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts in-process services with settings of the plugin (a mapping) and of core (keywords)."""
    running: list[InProcess] = []
    sample = database

    def started(
        settings: dict[str, object] | None = None, database: Path = sample, **core: object
    ) -> InProcess:
        internal = tmp_path / f"internal-{len(running)}.sqlite3"
        datasette = environment.datasette(database, internal, settings, **core)
        running.append(InProcess(datasette, internal))
        return running[-1]

    yield started
    for service in running:
        service.close()
