"""A download ends, whatever the server does: with the file, with "not modified", or with a reason; what came is kept."""

from __future__ import annotations

import asyncio
import gzip
import json
import math

import httpx2
import pytest

from parlement_lists.sources.download import (
    PAUSES,
    PassingFailure,
    download,
    examine_step,
    seconds_to_wait,
)
from parlement_lists.sources.originals import Address, FetchFailed

from .conftest import ONE, TWO, LinesSource
from .misbehaving import cuts_off, drips, is_silent, never_ends, says

QUICK = Address("liste.csv", "", most_bytes=100_000, seconds=0.3)
WHOLE = QUICK._replace(seconds=5)
FOURTEENTH = "Mon, 14 Sep 2026 04:00:00 GMT"


def get(url, known=None, address=WHOLE, silence=5.0):
    agent = "datasette-mouvements/test (x@example.org)"
    return download(address._replace(url=url), known or {}, agent, silence)


def test_the_server_learns_who_asks_and_what_is_known(server):
    server.answer_with(says(b"", status=304))
    assert get(server.url, {"etag": '"1"', "last_modified": "yesterday"}) is None
    (request,) = server.requests
    assert request["user-agent"] == "datasette-mouvements/test (x@example.org)"
    assert (request["if-none-match"], request["if-modified-since"]) == ('"1"', "yesterday")
    assert request["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("passing", "reason"),
    [
        (says(b"sorry", status=500), "status 500"),
        (says(b"slow down", status=429), "status 429"),
        (says(b"", status=202), r"a challenge for browsers instead of the file \(status 202\)"),
        (says(b""), "an empty answer"),
        (cuts_off, "RemoteProtocolError"),
        (is_silent, "no answer for"),
        (drips, "not complete after"),
    ],
)
def test_what_may_pass_is_a_failure_that_may_pass(server, passing, reason):
    server.answer_with(passing)
    with pytest.raises(PassingFailure, match=reason):
        get(server.url, address=QUICK, silence=0.2)


@pytest.mark.parametrize(
    ("lasting", "reason"),
    [
        (says(b"gone", status=404), "status 404"),
        (says(b"<html>", content_type="text/html; charset=utf-8"), "HTML page"),
        (says(b"", status=302, location="/liste.csv"), "TooManyRedirects"),
        (says(b"", status=302, location="ftp://127.0.0.1/"), "ftp"),
        (says(b"", status=302, location="http://127.0.0.1:99999/"), "ExceptionGroup"),
        (never_ends, "longer than 100000 bytes"),
    ],
)
def test_what_repeating_cannot_mend_fails_at_once(server, lasting, reason):
    server.answer_with(lasting)
    with pytest.raises(FetchFailed, match=reason):
        get(server.url)


def test_a_file_of_exactly_the_limit_is_taken_and_a_page_where_a_page_is_wanted(server):
    server.answer_with(says(b"x" * 100_000), says(b"<html>", content_type="text/html"))
    assert len(get(server.url)[0]) == 100_000
    assert get(server.url, address=WHOLE._replace(html=True))[0] == b"<html>"


def test_no_step_of_a_redirection_is_without_protection(server):
    """The step itself is not asked, whatever it would lead to."""
    address = Address("liste.csv", "https://127.0.0.1/")
    with pytest.raises(FetchFailed, match=f"unprotected address: {server.url}"):
        asyncio.run(examine_step(address, httpx2.Request("GET", server.url)))
    assert server.requests == []


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7),
        ("Mon, 14 Sep 2026 04:00:30 GMT", 30),
        ("9" * 400, math.inf),
        ("nonsense", 0),
    ],
)
def test_a_pause_is_asked_for_as_a_number_or_a_date(clock, asked, seconds):
    assert seconds_to_wait(asked, clock.now) == seconds


def busy(seconds=""):
    return says(b"", status=503, retry_after=str(seconds))


def test_three_attempts_are_made_and_each_wait_is_logged(server, downloads, address, clock, caplog):
    server.answer_with(busy(), busy(), says(ONE))
    assert downloads().get(address).body == ONE
    assert clock.slept == list(PAUSES)
    assert caplog.messages == [
        f"liste.csv: status 503: asked again in {seconds:g} s" for seconds in PAUSES
    ]
    server.answer_with(busy())
    with pytest.raises(FetchFailed, match=r"liste\.csv: status 503 \(3 attempts\)"):
        downloads().get(address)


def test_a_server_may_ask_for_all_the_time_left_and_no_more(server, downloads, address, clock):
    server.answer_with(busy(200), busy(200), says(ONE))
    with pytest.raises(FetchFailed, match="200 s to wait, 100 s left for another attempt"):
        downloads().get(address)
    server.answer_with(busy(300), says(ONE))
    assert downloads().get(address).body == ONE
    assert clock.slept == [200, 300]


