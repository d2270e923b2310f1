"""What one run may take, and what one odd answer or memory may cost: that original, never the chamber's others."""

from __future__ import annotations

import asyncio
import datetime
import gzip
import json

import httpx2
import pytest

from parlement_lists.sources.chambers import OWN_SOURCES
from parlement_lists.sources.downloading.download import DownloadedFile, Validators, examine_step
from parlement_lists.sources.downloading.downloads import SourceDownloads
from parlement_lists.sources.downloading.originals import KeptOriginals
from parlement_lists.sources.downloading.retry_policy import (
    MOST_SECONDS,
    FetchFailed,
    PassingFailure,
)
from parlement_lists.sources.hooks import Address, Original, OriginalRefused
from parlement_lists.sources.source import StaffList

from .misbehaving import says

ONE = b"14263U,AUBE\n08061X,BRUN\n"
TWO = b"14263U,AUBE\n08061X,CLAIR\n"


class Passing:
    """A clock that sleeping moves on."""

    def __init__(self) -> None:
        self.begun = self.now = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)

    def __call__(self) -> datetime.datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += datetime.timedelta(seconds=seconds)

    @property
    def seconds(self) -> float:
        return (self.now - self.begun).total_seconds()


class Pages(type(OWN_SOURCES[0])):
    """A source of five hundred pages, of which each is sent at the last moment."""

    def download(self, downloads):
        addresses = [Address(f"{n}.html", "http://127.0.0.1/", seconds=35.0) for n in range(500)]
        found, self.failures[0] = downloads.get_all(addresses)
        raise FetchFailed(f"{len(found)} pages")


def test_answers_that_come_at_the_last_moment_end_in_time_too(fetcher):
    clock = Passing()

    def slow(address, *_):
        clock.sleep(address.seconds)
        return DownloadedFile(b"x", Validators(), address.url)

    fetcher.clock, fetcher.sleep, fetcher.download = clock, clock.sleep, slow
    source = Pages("pages", "senat")
    object.__setattr__(source, "failures", [{}])
    (result, later) = fetcher.fetch([source, OWN_SOURCES[0]])
    assert result.detail == "52 pages"
    assert source.failures[0]["499.html"] == "no time is left in this run"
    assert "no time is left in this run" in later.detail
    assert clock.seconds == MOST_SECONDS


def downloads_of(tmp_path, download):
    clock = Passing()
    deadline = clock() + datetime.timedelta(seconds=MOST_SECONDS)
    return SourceDownloads(
        *("essai", KeptOriginals(tmp_path / "originaux"), {}),
        *(download, clock, lambda seconds: None, deadline),
    )


@pytest.mark.parametrize(("failing", "asked"), [("012345678", 4), ("012", 9)])
def test_after_more_failures_than_may_be_the_others_are_not_asked(tmp_path, failing, asked):
    names = [f"{n}.html" for n in range(9)]
    seen = []

    def some(address, *_):
        seen.append(address.name)
        if address.name[0] in failing:
            raise PassingFailure("status 503")
        return DownloadedFile(b"x", Validators(), address.url)

    addresses = [Address(name, "http://127.0.0.1/") for name in names]
    downloads = downloads_of(tmp_path, some)
    found, failures = downloads.get_all(addresses, attempts=1, most_failures=3)
    assert seen == names[:asked]
    assert [one.name for one in found] == [name for name in names if name[0] not in failing]
    assert list(failures) == [name for name in seen if name[0] in failing]
    assert len(downloads.get_all(addresses, attempts=1)[1]) == len(failing)


FUTURE = "Mon, 14 Sep 2099 04:00:00 GMT"
END = "Fri, 31 Dec 9999 23:59:59 GMT"


@pytest.mark.parametrize("odd", [FUTURE, END])
def test_a_date_that_cannot_be_poisons_nothing(server, fetcher, source, clock, odd):
    server.answer_with(
        says(ONE, last_modified=odd), says(TWO, last_modified="Mon, 14 Sep 2026 04:00:00 GMT")
    )
    assert fetcher.fetch([source])[0].status == "new"
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert "if-modified-since" not in server.requests[1]


def test_a_date_to_come_that_was_noted_is_not_believed(server, fetcher, source, clock):
    said = {"etag": '"1"', "last_modified": "Mon, 14 Sep 2026 04:00:00 GMT"}
    server.answer_with(says(ONE, **said), says(TWO, **said))
    fetcher.fetch([source])
    noted = fetcher.repository.directory / ".fetch.json"
    noted.write_text(noted.read_text().replace("14 Sep 2026", "14 Sep 2099"))
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert server.requests[1]["if-none-match"] == '"1"'
    assert "if-modified-since" not in server.requests[1]


