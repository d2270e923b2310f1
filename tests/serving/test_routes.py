"""docs/reference/addresses.md judges every route of core, and is right about each."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.connections import holds_movements
from docs.make_reference import OPENS, access
from tests.contract import environment
from tests.contract.service import Answer, InProcess, Start

from .datasette_addresses import ADDRESSES

ROWS = [(address, *OPENS[access(address)]) for address in ADDRESSES]
QUOTA = 10_000


def core_routes(datasette: Datasette) -> list[tuple[re.Pattern[str], bool]]:
    """The routes in the order core tries them, and whether each is core's own."""
    of_plugins = {
        route[0] if isinstance(route[0], str) else route[0].pattern
        for routes in pm.hook.register_routes(datasette=datasette)
        for route in routes or []
    }
    return [
        (pattern, pattern.pattern not in of_plugins and "static-plugins" not in pattern.pattern)
        for pattern, _ in datasette._routes()
    ]


def test_every_route_of_core_is_judged(in_process: Start) -> None:
    routes = core_routes(in_process().datasette)
    judged = set()
    for address, *_ in ROWS:
        path = address.partition("?")[0]
        judged |= {next((p.pattern for p, _ in routes if p.match(path)), "")}
    missing = [p.pattern for p, of_core in routes if of_core and p.pattern not in judged]
    assert missing == []
    assert len(routes) > 50


@pytest.fixture(scope="module")
def hashed_urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """datasette-hashed-urls itself, which gives every database a route other than its name."""
    folder = tmp_path_factory.mktemp("hashed")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--no-deps", "--target", str(folder), "datasette-hashed-urls==0.4"]
    subprocess.run([*install, *wanted], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module("datasette_hashed_urls")


def otherwise_named(database: Path, folder: Path) -> Path:
    return Path(shutil.copyfile(database, folder / "autre nom.db"))


def foreign(folder: Path) -> Path:
    path = folder / "autre.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table t (a)")
    return path


@pytest.fixture(
    scope="module",
    params=(
        *("alone", "beside another, under another name and base_url"),
        # It is loaded wherever it is installed, so it is installed for this alone.
        pytest.param("hashed", marks=pytest.mark.process),
    ),
)
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, database: Path
) -> Iterator[dict[str, tuple[str, str, str]]]:
    """What each address turned out to be for a visitor, an account and a key."""
    folder = tmp_path_factory.mktemp("routes")
    internal = folder / "internal.sqlite3"
    core: dict[str, Any] = {}
    if otherwise := request.param.startswith("beside"):
        database = otherwise_named(database, folder)
        core = {"beside": [foreign(folder)], "base_url": "/m/"}
    plugin = request.getfixturevalue("hashed_urls") if request.param == "hashed" else None
    if plugin:
        pm.register(plugin)
    service = InProcess(environment.datasette(database, internal, **core), internal)
    try:
        if otherwise:
            assert service.ask("/m/autre/t.json?_size=max").status == 200
        yield _answers(service, "/m" if otherwise else "")
    finally:
        service.close()
        if plugin:
            pm.unregister(plugin)


def _answers(service: InProcess, prefix: str) -> dict[str, tuple[str, str, str]]:
    key = environment.issue("lectrice", service.internal, "--quota", QUOTA)
    cookie = {"Cookie": f"ds_actor={service.datasette.client.actor_cookie({'id': 'lectrice'})}"}
    route = service.datasette.databases["movements"].route
    found = {}
    for address, *_ in ROWS:
        target = prefix + re.sub("^/movements", f"/{route}", address)
        beyond = target + ("&" if "?" in target else "?") + "_size=max"
        visitor, further = service.ask(target), service.ask(beyond)
        as_visitor = "closed" if visitor.status == 401 else "open"
        if as_visitor == "open" and further.status == 400 != visitor.status:
            as_visitor = "bounded"
        account, holder = service.ask(target, cookie), service.ask(target, {"X-API-Key": key})
        found[address] = (as_visitor, _charged(account), _charged(holder))
        for answer in (account, holder):
            assert "31536000" not in (answer.header("Cache-Control") or ""), target
    return found


def _charged(answer: Answer) -> str:
    assert answer.status != 429
    if answer.status == 401 and b"type" in answer.body:
        return "closed"
    return "charged" if answer.header("X-RateLimit-Remaining") else "open"


@pytest.mark.parametrize(("address", "visitor", "account", "key"), ROWS)
def test_an_address_is_as_the_document_says(
    asked: dict[str, tuple[str, str, str]], address: str, visitor: str, account: str, key: str
) -> None:
    assert asked[address] == (visitor, account, key)


def test_two_files_of_movements_are_told(
    in_process: Start, database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = in_process(beside=[otherwise_named(database, tmp_path)])
    assert caplog.text.count("autre nom holds movements too") == 1
    assert service.ask("/movements/mouvements.json").status == 401


def test_a_damaged_file_of_ours_is_still_ours(database: Path, tmp_path: Path) -> None:
    path, good = tmp_path / "movements.db", database.read_bytes()
    for spoiled in (b"", good[:4096], b"x" * 9999, good[:100] + bytes(3996) + good[4096:]):
        path.write_bytes(spoiled)
        assert holds_movements(str(path)) is None


@contextmanager
def without_settings(path: Path) -> Iterator[InProcess]:
    """A service of a file alone: no metadata.yml says which database is ours."""
    internal = path.parent / "internal.sqlite3"
    datasette = Datasette(
        [str(path)], plugins_dir=str(environment.PLUGINS), internal=str(internal), memory=True
    )
    service = InProcess(datasette, internal)
    try:
        yield service
    finally:
        service.close()


def test_somebody_elses_file_of_our_name_is_left_alone(tmp_path: Path) -> None:
    with without_settings(foreign(tmp_path).rename(tmp_path / "movements.db")) as service:
        assert service.ask("/movements/t.json?_size=max").status == 200
        assert service.ask("/v1/mouvements").status == 404


@pytest.mark.parametrize("lacks", ["", "drop table retraits"])
def test_movements_of_another_name_are_served_without_settings_which_is_told_once(
    database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, lacks: str
) -> None:
    """What an older version made, which lacks a table of today's, too."""
    path = otherwise_named(database, tmp_path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(lacks)
    with without_settings(path) as service:
        assert service.ask("/movements/mouvements.json").status == 401
        assert service.ask("/autre~20nom/mouvements.json").status == 404
        assert service.ask("/v1/mouvements").status == 401
        assert caplog.text.count("autre nom holds movements: it is served, and guarded") == 1
