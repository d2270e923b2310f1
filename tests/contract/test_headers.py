"""What every answer has: headers of quota, retry, links, CORS and caching; of refusals, the one form in French."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from .service import Service, in_every_way
from .situations import EVERY, REFUSED, SITUATIONS, Answered

rule = pytest.mark.rule
pytestmark = in_every_way
PARIS = ZoneInfo("Europe/Paris")
FRENCH = re.compile(r"\b(le|la|les|une?|est|sont|de|du|et|pas|votre|vos|cette)\b|l’", re.I)
ENGLISH = re.compile(r"\b(the|is|must|not|your|invalid|of|and|key)\b", re.I)
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


every = pytest.mark.parametrize(("name", "method"), EVERY)


@every
@rule("interface-7-quota", "decisions-quota-headers", "interface-4-response", "interface-1-6")
@rule("decisions-no-reset-header", "decisions-quota-headers-401", "decisions-quota-headers-unknown")
@rule("interface-7-400", "interface-7-401", "interface-7-429", "interface-7-503")
@rule("decisions-ratelimit", "decisions-retry-after", "interface-8-reset")
def test_every_answer_tells_the_quota_and_when_to_come_back(
    answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    assert answer.status == SITUATIONS[name].status
    names = sorted(key for key, _ in answer.headers if "ratelimit" in key)
    assert names == sorted(QUOTA_HEADERS - ({"ratelimit"} if name in UNCOUNTED else set()))
    limit, remaining = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
    counted = dict.fromkeys(CHARGED, ("1000", "999")) | {"exhausted": ("1", "0")}
    counted |= dict.fromkeys((*UNCOUNTED, *WITHOUT_DATA), ("1000", "1000"))
    assert (limit, remaining) == counted.get(name, ("1000", "0"))
    assert answer.header("RateLimit-Policy") == f'"jour";q={limit};w=86400'
    if name not in UNCOUNTED:
        state = re.fullmatch(r'"jour";r=(\d+);t=(\d+)', answer.header("RateLimit") or "")
        assert state
        assert state[1] == remaining
        assert ends_at_midnight(state[2], answer.received)
    retry = answer.header("Retry-After")
    assert (retry is not None) == (answer.status in (429, 503))
    if answer.status == 429:
        assert ends_at_midnight(retry or "", answer.received)
    if answer.status == 503:
        assert 1 <= int(retry or "") <= 600


@every
@rule("decisions-www-authenticate", "interface-5-5", "decisions-cors", "decisions-caching")
def test_every_answer_may_be_read_by_any_origin_and_kept_by_no_shared_cache(
    answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    assert answer.header("Access-Control-Allow-Origin") == "*"
    if method != "OPTIONS":
        exposed = answer.listed("Access-Control-Expose-Headers")
        assert exposed >= QUOTA_HEADERS | {"retry-after", "etag", "link"} | COPYING
    assert answer.listed("Cache-Control") == {"private", "no-cache"}
    assert answer.listed("Vary") == {"authorization", "x-api-key", "accept-encoding", "host"}
    challenge = answer.header("WWW-Authenticate") or ""
    assert challenge.startswith("Bearer ") == (answer.status == 401)
    assert ('error="invalid_token"' in challenge) == (name == "bad key")


@every
@rule("decisions-link", "decisions-version")
def test_every_answer_links_to_what_explains_it_and_says_its_version(
    answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    relations = set(re.findall(r'rel="?([\w-]+)"?', answer.header("Link") or ""))
    if answer.status == 304:  # a cache would put it in the place of the 200's
        assert answer.header("Link") is None
    elif method != "OPTIONS":  # a browser keeps nothing of a preflight
        assert relations >= {"license", "service-desc", "service-doc"}
    targets = re.findall(r"<([^>]*)>", answer.header("Link") or "")
    assert all(re.match(r"https?://[^/]", target) for target in targets)
    version, changed = answer.header("Mouvements-Version"), answer.header("Last-Modified")
    if name in WITHOUT_DATA:
        assert version is changed is None
    else:
        assert re.fullmatch("[0-9a-f]{16}", version or "")
        last = parsedate_to_datetime(changed or "")
        assert answer.received - datetime.timedelta(hours=1) < last <= answer.received


@every
@rule("interface-1-5", "interface-2-licence", "interface-2-attribution", "decisions-304")
@rule("decisions-methods", "decisions-options", "interface-4-response")
def test_a_body_carries_the_licence_or_is_not_there_and_head_says_what_get_says(
    answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    if method == "HEAD":
        varying = {"date", "ratelimit", "retry-after", "content-length", "transfer-encoding"}
        by_head, by_get = (
            sorted(pair for pair in one.headers if pair[0] not in varying)
            for one in (answer, answered(name, "GET"))
        )
        assert by_head == by_get
    if method in ("HEAD", "OPTIONS") or answer.status == 304:
        assert answer.body == b""
        return
    kind = "application/json" if answer.status == 200 else "application/problem+json"
    assert (answer.header("Content-Type") or "").partition(";")[0] == kind
    assert "ODbL" in answer.json()["licence"]
    assert answer.json()["attribution"].strip()


@rule("decisions-error-form", "decisions-error-licence", "interface-1-5", "interface-2-licence")
@rule("decisions-error-words", "decisions-error-type")
@pytest.mark.parametrize("name", REFUSED)
def test_every_refusal_has_the_same_form(service: Service, answered: Answered, name: str) -> None:
    answer, status = answered(name), SITUATIONS[name].status
    assert answer.status == status, answer.body
    kind = (answer.header("Content-Type") or "").removesuffix("; charset=utf-8")
    assert kind == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    for member in ("type", "title", "detail", "licence", "attribution"):
        assert isinstance(problem[member], str), member
        assert problem[member].strip(), member
    assert "ODbL" in problem["licence"]
    named = {"parametre", "parametres"} & problem.keys()
    assert bool(named) == (status == 400)
    assert FRENCH.search(problem["detail"])
    assert not ENGLISH.search(re.sub(r"curl .*|https?://\S+|X-API-Key", "", problem["detail"]))
    assert not ENGLISH.search(problem["title"])
    told = urlsplit(problem["type"])
    assert told.fragment
    page = service.ask(told.path, {"Accept": "text/html"})
    assert page.status == 200
    assert f'id="{told.fragment}"' in page.body.decode()
