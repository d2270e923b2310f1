"""The headers of every answer: quota, retry, links, CORS and caching, on every status."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

import pytest

from .service import Answer, in_every_way
from .situations import EVERY, HEADED, SITUATIONS, Answered

rule = pytest.mark.rule
pytestmark = in_every_way
PARIS = ZoneInfo("Europe/Paris")
# Where no key is asked for: nothing may read as used up.
UNCOUNTED = {"unknown address", "wrong method without key", "preflight"}
WITHOUT_DATA = {"unavailable", "changes without data"}
# The 304s were not charged, but the answers before them.
CHARGED = {
    *("found", "unchanged", "invalid", "unknown address with key", "wrong method"),
    *("changes", "no changes", "no cursor", "gone", "one", "withdrawn", "never published"),
}
QUOTA_HEADERS = {"x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit", "ratelimit-policy"}
# What who keeps a copy reads.
COPYING = {"mouvements-version", "mouvements-curseur"}


def ends_at_midnight(seconds: str, received: datetime.datetime) -> bool:
    """Whether so many seconds after `received` is the next midnight in Paris, give or take 2 s."""
    end = (received + datetime.timedelta(seconds=int(seconds))).astimezone(PARIS)
    second = end.hour * 3600 + end.minute * 60 + end.second
    return 0 < int(seconds) <= 25 * 3600 and (second <= 2 or second >= 86_398)


Situations = list[tuple[str, str, Answer]]


@pytest.fixture
def situations(answered: Answered) -> Situations:
    """(name, method, answer) of every situation, by every method that reaches it."""
    return [(name, method, answered(name, method)) for name, method in EVERY]


@rule("interface-7-quota", "decisions-quota-headers", "interface-4-response", "interface-1-6")
@rule("decisions-no-reset-header", "decisions-quota-headers-401", "decisions-quota-headers-unknown")
@rule("interface-7-400", "interface-7-401", "interface-7-429", "interface-7-503")
def test_every_answer_tells_the_quota(situations: Situations) -> None:
    for name, method, answer in situations:
        assert answer.status == SITUATIONS[name].status, (name, method)
        told_apart = QUOTA_HEADERS - ({"ratelimit"} if name in UNCOUNTED else set())
        for header in QUOTA_HEADERS:
            count = sum(key == header for key, _ in answer.headers)
            assert count == (header in told_apart), header
        assert answer.header("X-RateLimit-Reset") is None, (name, method)
        limits = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
        counted = dict.fromkeys(CHARGED, ("1000", "999")) | {"exhausted": ("1", "0")}
        counted |= dict.fromkeys((*UNCOUNTED, *WITHOUT_DATA), ("1000", "1000"))
        assert limits == counted.get(name, ("1000", "0")), (name, method)


@rule("decisions-ratelimit", "interface-8-reset")
def test_the_structured_quota_agrees_with_the_plain_one(situations: Situations) -> None:
    for name, method, answer in situations:
        policy = re.fullmatch(r'"jour";q=(\d+);w=86400', answer.header("RateLimit-Policy") or "")
        assert policy, (name, method)
        assert policy[1] == answer.header("X-RateLimit-Limit"), (name, method)
        if name in UNCOUNTED:
            continue
        state = re.fullmatch(r'"jour";r=(\d+);t=(\d+)', answer.header("RateLimit") or "")
        assert state, (name, method)
        assert state[1] == answer.header("X-RateLimit-Remaining"), (name, method)
        assert ends_at_midnight(state[2], answer.received), (name, method)


@rule("decisions-retry-after", "interface-8-reset")
def test_retry_after_is_on_429_and_503_alone(situations: Situations) -> None:
    for name, method, answer in situations:
        retry = answer.header("Retry-After")
        assert (retry is not None) == (answer.status in (429, 503)), (name, method)
        if answer.status == 429:
            assert ends_at_midnight(retry or "", answer.received), (name, method)
        if answer.status == 503:
            assert 1 <= int(retry or "") <= 600, (name, method)


@rule("decisions-www-authenticate", "interface-5-5")
def test_401_asks_for_a_bearer_key(situations: Situations) -> None:
    for name, method, answer in situations:
        challenge = answer.header("WWW-Authenticate")
        assert (challenge is not None) == (answer.status == 401), (name, method)
        if challenge:
            assert re.match(r"Bearer\b", challenge), (name, method)
            assert ('error="invalid_token"' in challenge) == (name == "bad key"), (name, method)


@rule("decisions-cors")
def test_every_answer_may_be_read_by_any_origin(situations: Situations) -> None:
    for name, method, answer in situations:
        assert answer.header("Access-Control-Allow-Origin") == "*", (name, method)
        if method != "OPTIONS":
            exposed = answer.listed("Access-Control-Expose-Headers")
            assert exposed >= QUOTA_HEADERS | {"retry-after", "etag", "link"} | COPYING, (
                name,
                method,
            )


@rule("decisions-caching")
def test_no_shared_cache_may_keep_an_answer(situations: Situations) -> None:
    for name, method, answer in situations:
        assert answer.listed("Cache-Control") == {"private", "no-cache"}, (name, method)
        assert answer.listed("Vary") == {"authorization", "x-api-key", "accept-encoding", "host"}, (
            name,
            method,
        )


@rule("decisions-link")
def test_every_answer_links_to_licence_description_and_documentation(
    situations: Situations,
) -> None:
    for name, method, answer in situations:
        relations = set(re.findall(r'rel="?([\w-]+)"?', answer.header("Link") or ""))
        if answer.status == 304:  # a cache would put it in the place of the 200's
            assert answer.header("Link") is None, (name, method)
        elif method != "OPTIONS":  # a browser keeps nothing of a preflight
            assert relations >= {"license", "service-desc", "service-doc"}, (name, method)
        targets = re.findall(r"<([^>]*)>", answer.header("Link") or "")
        assert all(re.match(r"https?://[^/]", target) for target in targets), (name, method)


@rule("decisions-version")
def test_every_answer_says_its_version_and_when_that_changed(situations: Situations) -> None:
    for name, method, answer in situations:
        version, changed = answer.header("Mouvements-Version"), answer.header("Last-Modified")
        if name in WITHOUT_DATA:
            assert version is changed is None, (name, method)
        else:
            assert re.fullmatch("[0-9a-f]{16}", version or ""), (name, method)
            told = parsedate_to_datetime(changed or "")
            assert answer.received - datetime.timedelta(hours=1) < told <= answer.received, (
                name,
                method,
            )


@rule("interface-1-5", "interface-2-licence", "interface-2-attribution", "decisions-304")
@rule("decisions-methods", "decisions-options", "interface-4-response")
def test_bodies_carry_the_licence_or_are_not_there(situations: Situations) -> None:
    for name, method, answer in situations:
        if method in ("HEAD", "OPTIONS") or answer.status == 304:
            assert answer.body == b"", (name, method)
            continue
        kind = "application/json" if answer.status == 200 else "application/problem+json"
        assert (answer.header("Content-Type") or "").partition(";")[0] == kind, (name, method)
        assert "ODbL" in answer.json()["licence"], (name, method)
        assert answer.json()["attribution"].strip(), (name, method)


@rule("decisions-methods")
@pytest.mark.parametrize("name", HEADED)
def test_head_says_what_get_says(answered: Answered, name: str) -> None:
    varying = {"date", "ratelimit", "retry-after", "content-length", "transfer-encoding"}

    def kept(answer: Answer) -> list[tuple[str, str]]:
        return sorted(pair for pair in answer.headers if pair[0] not in varying)

    assert kept(answered(name, "HEAD")) == kept(answered(name, "GET"))
