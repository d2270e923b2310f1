"""The download of one file over HTTP, within a time and a size, and only if the file changed."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import httpx2

from ..source import Address
from .retry_policy import FetchFailed, PassingFailure

MOST_REDIRECTS = 5
# Seconds without a byte after which an attempt fails.
SILENCE = 20.0


# What is said of a site that lets browsers in and no programs; a challenge is never answered.
CHALLENGE = "a challenge for browsers instead of the file"
_CHALLENGES = ("x-amzn-waf-action", "cf-mitigated")


class Validators(NamedTuple):
    """A server's marks of the version it sends; sent back, they ask for a newer version only."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> dict[str, str]:
        """The headers of a conditional request, without a value that no header may have."""
        headers = {"if-none-match": self.etag, "if-modified-since": self.last_modified}
        return {
            n: text for n, text in headers.items() if text.isascii() and text.isprintable() and text
        }


class DownloadedFile(NamedTuple):
    """A file as received; `url` is where it came from after redirections."""

    body: bytes
    validators: Validators
    url: str


def download(
    address: Address, known: Validators, agent: str, silence: float = SILENCE
) -> DownloadedFile | None:
    """The file at an address; None if it is still the `known` version.

    PassingFailure after a time-out, a cut connection, 202, 429 and 5xx; FetchFailed when repeating
    cannot mend it (404, a page instead of a file, too long).
    """
    return asyncio.run(_download(address, known, agent, silence))


async def _download(
    address: Address, known: Validators, agent: str, silence: float
) -> DownloadedFile | None:
    # The file comes uncompressed, because the limit counts what is kept, and a small file could unpack
    # into gigabytes.
    headers = {"user-agent": agent, "accept-encoding": "identity", **known.headers()}
    client = httpx2.AsyncClient(
        verify=trusted(),
        timeout=silence,
        follow_redirects=True,
        max_redirects=MOST_REDIRECTS,
        event_hooks={"request": [functools.partial(examine_step, address)]},
    )
    # The client's time-outs start again with every byte; this one does not.
    with failures(address.seconds, silence):
        async with (
            asyncio.timeout(address.seconds),
            client,
            client.stream("GET", address.url, headers=headers) as response,
        ):
            if response.status_code == 304 and known.headers():
                return None
            _refuse_what_is_no_file(response, address)
            body = await _receive(response, address.most_bytes)
            said = response.headers.get("etag", ""), response.headers.get("last-modified", "")
            return DownloadedFile(body, Validators(*said), str(response.url))


@contextmanager
def failures(seconds: float, silence: float) -> Iterator[None]:
    """Raises PassingFailure or FetchFailed for every error of a request within these bounds."""
    try:
        yield
    except TimeoutError:
        raise PassingFailure(f"not complete after {seconds:g} s") from None
    except httpx2.TooManyRedirects:
        raise FetchFailed(f"more than {MOST_REDIRECTS} redirections") from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise FetchFailed(str(error)) from error
    except httpx2.TimeoutException as error:
        raise PassingFailure(f"no answer for {silence:g} s ({type(error).__name__})") from error
    except httpx2.TransportError as error:
        raise PassingFailure(f"{type(error).__name__}: {error}") from error
    except (httpx2.HTTPError, ExceptionGroup, ValueError, OverflowError) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from error


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
    status = response.status_code
    if any(header in response.headers for header in _CHALLENGES):
        raise FetchFailed(f"{CHALLENGE} (status {status})")
    # Some servers answer 202 and an empty body to a client that is not a browser.
    if status == 202:
        raise PassingFailure(f"{CHALLENGE} (status 202)", response.headers.get("retry-after", ""))
    if status == 429 or status >= 500:
        raise PassingFailure(f"status {status}", response.headers.get("retry-after", ""))
    if status != 200:
        raise FetchFailed(f"status {status}")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html" and not address.html:
        raise FetchFailed("an HTML page instead of a file")
    if encoding := response.headers.get("content-encoding", "").replace("identity", ""):
        raise FetchFailed(f"compressed ({encoding}) although asked not to be")


async def _receive(response: httpx2.Response, most_bytes: int) -> bytes:
    body = bytearray()
    too_long = FetchFailed(f"longer than {most_bytes} bytes")
    told = response.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most_bytes:
        raise too_long
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > most_bytes:
            raise too_long
    if not body:
        raise PassingFailure("an empty answer")
    return bytes(body)
