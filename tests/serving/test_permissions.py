"""Core's permissions for the movements, whatever plugin asks for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from datasette import Request, Response, TokenInvalid, hookimpl
from datasette.default_actions import register_actions
from datasette.resources import DatabaseResource, QueryResource, TableResource

from datasette_mouvements.serving.permissions import SHOWING
from tests.contract import environment
from tests.contract.service import InProcess, Start

from .addresses import TABLE
from .conftest import registered, signed_in
from .test_routes import foreign

ACTIONS = [action for action in register_actions() if action.resource_class]
RESOURCES = {
    DatabaseResource: ("movements",),
    TableResource: ("movements", "_noms"),
    QueryResource: ("movements", "une_requete"),
}
ACCOUNT = {"id": "lectrice"}
SQL = "select id from mouvements limit 3"


def allowed(service: InProcess, action: str, resource: Any, actor: Any = None) -> bool:
    answer: bool = service.run(
        service.datasette.allowed(action=action, resource=resource, actor=actor)
    )
    return answer


def test_visitors_have_what_pages_need_and_nothing_else(in_process: Start) -> None:
    service = in_process()
    granted = {
        action.name
        for action in ACTIONS
        if allowed(service, action.name, action.resource_class(*RESOURCES[action.resource_class]))
    }
    assert granted == {"view-database"}
    assert len(ACTIONS) > 15


def test_tables_for_people_and_their_search_are_open_on_pages(in_process: Start) -> None:
    service = in_process()
    for table in ("mouvements", "collaborations", "mouvements_fts", "collaborations_fts"):
        table_asked = TableResource("movements", table)
        assert not allowed(service, "view-table", table_asked), table
        page = SHOWING.set(True)
        try:
            assert allowed(service, "view-table", table_asked), table
        finally:
            SHOWING.reset(page)


def test_accounts_may_and_their_tokens_may_not(in_process: Start) -> None:
    service = in_process()
    for action, resource in (
        ("execute-sql", DatabaseResource("movements")),
        ("view-database-download", DatabaseResource("movements")),
        ("view-table", TableResource("movements", "_noms")),
    ):
        assert allowed(service, action, resource, ACCOUNT), action
        assert not allowed(service, action, resource, {**ACCOUNT, "token": "dstok"}), action


def test_an_owner_cannot_open_sql_by_mistake(in_process: Start, tmp_path: Path) -> None:
    """Other databases keep what their owner allows."""
    service = in_process(beside=[foreign(tmp_path)], default_allow_sql=True)
    # With --crossdb the one in memory reads every other one.
    for name, is_open in (("movements", False), ("_memory", False), ("autre", True)):
        assert allowed(service, "execute-sql", DatabaseResource(name)) == is_open


class Exporter:
    """A plugin that hands out rows of the movements at an address of its own."""

    @hookimpl
    def register_routes(self) -> list[tuple[str, Any]]:
        async def asks_first(datasette: Any, request: Request) -> Response:
            action = request.args["demande"]
            resource = {
                "execute-sql": DatabaseResource("movements"),
                "view-table": TableResource("movements", "mouvements"),
            }[action]
            await datasette.ensure_permission(action=action, resource=resource, actor=request.actor)
            return await asks_nobody(datasette)

        async def asks_nobody(datasette: Any) -> Response:
            rows = await datasette.get_database("movements").execute(SQL)
            return Response.json([tuple(row) for row in rows])

        return [
            # Core takes a route with which the address begins.
            ("^/exporte/", asks_first),
            ("^/(exporte-sans-demander|movements/-/exporte)$", asks_nobody),
        ]


def test_a_plugin_that_asks_is_held_and_one_that_does_not_is_not(in_process: Start) -> None:
    with registered(Exporter()):
        service = in_process()
        # A key pays for addresses of the movements only: here nothing would be charged.
        key = environment.issue("autre", service.internal)
        for action in ("execute-sql", "view-table"):
            asking = f"/exporte/tout?demande={action}"
            assert service.ask(asking).status == 403, action
            assert service.ask(asking, {"X-API-Key": key}).status == 403, action
            assert len(service.ask(asking, signed_in(service)).json()) == 3, action
        # No plugin can hold this one: docs/reference/addresses.md says so.
        assert len(service.ask("/exporte-sans-demander").json()) == 3
        # What a plugin does with a request below the database is its own matter.
        below = service.ask("/movements/-/exporte", signed_in(service), "POST")
        assert (below.status, len(below.json())) == (200, 3)


class OtherTokens:
    """Another plugin, which knows its tokens: it takes one and refuses another."""

    @hookimpl
    def actor_from_request(self, request: Request) -> Callable[[], Awaitable[Any]]:
        async def judged() -> dict[str, str] | None:
            sent = request.headers.get("authorization")
            if sent == "Bearer robot-old":
                raise TokenInvalid("expired")
            return {"id": "robot"} if sent == "Bearer robot-1" else None

        return judged


@pytest.mark.rule("service-core-credentials")
def test_a_token_of_another_plugin_is_core_s_matter(in_process: Start) -> None:
    with registered(OtherTokens()):
        service, cookie = in_process(), {"Accept": "text/html"}
        cookie |= signed_in(service)
        answer = service.ask(f"{TABLE}.json?_size=1", {"Authorization": "Bearer robot-1"})
        assert (answer.status, answer.header("X-RateLimit-Remaining")) == (200, None)
        for headers in ({"Authorization": "Bearer robot-2"}, {"X-API-Key": "robot-1"}):
            assert service.ask(f"{TABLE}.json?_size=1", headers).status == 401
        forged = {**signed_in(service), "Authorization": "Bearer x"}
        assert service.ask(f"{TABLE}.json?_size=1", forged).status == 401
        # A token that is refused does not hide who is signed in: Datasette is let to refuse it itself.
        old, sql = {"Authorization": "Bearer robot-old"}, f"{TABLE}/-/autocomplete"
        assert service.ask(sql, cookie).status == 200
        assert service.ask(sql, {**cookie, **old}).status == 401
        assert service.ask(sql, {"Accept": "text/html", **old}).status == 401


class SignsIn:
    """A plugin that says who everybody is."""

    def __init__(self, id: str) -> None:
        self.id = id

    @hookimpl
    def actor_from_request(self, request: Request) -> dict[str, str]:
        return {"id": self.id}


def test_of_two_who_are_signed_in_the_first_pays_as_for_core(in_process: Start) -> None:
    with (
        registered(SignsIn("autre")),
        registered(SignsIn("lectrice")),
    ):  # the last one is asked first
        service = in_process()
        for account, quota in (("autre", 9), ("lectrice", 5)):
            environment.issue(account, service.internal, "--quota", quota)
        assert service.ask("/-/actor.json").json()["actor"] == {"id": "lectrice"}
        assert service.ask(f"{TABLE}.json").remaining == 4
