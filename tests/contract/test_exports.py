"""Who is let through to Datasette's own addresses, where the address alone does not tell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest
from datasette import Request, TokenInvalid, hookimpl
from datasette.plugins import pm

from .service import Start

rule = pytest.mark.rule
TABLE = "/movements/mouvements"
BROWSER = {"Accept": "text/html"}


class OtherTokens:
    """Another plugin, which knows its tokens and refuses this one."""

    @hookimpl
    def actor_from_request(self, request: Request) -> Callable[[], Awaitable[None]]:
        async def refused() -> None:
            if request.headers.get("x-token"):
                raise TokenInvalid("expired")

        return refused


@pytest.fixture
def other_tokens() -> Iterator[None]:
    plugin = OtherTokens()
    pm.register(plugin)
    yield
    pm.unregister(plugin)


@rule("service-core-credentials")
@pytest.mark.usefixtures("other_tokens")
def test_a_token_that_another_plugin_refuses_does_not_hide_who_is_signed_in(
    in_process: Start,
) -> None:
    service = in_process()
    cookie = service.datasette.client.actor_cookie({"id": "lectrice"})
    signed_in, sql = {**BROWSER, "Cookie": f"ds_actor={cookie}"}, f"{TABLE}/-/autocomplete"
    assert service.ask(sql, signed_in).status == 200
    # Let through: it is Datasette that refuses the token, and shows nobody the way to a key.
    assert service.ask(sql, {**signed_in, "X-Token": "old"}).status == 401
    assert service.ask(sql, {**BROWSER, "X-Token": "old"}).status == 401
