"""The forms of datasette-accounts as plain pages: a form that is sent becomes the JSON call its own script would make."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ... import addresses
from ...api.routes import App, Receive, Send
from ...api.service import Scope
from ..frame.page_headers import PRIVATE
from ..frame.site import Site
from ..words import french

LONGEST = 10_000  # bytes of a form
# What the template finds in the scope of a page that is shown again: what went wrong, or what was done.
TOLD = "mouvements.account_form"
_FORM = b"application/x-www-form-urlencoded"
_INSTALLED = "/-/login/api/authenticate"


class Form(NamedTuple):
    """The JSON call behind a form, its fields, and what is said once it is done ("": go on elsewhere)."""

    call: str
    fields: tuple[str, ...]
    done: str = ""


FORMS = {
    ("/-/login", ""): Form(_INSTALLED, ("username", "password", "next")),
    ("/-/register", ""): Form(
        "/-/register/api/submit", ("username", "password"), "Votre demande est enregistrée."
    ),
    ("/-/set-password", ""): Form("/-/set-password/api/complete", ("token", "new_password")),
    ("/-/account", ""): Form(
        "/-/account/api/change-password",
        ("current_password", "new_password"),
        "Le mot de passe est changé.",
    ),
    ("/-/account", "autres"): Form(
        "/-/account/api/logout-others", (), "Les autres appareils sont déconnectés."
    ),
    ("/-/account", "appareil"): Form(
        "/-/account/api/revoke-session", ("token_sha256",), "Cet appareil est déconnecté."
    ),
    ("/-/logout", ""): Form("/-/logout/perform", ()),
}
PATHS = frozenset(path for path, _ in FORMS)
DIFFERENT = "Les deux mots de passe ne sont pas les mêmes."
UNREADABLE = "Ce formulaire ne se lit pas : rien n’a été fait."
REFUSED = "Cette demande n’a pas été acceptée : rien n’a été fait."
# What datasette-accounts says, and how it is said here.
_SAID = (
    (
        r"Invalid username or password",
        "Nom de compte ou mot de passe refusé. Un compte qui n’est pas encore approuvé ne peut pas se connecter.",
    ),
    (r"Username already taken", "Ce nom de compte est déjà pris."),
    (r"Username must be (\d+)-(\d+) characters", r"Le nom de compte a de \1 à \2 caractères."),
    (
        r"Username ",
        "Le nom de compte commence par une lettre ou un chiffre, sans accent ; ensuite des lettres, des"
        " chiffres, « . », « _ » ou « - ».",
    ),
    (
        r"Password must be at least (\d+) characters",
        r"Le mot de passe a au moins \1 caractères.",
    ),
    (
        r"Password must be at most (\d+) characters",
        r"Le mot de passe a au plus \1 caractères.",
    ),
    (
        r"Registration is currently closed",
        "Aucune demande n’est acceptée pour l’instant : réessayez plus tard.",
    ),
    (r"This link is invalid", "Ce lien n’est pas valable, ou ne l’est plus."),
    (r"Account locked", "Trop d’essais : réessayez plus tard."),
    (r"Current password is incorrect", "Le mot de passe actuel n’est pas le bon."),
    (r"New password must be different", "Le nouveau mot de passe doit être différent de l’ancien."),
    (r"Authentication required", "Connectez-vous d’abord."),
)


def installed(site: Site) -> bool:
    """Whether datasette-accounts answers here."""
    return any(pattern.match(_INSTALLED) for pattern in site.plugin_routes)


async def answer(site: Site, app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer for one of the paths of `PATHS`; what is no form of ours goes to `app` as it came."""
    path = site.service.below(scope["path"])
    headers = dict(scope["headers"])
    kind = headers.get(b"content-type", b"").partition(b";")[0]
    if path == "/-/logout" and scope["method"] != "POST":
        leaving = site.path(addresses.SIGN_OUT)
        await app(scope | {"path": leaving, "raw_path": leaving.encode()}, receive, send)
        return
    if scope["method"] != "POST" or kind not in (_FORM, b""):
        await app(scope, receive, send)
        return
    given = await _form(receive)
    form = FORMS.get((path, given.pop("action", "") if given else ""))
    if given is None or form is None:
        await _again(app, scope, send, 400, UNREADABLE, {})
        return
    if given.get("confirm", given.get("new_password", given.get("password"))) != given.get(
        "new_password", given.get("password")
    ):
        await _again(app, scope, send, 400, DIFFERENT, given)
        return
    call = site.path(form.call)
    sent = {name: given[name] for name in form.fields if name in given}
    status, told, cookies = await _call(app, scope, call, sent)
    if not told.get("ok"):
        await _again(app, scope, send, max(status, 400), _french(str(told.get("error"))), given)
    elif form.done:
        await _again(app, scope, send, 200, form.done, {}, done=True)
    else:
        onward = {
            "/-/login": told.get("redirect"),
            "/-/set-password": site.path(addresses.KEY_PAGE),
        }
        location = str(onward.get(path) or site.path("/"))
        if told.get("must_change_password"):
            location = site.path("/-/account")
        await _redirect(send, location, cookies)


async def _form(receive: Receive) -> dict[str, str] | None:
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
    kept = [
        pair for pair in scope["headers"] if pair[0] not in (b"content-type", b"content-length")
    ]
    headers = [
        *kept,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    messages: list[dict[str, Any]] = []

    async def receiving() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def keeping(message: dict[str, Any]) -> None:
        messages.append(message)

    changed = {"path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    await app(scope | changed, receiving, keeping)
    start = next(message for message in messages if message["type"] == "http.response.start")
    text = b"".join(message.get("body", b"") for message in messages)
    cookies = [pair for pair in start["headers"] if bytes(pair[0]).lower() == b"set-cookie"]
    try:
        told = json.loads(text)
    except ValueError:
        told = {}
    return start["status"], told if isinstance(told, dict) else {}, cookies


async def _again(
    app: App,
    scope: Scope,
    send: Send,
    status: int,
    message: str,
    given: dict[str, str],
    done: bool = False,
) -> None:
    """The page that the form stands on, with what is to be said of it."""
    told = {
        "message": french.typography(message),
        "done": done,
        "username": given.get("username", ""),
    }
    headers = [
        pair for pair in scope["headers"] if pair[0] not in (b"content-type", b"content-length")
    ]

    async def nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def with_status(answer: dict[str, Any]) -> None:
        if answer["type"] == "http.response.start" and answer["status"] == 200:
            answer = answer | {"status": status}
        await send(answer)

    await app(scope | {"method": "GET", "headers": headers, TOLD: told}, nothing, with_status)


async def _redirect(send: Send, location: str, cookies: list[Any]) -> None:
    headers = [(b"location", location.encode()), (b"cache-control", PRIVATE.encode()), *cookies]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _french(said: str) -> str:
    for pattern, told in _SAID:
        found = re.match(pattern, said)
        if found:
            return found.expand(told)
    return REFUSED
