"""The headers of every answer: quota, retry, links, CORS and caching, on every status."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

import pytest

from .service import Answer, Service, in_every_way
from .situations import EVERY, HEADED, PATH, SITUATIONS, Answered

rule = pytest.mark.rule
pytestmark = in_every_way
PARIS = ZoneInfo("Europe/Paris")
# Where no key is asked for: nothing may read as used up.
UNCOUNTED = {"unknown address", "wrong method without key", "preflight"}
QUOTA_HEADERS = {"x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit", "ratelimit-policy"}
# What who keeps a copy reads.
COPYING = {"mouvements-version", "mouvements-curseur"}


def ends_at_midnight(seconds: str, received: datetime.datetime) -> bool:
    """Whether so many seconds after `received` is the next midnight in Paris, give or take 2 s."""
    end = (received + datetime.timedelta(seconds=int(seconds))).astimezone(PARIS)
    second = end.hour * 3600 + end.minute * 60 + end.second
    return 0 < int(seconds) <= 25 * 3600 and (second <= 2 or second >= 86_398)


@pytest.fixture(params=EVERY, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def situation(request: pytest.FixtureRequest, answered: Answered) -> tuple[str, str, Answer]:
    """(name, method, answer) of every situation, by every method that reaches it."""
    name, method = request.param
    return name, method, answered(name, method)


@rule("interface-7-quota", "decisions-quota-headers", "interface-4-response", "interface-1-6")
@rule("decisions-no-reset-header", "decisions-quota-headers-401", "decisions-quota-headers-unknown")
def test_every_answer_tells_the_quota(situation: tuple[str, str, Answer]) -> None:
    name, _, answer = situation
    assert answer.status == SITUATIONS[name][0]
    told_apart = QUOTA_HEADERS - ({"ratelimit"} if name in UNCOUNTED else set())
    for header in QUOTA_HEADERS:
        count = sum(key == header for key, _ in answer.headers)
        assert count == (header in told_apart), header
    assert answer.header("X-RateLimit-Reset") is None
    limit, remaining = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
    told = (int(limit or ""), int(remaining or ""))
    expected = {
        "found": (1000, 999),
        "unchanged": (1000, 999),  # the first answer was charged, the 304 was not
        "invalid": (1000, 999),
        **dict.fromkeys(("changes", "no changes", "no cursor", "gone"), (1000, 999)),
        **dict.fromkeys(("one", "withdrawn", "never published"), (1000, 999)),
        "changes without data": (1000, 1000),
        "unknown address with key": (1000, 999),
        "wrong method": (1000, 999),
        "exhausted": (1, 0),
        "unavailable": (1000, 1000),
    }
    assert told == expected.get(name, (1000, 1000) if name in UNCOUNTED else (1000, 0))


@rule("decisions-ratelimit", "interface-8-reset")
def test_the_structured_quota_agrees_with_the_plain_one(
    situation: tuple[str, str, Answer],
) -> None:
    name, _, answer = situation
    policy = re.fullmatch(r'"jour";q=(\d+);w=86400', answer.header("RateLimit-Policy") or "")
    assert policy
    assert policy[1] == answer.header("X-RateLimit-Limit")
    if name in UNCOUNTED:
        return
    state = re.fullmatch(r'"jour";r=(\d+);t=(\d+)', answer.header("RateLimit") or "")
    assert state
    assert state[1] == answer.header("X-RateLimit-Remaining")
    assert ends_at_midnight(state[2], answer.received)


@rule("decisions-retry-after", "interface-8-reset")
def test_retry_after_is_on_429_and_503_alone(situation: tuple[str, str, Answer]) -> None:
    _, _, answer = situation
    retry = answer.header("Retry-After")
    assert (retry is not None) == (answer.status in (429, 503))
    if answer.status == 429:
        assert ends_at_midnight(retry or "", answer.received)
    if answer.status == 503:
        assert 1 <= int(retry or "") <= 600


@rule("decisions-www-authenticate", "interface-5-5")
def test_401_asks_for_a_bearer_key(situation: tuple[str, str, Answer]) -> None:
    name, _, answer = situation
    challenge = answer.header("WWW-Authenticate")
    assert (challenge is not None) == (answer.status == 401)
    if challenge:
        assert re.match(r"Bearer\b", challenge)
        assert ('error="invalid_token"' in challenge) == (name == "bad key")


@rule("decisions-allow")
def test_405_says_what_is_allowed(situation: tuple[str, str, Answer]) -> None:
    _, _, answer = situation
    if answer.status == 405:
        assert answer.listed("Allow") == {"get", "head", "options"}


@rule("decisions-cors")
def test_every_answer_may_be_read_by_any_origin(situation: tuple[str, str, Answer]) -> None:
    _, method, answer = situation
    assert answer.header("Access-Control-Allow-Origin") == "*"
    if method != "OPTIONS":
        exposed = answer.listed("Access-Control-Expose-Headers")
        assert exposed >= QUOTA_HEADERS | {"retry-after", "etag", "link"} | COPYING


@rule("decisions-caching")
def test_no_shared_cache_may_keep_an_answer(situation: tuple[str, str, Answer]) -> None:
    _, _, answer = situation
    assert answer.listed("Cache-Control") == {"private", "no-cache"}
    assert answer.listed("Vary") == {"authorization", "x-api-key", "accept-encoding", "host"}


@rule("decisions-link")
def test_every_answer_links_to_licence_description_and_documentation(
    situation: tuple[str, str, Answer],
) -> None:
    _, method, answer = situation
    relations = set(re.findall(r'rel="?([\w-]+)"?', answer.header("Link") or ""))
    if answer.status == 304:  # a cache would put it in the place of the 200's
        assert answer.header("Link") is None
    elif method != "OPTIONS":  # a browser keeps nothing of a preflight
        assert relations >= {"license", "service-desc", "service-doc"}
    targets = re.findall(r"<([^>]*)>", answer.header("Link") or "")
    assert all(re.match(r"https?://[^/]", target) for target in targets)


@rule("decisions-version")
def test_every_answer_says_its_version_and_when_that_changed(
    situation: tuple[str, str, Answer],
) -> None:
    name, _, answer = situation
    version, changed = answer.header("Mouvements-Version"), answer.header("Last-Modified")
    if name in ("unavailable", "changes without data"):
        assert version is changed is None
    else:
        assert re.fullmatch("[0-9a-f]{16}", version or "")
        told = parsedate_to_datetime(changed or "")
        assert answer.received - datetime.timedelta(hours=1) < told <= answer.received


@rule("interface-1-5", "interface-2-licence", "interface-2-attribution", "decisions-304")
@rule("decisions-methods", "decisions-options")
def test_bodies_carry_the_licence_or_are_not_there(situation: tuple[str, str, Answer]) -> None:
    _, method, answer = situation
    if method in ("HEAD", "OPTIONS") or answer.status == 304:
        assert answer.body == b""
    else:
        assert "ODbL" in answer.json()["licence"]
        assert answer.json()["attribution"].strip()


@rule("interface-4-response")
def test_a_found_page_is_json(service: Service, reader: dict[str, str]) -> None:
    answer = service.ask(PATH, reader)
    assert re.fullmatch(r"application/json(; ?charset=utf-8)?", answer.header("Content-Type") or "")


@rule("decisions-methods")
@pytest.mark.parametrize("name", HEADED)
def test_head_says_what_get_says(answered: Answered, name: str) -> None:
    varying = {"date", "ratelimit", "retry-after", "content-length", "transfer-encoding"}

    def kept(answer: Answer) -> list[tuple[str, str]]:
        return sorted(pair for pair in answer.headers if pair[0] not in varying)

    assert kept(answered(name, "HEAD")) == kept(answered(name, "GET"))
