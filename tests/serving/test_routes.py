"""docs/addresses.md judges every route of core, and is right about each."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from datasette.app import Datasette
from datasette.plugins import pm

from tests.contract import environment
from tests.contract.service import Answer, InProcess

DOCUMENT = environment.ROOT / "docs" / "addresses.md"
ROWS = re.findall(
    r"^\| `(\S+)` \| (\w+) \| (\w+) \| (\w+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.M
)
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


def test_every_route_of_core_is_judged(in_process: Callable[..., InProcess]) -> None:
    routes = core_routes(in_process().datasette)
    judged = set()
    for address, *_ in ROWS:
        path = address.partition("?")[0]
        judged |= {next((p.pattern for p, _ in routes if p.match(path)), "")}
    missing = [p.pattern for p, of_core in routes if of_core and p.pattern not in judged]
    assert missing == []
    assert len(routes) > 50


@pytest.fixture(scope="module")
def asked(
    tmp_path_factory: pytest.TempPathFactory, database: object
) -> dict[str, tuple[str, str, str]]:
    """What each address turned out to be for a visitor, an account and a key."""
    internal = tmp_path_factory.mktemp("routes") / "internal.sqlite3"
    service = InProcess(environment.datasette(database, internal), internal)  # type: ignore[arg-type]
    try:
        key = environment.issue("lectrice", internal, "--quota", QUOTA)
        cookie = {"Cookie": f"ds_actor={service.datasette.client.actor_cookie({'id': 'lectrice'})}"}
        found = {}
        for address, *_ in ROWS:
            beyond = address + ("&" if "?" in address else "?") + "_size=max"
            visitor, further = service.ask(address), service.ask(beyond)
            assert further.status in (400, 401) or visitor.status == further.status
            as_visitor = "closed" if visitor.status == 401 else "open"
            if as_visitor == "open" and further.status == 400 != visitor.status:
                as_visitor = "bounded"
            found[address] = (
                as_visitor,
                _charged(service.ask(address, cookie)),
                _charged(service.ask(address, {"X-API-Key": key})),
            )
        return found
    finally:
        service.close()


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
