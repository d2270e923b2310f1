"""One way to every status the service answers, for the promises that hold on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .service import Answer, Service

PATH = "/v1/mouvements"
CHANGES = "/v1/changements"
# Cursors that are well formed, and of no history that a test makes.
ELSEWHERE = f"{'0' * 16}-1-{'1' * 16}"
NewKey = Callable[..., dict[str, str]]
Answered = Callable[..., Answer]


class Setting(NamedTuple):
    """What a situation is made of."""

    service: Service
    unavailable: Service
    new_key: NewKey
    method: str


def _found(at: Setting) -> Answer:
    return at.service.ask(f"{PATH}?limit=2", at.new_key(at.service), at.method)


def _unchanged(at: Setting) -> Answer:
    key = at.new_key(at.service)
    etag = at.service.ask(PATH, key).header("ETag")
    assert etag
    return at.service.ask(PATH, {**key, "If-None-Match": etag}, at.method)


def _invalid(at: Setting) -> Answer:
    return at.service.ask(f"{PATH}?limit=0", at.new_key(at.service), at.method)


def _no_key(at: Setting) -> Answer:
    return at.service.ask(PATH, method=at.method)


def _bad_key(at: Setting) -> Answer:
    return at.service.ask(PATH, {"X-API-Key": "mvt_faux"}, at.method)


def _unknown_address(at: Setting) -> Answer:
    return at.service.ask("/v1/inconnu", method=at.method)


def _unknown_address_with_key(at: Setting) -> Answer:
    return at.service.ask("/v1/inconnu", at.new_key(at.service), at.method)


def _wrong_method(at: Setting) -> Answer:
    return at.service.ask(PATH, at.new_key(at.service), "DELETE")


def _wrong_method_without_key(at: Setting) -> Answer:
    return at.service.ask(PATH, method="POST")


def _exhausted(at: Setting) -> Answer:
    key = at.new_key(at.service, quota=1)
    assert at.service.ask(PATH, key).status == 200
    return at.service.ask(PATH, key, at.method)


def _unavailable(at: Setting) -> Answer:
    return at.unavailable.ask(PATH, at.new_key(at.unavailable), at.method)


def _changes(at: Setting) -> Answer:
    return at.service.ask(f"{CHANGES}?limit=2", at.new_key(at.service), at.method)


def _no_changes(at: Setting) -> Answer:
    key = at.new_key(at.service)
    etag = at.service.ask(CHANGES, key).header("ETag")
    assert etag
    return at.service.ask(CHANGES, {**key, "If-None-Match": etag}, at.method)


def _no_cursor(at: Setting) -> Answer:
    return at.service.ask(f"{CHANGES}?curseur=hier", at.new_key(at.service), at.method)


def _gone(at: Setting) -> Answer:
    return at.service.ask(f"{CHANGES}?curseur={ELSEWHERE}", at.new_key(at.service), at.method)


def _changes_without_data(at: Setting) -> Answer:
    return at.unavailable.ask(CHANGES, at.new_key(at.unavailable), at.method)


def _one(at: Setting) -> Answer:
    key = at.new_key(at.service)
    [found] = at.service.ask(f"{PATH}?limit=1", key).json()["mouvements"]
    return at.service.ask(f"{PATH}/{found['id']}", at.new_key(at.service), at.method)


def _withdrawn(at: Setting) -> Answer:
    key = at.new_key(at.service)
    changes = at.service.ask(f"{CHANGES}?limit=500", key).json()["changements"]
    [id] = [change["id"] for change in changes if change["nature"] == "retrait"]
    return at.service.ask(f"{PATH}/{id}", at.new_key(at.service), at.method)


def _never_published(at: Setting) -> Answer:
    return at.service.ask(f"{PATH}/mvt_inconnu", at.new_key(at.service), at.method)


def _preflight(at: Setting) -> Answer:
    asked = {"Origin": "https://exemple.fr", "Access-Control-Request-Method": "GET"}
    return at.service.ask(PATH, asked, "OPTIONS")


# name -> expected status, how to get there, the methods it can be reached by
SITUATIONS: dict[str, tuple[int, Callable[[Setting], Answer], tuple[str, ...]]] = {
    "found": (200, _found, ("GET", "HEAD")),
    "unchanged": (304, _unchanged, ("GET", "HEAD")),
    "invalid": (400, _invalid, ("GET", "HEAD")),
    "no key": (401, _no_key, ("GET", "HEAD")),
    "bad key": (401, _bad_key, ("GET", "HEAD")),
    "unknown address": (404, _unknown_address, ("GET", "HEAD")),
    "unknown address with key": (404, _unknown_address_with_key, ("GET", "HEAD")),
    "wrong method": (405, _wrong_method, ("DELETE",)),
    "wrong method without key": (405, _wrong_method_without_key, ("POST",)),
    "exhausted": (429, _exhausted, ("GET", "HEAD")),
    "unavailable": (503, _unavailable, ("GET", "HEAD")),
    "changes": (200, _changes, ("GET", "HEAD")),
    "no changes": (304, _no_changes, ("GET", "HEAD")),
    "no cursor": (400, _no_cursor, ("GET", "HEAD")),
    "gone": (410, _gone, ("GET", "HEAD")),
    "changes without data": (503, _changes_without_data, ("GET", "HEAD")),
    "one": (200, _one, ("GET", "HEAD")),
    "withdrawn": (410, _withdrawn, ("GET", "HEAD")),
    "never published": (404, _never_published, ("GET", "HEAD")),
    "preflight": (204, _preflight, ("OPTIONS",)),
}
# Those of other operations than the search.
BESIDE_THE_SEARCH = (
    *("unknown address", "unknown address with key", "changes", "no changes", "no cursor", "gone"),
    *("changes without data", "one", "withdrawn", "never published"),
)
EVERY = [(name, method) for name, (_, _, methods) in SITUATIONS.items() for method in methods]
HEADED = [name for name, (_, _, methods) in SITUATIONS.items() if "HEAD" in methods]
# Those that end in a problem's body.
REFUSED = [name for name, (status, _, _) in SITUATIONS.items() if status >= 400]
