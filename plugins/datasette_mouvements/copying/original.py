"""The service that is copied, asked over HTTP with a key: within a time and a size, and no other host."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Generator
from datetime import datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar

import httpx2

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

PAGE = 500  # changes asked for at a time: as many as there can be
MOST_DETAIL = 600  # characters of what a service says about a key
_MOST_PROBLEM = 10_000  # bytes of the answer that says it
# What the documentation of a service shows, and who copies it from there gives.
_OF_THE_INTERFACE = re.compile(r"/v1(/(mouvements|changements))?$")
_ADDRESS = re.compile(r"https?://[^\s@?#\\]+", re.ASCII)

T = TypeVar("T")


class Bounds(NamedTuple):
    """How much of an answer is taken, and for how long it may come."""

    most_bytes: int
    seconds: float
    silence: float = SILENCE


ANSWER = Bounds(32_000_000, 60.0)
FILE = Bounds(2_000_000_000, 1800.0)


class Key(httpx2.Auth):
    """A key of the service, sent with every request; whatever shows the variables of a frame does not show it."""

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


class QuotaUsed(Exception):
    """Today's quota of the key is used up; `until` is when it goes on, None where that was not told."""

    def __init__(self, until: datetime | None) -> None:
        super().__init__("the key's quota is used up")
        self.until = until


def service_address(text: str) -> str:
    """The address of a service in its one form, without that of its interface; ValueError for what is none.

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

    A question is repeated after what may pass (see `attempts.repeat`). It raises FetchFailed where that
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
    ) -> None:
        self.url, self._key = url, key
        self._headers = {
            "user-agent": agent,
            # The limit counts what is kept, and nothing small unpacks into gigabytes.
            "accept-encoding": "identity",
        }
        self._clock, self._sleep = clock, sleep
        self._answer, self._file = answer, file
        self._origin = httpx2.URL(url).origin

    def __enter__(self) -> Self:
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
        return self._asked(
            partial(self._body, addresses.CHANGES, {"curseur": cursor, "limit": str(PAGE)})
        )

    def search(self) -> tuple[bytes, str]:
        """The answer of a search for one movement, and the version of the movements that it is of."""
        said: dict[str, str] = {}
        body = self._asked(partial(self._body, addresses.SEARCH, {"limit": "1"}, said))
        return body, said.get("mouvements-version", "")

    def whole_file(self, file: BinaryIO) -> None:
        """Write the file of everything into `file`."""
        self._asked(partial(self._save, file))

    def _asked(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        until = self._clock() + timedelta(seconds=PATIENCE)
        try:
            return repeat(lambda: self._runner.run(ask()), self._clock, self._sleep, until)
        except FetchFailed as failed:
            # What cannot be read as an answer is repeated in the message, and may repeat what was asked.
            raise FetchFailed(self._key.cut_out(str(failed))) from None

    async def _body(
        self, path: str, asked: dict[str, str], said: dict[str, str] | None = None
    ) -> bytes:
        body = bytearray()
        await self._receive(path, asked, self._answer, body.extend, said)
        return bytes(body)

    async def _save(self, file: BinaryIO) -> None:
        file.seek(0)
        file.truncate()
        await self._receive(addresses.WHOLE_FILE, {}, self._file, file.write)

    async def _receive(
        self,
        path: str,
        asked: dict[str, str],
        bounds: Bounds,
        take: Callable[[bytes], object],
        said: dict[str, str] | None = None,
    ) -> None:
        """Have `take` the body of an answer, piece by piece; its headers are put into `said`."""
        got = 0
        with failures(bounds.seconds, bounds.silence):
            async with (
                asyncio.timeout(bounds.seconds),
                self._client.stream("GET", self.url + path, params=asked) as response,
            ):
                if response.status_code in (401, 403):
                    raise FetchFailed(await _refused_key(response, self._key))
                self._refuse(response, path)
                if said is not None:
                    said.update(response.headers)
                async for piece in response.aiter_raw():
                    got += len(piece)
                    if got > bounds.most_bytes:
                        raise FetchFailed(f"{path}: longer than {bounds.most_bytes} bytes")
                    take(piece)

    async def _examine_step(self, request: httpx2.Request) -> None:
        """Raise before a host is asked that is not the one the key is for, or in the clear."""
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
        # 202 is what some servers say, with an empty body, to who is not a browser.
        if status == 202 or status >= 500:
            raise PassingFailure(f"status {status}", wait)
        if status == 404:
            raise FetchFailed("status 404: no service of this kind is there, or an older one")
        if status != 200:
            raise FetchFailed(f"status {status}")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise FetchFailed("compressed although asked not to be")


async def _refused_key(response: httpx2.Response, key: Key) -> str:
    """That the key is not accepted, and why, where the service says it as it should: `detail` of RFC 9457."""
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
