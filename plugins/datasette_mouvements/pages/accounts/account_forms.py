"""Forms in French before datasette-accounts: a form that is sent becomes the JSON call its own script would make.

To sign in, ask for an account, set a password and sign out need no script; every other page of
that plugin stays as it is, in English.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ... import addresses
from ...api.service import App, Receive, Scope, Send
from ..frame.page_headers import PRIVATE
from ..frame.site import Site
from ..words import french

LONGEST = 10_000  # bytes of a form
# The key in the scope under which the template finds what went wrong with a form, or what was done.
RESULT = "mouvements.account_form"
_FORM = b"application/x-www-form-urlencoded"
_INSTALLED = "/-/login/api/authenticate"


class AccountForm(NamedTuple):
    """The JSON call behind a form, and its fields."""

    call: str
    fields: tuple[str, ...]


FORMS = {
    "/-/login": AccountForm(_INSTALLED, ("username", "password", "next")),
    "/-/register": AccountForm("/-/register/api/submit", ("username", "password")),
    "/-/set-password": AccountForm("/-/set-password/api/complete", ("token", "new_password")),
    "/-/logout": AccountForm("/-/logout/perform", ()),
}
DIFFERENT = "Les deux mots de passe ne sont pas les mêmes."
UNREADABLE = "Ce formulaire ne se lit pas : rien n’a été fait."
NOT_SIGNED_IN = (
    "Nom de compte ou mot de passe refusé. Un compte qui n’est pas encore approuvé ne peut pas se"
    " connecter ; après trop d’essais, réessayez plus tard."
)
REFUSED = "Cette demande n’a pas été acceptée : rien n’a été fait. La raison, en anglais :"


def installed(site: Site) -> bool:
    """Whether datasette-accounts answers here."""
    return any(pattern.match(_INSTALLED) for pattern in site.plugin_routes)


async def answer(site: Site, app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer for one of the paths of `FORMS`; what is no form of ours goes to `app` as it came."""
    path = site.service.below(scope["path"])
    kind = dict(scope["headers"]).get(b"content-type", b"").partition(b";")[0]
    if path == "/-/logout" and scope["method"] != "POST":
        leaving = site.path(addresses.SIGN_OUT)
        await app(scope | {"path": leaving, "raw_path": leaving.encode()}, receive, send)
        return
    if scope["method"] != "POST" or kind not in (_FORM, b""):
        await app(scope, receive, send)
        return
    form, given = FORMS[path], await _read_form(receive)
    if given is None:
        await _show_again(app, scope, send, 400, {"message": UNREADABLE})
        return
    username = {"username": given.get("username", "")}
    password = given.get("new_password", given.get("password"))
    if given.get("confirm", password) != password:
        await _show_again(app, scope, send, 400, {"message": DIFFERENT, **username})
        return
    sent = {name: given[name] for name in form.fields if name in given}
    status, said, cookies = await _call(app, scope, site.path(form.call), sent)
    if said.get("ok"):
        if path == "/-/register":
            await _show_again(app, scope, send, 200, {"done": True})
        else:
            await _redirect(send, _next(site, path, said), cookies)
    elif path == "/-/login":
        await _show_again(
            app, scope, send, max(status, 400), {"message": NOT_SIGNED_IN, **username}
        )
    else:
        told = {"message": REFUSED, "english": str(said.get("error") or ""), **username}
        await _show_again(app, scope, send, max(status, 400), told)


def _next(site: Site, path: str, said: dict[str, Any]) -> str:
    """Where to go on once a form is done."""
    if said.get("must_change_password"):
        return site.path("/-/account")
    if path == "/-/set-password":
        return site.path(addresses.KEY_PAGE)
    return str((path == "/-/login" and said.get("redirect")) or site.path("/"))


async def _read_form(receive: Receive) -> dict[str, str] | None:
    """The fields of the form; None if it cannot be read."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = bool(message.get("more_body"))
        if len(body) > LONGEST:
            return None
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict"))
    except UnicodeError:
        return None


async def _call(
    app: App, scope: Scope, path: str, fields: dict[str, str]
) -> tuple[int, dict[str, Any], list[Any]]:
    """The status, the JSON and the cookies with which datasette-accounts answers the call."""
    body = json.dumps(fields).encode()
    headers = [*_without_body(scope), (b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    messages: list[dict[str, Any]] = []

    async def receiving() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def keeping(message: dict[str, Any]) -> None:
        messages.append(message)

    changed = {"path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    await app(scope | changed, receiving, keeping)
    start = next(message for message in messages if message["type"] == "http.response.start")
    cookies = [pair for pair in start["headers"] if bytes(pair[0]).lower() == b"set-cookie"]
    try:
        said = json.loads(b"".join(message.get("body", b"") for message in messages))
    except ValueError:
        said = {}
    return start["status"], said if isinstance(said, dict) else {}, cookies


def _without_body(scope: Scope) -> list[Any]:
    """The headers of a request but for those of its body."""
    return [
        pair for pair in scope["headers"] if pair[0] not in (b"content-type", b"content-length")
    ]


async def _show_again(
    app: App, scope: Scope, send: Send, status: int, result: dict[str, Any]
) -> None:
    """The page that the form stands on, with what is to be said of it."""
    result["message"] = french.typography(result.get("message", ""))

    async def nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def with_status(answer: dict[str, Any]) -> None:
        if answer["type"] == "http.response.start" and answer["status"] == 200:
            answer = answer | {"status": status}
        await send(answer)

    shown = {"method": "GET", "headers": _without_body(scope), RESULT: result}
    await app(scope | shown, nothing, with_status)


async def _redirect(send: Send, location: str, cookies: list[Any]) -> None:
    headers = [(b"location", location.encode()), (b"cache-control", PRIVATE.encode()), *cookies]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
