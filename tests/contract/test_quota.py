"""What is charged, what is not, in which order a request is judged, and exactness under fire."""

from __future__ import annotations

import contextlib
import datetime
from collections import Counter
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from . import environment
from .service import Headers, OverHttp, Service, Start, behind, used
from .situations import CHANGES, PATH, NewKey

rule = pytest.mark.rule


# Method, address, headers, status, and what it costs.
COSTS = [
    ("HEAD", PATH, {}, 200, 1),
    ("GET", "/mouvements", {}, 200, 1),
    ("HEAD", "/mouvements?limit=0", {}, 400, 1),
    ("GET", "/v1/inconnu", {}, 404, 1),
    ("GET", "/v1", {}, 404, 1),
    ("DELETE", "/mouvements", {}, 405, 1),
    ("GET", PATH, {"If-None-Match": '"autre"'}, 200, 1),
    ("GET", PATH, {"If-None-Match": "*"}, 304, 0),
    ("OPTIONS", "/mouvements", {"Origin": "https://exemple.fr"}, 204, 0),
]


@rule("decisions-charged", "decisions-not-charged", "interface-8-quota", "decisions-alias")
@pytest.mark.parametrize(("method", "target", "headers", "status", "cost"), COSTS)
def test_what_a_key_opens_counts_one_and_what_needs_no_answer_nothing(
    service: Service,
    new_key: NewKey,
    method: str,
    target: str,
    headers: Headers,
    status: int,
    cost: int,
) -> None:
    key, other = new_key(service), new_key(service)
    answer = service.ask(target, {**key, **headers}, method)
    assert (answer.status, used(service, key), used(service, other)) == (status, cost, 0)


@rule("interface-8-exhausted", "interface-7-429", "decisions-order-of-checks")
@rule("decisions-not-charged", "decisions-alias", "interface-4-alias")
def test_past_the_quota_every_search_is_429(service: Service, new_key: NewKey) -> None:
    key = new_key(service, quota=3)
    asked = (f"{PATH}?limit=1", "/mouvements?limit=0", CHANGES)
    counted = [service.ask(target, key) for target in asked]
    assert [(answer.status, answer.remaining) for answer in counted] == [
        (200, 2),
        (400, 1),
        (200, 0),
    ]
    tag = counted[0].header("ETag") or ""
    for target, headers in (
        *((path, {}) for path in (PATH, "/mouvements", f"{PATH}/mvt_x", f"{PATH}?limit=0")),
        *((f"{CHANGES}{query}", {}) for query in ("", "?limit=0", "?curseur=hier")),
        *((path, {"If-None-Match": tag}) for path in (f"{PATH}?limit=1", CHANGES)),
    ):
        refused = service.ask(target, {**key, **headers})
        assert (refused.status, refused.remaining) == (429, 0)
        assert refused.header("X-RateLimit-Limit") == "3"
    assert service.ask(PATH, key, "HEAD").status == 429
    assert service.ask("/v1/inconnu", key).status == 404
    assert service.ask(PATH, key, "PUT").status == 405
    assert service.ask(PATH, key, "OPTIONS").status == 204


