"""The key page: one key per account, shown once, changed only by its owner and on this site."""

from __future__ import annotations

import re

import pytest
from datasette import Response, hookimpl

from datasette_mouvements.keys.sqlite import NoStore
from datasette_mouvements.pages.key import ALREADY, CHANGED
from tests.serving.conftest import registered

from .conftest import site

ACTOR = {"id": "lectrice", "username": "Lectrice"}
KEY = re.compile(r"mvt_[0-9A-Za-z]{36}")


@pytest.fixture
async def datasette(make):
    return await make({"contact": "contact@exemple.fr"})


@pytest.fixture
async def key(datasette) -> str:
    """The account's new key."""
    return shown(await send(datasette, "creer"))


async def send(datasette, action: str, actor=ACTOR, headers=None, **form):
    data = {"action": action, **form}
    return await datasette.client.post("/-/cle", data=data, actor=actor, headers=headers or {})


async def state(datasette, actor=ACTOR, query: str = "") -> str:
    return (await datasette.client.get(f"/-/cle{query}", actor=actor)).text


async def works(datasette, key: str) -> bool:
    headers = {"Authorization": f"Bearer {key}"}
    return (await datasette.client.get("/v1/quota", headers=headers)).status_code == 200


def shown(answer) -> str:
    (key,) = set(KEY.findall(answer.text))
    return str(key)


async def number(datasette) -> str:
    """The number of the key that the page which asks whether to end it holds."""
    page = await state(datasette, query="?demander=revoquer")
    (value,) = re.findall(r'name="cle" value="(\d+)"', page)
    return str(value)


async def test_a_key_is_created_shown_once_and_works(datasette):
    assert "Créer ma clé" in await state(datasette)
    answer = await send(datasette, "creer")
    key = shown(answer)
    assert answer.headers["cache-control"] == "private, no-store"
    assert await works(datasette, key)
    page = await state(datasette)
    assert not KEY.search(page)
    assert key[:10] in page


async def test_an_account_has_one_key(datasette, key):
    again = await send(datasette, "creer")
    assert not KEY.search(again.text)
    assert ALREADY.partition(" :")[0] in again.text
    assert await works(datasette, key)


async def test_renewing_ends_the_old_key_once_and_keeps_the_count(datasette, key):
    await datasette.client.get("/v1/mouvements", headers={"X-API-Key": key})
    live = await number(datasette)
    answer = await send(datasette, "renouveler", cle=live)
    new = shown(answer)
    assert not await works(datasette, key)
    assert "1\u00a0demande sur" in answer.text
    twice = await send(datasette, "renouveler", cle=live)
    assert twice.status_code == 409
    assert CHANGED.partition(" :")[0] in twice.text
    assert await works(datasette, new)


async def test_a_revoked_key_is_refused_and_another_can_be_made(datasette, key):
    await send(datasette, "revoquer", cle=await number(datasette))
    assert not await works(datasette, key)
    page = await state(datasette)
    assert "Créer ma clé" in page
    assert "révoquée le" in page
    assert "Créer ma clé" in await state(datasette, query="?demander=revoquer")


async def test_an_unknown_action_and_a_form_that_is_not_text_change_nothing(datasette, key):
    live = await number(datasette)
    for form in ({"action": "effacer", "cle": live}, {"action": ""}, {"cle": "x"}):
        answer = await datasette.client.post("/-/cle", data=form, actor=ACTOR)
        assert answer.status_code == 409
    answer = await datasette.client.post("/-/cle", content=b"action=revoquer\xff", actor=ACTOR)
    assert answer.status_code == 400
    assert "rien n’a été fait" in answer.text
    assert await works(datasette, key)