def test_nothing_is_asked_for_after_the_time_of_the_run(server, downloads, address, clock):
    late = downloads()
    clock.passes(minutes=30)
    with pytest.raises(FetchFailed, match="no time is left in this run"):
        late.get(address)
    assert server.requests == []


def kept(folder):
    return {path.name: gzip.decompress(path.read_bytes()) for path in folder.glob("*.gz")}


def test_the_last_original_is_kept_and_asked_for_when_changed(server, downloads, address, tmp_path):
    server.answer_with(says(ONE, etag='"1"'), says(b"", status=304), says(TWO, etag='"2"'))
    assert [downloads().get(address).body for _ in range(3)] == [ONE, ONE, TWO]
    marks = [request.get("if-none-match") for request in server.requests]
    assert marks == [None, '"1"', '"1"']
    assert kept(tmp_path) == {"liste.csv.gz": TWO}


def test_an_original_gone_or_spoiled_is_asked_for_again(server, downloads, address, tmp_path):
    server.answer_with(says(ONE, etag='"1"'))
    downloads().get(address)
    path = tmp_path / "liste.csv.gz"
    for spoil in (
        path.unlink,
        lambda: path.write_bytes(gzip.compress(b"something else")),
        lambda: path.write_bytes(b"half"),
    ):
        spoil()
        assert downloads().get(address).body == ONE
        assert "if-none-match" not in server.requests[-1]


def test_what_was_said_at_another_address_is_not_sent_to_this_one(server, downloads, address):
    server.answer_with(says(ONE, etag='"1"', last_modified=FOURTEENTH))
    for url in (server.url, f"{server.url}?2"):
        downloads().get(address._replace(url=url))
    assert not {"if-none-match", "if-modified-since"} & server.requests[1].keys()


def test_a_version_older_than_the_last_is_a_failure_unless_the_same(server, downloads, address):
    thirteenth = "Sun, 13 Sep 2026 04:00:00 GMT"
    server.answer_with(
        says(ONE, last_modified=FOURTEENTH),
        says(ONE, last_modified=thirteenth),
        says(ONE, last_modified=FOURTEENTH),
        says(TWO, last_modified=thirteenth),
    )
    days = [downloads().get(address).modified.day for _ in range(3)]
    assert days == [14, 13, 14]
    with pytest.raises(FetchFailed, match="older than the one received before"):
        downloads().get(address)


def test_a_date_to_come_poisons_nothing(server, downloads, address):
    to_come = "Fri, 31 Dec 9999 23:59:59 GMT"
    server.answer_with(says(ONE, last_modified=to_come), says(TWO, last_modified=FOURTEENTH))
    assert [downloads().get(address).body for _ in range(2)] == [ONE, TWO]
    assert "if-modified-since" not in server.requests[1]


def test_what_was_refused_is_kept_until_the_original_can_be_read(server, fetcher, address):
    class Examined(LinesSource):
        def download(self, downloads):
            return [downloads.get(self.addresses["liste"], self.examine)]

        def examine(self, original):
            if original.body.startswith(b"<"):
                raise original.refusal("a page")

    examined = Examined("senat", {"liste": address})
    server.answer_with(*(says(b"<%d>" % n) for n in (1, 2, 3)))
    (result,) = fetcher.fetch(examined)
    path = "originaux/senat/refuse-liste.csv.gz"
    assert result.detail == f"liste.csv: a page; it is kept as {path} (3 attempts)"
    assert kept((fetcher.directory / path).parent) == {"refuse-liste.csv.gz": b"<3>"}
    server.answer_with(says(ONE))
    fetcher.fetch(examined)
    assert kept((fetcher.directory / path).parent) == {"liste.csv.gz": ONE}


def test_an_original_that_nobody_asks_for_now_is_forgotten(server, downloads, address, tmp_path):
    server.answer_with(says(ONE))
    for name in ("one.html", "former.html"):
        downloads().get(address._replace(name=name))
    run = downloads()
    run.get(address._replace(name="one.html"))
    for name in ("one.html", "former.html"):
        (tmp_path / f"refuse-{name}.gz").touch()
    run.forget_others()
    assert {path.name for path in tmp_path.iterdir()} == {"one.html.gz", "refuse-one.html.gz"}


@pytest.mark.parametrize("spoiled", [b"{", b"[]", b'{"senat": {"liste.csv": 1}}'])
def test_a_spoiled_memory_costs_a_download_only(server, fetcher, source, spoiled):
    server.answer_with(says(ONE, etag='"1"'))
    fetcher.fetch(source)
    memory = fetcher.directory / ".fetch.json"
    assert json.loads(memory.read_bytes())["senat"]["liste.csv"]["etag"] == '"1"'
    memory.write_bytes(spoiled)
    assert fetcher.status(source) == "identique"
    assert "if-none-match" not in server.requests[1]
