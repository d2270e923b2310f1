"""The HTTP client of the service that is copied: one host, one key, bounded times and sizes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Generator
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar

import httpx2

from parlement_lists.bounds import ANSWER_BYTES, ANSWER_ITEMS, COPY_SECONDS, FILE_BYTES
from parlement_lists.sources.downloading.download import MOST_REDIRECTS, SILENCE, failures, trusted
from parlement_lists.sources.downloading.retry_policy import (
    PATIENCE,
    FetchFailed,
    PassingFailure,
    repeat,
    seconds_to_wait,
)

from .. import addresses
from ..dataset.changes import CursorGone

MOST_DETAIL = 600  # characters of what a service says about a key
_MOST_PROBLEM = 10_000  # bytes of the answer that says it
# Addresses in the documentation of a service end so: somebody may give one of these.
_OF_THE_INTERFACE = re.compile(r"/v1(/(mouvements|changements))?$")
_ADDRESS = re.compile(r"https?://[^\s@?#\\]+", re.ASCII)

T = TypeVar("T")


class Bounds(NamedTuple):
    """Limits of an answer: its bytes, its seconds, the seconds between two pieces."""

    most_bytes: int
    seconds: float
    silence: float = SILENCE


ANSWER = Bounds(ANSWER_BYTES, 60.0)
FILE = Bounds(FILE_BYTES, 1800.0)
# Bytes of a file at which its beginning is looked at, before more is taken.
_BEGINNING = 500_000


class Key(httpx2.Auth):
    """A key of the service, sent with every request. It is in no variable, because some tracebacks show these."""

    def __init__(self, text: str) -> None:
        self._sent: Callable[[], str] = lambda: text

    def __repr__(self) -> str:
        return "Key(...)"

    def auth_flow(
        self, request: httpx2.Request
    ) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers["authorization"] = f"Bearer {self._sent()}"
        yield request

    def cut_out(self, text: str) -> str:
        """A text without the key in it."""
        return text.replace(self._sent(), "...")


class NotServed(Exception):
    """The service has no such address: it is an older one."""


class QuotaUsed(Exception):
    """Today's quota of the key is used up; `until` is when it goes on, None where that was not told."""

    def __init__(self, until: datetime | None) -> None:
        super().__init__("the key's quota is used up")
        self.until = until


def service_address(text: str) -> str:
    """The address of a service in one form, without the path of its interface. Raises ValueError.

    What stands in a movements file is public: no user, password or query is taken.
    """
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not url.host or not _ADDRESS.fullmatch(text):
        raise ValueError("not the address of a service (https://HOST or https://HOST/PATH)")
    return _OF_THE_INTERFACE.sub("", str(url).rstrip("/")).rstrip("/")