async def test_accounts_see_and_end_their_own_key_only(datasette, key):
    other = {"id": "autre"}
    assert key[:10] not in await state(datasette, other)
    answer = await send(datasette, "revoquer", other, cle=await number(datasette))
    assert answer.status_code == 409
    assert await works(datasette, key)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://ailleurs.example"},
        {"Origin": "null"},
    ],
)
async def test_other_sites_change_nothing(datasette, key, headers):
    answer = await send(datasette, "revoquer", headers=headers, cle=await number(datasette))
    assert answer.status_code == 403
    assert "vient d’un autre site" in answer.text
    assert await works(datasette, key)


@pytest.mark.parametrize("actor", [None, {"id": "lectrice", "token": "dstok"}, {"name": "x"}])
async def test_nobody_and_tokens_get_no_key(datasette, actor):
    answer = await send(datasette, "creer", actor)
    assert answer.status_code == 403
    assert not KEY.search(answer.text)
    assert "Créer ma clé" in await state(datasette)


async def test_a_token_of_an_account_does_not_open_the_page(datasette):
    token = await datasette.create_token("lectrice")
    answer = await datasette.client.get("/-/cle", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
    assert "un jeton d’accès" in answer.text


async def test_a_signed_cookie_of_datasette_s_own_is_an_account_too(datasette):
    # What datasette-auth-github sets.
    actor = {"id": "github:12345", "display": "octavie"}
    cookies = {"ds_actor": datasette.client.actor_cookie(actor)}
    page = (await datasette.client.get("/-/cle", cookies=cookies)).text
    assert "<strong>octavie</strong>" in page
    assert 'action="/-/logout"' in page
    answer = await datasette.client.post("/-/cle", data={"action": "creer"}, cookies=cookies)
    assert await works(datasette, shown(answer))


async def test_the_last_days_are_drawn_and_told(datasette, key):
    await datasette.client.get("/v1/mouvements", headers={"X-API-Key": key})
    page = await state(datasette)
    assert page.count('<tr><th scope="row">') == 30
    bars = re.findall(r'<rect class="now" x="[\d.]+%" y="([\d.]+)"[^>]* height="([\d.]+)"/>', page)
    assert bars[-1] == ("10.0", "80.0")
    assert set(bars[:-1]) == {("90.0", "0.0")}
    assert 'aria-label="Demandes par jour sur 30 jours, 1\xa0demande le jour' in page


async def test_an_account_s_own_quota_is_told(datasette):
    service = site(datasette).service
    service.charging.store.create(ACTOR["id"], b"digest", "mvt_abcdef", service.clock(), 7)
    assert "0\u00a0demande sur 7" in await state(datasette)


@pytest.mark.parametrize(("status", "offered"), [(200, True), (404, False)])
async def test_a_sign_up_is_offered_while_it_is_open(make, status, offered):
    class Accounts:
        @hookimpl
        def register_routes(self):
            return [("^/-/register$", lambda: Response.text("", status=status))]

    with registered(Accounts()):
        page = await state(await make(), None)
    assert ('href="/-/register"' in page) is offered


@pytest.mark.parametrize("action", ["renouveler", "revoquer"])
async def test_a_key_s_end_is_asked_about_first(datasette, key, action):
    page = await state(datasette)
    assert f'href="/-/cle?demander={action}"' in page
    assert 'name="action"' not in page
    asking = await state(datasette, query=f"?demander={action}")
    assert re.findall('name="action" value="([a-z]+)"', asking) == [action]
    assert "Non, garder la clé" in asking


async def test_a_store_that_does_not_answer_is_said_to_come_back(datasette):
    await state(datasette)
    service = site(datasette).service
    service.charging.close()
    service.charging.store = NoStore()
    assert (await datasette.client.get("/-/cle", actor=ACTOR)).status_code == 503


async def test_signed_out_the_page_says_what_a_key_gives_and_whom_to_ask(datasette):
    page = await state(datasette, None)
    assert "1\u202f000\u00a0demandes par jour" in page
    assert "un téléchargement coûte une demande" in page
    assert "Demandez une clé" in page
    assert "mailto:contact@exemple.fr" in page
    assert "Aucun délai n’est promis." in page
    assert "Révoquer" not in await state(datasette, None, "?demander=revoquer")
