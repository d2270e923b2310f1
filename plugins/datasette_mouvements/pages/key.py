"""The key page: a signed-in account sees, creates, renews and revokes its one key."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from datasette.plugins import pm
from datasette.utils import await_me_maybe
from datasette.utils.asgi import Request, Response

from .. import addresses
from ..api.service import account_of
from ..keys import keys
from ..keys.quota_day import KEPT_MONTHS, RECENT, last_days, quota_day
from ..keys.store import AccountError, live_key
from ..refusal import NO_PLACE_FOR_KEYS
from .runner import render, say
from .site import Site

REGISTER = "/-/register"
# The addresses where datasette-accounts and datasette-auth-github let people in and out, with our labels.
_IN = (
    ("/-/login", "?next=HERE", "Se connecter"),
    (REGISTER, "", "Demander un compte"),
    ("/-/github-auth-start", "", "Se connecter avec GitHub"),
)
_OUT = (
    ("/-/account", "", "Gérer le compte (page en anglais)"),
    ("/-/logout", "", "Se déconnecter"),
)
_DONE = {
    "revoquer": "La clé est révoquée : elle est refusée dès maintenant.",
    "renouveler": "La clé est renouvelée : l’ancienne est refusée dès maintenant.",
    "creer": "La clé est créée.",
}
# The changes that end a key.
ENDING = ("renouveler", "revoquer")
ALREADY = "Ce compte a déjà une clé : elle n’est montrée qu’à sa création. Renouvelez-la si vous l’avez perdue."
UNREADABLE = "Ce formulaire ne se lit pas : rien n’a été fait."
CHANGED = "La clé a changé depuis que cette page a été ouverte : rien n’a été fait."
TOKEN = (
    "Cette page se lit en étant connecté à un compte : un jeton d’accès ne peut ni voir ni changer"
    " une clé."
)


async def page(site: Site, request: Request) -> Response:
    """GET shows the key's state; POST creates, renews or revokes (core refuses it from other sites)."""
    if not site.service.keeps_keys:
        return await say(site, request, 503, "Pas de clé pour l’instant", NO_PLACE_FOR_KEYS)
    actor, account = request.actor or {}, account_of(request.actor)
    status, notice, key, asked = 200, "", "", ""
    if actor and not account:
        status, notice = 403, TOKEN
    elif request.method != "POST":
        asked = request.args.get("demander") or ""
    elif account:
        status, notice, key = await _change(site, request, account)
    else:
        status = 403
    links = await _links(site, request)
    context = {
        "account": account,
        "display": actor.get("display") or actor.get("name") or actor.get("username") or account,
        "asked": asked if asked in ENDING else "",
        "notice": notice,
        "key": key,
        "links": links,
        "registers": any(link["href"].endswith(REGISTER) for link in links),
        "address": site.service.address(request.scope),
        "kept_months": KEPT_MONTHS,
    }
    if account:
        context |= await _state(site, account)
    return await render(site, request, "key", context, status)


async def _change(site: Site, request: Request, account: str) -> tuple[int, str, str]:
    """Change the key as the form asks; the status, a sentence that says what was done, and a new key."""
    try:
        form = await request.post_vars()
    except UnicodeDecodeError:
        return 400, UNREADABLE, ""
    action = form.get("action", "")
    charging, now = site.service.charging, site.service.clock()
    live = live_key(await charging.call(charging.store.show, account, now))
    if action == "creer":
        if live is not None:
            return 200, ALREADY, ""
    elif action not in ENDING or live is None or str(live.id) != form.get("cle"):
        # A page that was sent twice ends here too: one renewal, not two.
        return 409, CHANGED, ""
    key = ""
    try:
        if action == "revoquer":
            await charging.call(charging.store.revoke, account, now)
        else:
            key = keys.issue()
            change = charging.store.create if action == "creer" else charging.store.rotate
            await charging.call(change, account, keys.digest(key), keys.prefix(key), now)
    except AccountError:  # the command line was quicker
        return 409, CHANGED, ""
    return 200, _DONE[action], key


async def _state(site: Site, account: str) -> dict[str, Any]:
    """The keys of an account, and the charges of the last days, today and days without any included."""
    charging, now = site.service.charging, site.service.clock()
    records = await charging.call(charging.store.show, account, now)
    live = live_key(records)
    if live is None:
        return {"record": None, "ended": records}
    recent = last_days(now)
    charges = await charging.call(charging.store.days, account, recent[0])
    return {
        "record": live,
        "ended": records[1:],
        "limit": live.quota or site.config.quota,
        "resets": quota_day(now).reset.isoformat(),
        "days": [(day, charges.get(day, 0)) for day in recent],
        "busiest": max(charges.get(day, 0) for day in recent),
        "recent": RECENT,
    }


async def _links(site: Site, request: Request) -> list[dict[str, str]]:
    """The ways in and out: those of plugins that are known, then what others put in the menu."""
    links: dict[str, dict[str, str]] = {}
    for path, query, label in _OUT if request.actor else _IN:
        if not answers(site, path):
            continue
        # A sign-up that is closed answers 404.
        if path == REGISTER and (await site.datasette.client.get(path)).status_code != 200:
            continue
        href = str(site.datasette.urls.path(path))
        query = query.replace("HERE", site.path(addresses.KEY_PAGE))
        links[href] = {"href": href + query, "label": label, "lang": ""}
    for menu in pm.hook.menu_links(datasette=site.datasette, actor=request.actor, request=request):
        for link in await await_me_maybe(menu) or []:
            href = str(link.get("href") or "")
            if href and href.partition("?")[0] not in links:
                links[href] = {"href": href, "label": str(link.get("label")), "lang": "en"}
    return list(links.values())


def answers(site: Site, path: str) -> bool:
    """Whether some plugin has a page at this path."""
    routes = chain.from_iterable(pm.hook.register_routes(datasette=site.datasette))
    return any(re.match(pattern, path) for pattern, _ in routes)
