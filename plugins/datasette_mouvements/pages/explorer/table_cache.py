"""Datasette's pages of movements and of stays, from a cache: they are the same for each visitor."""

from __future__ import annotations

from typing import Any, NamedTuple

from datasette.utils.asgi import Request

from ...api.service import App, Receive, Scope, Send
from ..frame.site import Site

# Where the request of a table page holds its answer: the template says there what the page lacks.
ANSWER = "mouvements_table_answer"
_SIGNED = (b"cookie", b"authorization", b"x-api-key")


class KeptAnswer(NamedTuple):
    """The head of an answer, as ASGI gives it, and its body."""

    start: dict[str, Any]
    body: bytes


class TableAnswer:
    """The answer to one request for a table page, while Datasette sends it."""

    def __init__(self) -> None:
        self.whole = True
        self.start: dict[str, Any] = {}
        self.body = b""

    def note(self, message: dict[str, Any]) -> None:
        """Note one message of the answer."""
        if message["type"] == "http.response.start":
            self.start = {**message, "headers": list(message["headers"])}
        else:
            self.body += message.get("body", b"")

    @property
    def may_be_kept(self) -> bool:
        """Whether another visitor may have it: whole, no error, no cookie in it."""
        names = {name.lower() for name, _ in self.start.get("headers", ())}
        return self.whole and self.start.get("status") == 200 and b"set-cookie" not in names


def not_whole(request: Request) -> str:
    """Note that Datasette had no time to count all that a page shows; nothing to write in its place."""
    answer = request.scope.get(ANSWER)
    if answer is not None:
        answer.whole = False
    return ""


async def answer(
    site: Site, app: App, table: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer for the page of `table`: as kept of this version, else as `app` does."""
    key = await _key(site, table, scope)
    if key is None:
        await app(scope, receive, send)
        return
    kept: KeptAnswer | None = site.tables_cache.get(key)
    if kept is not None:
        await send({**kept.start, "headers": list(kept.start["headers"])})
        await send({"type": "http.response.body", "body": kept.body})
        return
    made = TableAnswer()

    async def sending(message: dict[str, Any]) -> None:
        made.note(message)
        await send(message)

    await app({**scope, ANSWER: made}, receive, sending)
    if made.may_be_kept:
        site.tables_cache.put(key, KeptAnswer(made.start, made.body), len(made.body))


async def _key(site: Site, table: str, scope: Scope) -> tuple[str, ...] | None:
    """What the page depends on; None where it may be another for each visitor, or is not counted yet."""
    if scope["method"] != "GET" or any(name in _SIGNED for name, _ in scope["headers"]):
        return None
    snapshot, facts = site.service.version, site.latest_facts.known
    if snapshot is None or facts is None or facts.build != snapshot.build:
        return None
    # Datasette writes the Host that was asked for, also where the site has an address of its own.
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    asked = f"{scope['scheme']}://{host.decode('latin-1')}{site.service.prefix}"
    if asked != site.service.origin(scope) or not await site.may_view(None, table):
        return None
    query = scope["query_string"].decode("latin-1")
    return (table, snapshot.build, asked, query, site.today.isoformat())
