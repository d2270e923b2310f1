"""A download ends: with the file, with "not modified", or with a reason, whatever the server does."""

from __future__ import annotations

import datetime
import socket

import pytest

from parlement_lists.sources.downloading.download import Validators, download
from parlement_lists.sources.downloading.retry_policy import PAUSES, FetchFailed, repeat
from parlement_lists.sources.source import Address

from .misbehaving import (
    cuts_off,
    drips,
    drips_headers,
    hangs_up,
    is_silent,
    never_ends,
    says,
)

UNKNOWN = Validators()
QUICK = Address("liste.csv", "", most_bytes=100_000, seconds=0.3)
SILENCE = 0.2


NOW = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
PATIENCE_LEFT = datetime.timedelta(seconds=300)


def fetch(url, slept, known=UNKNOWN, address=QUICK):
    """What is found; the clock stands still."""

    def attempt():
        agent = "datasette-mouvements/test (x@example.org)"
        return download(address._replace(url=url), known, agent, SILENCE)

    return repeat(attempt, lambda: NOW, slept.append, NOW + PATIENCE_LEFT)


def test_a_file_comes_with_what_to_ask_for_next_time(server, slept):
    server.answer_with(says(b"a,b\n", etag='"1"', last_modified="Mon, 14 Sep 2026 04:00:00 GMT"))
    found = fetch(server.url, slept)
    assert found.body == b"a,b\n"
    assert found.validators == Validators('"1"', "Mon, 14 Sep 2026 04:00:00 GMT")
    assert found.url == server.url
    assert slept == []


def test_the_server_learns_who_asks_and_what_is_known(server, slept):
    server.answer_with(says(b"", status=304))
    assert fetch(server.url, slept, Validators('"1"', "yesterday")) is None
    (request,) = server.requests
    assert request["user-agent"] == "datasette-mouvements/test (x@example.org)"
    assert request["if-none-match"] == '"1"'
    assert request["if-modified-since"] == "yesterday"
    assert request["accept-encoding"] == "identity"


def test_not_modified_without_having_been_asked_is_a_failure(server, slept):
    server.answer_with(says(b"", status=304))
    with pytest.raises(FetchFailed, match="status 304"):
        fetch(server.url, slept)


@pytest.mark.parametrize(
    ("passing", "reason"),
    [
        (says(b"sorry", status=500), "status 500"),
        (says(b"sorry", status=503), "status 503"),
        (says(b"slow down", status=429), "status 429"),
        (says(b"", status=202), "status 202"),
        (says(b""), "an empty answer"),
        (cuts_off, "RemoteProtocolError"),
        (hangs_up, "RemoteProtocolError"),
        (is_silent, "no answer for"),
        (drips, "not complete after"),
        (drips_headers, "not complete after"),
    ],
)
def test_what_may_pass_is_tried_again_with_growing_pauses(server, slept, passing, reason):
    server.answer_with(passing, passing, says(b"a,b\n"))
    assert fetch(server.url, slept).body == b"a,b\n"
    assert slept == list(PAUSES[:2])
    slept.clear()
    server.answer_with(passing)
    with pytest.raises(FetchFailed, match=rf"{reason}.*\(4 attempts\)"):
        fetch(server.url, slept)
    assert slept == list(PAUSES)


@pytest.mark.parametrize(
    ("lasting", "reason"),
    [
        (says(b"gone", status=404), "status 404"),
        (says(b"no", status=403), "status 403"),
        (says(b"<html>", content_type="text/html; charset=utf-8"), "HTML page"),
        (says(b"\x1f\x8b", content_encoding="gzip"), "compressed"),
        (says(b"", status=302, location="/liste.csv"), "more than 5 redirections"),
        (says(b"", status=302, location="ftp://127.0.0.1/"), "ftp"),
        (never_ends, "longer than 100000 bytes"),
        (says(b"x" * 100_001), "longer than 100000 bytes"),
    ],
)
def test_what_repeating_cannot_mend_fails_at_once(server, slept, lasting, reason):
    server.answer_with(lasting)
    with pytest.raises(FetchFailed, match=reason):
        fetch(server.url, slept, address=QUICK._replace(seconds=5))
    assert slept == []


def test_a_file_of_exactly_the_limit_is_taken(server, slept):
    server.answer_with(says(b"x" * 100_000))
    assert len(fetch(server.url, slept).body) == 100_000


def test_a_redirection_is_followed(server, slept):
    server.answer_with(says(b"", status=301, location="/elsewhere.csv"), says(b"a,b\n"))
    found = fetch(server.url, slept)
    assert (found.body, found.url) == (b"a,b\n", server.url.replace("liste", "elsewhere"))


def test_a_page_is_taken_where_a_page_is_wanted(server, slept):
    server.answer_with(says(b"<html>", content_type="text/html; charset=utf-8"))
    assert fetch(server.url, slept, address=QUICK._replace(html=True)).body == b"<html>"


@pytest.mark.parametrize(
    ("asked", "waited"),
    [
        ("7", 7.0),
        ("1", PAUSES[0]),
        ("Mon, 14 Sep 2026 04:00:30 GMT", 30.0),
        ("Mon, 14 Sep 2026 03:00:00 GMT", PAUSES[0]),
        ("nonsense", PAUSES[0]),
        ("\xb2", PAUSES[0]),
    ],
)
def test_a_server_gets_the_pause_that_it_asks_for(server, slept, asked, waited):
    server.answer_with(says(b"", status=503, retry_after=asked), says(b"a,b\n"))
    fetch(server.url, slept)
    assert slept == [waited]


@pytest.mark.parametrize(
    "asked", ["3600", "Mon, 14 Sep 2026 05:00:00 GMT", pytest.param("9" * 400, id="for ever")]
)
def test_a_server_that_asks_for_an_hour_is_left_at_once(server, slept, asked):
    server.answer_with(says(b"", status=429, retry_after=asked))
    told = "status 429: asks to wait (3600|inf) s, longer than the 300 s that are left"
    with pytest.raises(FetchFailed, match=told):
        fetch(server.url, slept)
    assert slept == []
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_tried_again(slept):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(FetchFailed, match="ConnectError"):
            fetch(f"http://127.0.0.1:{port}/", slept)
    assert slept == list(PAUSES)
