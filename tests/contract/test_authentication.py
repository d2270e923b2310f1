"""Which key opens, which header carries it, and who is told what when it does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from itsdangerous import URLSafeSerializer

from . import environment
from .service import Service, in_every_way
from .situations import PATH

rule = pytest.mark.rule
pytestmark = in_every_way


@pytest.fixture(scope="session")
def keys(
    service: Service, reader: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """A good key and every way to be a bad one, by name."""
    good = reader["Authorization"].removeprefix("Bearer ")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "internal.sqlite3"
    revoked = environment.issue("revoque", service.internal)
    environment.done("keys", "revoke", "revoque", "--internal", service.internal)
    ended = environment.issue("remplace", service.internal)
    environment.done("keys", "rotate", "remplace", "--internal", service.internal)
    return {
        "good": good,
        "unknown": environment.issue("inconnu", elsewhere),
        "revoked": revoked,
        "rotated": ended,
        "mistyped": good[:-1] + ("0" if good[-1] != "0" else "1"),
        "cut": good[:-1],
        "longer": good + "0",
        "other case": "MVT" + good[3:],
        "junk": "x",
        "core's": "dstok_junk",
        "not ascii": "mvt_" + "é" * 36,
        "huge": "mvt_" + "0" * 5000,
        "quoted": f'"{good}"',
    }


OPENED = [
    pytest.param({"Authorization": "Bearer good"}, marks=rule("interface-5-1")),
    pytest.param({"X-API-Key": "good"}, marks=rule("interface-5-2")),
    pytest.param({"Authorization": "bearer good"}, marks=rule("decisions-key-headers-scheme-case")),
    pytest.param({"Authorization": "BEARER good"}, marks=rule("decisions-key-headers-scheme-case")),
    *(
        pytest.param(
            {"Authorization": other, "X-API-Key": "good"},
            marks=rule("decisions-key-headers-other-scheme"),
        )
        for other in ("Basic dTpw", "Digest username=u", "Basic", "", "Token x", "Bearerx y")
    ),
    *(
        pytest.param(
            {"Authorization": "Bearer good", "X-API-Key": bad},
            marks=rule("decisions-key-headers-bearer-wins"),
        )
        for bad in ("revoked", "junk", "unknown")
    ),
]
BAD = ("unknown", "revoked", "rotated", "mistyped", "cut", "longer", "other case", "junk")
REFUSED = [
    *(
        pytest.param({header: f"{scheme}{bad}"}, True, marks=rule("interface-5-4"))
        for header, scheme in (("Authorization", "Bearer "), ("X-API-Key", ""))
        for bad in (*BAD, "core's", "not ascii", "huge", "quoted")
    ),
    *(
        pytest.param(
            {"Authorization": f"bearer {bad}", "X-API-Key": "good"},
            True,
            marks=rule("decisions-key-headers-bad-bearer"),
        )
        for bad in (*BAD, "core's")
    ),
    *(
        pytest.param(
            {"Authorization": other}, False, marks=rule("decisions-key-headers-other-scheme")
        )
        for other in ("Basic dTpw", "good", "Token good")
    ),
    *(
        pytest.param(
            {"Authorization": "Basic dTpw", "X-API-Key": bad},
            True,
            marks=rule("decisions-key-headers-other-scheme"),
        )
        for bad in ("revoked", "junk")
    ),
    pytest.param({}, False, marks=rule("interface-5-4")),
    pytest.param({"X-Api-Token": "good"}, False, marks=rule("interface-5-4")),
    pytest.param({"Cookie": "key=good"}, False, marks=rule("interface-5-4")),
]


def spelled(headers: dict[str, str], keys: dict[str, str]) -> dict[str, str]:
    """The headers with the key's names replaced by the keys."""
    names = re.compile("|".join(sorted(map(re.escape, keys), key=len, reverse=True)))
    return {
        header: names.sub(lambda name: keys[name[0]], value).encode().decode("latin-1")
        for header, value in headers.items()
    }


@pytest.mark.parametrize("headers", OPENED, ids=str)
def test_a_good_key_opens(service: Service, keys: dict[str, str], headers: dict[str, str]) -> None:
    answer = service.ask(f"{PATH}?limit=1", spelled(headers, keys))
    assert answer.status == 200
    assert answer.header("X-RateLimit-Limit") == "1000000"


@rule("decisions-www-authenticate", "decisions-quota-headers-401", "interface-7-401")
@pytest.mark.parametrize(("headers", "sent"), REFUSED, ids=str)
def test_anything_else_is_401(
    service: Service, keys: dict[str, str], headers: dict[str, str], sent: bool
) -> None:
    for target in (PATH, f"{PATH}?limit=0", "/mouvements"):
        answer = service.ask(target, spelled(headers, keys))
        assert answer.status == answer.json()["status"] == 401, target
        assert answer.header("X-RateLimit-Limit") == "1000"
        assert answer.header("X-RateLimit-Remaining") == "0"
        assert answer.json()["detail"].endswith("/-/cle.")
        assert '/-/cle>; rel="create-form"' in (answer.header("Link") or "")
        assert ('error="invalid_token"' in (answer.header("WWW-Authenticate") or "")) == sent
        assert keys["good"] not in answer.body.decode()


