"""The forms of datasette-accounts: sent without a script, answered by its own JSON calls."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from datasette import hookimpl
from datasette.plugins import pm
from datasette.utils.asgi import Response

from datasette_mouvements.pages.accounts.account_forms import DIFFERENT, LONGEST, UNREADABLE

pytestmark = pytest.mark.asyncio
COOKIE = "accounts_session=secret; Path=/; HttpOnly"


class Accounts:
    """A plugin with the pages and calls of datasette-accounts, which remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, str]] = []
        self.answers: dict[str, tuple[int, dict[str, Any]]] = {}

    @hookimpl
    def extra_template_vars(self) -> dict[str, Any]:
        return {"datasette_accounts_vite_entry": lambda entry: ""}

    @hookimpl
    def register_routes(self) -> list[tuple[str, Any]]:
        async def call(request: Any) -> Response:
            body = json.loads(await request.post_body())
            self.calls.append((request.path, body, request.headers.get("content-type")))
            status, told = self.answers[request.path]
            headers = {"set-cookie": COOKIE} if told.get("ok") else {}
            return Response.json(told, status=status, headers=headers)

        def page(entry: str, data: dict[str, Any]) -> Any:
            async def shown(datasette: Any, request: Any) -> Response:
                context = {"entrypoint": f"src/pages/{entry}/index.ts", "page_data": data}
                html = await datasette.render_template(
                    "accounts_base.html", context, request=request
                )
                return Response.html(html)

            return shown

        login = {"next": "/-/cle", "help": "", "allow_register": True}
        return [
            (r"^/-/login/api/authenticate$", call),
            (r"^/-/register/api/submit$", call),
            (r"^/-/logout/perform$", call),
            (r"^/-/login$", page("login", login)),
            (r"^/-/register$", page("register", {"help": "<b>Bienvenue</b>"})),
            (r"^/-/logout$", page("logout", {})),
        ]


@pytest.fixture
def accounts():
    plugin = Accounts()
    pm.register(plugin, name="accounts-of-the-tests")
    yield plugin
    pm.unregister(plugin)


def alert(html: str) -> str:
    found = re.search(r'role="alert"><p><strong>([^<]*)', html)
    return found[1].replace("\u00a0", " ") if found else ""


async def test_signing_in_is_a_form_in_french(accounts, make):
    datasette = await make()
    answer = await datasette.client.get("/-/login?next=/-/cle")
    assert "<h1>Se connecter</h1>" in answer.text
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    accounts.answers["/-/login/api/authenticate"] = 200, {"ok": True, "redirect": "/-/cle"}
    given = {"username": "lectrice", "password": "un mot", "next": "/-/cle", "autre": "x"}
    answer = await datasette.client.post("/-/login?next=/-/cle", data=given)
    assert (answer.status_code, answer.headers["location"]) == (303, "/-/cle")
    assert answer.headers["set-cookie"] == COOKIE
    kept = {name: given[name] for name in ("username", "password", "next")}
    assert accounts.calls == [("/-/login/api/authenticate", kept, "application/json")]


async def test_what_is_refused_is_said_in_french_beside_the_form(accounts, make):
    datasette = await make()
    error = {"ok": False, "error": "Invalid username or password"}
    accounts.answers["/-/login/api/authenticate"] = 401, error
    given = {"username": '"><b>', "password": "un mot"}
    answer = await datasette.client.post("/-/login", data=given)
    assert answer.status_code == 401
    assert alert(answer.text).startswith("Nom de compte ou mot de passe refusé.")
    assert 'value="&#34;&gt;&lt;b&gt;"' in answer.text
    assert "un mot" not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Password must be at least 12 characters", "Le mot de passe a au moins 12 caractères."),
        ("Username must be 3-64 characters", "Le nom de compte a de 3 à 64 caractères."),
        ("Username already taken", "Ce nom de compte est déjà pris."),
        ("Something new", "Cette demande n’a pas été acceptée : rien n’a été fait."),
    ],
)
async def test_each_refusal_has_its_words(accounts, make, said, told):
    datasette = await make()
    accounts.answers["/-/register/api/submit"] = 400, {"ok": False, "error": said}
    given = {"username": "a", "password": "b", "confirm": "b"}
    answer = await datasette.client.post("/-/register", data=given)
    assert (answer.status_code, alert(answer.text)) == (400, told)


async def test_an_account_is_asked_for_with_the_same_password_twice(accounts, make):
    datasette = await make()
    page = (await datasette.client.get("/-/register")).text
    assert "Aucun délai n’est promis." in page
    assert "Bienvenue" in page
    assert "<b>Bienvenue" not in page
    given = {"username": "abc", "password": "b" * 12, "confirm": "c" * 12}
    answer = await datasette.client.post("/-/register", data=given)
    assert (answer.status_code, alert(answer.text)) == (400, DIFFERENT)
    assert accounts.calls == []
    accounts.answers["/-/register/api/submit"] = 200, {"ok": True}
    answer = await datasette.client.post("/-/register", data=given | {"confirm": "b" * 12})
    assert (answer.status_code, alert(answer.text)) == (200, "Votre demande est enregistrée.")


async def test_a_form_from_another_site_is_refused(accounts, make):
    datasette = await make()
    accounts.answers["/-/login/api/authenticate"] = 200, {"ok": True, "redirect": "/"}
    answer = await datasette.client.post(
        "/-/login",
        data={"username": "a", "password": "b"},
        headers={"Sec-Fetch-Site": "cross-site", "Origin": "https://ailleurs.exemple"},
    )
    assert answer.status_code == 403
    assert accounts.calls == []


async def test_signing_out_asks_first(accounts, make):
    datasette = await make()
    page = await datasette.client.get("/-/logout", actor={"id": "lectrice"})
    assert "<h1>Se déconnecter</h1>" in page.text
    assert accounts.calls == []
    accounts.answers["/-/logout/perform"] = 200, {"ok": True}
    answer = await datasette.client.post("/-/logout", data={})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize("body", [b"a=" + b"b" * LONGEST, b"a=\xff", b"action=autre"])
async def test_a_form_that_cannot_be_read_does_nothing(accounts, make, body):
    datasette = await make()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = await datasette.client.post("/-/login", content=body, headers=headers)
    assert (answer.status_code, alert(answer.text)) == (400, UNREADABLE)
    assert accounts.calls == []


async def test_programs_call_datasette_accounts_as_before(accounts, make):
    datasette = await make()
    accounts.answers["/-/login/api/authenticate"] = 200, {"ok": True}
    calls = [
        datasette.client.post("/-/login/api/authenticate", json={"username": str(n)})
        for n in range(3)
    ]
    assert [one.json() for one in await asyncio.gather(*calls)] == [{"ok": True}] * 3
