"""One way to every status the service answers, for the promises that hold on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .service import Answer, Headers, Service

PATH = "/v1/mouvements"
CHANGES = "/v1/changements"
# Cursors that are well formed, and of no history that a test makes.
ELSEWHERE = f"{'0' * 16}-1-{'1' * 16}"
NewKey = Callable[..., Headers]
Answered = Callable[..., Answer]


class Situation(NamedTuple):
    """What is asked, by whom, and by which methods it can be reached."""

    status: int
    # {published} and {withdrawn} are identifiers.
    target: str
    methods: tuple[str, ...] = ("GET", "HEAD")
    has_key: bool = True
    headers: Headers = {}  # noqa: RUF012 (nobody changes it)
    # Whoever asks has the answer already; has nothing left; asks a service without data.
    unchanged: bool = False
    exhausted: bool = False
    without_data: bool = False
    # The address that the description has of it, the search's if it is not said; "" where it has none.
    described: str = PATH

    def ask(self, service: Service, unavailable: Service, new_key: NewKey, method: str) -> Answer:
        asked = unavailable if self.without_data else service
        headers = dict(self.headers)
        if self.has_key:
            headers |= new_key(asked, quota=1) if self.exhausted else new_key(asked)
        if self.exhausted:
            assert asked.ask(PATH, headers).status == 200
        if self.unchanged:
            headers["If-None-Match"] = asked.ask(self.target, headers).header("ETag") or ""
        target = self.target
        if "{" in target:
            changes = asked.ask(f"{CHANGES}?limit=500", new_key(asked)).json()["changements"]
            ids = {change["nature"]: change["id"] for change in changes}
            target = target.format(published=ids["publication"], withdrawn=ids["retrait"])
        return asked.ask(target, headers, method)


PREFLIGHT = {"Origin": "https://exemple.fr", "Access-Control-Request-Method": "GET"}
ONE = f"{PATH}/{{id}}"
SITUATIONS = {
    "found": Situation(200, f"{PATH}?limit=2"),
    "unchanged": Situation(304, PATH, unchanged=True),
    "invalid": Situation(400, f"{PATH}?limit=0"),
    "no key": Situation(401, PATH, has_key=False),
    "bad key": Situation(401, PATH, has_key=False, headers={"X-API-Key": "mvt_faux"}),
    "unknown address": Situation(404, "/v1/inconnu", has_key=False, described=""),
    "unknown address with key": Situation(404, "/v1/inconnu", described=""),
    "wrong method": Situation(405, PATH, ("DELETE",), described=""),
    "wrong method without key": Situation(405, PATH, ("POST",), has_key=False, described=""),
    "exhausted": Situation(429, PATH, exhausted=True),
    "unavailable": Situation(503, PATH, without_data=True),
    "changes": Situation(200, f"{CHANGES}?limit=2", described=CHANGES),
    "no changes": Situation(304, CHANGES, unchanged=True, described=CHANGES),
    "no cursor": Situation(400, f"{CHANGES}?curseur=hier", described=CHANGES),
    "gone": Situation(410, f"{CHANGES}?curseur={ELSEWHERE}", described=CHANGES),
    "changes without data": Situation(503, CHANGES, without_data=True, described=CHANGES),
    "one": Situation(200, f"{PATH}/{{published}}", described=ONE),
    "withdrawn": Situation(410, f"{PATH}/{{withdrawn}}", described=ONE),
    "never published": Situation(404, f"{PATH}/mvt_inconnu", described=ONE),
    "preflight": Situation(204, PATH, ("OPTIONS",), False, PREFLIGHT, described=""),
}
EVERY = [(name, method) for name, one in SITUATIONS.items() for method in one.methods]
# Those that end in a problem's body.
REFUSED = [name for name, one in SITUATIONS.items() if one.status >= 400]