class ServiceClient:
    """The service at `url`, whose connection stays open for as long as the block lasts.

    A request is repeated after a failure that may pass (see `retry_policy`). It raises FetchFailed where that
    does not help, QuotaUsed where the key has nothing left, CursorGone for a cursor that is not one of the
    feed's. Of what the service sent, which was sent a key, no message holds more than why it refused that.
    """

    def __init__(
        self,
        url: str,
        key: Key,
        agent: str,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
        answer: Bounds = ANSWER,
        file: Bounds = FILE,
        page: int = ANSWER_ITEMS,
    ) -> None:
        self.url, self._key, self.page = url, key, page
        self._headers = {
            "user-agent": agent,
            # An answer that is compressed could be small and unpack to more than its limit.
            "accept-encoding": "identity",
        }
        self._clock, self._sleep = clock, sleep
        self._answer, self._file = answer, file
        self._origin = httpx2.URL(url).origin

    def __enter__(self) -> Self:
        self._until = self._clock() + timedelta(seconds=COPY_SECONDS)
        self._runner = asyncio.Runner()
        self._client = httpx2.AsyncClient(
            verify=trusted(),
            auth=self._key,
            headers=self._headers,
            timeout=self._answer.silence,
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
            event_hooks={"request": [self._examine_step]},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._runner:
            self._runner.run(self._client.aclose())

    def changes(self, cursor: str) -> bytes:
        """The answer of the feed after a cursor."""
        return self._ask(addresses.CHANGES, curseur=cursor, limit=str(self.page))[0]

    def search(self) -> tuple[bytes, str]:
        """The answer of a search for one movement, and the version of the movements that it is of."""
        return self._ask_for_one(addresses.SEARCH)

    def stays(self) -> tuple[bytes, str]:
        """The answer of a search for one stay, and the edition that it is of. Raises NotServed."""
        return self._ask_for_one(addresses.STAYS)

    def whole_file(
        self,
        file: BinaryIO,
        room: Callable[[int], object],
        examine: Callable[[bytes], object],
    ) -> None:
        """Write the file of everything into `file`.

        `room` is asked for as many bytes as are to come, `examine` gets the beginning of a long file
        before the rest is taken: what either raises ends it.
        """

        async def save() -> None:
            file.seek(0)
            file.truncate()
            looked = False

            def take(piece: bytes) -> None:
                nonlocal looked
                room(len(piece))
                file.write(piece)
                if not looked and file.tell() >= _BEGINNING:
                    looked = True
                    file.seek(0)
                    examine(file.read())

            await self._receive(addresses.WHOLE_FILE, {}, self._file, take, room)

        self._repeat(save)

    def _ask_for_one(self, path: str) -> tuple[bytes, str]:
        body, headers = self._ask(path, limit="1")
        return body, headers.get("mouvements-version", "")

    def _ask(self, path: str, **asked: str) -> tuple[bytes, httpx2.Headers]:
        """The body and the headers of a short answer."""

        async def ask() -> tuple[bytes, httpx2.Headers]:
            body = bytearray()
            headers = await self._receive(path, asked, self._answer, body.extend)
            return bytes(body), headers

        return self._repeat(ask)

    def _repeat(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        until = min(self._until, self._clock() + timedelta(seconds=PATIENCE))
        try:
            return repeat(lambda: self._runner.run(ask()), self._clock, self._sleep, until)
        except FetchFailed as failed:
            # The message quotes an answer that cannot be read, which may quote the request.
            raise FetchFailed(self._key.cut_out(str(failed))) from None

    async def _receive(
        self,
        path: str,
        asked: dict[str, str],
        bounds: Bounds,
        take: Callable[[bytes], object],
        room: Callable[[int], object] = bool,
    ) -> httpx2.Headers:
        """Have `take` the body of an answer, piece by piece, after `room` its length; returns its headers."""
        got = 0
        left = (self._until - self._clock()).total_seconds()
        if left <= 0:
            raise FetchFailed(
                f"a run has {COPY_SECONDS:,} s, and they are over: the next run goes on"
            )
        seconds = min(bounds.seconds, left)
        with failures(seconds, bounds.silence):
            async with (
                asyncio.timeout(seconds),
                self._client.stream("GET", self.url + path, params=asked) as response,
            ):
                if response.status_code in (401, 403):
                    raise FetchFailed(await _refused_key(response, self._key))
                self._refuse(response, path)
                told = response.headers.get("content-length", "")
                if told.isdecimal():
                    if int(told) > bounds.most_bytes:
                        raise FetchFailed(f"{path}: longer than {bounds.most_bytes} bytes")
                    room(int(told))
                async for piece in response.aiter_raw():
                    got += len(piece)
                    if got > bounds.most_bytes:
                        raise FetchFailed(f"{path}: longer than {bounds.most_bytes} bytes")
                    take(piece)
                return response.headers

    async def _examine_step(self, request: httpx2.Request) -> None:
        """Raise before another host, or an unencrypted address, gets the key."""
        if request.url.origin == self._origin:
            return
        here = httpx2.URL(self.url)
        secured = (here.scheme, request.url.scheme) == ("http", "https")
        if not secured or here.host != request.url.host or here.port or request.url.port:
            raise FetchFailed("redirected to another address, where the key is not for")

    def _refuse(self, response: httpx2.Response, path: str) -> None:
        """Raise, before the body is read, when the answer is not what was asked for."""
        status, wait = response.status_code, response.headers.get("retry-after", "")
        # A cursor that the service does not read is one of another version of it, or of another service.
        if path == addresses.CHANGES and status in (400, 410):
            raise CursorGone
        if status == 429:
            now = self._clock()
            seconds = seconds_to_wait(wait, now)
            raise QuotaUsed(now + timedelta(seconds=seconds) if 0 < seconds < 1e6 else None)
        # Some servers answer 202 with an empty body to clients that are not browsers.
        if status == 202 or status >= 500:
            raise PassingFailure(f"status {status}", wait)
        if status == 404 and path == addresses.STAYS:
            raise NotServed
        if status == 404:
            raise FetchFailed("status 404: no service of this kind is there, or an older one")
        if status != 200:
            raise FetchFailed(f"status {status}")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise FetchFailed("compressed although asked not to be")


async def _refused_key(response: httpx2.Response, key: Key) -> str:
    """Says that the key is not accepted, with the reason where the answer has one: `detail` of RFC 9457."""
    told = f"status {response.status_code}: the key is not accepted"
    body = bytearray()
    try:
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > _MOST_PROBLEM:
                return told
        problem = json.loads(body)
    except (httpx2.HTTPError, ValueError, RecursionError):
        return told
    detail = problem.get("detail") if isinstance(problem, dict) else None
    if not isinstance(detail, str):
        return told
    # A French text has spaces that are not printable in Python's sense.
    words = key.cut_out(" ".join(detail.split()))
    printed = "".join(one for one in words if one.isprintable())[:MOST_DETAIL]
    return f"{told}: {printed}" if printed else told