def test_the_same_content_is_never_older(server, fetcher, source, clock):
    server.answer_with(
        says(ONE, last_modified="Mon, 14 Sep 2026 04:00:00 GMT"),
        says(ONE, last_modified="Sun, 13 Sep 2026 04:00:00 GMT"),
    )
    fetcher.fetch([source])
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "unchanged"


@pytest.mark.parametrize("port", [0, 99999])
def test_a_redirection_to_no_port_is_a_failure_of_that_original(server, fetcher, source, port):
    server.answer_with(says(b"", status=302, location=f"http://127.0.0.1:{port}/"))
    (result,) = fetcher.fetch([source])
    assert (result.status, result.detail[:11]) == ("failed", "liste.csv: ")


def test_no_step_of_a_redirection_is_without_protection(server):
    """The step itself is not asked, whatever it would lead to."""
    address = Address("liste.csv", "https://127.0.0.1/")
    with pytest.raises(FetchFailed, match=f"unprotected address: {server.url}"):
        asyncio.run(examine_step(address, httpx2.Request("GET", server.url)))
    assert server.requests == []


@pytest.mark.parametrize("path", ["essai/\0.gz", "essai/\ud800.gz", "essai"])
def test_a_path_that_is_none_costs_a_download(server, fetcher, source, path):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    noted = fetcher.repository.directory / ".fetch.json"
    seen = json.loads(noted.read_text())
    seen["essai"]["originals"]["liste.csv"]["path"] = path
    noted.write_text(json.dumps(seen))
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert len(server.requests) == 2


class Two(type(OWN_SOURCES[0])):
    """A source that asks for the second original once only, as for the page of a former member."""

    def download(self, downloads):
        return [
            downloads.get(address) for address in list(self.addresses.values())[: self.count[0]]
        ]

    def read(self, originals, members, day):
        raise OriginalRefused("nothing to read")


def test_an_original_that_nobody_asks_for_any_more_is_forgotten(server, fetcher, clock):
    addresses = {name: Address(name, server.url) for name in ("one", "former")}
    source = Two("essai", "senat", addresses)
    object.__setattr__(source, "count", [2])
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    source.count[0] = 1
    clock.passes(days=90)
    fetcher.fetch([source])
    folder = fetcher.repository.directory / "originaux"
    names = ["former.gz", "one.gz"]
    assert sorted(path.name for path in folder.rglob("*.gz")) == names
    clock.passes(days=1)
    fetcher.fetch([source])
    assert [path.name for path in folder.rglob("*.gz")] == ["one.gz"]
    assert list(fetcher.repository.last_seen()["essai"]["originals"]) == ["one"]


class Examines(type(OWN_SOURCES[0])):
    """A source that looks at its original as it comes."""

    def download(self, downloads):
        return [downloads.get(self.addresses["liste"], self.examine)]

    def examine(self, original: Original) -> None:
        if original.body.startswith(b"<"):
            raise OriginalRefused(f"{original.name}: a page")

    def read(self, originals, members, day):
        return StaffList([], "essai")


def test_what_was_refused_is_kept_to_be_looked_at(server, fetcher, source, clock):
    fetcher.sleep = lambda seconds: clock.passes(seconds=int(seconds))
    server.answer_with(*(says(b"<%d>" % n) for n in (1, 2, 3)))
    (result,) = fetcher.fetch([Examines(source.name, source.chamber, source.addresses)])
    path = "originaux/essai/2026-09-14T0600/refuse-liste.csv.gz"
    assert result.detail == f"liste.csv: a page; it is kept as {path} (3 attempts)"
    folder = fetcher.repository.directory
    assert gzip.decompress((folder / path).read_bytes()) == b"<3>"
    assert len(list(folder.rglob("*.gz"))) == 1
    clock.passes(days=91)
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    assert not (folder / path).exists()


def test_what_cannot_be_kept_is_a_refusal_all_the_same(server, fetcher, source, slept):
    fetcher.repository.directory.joinpath("originaux").touch()
    server.answer_with(says(b"<>"))
    (result,) = fetcher.fetch([Examines(source.name, source.chamber, source.addresses)])
    assert result.detail.startswith("liste.csv: a page; it could not be kept: ")
