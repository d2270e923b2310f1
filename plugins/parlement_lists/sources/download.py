"""A source, and one run's downloads of it: within sizes and times, only what changed, the last original of each kept."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import functools
import gzip
import hashlib
import logging
import ssl
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import httpx2

from ..movement import PARIS
from ..regular_file import read_bytes, write_whole
from ..tracking.members.known_members import Members
from .originals import (
    Address,
    ChamberMembers,
    FetchFailed,
    Original,
    OriginalRefused,
    StaffList,
)

# What fails longer is asked for again by the next run: a timer may have two a day.
PAUSES = (2.0, 10.0)
PATIENCE = datetime.timedelta(seconds=300)  # after a source began, nothing is asked for again
# Seconds without a byte after which an attempt fails.
SILENCE = 20.0
# The folder of originals, and the prefix of one that was refused.
FOLDER, REFUSED = "originaux", "refuse-"
# What is said of a site that lets browsers in and no programs; a challenge is never answered.
CHALLENGE = "a challenge for browsers instead of the file"
_CHALLENGES = ("x-amzn-waf-action", "cf-mitigated")

_log = logging.getLogger(__name__)


class PassingFailure(Exception):
    """An attempt failed and a later one may not; `retry_after` is the server's `Retry-After`, or empty."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass
class Downloads:
    """The downloads of one source in one run, into a folder that has the last original of each name.

    `answers` has the marks of the last version by name (`url`, `sha256`, `etag`, `last_modified`), and is changed in
    place. `remarks` are sentences for the report. After `deadline` nothing is asked for.
    """

    folder: Path
    answers: dict[str, dict[str, str]]
    agent: str
    clock: Callable[[], datetime.datetime]
    sleep: Callable[[float], None]
    deadline: datetime.datetime
    remarks: list[str] = field(default_factory=list)
    _asked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.day = self.clock().astimezone(PARIS).date()
        self._until = min(self.deadline, self.clock() + PATIENCE)

    def get(
        self, address: Address, examine: Callable[[Original], object] = lambda original: None
    ) -> Original:
        """The original, asked for again after a failure that may pass; raises FetchFailed, which names it.

        OriginalRefused by `examine` is a failed attempt, too: it may be an error page.
        """
        self._asked.add(address.name)
        for pause in (*PAUSES, None):
            try:
                return self._attempt(address, examine)
            except FetchFailed as error:
                raise FetchFailed(f"{address.name}: {error}") from error
            except PassingFailure as error:
                why = f"{address.name}: {error}"
                if pause is None:
                    raise FetchFailed(f"{why} ({len(PAUSES) + 1} attempts)") from error
                wait = max(pause, seconds_to_wait(error.retry_after, self.clock()))
                left = (self._until - self.clock()).total_seconds()
                if wait > left:
                    times = f"{wait:.0f} s to wait, {max(left, 0):.0f} s left for another attempt"
                    raise FetchFailed(f"{why}: {times}") from error
                _log.warning("%s: asked again in %.0f s", why, wait)
                self.sleep(wait)
        raise AssertionError

    def forget_others(self) -> None:
        """Remove the originals that this run did not ask for, such as the page of a former member."""
        for name in self.answers.keys() - self._asked:
            del self.answers[name]
        for path in self.folder.glob("*.gz"):
            if path.name.removeprefix(REFUSED).removesuffix(".gz") not in self._asked:
                path.unlink()

    def _attempt(self, address: Address, examine: Callable[[Original], object]) -> Original:
        name = address.name
        left = (self.deadline - self.clock()).total_seconds()
        if left <= 0:
            raise FetchFailed("no time is left in this run")
        before, marks = self._last(address)
        answer = download(address._replace(seconds=min(address.seconds, left)), marks, self.agent)
        body, made = before, read_http_date(marks.get("last_modified", ""))
        if answer:
            newest, (body, received) = made, answer
            made = read_http_date(received["last_modified"])
            if made and made > self.clock():
                # After a date to come every new original would pass for an older one.
                made, received["last_modified"] = None, ""
            elif made and newest and made < newest and body != before:
                dates = f"{received['last_modified']}, older than the one received before"
                raise PassingFailure(f"made {dates}, of {marks['last_modified']}")
        original = Original(name, body, made.astimezone(PARIS).date() if made else None)
        refused = self.folder / f"{REFUSED}{name}.gz"
        try:
            examine(original)
        except OriginalRefused as error:
            _pack(refused, body)
            kept = f"it is kept as {FOLDER}/{self.folder.name}/{refused.name}"
            raise PassingFailure(f"{str(error).removeprefix(f'{name}: ')}; {kept}") from error
        if answer:
            _pack(self.folder / f"{name}.gz", body)
            refused.unlink(missing_ok=True)
            self.answers[name] = {**received, "url": address.url, "sha256": digest(body)}
        return original

    def _last(self, address: Address) -> tuple[bytes, dict[str, str]]:
        """The last original and its marks, none if it is gone, was changed, or came from another address."""
        marks = self.answers.get(address.name, {})
        try:
            body = gzip.decompress(read_bytes(self.folder / f"{address.name}.gz", follow=False))
        except (OSError, EOFError, zlib.error):
            return b"", {}
        mine = marks.get("url") == address.url and marks.get("sha256") == digest(body)
        return (body, marks) if mine else (b"", {})


