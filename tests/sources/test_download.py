"""A download ends: with the file, with "not modified", or with a reason, whatever the server does."""

from __future__ import annotations

import socket

import pytest

from parlement_lists.sources.downloading.download import Validators, download
from parlement_lists.sources.downloading.retry_policy import FetchFailed, PassingFailure
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
WHOLE = QUICK._replace(seconds=5)
SILENCE = 0.2


def fetch(url, known=UNKNOWN, address=WHOLE, silence=5.0):
    agent = "datasette-mouvements/test (x@example.org)"
    return download(address._replace(url=url), known, agent, silence)


def test_a_file_comes_with_what_to_ask_for_next_time(server):
    server.answer_with(says(b"a,b\n", etag='"1"', last_modified="Mon, 14 Sep 2026 04:00:00 GMT"))
    found = fetch(server.url)
    assert found.body == b"a,b\n"
    assert found.validators == Validators('"1"', "Mon, 14 Sep 2026 04:00:00 GMT")
    assert found.url == server.url


def test_the_server_learns_who_asks_and_what_is_known(server):
    server.answer_with(says(b"", status=304))
    assert fetch(server.url, Validators('"1"', "yesterday")) is None
    (request,) = server.requests
    assert request["user-agent"] == "datasette-mouvements/test (x@example.org)"
    assert request["if-none-match"] == '"1"'
    assert request["if-modified-since"] == "yesterday"
    assert request["accept-encoding"] == "identity"


def test_not_modified_without_having_been_asked_is_a_failure(server):
    server.answer_with(says(b"", status=304))
    with pytest.raises(FetchFailed, match="status 304"):
        fetch(server.url)


@pytest.mark.parametrize(
    ("passing", "reason"),
    [
        (says(b"sorry", status=500), "status 500"),
        (says(b"sorry", status=503), "status 503"),
        (says(b"slow down", status=429), "status 429"),
        (says(b"", status=202), r"a challenge for browsers instead of the file \(status 202\)"),
        (says(b""), "an empty answer"),
        (cuts_off, "RemoteProtocolError"),
        (hangs_up, "RemoteProtocolError"),
        (is_silent, "no answer for"),
        (drips, "not complete after"),
        (drips_headers, "not complete after"),
    ],
)
def test_what_may_pass_is_a_failure_that_may_pass(server, passing, reason):
    server.answer_with(passing)
    with pytest.raises(PassingFailure, match=reason):
        fetch(server.url, address=QUICK, silence=SILENCE)


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
def test_what_repeating_cannot_mend_fails_at_once(server, lasting, reason):
    server.answer_with(lasting)
    with pytest.raises(FetchFailed, match=reason):
        fetch(server.url)


def test_a_file_of_exactly_the_limit_is_taken(server):
    server.answer_with(says(b"x" * 100_000))
    assert len(fetch(server.url).body) == 100_000


def test_a_redirection_is_followed(server):
    server.answer_with(says(b"", status=301, location="/elsewhere.csv"), says(b"a,b\n"))
    found = fetch(server.url)
    assert (found.body, found.url) == (b"a,b\n", server.url.replace("liste", "elsewhere"))


def test_a_page_is_taken_where_a_page_is_wanted(server):
    server.answer_with(says(b"<html>", content_type="text/html; charset=utf-8"))
    assert fetch(server.url, address=WHOLE._replace(html=True)).body == b"<html>"


def test_the_pause_that_a_server_asks_for_is_told(server):
    server.answer_with(says(b"", status=503, retry_after="7"))
    with pytest.raises(PassingFailure) as failure:
        fetch(server.url)
    assert failure.value.retry_after == "7"


def test_a_server_that_is_not_there_may_come_back():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(PassingFailure, match="ConnectError"):
            fetch(f"http://127.0.0.1:{port}/")


def test_a_validator_that_no_header_can_hold_is_not_sent():
    assert Validators('"\xe9"', "a\nb").headers() == {}