@rule("interface-5-4")
@pytest.mark.parametrize("name", ["key", "api_key", "access_token", "cle"])
def test_a_key_in_the_query_opens_nothing(service: Service, name: str) -> None:
    key = environment.issue(f"adresse-{name}", service.internal)
    assert service.ask(f"{PATH}?{name}={key}").status == 401


@rule("decisions-key-told")
@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"Authorization": "good"}, "il manque Bearer"),
        ({"Authorization": "Token good"}, "il manque Bearer"),
        ({"X-API-Key": "Bearer good"}, "de trop"),
        ({"X-API-Key": "mistyped"}, "une faute de frappe ou une troncature"),
        ({"X-API-Key": "cut"}, "compte 39 octets"),
        ({"X-API-Key": "quoted"}, "retirez-les"),
        ({"X-API-Key": "<VOTRE_CLE>"}, "l’emplacement d’une clé"),
        ({"X-API-Key": "unknown"}, "inconnue ou a été révoquée"),
        ({"X-API-Key": "revoked"}, "inconnue ou a été révoquée"),
        ({}, "ne porte pas de clé"),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", [PATH, "/fichiers/tout", "/movements/mouvements.json"])
def test_what_is_wrong_with_a_key_is_told(
    service: Service, keys: dict[str, str], headers: dict[str, str], told: str, target: str
) -> None:
    answer = service.ask(target, spelled(headers, keys))
    assert answer.status == 401
    assert told in answer.json()["detail"]
    assert all(key[4:] not in answer.body.decode() for key in keys.values() if len(key) > 10)


@rule("decisions-key-told")
@pytest.mark.parametrize("target", [PATH, "/fichiers/tout", "/movements/mouvements.json"])
def test_a_key_in_the_address_is_told(service: Service, keys: dict[str, str], target: str) -> None:
    answer = service.ask(f"{target}?key={keys['good']}")
    assert answer.status == 401
    assert "dans l’adresse" in answer.json()["detail"]
    assert keys["good"] not in answer.body.decode()


@rule("service-core-credentials")
def test_being_signed_in_changes_nothing(service: Service, reader: dict[str, str]) -> None:
    signed = URLSafeSerializer(environment.SECRET, "actor").dumps({"a": {"id": "root"}})
    cookie = {"Cookie": f"ds_actor={signed}"}
    assert service.ask("/-/actor.json", cookie).json()["actor"] == {"id": "root"}
    assert service.ask(PATH, cookie).status == 401
    assert service.ask("/v1/inconnu", cookie).json() == service.ask("/v1/inconnu").json()
    plain, with_cookie = service.ask(PATH, reader), service.ask(PATH, {**reader, **cookie})
    assert with_cookie.body == plain.body
    assert with_cookie.header("ETag") == plain.header("ETag")
    assert with_cookie.header("Cache-Control") == plain.header("Cache-Control")


@rule("service-core-credentials")
@pytest.mark.parametrize("token", ["dstok_junk", "dstok_", "mvt_junk", "\xff"])
def test_a_token_that_core_would_judge_is_ours_to_refuse(service: Service, token: str) -> None:
    for target in (PATH, "/mouvements", "/v1/x", "/v1", "/v1/x.json", "/v1//"):
        answer = service.ask(target, {"Authorization": f"Bearer {token}"})
        refused = (401, "0") if target in (PATH, "/mouvements") else (404, "1000")
        assert (answer.status, answer.header("X-RateLimit-Remaining")) == refused, target
        assert answer.json()["licence"]


@rule("service-core-credentials")
@pytest.mark.parametrize("cookie", ["ds_actor=junk", "ds_messages=junk", "ds_actor=", "=;;="])
def test_a_broken_cookie_changes_nothing(
    service: Service, reader: dict[str, str], cookie: str
) -> None:
    assert service.ask(PATH, {**reader, "Cookie": cookie}).status == 200


@rule("service-revoked-at-once", "decisions-one-key", "interface-5-3")
def test_a_key_ends_and_begins_at_once_in_a_running_service(service: Service) -> None:
    first = {"X-API-Key": environment.issue("vivant", service.internal)}
    assert service.ask(PATH, first).status == 200
    rotated = environment.done("keys", "rotate", "vivant", "--internal", service.internal, "--json")
    second = {"X-API-Key": json.loads(rotated.stdout)["key"]}
    assert service.ask(PATH, first).status == 401
    assert service.ask(PATH, second).status == 200
    environment.done("keys", "revoke", "vivant", "--internal", service.internal)
    assert service.ask(PATH, second).status == 401


@rule("decisions-key-stored")
def test_neither_a_key_nor_a_log_line_of_it_lies_in_a_file(
    service: Service, keys: dict[str, str]
) -> None:
    service.ask(PATH, {"X-API-Key": keys["good"]})
    files = [path for path in Path(service.internal.parent).iterdir() if path.is_file()]
    assert service.internal in files
    for path in files:
        assert keys["good"].encode() not in path.read_bytes()