@rule("decisions-not-charged", "interface-7-503", "decisions-retry-after")
@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        (CHANGES, {}, 503),
        (CHANGES, {"If-None-Match": "*"}, 304),  # that it is there needs no reading
        (f"{PATH}/mvt_inconnu", {"If-None-Match": "*"}, 503),
    ],
)
def test_what_cannot_be_read_costs_nothing(
    in_process: Start,
    new_key: NewKey,
    target: str,
    headers: Headers,
    status: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = in_process()
    key = new_key(service, quota=1)
    version = behind(service).version
    assert version is not None
    version.db.close()
    answer = service.ask(target, {**key, **headers})
    assert (answer.status, answer.remaining, used(service, key)) == (status, 1, 0)
    if status == 503:
        assert answer.header("Retry-After")
        assert "SQL" not in answer.json()["detail"]
        assert "movements cannot be read" in caplog.text


@rule("decisions-order-of-checks", "decisions-not-charged", "interface-7-503")
def test_an_unavailable_service_checks_the_key_first_and_charges_nothing(
    unavailable: Service, new_key: NewKey
) -> None:
    key = new_key(unavailable, quota=1)
    exports = ("/movements/mouvements.json", "/movements.db")
    for target in (PATH, "/mouvements", f"{PATH}?limit=0", "/v1/couverture", *exports, PATH):
        answer = unavailable.ask(target, key)
        assert (answer.status, answer.remaining) == (503, 1)
    assert unavailable.ask(PATH).status == 401
    assert unavailable.ask(PATH, {"X-API-Key": "mvt_faux"}).status == 401


@rule("decisions-order-of-checks")
def test_a_used_up_key_hears_that_there_are_no_data(in_process: Start, new_key: NewKey) -> None:
    """They are back in seconds; the quota only at midnight."""
    service = in_process()
    key = new_key(service, quota=1)
    assert [service.ask(PATH, key).status for _ in range(2)] == [200, 429]
    behind(service).served.version = None
    assert service.ask(PATH, key).status == 503


@rule("service-quota-exact", "service-serve", "service-revoked-at-once")
def test_two_worker_processes_share_one_exact_quota(
    database: Path, tmp_path: Path, new_key: NewKey
) -> None:
    internal = tmp_path / "internal.sqlite3"
    command = environment.serve_command(database, internal, "--workers", "2")
    service = OverHttp("two-workers", command, internal, environment.ROOT)
    with contextlib.closing(service):
        answers = service.volley(f"{PATH}?limit=1", new_key(service), 1200)
        assert Counter(answer.status for answer in answers) == {200: 1000, 429: 200}
        granted = [answer.remaining for answer in answers if answer.status == 200]
        assert sorted(granted) == list(range(1000))
        revoked = {"X-API-Key": environment.issue("vivant", internal)}
        environment.done("keys", "revoke", "vivant", "--internal", internal)
        assert {service.ask(PATH, revoked).status for _ in range(20)} == {401}


@rule("decisions-quota-day", "interface-8-reset", "interface-8-exhausted", "decisions-ratelimit")
@rule("interface-8-quota", "decisions-quota-headers-401")
def test_the_quota_that_is_set_comes_back_at_midnight_in_paris(
    in_process: Start, new_key: NewKey
) -> None:
    """In the night of 25 October 2026, whose day has 25 hours; tests/keys has the others."""
    midnight = datetime.datetime(2026, 10, 24, 22, tzinfo=datetime.UTC)
    service = in_process({"quota": 1})
    behind(service).clock = lambda: now
    now = midnight - datetime.timedelta(seconds=1)
    key = new_key(service)
    assert service.ask(PATH).header("X-RateLimit-Limit") == "1"
    assert (service.ask(PATH, key).status, service.ask(PATH, key).status) == (200, 429)
    assert service.ask(PATH, key).header("Retry-After") == "1"
    now = midnight
    first = service.ask(PATH, key)
    assert (first.status, first.remaining) == (200, 0)
    assert first.header("RateLimit") == f'"jour";r=0;t={25 * 3600}'
    assert first.header("RateLimit-Policy") == f'"jour";q=1;w={25 * 3600}'
    now = midnight + datetime.timedelta(hours=25, seconds=-1)
    last = service.ask(PATH, key)
    assert (last.status, last.header("Retry-After")) == (429, "1")


@rule("decisions-quota-headers-unknown", "interface-7-503")
def test_while_the_store_is_away_nothing_reads_as_used_up(
    in_process: Start, new_key: NewKey
) -> None:
    service = in_process({"quota": 12})
    key = new_key(service)
    with contextlib.closing(sqlite3.connect(service.internal, isolation_level=None)) as other:
        other.execute("begin exclusive")
        for path in (PATH, CHANGES, f"{PATH}/mvt_x"):
            answer = service.ask(path, key)
            assert answer.status == 503
            told = [answer.header(f"X-RateLimit-{name}") for name in ("Limit", "Remaining")]
            assert (*told, answer.header("RateLimit")) == ("12", "12", None)
            assert answer.header("Mouvements-Version")
        other.execute("rollback")
    assert service.ask(PATH, key).remaining == 11
