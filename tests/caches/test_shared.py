"""A cache that many visitors share never gives one key's answer, or a closed one, to another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from datasette.app import Datasette

from tests.contract import environment
from tests.contract.service import Answer

from .conftest import HEADERS, Origin, started
from .programs import CACHES, SharedCache, cache_in_front

pytestmark = pytest.mark.process
WHOLE = "/fichiers/tout"
ADDRESSES = (
    "/v1/mouvements?limit=20",
    WHOLE,
    "/movements.db",
    "/movements/mouvements.json?_size=20",
)
# Of what the setting that opens the whole file must open, and must not.
NEAR_WHOLE = (WHOLE, "/movements.db")
CODINGS = ({}, {"Accept-Encoding": "gzip"})


Visitor = tuple[str, dict[str, str]]  # who asks, and what is sent


def visitors(origin: Origin) -> list[Visitor]:
    """Two keys whose quota tells their answers apart, each by both headers and by its account's cookie, nobody, a browser, a key nobody has."""
    sign = Datasette([], secret=environment.SECRET).client.actor_cookie
    everyone: list[Visitor] = [("nobody", {}), ("browser", {"Accept": "text/html"})]
    for quota in (411, 422):
        account, key = origin.new_account(quota)
        cookie = {"Cookie": f"ds_actor={sign({'id': account})}"}
        sent = {**{name: headers(key) for name, headers in HEADERS.items()}, "cookie": cookie}
        sent["browser"] = {**cookie, "Accept": "text/html"}
        everyone += [(f"{name} {quota}", headers) for name, headers in sent.items()]
    wrong = key[:-8] + ("aaaaaaaa" if not key.endswith("aaaaaaaa") else "bbbbbbbb")
    everyone += [(f"wrong {name}", headers(wrong)) for name, headers in HEADERS.items()]
    return [
        (f"{name} {coding}", headers | coding) for name, headers in everyone for coding in CODINGS
    ]


@pytest.fixture(scope="module")
def opened(tmp_path_factory, database) -> Iterator[Origin]:
    """The service that gives its whole file to everyone."""
    folder = tmp_path_factory.mktemp("opened")
    yield from started(folder, database, {"open_whole_file": True})


@pytest.fixture(scope="module", params=CACHES)
def cache(request, tmp_path_factory, origin: Origin) -> Iterator[SharedCache]:
    yield from cache_in_front(request.param, origin.port, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def cache_of_opened(tmp_path_factory, opened: Origin) -> Iterator[SharedCache]:
    yield from cache_in_front("keeps", opened.port, tmp_path_factory.mktemp("opened"))


def judged(answer: Answer, headers: dict[str, str], origin_answer: Answer) -> list[str]:
    """What of an answer is another visitor's."""
    faults = []
    for told in ("X-RateLimit-Limit", "WWW-Authenticate", "Content-Type"):
        if answer.header(told) != origin_answer.header(told):
            faults.append(f"{told}: {answer.header(told)} for {origin_answer.header(told)}")
    if answer.status != origin_answer.status:
        faults.append(f"{answer.status} instead of {origin_answer.status}")
    coding = answer.header("Content-Encoding") or "identity"
    if coding != "identity" and "Accept-Encoding" not in headers:
        faults.append(f"coded as {coding}")
    return faults


def asked_by_all(cache: SharedCache, origin: Origin, target: str) -> tuple[list[str], list[Answer]]:
    """Everyone asks everyone's address, in three orders, so that each comes after each other; faults, answers."""
    everyone = visitors(origin)
    direct = {name: origin.ask(target, headers) for name, headers in everyone}
    faults, answers = [], []
    for name, headers in itertools.chain(everyone, reversed(everyone), everyone):
        answer = cache.ask(target, headers)
        answers.append(answer)
        faults += [f"{name}: {fault}" for fault in judged(answer, headers, direct[name])]
    return faults, answers


@pytest.mark.parametrize("target", ADDRESSES)
def test_an_answer_is_never_another_s(cache: SharedCache, origin: Origin, target: str) -> None:
    faults, answers = asked_by_all(cache, origin, target)
    assert sorted(set(faults)) == []
    assert {200, 401} <= {answer.status for answer in answers} <= {200, 303, 401}
    kept = [answer for answer in answers if answer.header("X-Kept") == "HIT"]
    # What obeys keeps none of them; what keeps everything shows that there was something to mix up.
    assert bool(kept) == (cache.name == "keeps")
    pages = [cache.ask("/documentation", {}) for _ in range(3)]
    assert pages[-1].header("X-Kept") == "HIT"


@pytest.mark.parametrize("target", NEAR_WHOLE)
def test_where_the_whole_file_is_open_an_answer_is_never_another_s(
    cache_of_opened: SharedCache, opened: Origin, target: str
) -> None:
    faults, answers = asked_by_all(cache_of_opened, opened, target)
    assert sorted(set(faults)) == []
    if target == WHOLE:
        assert {answer.body for answer in answers if answer.status == 200} == {
            opened.ask(WHOLE, {}).body
        }