@dataclass(frozen=True)
class Source:
    """How one chamber's list is downloaded and read; it has the chamber's name.

    `addresses` are its originals, by a short word that a maintainer may give another address for;
    `needs` is the module of the extra `lists` that `read` and `download` import.
    """

    chamber: str
    addresses: Mapping[str, Address] = field(default_factory=dict)
    needs: str = ""

    def at(self, urls: Mapping[str, str]) -> Self:
        """The same source with other addresses for some of its originals; KeyError for one it has not."""
        moved = {word: self.addresses[word]._replace(url=url) for word, url in urls.items()}
        return replace(self, addresses={**self.addresses, **moved})

    def download(self, downloads: Downloads) -> list[Original]:
        """Every original that the list and its members are read from; raises FetchFailed."""
        raise NotImplementedError

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """The members in originals of a day, None if no original has them; raises OriginalRefused."""
        return None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The list made of originals received on `day`; their content says which original is which.

        `day` is None if nobody knows it. `members` are those known of every chamber, with those in the
        originals. Raises OriginalRefused.
        """
        raise NotImplementedError


def _pack(path: Path, body: bytes) -> None:
    # With a time in it, two files of the same content would differ.
    write_whole(path, gzip.compress(body, mtime=0))


def download(
    address: Address, marks: dict[str, str], agent: str, silence: float = SILENCE
) -> tuple[bytes, dict[str, str]] | None:
    """The file at an address, and its marks: `etag` and `last_modified`.

    None if it is still the version that has these `marks`. PassingFailure after a time-out, a cut
    connection, 202, 429 and 5xx; FetchFailed when repeating cannot mend it (404, a page instead of a file, too long).
    """
    try:
        # The client's time-outs start again with every byte; this one does not.
        return asyncio.run(
            asyncio.wait_for(_download(address, marks, agent, silence), address.seconds)
        )
    except TimeoutError:
        raise PassingFailure(f"not complete after {address.seconds:g} s") from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise FetchFailed(str(error)) from error
    except httpx2.TimeoutException as error:
        raise PassingFailure(f"no answer for {silence:g} s ({type(error).__name__})") from error
    except httpx2.TransportError as error:
        raise PassingFailure(f"{type(error).__name__}: {error}") from error
    except (httpx2.HTTPError, ExceptionGroup, ValueError, OverflowError) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from error


async def _download(
    address: Address, marks: dict[str, str], agent: str, silence: float
) -> tuple[bytes, dict[str, str]] | None:
    conditions = {
        "if-none-match": marks.get("etag", ""),
        "if-modified-since": marks.get("last_modified", ""),
    }
    conditions = {k: v for k, v in conditions.items() if v and v.isascii() and v.isprintable()}
    client = httpx2.AsyncClient(
        # The file comes uncompressed, because the limit counts what is kept, and a small file could
        # unpack into gigabytes.
        headers={"user-agent": agent, "accept-encoding": "identity", **conditions},
        verify=trusted(),
        timeout=silence,
        follow_redirects=True,
        event_hooks={"request": [functools.partial(examine_step, address)]},
    )
    async with client, client.stream("GET", address.url) as response:
        if response.status_code == 304 and conditions:
            return None
        _refuse_what_is_no_file(response, address)
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > address.most_bytes:
                raise FetchFailed(f"longer than {address.most_bytes} bytes")
        if not body:
            raise PassingFailure("an empty answer")
        return bytes(body), {
            "etag": response.headers.get("etag", ""),
            "last_modified": response.headers.get("last-modified", ""),
        }


@functools.cache
def trusted() -> ssl.SSLContext:
    """The trusted certificates, read once: reading them takes longer than the download of a page."""
    return httpx2.create_ssl_context()


async def examine_step(address: Address, request: httpx2.Request) -> None:
    """Raises FetchFailed before a redirection leaves TLS."""
    if address.url.startswith("https:") and request.url.scheme != "https":
        raise FetchFailed(f"redirected to an unprotected address: {request.url}")


def _refuse_what_is_no_file(response: httpx2.Response, address: Address) -> None:
    """Raises PassingFailure or FetchFailed for an answer that is not the file, before its body is read."""
    status, headers = response.status_code, response.headers
    if any(header in headers for header in _CHALLENGES):
        raise FetchFailed(f"{CHALLENGE} (status {status})")
    # Some servers answer 202 and an empty body to a client that is not a browser.
    if status == 202:
        raise PassingFailure(f"{CHALLENGE} (status 202)", headers.get("retry-after", ""))
    if status == 429 or status >= 500:
        raise PassingFailure(f"status {status}", headers.get("retry-after", ""))
    if status != 200:
        raise FetchFailed(f"status {status}")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html" and not address.html:
        raise FetchFailed("an HTML page instead of a file")


def seconds_to_wait(retry_after: str, now: datetime.datetime) -> float:
    """The pause that a Retry-After header asks for, as a number or a date (RFC 9110, 10.2.3)."""
    if retry_after.isdecimal():
        return float(retry_after)
    until = read_http_date(retry_after)
    return (until - now).total_seconds() if until else 0.0


def read_http_date(text: str) -> datetime.datetime | None:
    """The moment in a header, in UTC; None where it is none."""
    try:
        moment = email.utils.parsedate_to_datetime(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return aware.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None


def digest(body: bytes) -> str:
    """The SHA-256 of an original's content."""
    return hashlib.sha256(body).hexdigest()
