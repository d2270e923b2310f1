"""One way to every status the service answers, for the promises that hold on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .service import Answer, Service

PATH = "/v1/mouvements"
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
    "preflight": (204, _preflight, ("OPTIONS",)),
}
EVERY = [(name, method) for name, (_, _, methods) in SITUATIONS.items() for method in methods]
HEADED = [name for name, (_, _, methods) in SITUATIONS.items() if "HEAD" in methods]
# Those that end in a problem's body.
REFUSED = [name for name, (status, _, _) in SITUATIONS.items() if status >= 400]
