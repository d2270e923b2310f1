"""Which key opens, which header carries it, and who is told what when it does not."""

from __future__ import annotations

import json
import re

import pytest
from itsdangerous import URLSafeSerializer

from . import environment
from .service import Headers, Service, in_every_way
from .situations import PATH

rule = pytest.mark.rule
pytestmark = in_every_way


@pytest.fixture(scope="session")
def keys(
    service: Service, reader: Headers, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """A good key and ways to be a bad one, by name."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "internal.sqlite3"
    revoked = environment.issue("revoque", service.internal)
    environment.done("keys", "revoke", "revoque", "--internal", service.internal)
    return {
        "good": reader["Authorization"].removeprefix("Bearer "),
        "unknown": environment.issue("inconnu", elsewhere),
        "revoked": revoked,
        "core's": "dstok_junk",
        "not ascii": "mvt_" + "é" * 36,
        "huge": "mvt_" + "0" * 5000,
    }


# What each header may hold, tests/keys tries without a service; here, what a server passes on of it.
OPENED = [
    pytest.param({"Authorization": "Bearer good"}, marks=rule("interface-5-1")),
    pytest.param({"X-API-Key": "good"}, marks=rule("interface-5-2")),
    pytest.param(
        {"Authorization": "bearer good", "X-API-Key": "revoked"},
        marks=rule("decisions-key-headers-bearer-wins", "decisions-key-headers-scheme-case"),
    ),
    pytest.param(
        {"Authorization": "Basic dTpw", "X-API-Key": "good"},
        marks=rule("decisions-key-headers-other-scheme"),
    ),
]
REFUSED = [
    *(({"Authorization": f"Bearer {bad}"}, True) for bad in ("revoked", "core's", "huge")),
    *(({"X-API-Key": bad}, True) for bad in ("unknown", "not ascii")),
    pytest.param(
        {"Authorization": "Bearer unknown", "X-API-Key": "good"},
        True,
        marks=rule("decisions-key-headers-bad-bearer"),
    ),
    ({"Authorization": "good"}, False),
    ({"Cookie": "key=good"}, False),
]


def spelled(headers: Headers, keys: dict[str, str]) -> dict[str, str]:
    """The headers with the key's names replaced by the keys."""
    names = re.compile("|".join(sorted(map(re.escape, keys), key=len, reverse=True)))
    return {
        header: names.sub(lambda name: keys[name[0]], value).encode().decode("latin-1")
        for header, value in headers.items()
    }


@pytest.mark.parametrize("headers", OPENED, ids=str)
def test_a_good_key_opens(service: Service, keys: dict[str, str], headers: Headers) -> None:
    answer = service.ask(f"{PATH}?limit=1", spelled(headers, keys))
    assert answer.status == 200
    assert answer.header("X-RateLimit-Limit") == "1000000"


@rule("decisions-www-authenticate", "decisions-quota-headers-401", "interface-7-401")
@rule("interface-5-4")
@pytest.mark.parametrize(("headers", "sent"), REFUSED, ids=str)
def test_anything_else_is_401(
    service: Service, keys: dict[str, str], headers: Headers, sent: bool
) -> None:
    for target in (f"{PATH}?limit=0", "/mouvements"):
        answer = service.ask(target, spelled(headers, keys))
        assert answer.status == answer.json()["status"] == 401, target
        assert answer.header("X-RateLimit-Limit") == "1000"
        assert answer.header("X-RateLimit-Remaining") == "0"
        assert answer.json()["detail"].endswith("/-/cle.")
        assert '/-/cle>; rel="create-form"' in (answer.header("Link") or "")
        assert ('error="invalid_token"' in (answer.header("WWW-Authenticate") or "")) == sent
        assert keys["good"] not in answer.body.decode()


@rule("decisions-key-told", "interface-5-4")
@pytest.mark.parametrize("target", [PATH, "/fichiers/tout", "/movements/mouvements.json"])
def test_a_key_in_the_address_is_told(service: Service, keys: dict[str, str], target: str) -> None:
    answer = service.ask(f"{target}?key={keys['good']}")
    assert answer.status == 401
    assert "dans l’adresse" in answer.json()["detail"]
    assert keys["good"] not in answer.body.decode()


@rule("service-core-credentials")
def test_being_signed_in_changes_nothing(service: Service, reader: Headers) -> None:
    signed = URLSafeSerializer(environment.SECRET, "actor").dumps({"a": {"id": "root"}})
    cookie = {"Cookie": f"ds_actor={signed}"}
    assert service.ask("/-/actor.json", cookie).json()["actor"] == {"id": "root"}
    assert service.ask(PATH, cookie).status == 401
    assert service.ask("/v1/inconnu", cookie).json() == service.ask("/v1/inconnu").json()
    plain = service.ask(PATH, reader)
    for sent in (cookie["Cookie"], "ds_actor=junk", "ds_messages=junk", "=;;="):
        answer = service.ask(PATH, {**reader, "Cookie": sent})
        assert (answer.status, answer.body) == (200, plain.body)
        for header in ("ETag", "Cache-Control"):
            assert answer.header(header) == plain.header(header)


@rule("service-revoked-at-once", "decisions-one-key", "interface-5-3")
def test_a_key_ends_and_begins_at_once_in_a_running_service(service: Service) -> None:
    first = {"X-API-Key": environment.issue("vivant", service.internal)}
    assert service.ask(PATH, first).status == 200
    rotated = environment.done("keys", "rotate", "vivant", "--internal", service.internal, "--json")
    second = {"X-API-Key": json.loads(rotated.stdout)["key"]}
    ended = service.ask(PATH, first)
    assert (ended.status, "inconnue ou a été révoquée" in ended.json()["detail"]) == (401, True)
    assert service.ask(PATH, second).status == 200
    environment.done("keys", "revoke", "vivant", "--internal", service.internal)
    assert service.ask(PATH, second).status == 401
