"""One file over HTTP: a deadline, a size, retries with growing pauses, and only if it changed."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

import httpx2

PAUSES = (2.0, 10.0, 60.0)
LONGEST_PAUSE = 300.0
MOST_REDIRECTS = 5


class FetchFailed(Exception):
    """The file was not had; the message says why in one line."""


class _TryAgain(Exception):
    """What may pass: `after` is how long the server asked to wait, in seconds."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Limits(NamedTuple):
    """What a download may take. `seconds` is for a whole attempt, from the name look-up to the last byte."""

    most_bytes: int = 10_000_000
    seconds: float = 120.0
    silence: float = 20.0


class Validators(NamedTuple):
    """What the server said of the version it sent; sent back to ask for a newer one only."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> dict[str, str]:
        asked = {"if-none-match": self.etag, "if-modified-since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


def download(
    url: str,
    sink: BinaryIO,
    known: Validators,
    limits: Limits,
    agent: str,
    sleep: Callable[[float], None] = time.sleep,
) -> Validators | None:
    """Write the file at `url` to `sink`; None if it is still the `known` version (`sink` is empty).

    Tries again after a time-out, a cut connection, 429 and 5xx, as often as PAUSES is long; what
    repeating cannot mend (404, a page instead of a file, too long) fails at once. FetchFailed then.
    """
    for pause in (*PAUSES, None):
        sink.seek(0)
        sink.truncate()
        try:
            return asyncio.run(_attempt(url, sink, known, limits, agent))
        except _TryAgain as error:
            if pause is None:
                raise FetchFailed(f"{error} ({len(PAUSES) + 1} attempts)") from error
            sleep(min(max(pause, error.after), LONGEST_PAUSE))
    raise AssertionError("the last pause is None")


async def _attempt(
    url: str, sink: BinaryIO, known: Validators, limits: Limits, agent: str
) -> Validators | None:
    # Uncompressed only: what is counted is what is kept, and no small answer unfolds into a huge one.
    headers = {"user-agent": agent, "accept-encoding": "identity", **known.headers()}
    client = httpx2.AsyncClient(
        timeout=limits.silence, follow_redirects=True, max_redirects=MOST_REDIRECTS
    )
    try:
        # The client's own time-outs start again with every byte; this one does not.
        async with (
            asyncio.timeout(limits.seconds),
            client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if response.status_code == 304 and known.headers():
                return None
            _examine(response, url)
            await _keep(response, sink, limits)
            return Validators(
                response.headers.get("etag", ""), response.headers.get("last-modified", "")
            )
    except TimeoutError:
        raise _TryAgain(f"not complete after {limits.seconds:g} s") from None
    except httpx2.TooManyRedirects:
        raise FetchFailed(f"more than {MOST_REDIRECTS} redirections") from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise FetchFailed(str(error)) from error
    except httpx2.TimeoutException as error:
        raise _TryAgain(f"no answer for {limits.silence:g} s ({type(error).__name__})") from error
    except httpx2.TransportError as error:
        raise _TryAgain(f"{type(error).__name__}: {error}") from error
    except httpx2.HTTPError as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from error


def _examine(response: httpx2.Response, url: str) -> None:
    """Refuse, before its body is read, an answer that is not the file."""
    status = response.status_code
    if status == 429 or status >= 500:
        raise _TryAgain(f"status {status}", _asked_to_wait(response.headers.get("retry-after", "")))
    if status != 200:
        raise FetchFailed(f"status {status}")
    if url.startswith("https:") and response.url.scheme != "https":
        raise FetchFailed(f"redirected to an unprotected address: {response.url}")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html":
        raise FetchFailed("an HTML page instead of a file")
    if encoding := response.headers.get("content-encoding", "").replace("identity", ""):
        raise FetchFailed(f"compressed ({encoding}) although asked not to be")


async def _keep(response: httpx2.Response, sink: BinaryIO, limits: Limits) -> None:
    size = 0
    too_long = FetchFailed(f"longer than {limits.most_bytes} bytes")
    if (told := response.headers.get("content-length", "")).isdigit() and int(
        told
    ) > limits.most_bytes:
        raise too_long
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > limits.most_bytes:
            raise too_long
        sink.write(piece)
    if size == 0:
        raise _TryAgain("an empty answer")


def _asked_to_wait(text: str) -> float:
    """Seconds of a Retry-After header, which is a number or a date (RFC 9110, section 10.2.3)."""
    if text.isdigit():
        return float(text)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, until.timestamp() - time.time())
