"""Core's permissions for the movements, whatever plugin asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasette import Request, Response, hookimpl
from datasette.default_actions import register_actions
from datasette.plugins import pm
from datasette.resources import DatabaseResource, QueryResource, TableResource

from datasette_mouvements.serving.permissions import SHOWING
from tests.contract import environment
from tests.contract.service import InProcess, Start

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
            assert not allowed(service, "view-table", TableResource("movements", "_noms"))
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
    assert not allowed(service, "execute-sql", DatabaseResource("movements"))
    assert allowed(service, "execute-sql", DatabaseResource("autre"))


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

        return [("^/exporte$", asks_first), ("^/exporte-sans-demander$", asks_nobody)]


def test_a_plugin_that_asks_is_held_and_one_that_does_not_is_not(in_process: Start) -> None:
    plugin = Exporter()
    pm.register(plugin)
    try:
        service = in_process()
        cookie = {"Cookie": f"ds_actor={service.datasette.client.actor_cookie(ACCOUNT)}"}
        # A key pays for addresses of the movements only: here nothing would be charged.
        key = environment.issue("autre", service.internal)
        for action in ("execute-sql", "view-table"):
            asking = f"/exporte?demande={action}"
            assert service.ask(asking).status == 403, action
            assert service.ask(asking, {"X-API-Key": key}).status == 403, action
            assert len(service.ask(asking, cookie).json()) == 3, action
        assert service.ask("/movements/mouvements").status == 200
        # No plugin can hold this one: docs/reference/addresses.md says so.
        assert len(service.ask("/exporte-sans-demander").json()) == 3
    finally:
        pm.unregister(plugin)
