"""What datasette-otel-prometheus measures, for signed-in accounts: its own port asks nobody who they are."""

from __future__ import annotations

import asyncio
import http.client
from typing import Any

from datasette.utils.asgi import Request, Response

from .site import PRIVATE, Site

MEASURES = "datasette-otel-prometheus"
TIMEOUT_S = 5.0
SIGN_IN = "Ces mesures sont réservées aux comptes désignés par l’exploitant du site."
NOT_MEASURED = f"Rien n’est mesuré ici : {MEASURES} n’a pas de port dans la configuration."
NO_ANSWER = f"{MEASURES} ne répond pas."


async def page(site: Site, request: Request) -> Response:
    """The metrics as its port gives them, in the format that the scraper asks for."""
    if not _allowed(site.config.metrics_accounts, request.actor):
        return _told(SIGN_IN, 403)
    given = site.datasette.plugin_config(MEASURES) or {}
    if not given.get("port"):
        return _told(NOT_MEASURED, 404)
    place = (given.get("host", "127.0.0.1"), given["port"])
    try:
        kind, body = await asyncio.to_thread(_read, *place, request.headers.get("accept", "*/*"))
    except (OSError, http.client.HTTPException):
        return _told(NO_ANSWER, 503)
    return Response(body, 200, {"cache-control": PRIVATE}, kind)


def _allowed(accounts: str, actor: dict[str, Any] | None) -> bool:
    """Whether it is an account that may read them, signed in or by a token of its own."""
    # A token that was restricted to some actions was not made for this.
    if not actor or not actor.get("id") or "_r" in actor:
        return False
    named = {name.strip() for name in accounts.split(",") if name.strip()}
    return not named or str(actor["id"]) in named


def _read(host: str, port: int, accept: str) -> tuple[str, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/metrics", headers={"Accept": accept})
        answer = connection.getresponse()
        if answer.status != 200:
            raise http.client.HTTPException(f"status {answer.status}")
        return answer.headers.get("content-type", "text/plain"), answer.read()
    finally:
        connection.close()


def _told(text: str, status: int) -> Response:
    headers = {"cache-control": PRIVATE}
    return Response(text + "\n", status, headers, "text/plain; charset=utf-8")
