"""The servers' clocks beside this machine's: one that is wrong would date lists, members and movements wrongly."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

import httpx2

from ..kept_list import MOST_APART
from ..source import Source
from .download import failures, trusted
from .retry_policy import FetchFailed, PassingFailure, read_http_date

# One server may be wrong by itself.
WITNESSES = 2
SECONDS = 10.0
# The seconds for which a cache may have kept an answer that tells the time.
OLDEST_ANSWER = 365 * 24 * 3600


class ClockWrong(Exception):
    """The servers of several sources say that this machine's clock is wrong; `true` is the instant by theirs."""

    def __init__(self, message: str, true: datetime.datetime) -> None:
        super().__init__(message)
        self.true = true


def compare(sources: Iterable[Source], agent: str, now: datetime.datetime) -> bool:
    """Whether WITNESSES servers bear out that it is `now`.

    Raises ClockWrong if none does, and as many deny it and agree on the day.
    """
    asked = _witnesses(sources)
    urls = [url for _, url in asked.values()]
    said = asyncio.run(_ask_all(urls, agent)) if len(urls) >= WITNESSES else []
    told = [(at, name) for at, (name, _) in zip(said, asked.values(), strict=False) if at]
    borne_out = sum(abs(at - now) <= MOST_APART for at, _ in told)
    if borne_out:
        return borne_out >= WITNESSES
    denied = max((_near(at, told) for at, _ in told), key=len, default=[])
    if len(denied) >= WITNESSES:
        true, _ = denied[len(denied) // 2]
        raise ClockWrong(
            f"the clock of this machine says {now:%Y-%m-%d %H:%M} UTC, the servers of"
            f" {', '.join(name for _, name in denied)} say {true:%Y-%m-%d %H:%M}: nothing is kept until it is"
            " set right",
            true,
        )
    return False


def _near(
    first: datetime.datetime, told: Iterable[tuple[datetime.datetime, str]]
) -> list[tuple[datetime.datetime, str]]:
    """Those among what servers told that are of an instant or less than MOST_APART later, in order."""
    return sorted((at, name) for at, name in told if first <= at and at - first <= MOST_APART)


def _witnesses(sources: Iterable[Source]) -> dict[str, tuple[str, str]]:
    """A source's name and the address to ask, by host: sources at one host have one clock."""
    found: dict[str, tuple[str, str]] = {}
    for source in sources:
        for address in list(source.addresses.values())[:1]:
            with suppress(ValueError):  # it is told where it is downloaded
                found.setdefault(urlsplit(address.url).hostname or "", (source.name, address.url))
    return found


async def _ask_all(urls: Iterable[str], agent: str) -> list[datetime.datetime | None]:
    async with httpx2.AsyncClient(verify=trusted(), timeout=SECONDS) as client:
        return await asyncio.gather(*(_ask(client, url, agent) for url in urls))


async def _ask(client: httpx2.AsyncClient, url: str, agent: str) -> datetime.datetime | None:
    """The instant by the clock of a server, whatever it answers; None if it does not say."""
    try:
        with failures(SECONDS, SECONDS):
            async with asyncio.timeout(SECONDS):
                answer = await client.head(url, headers={"user-agent": agent})
    except (FetchFailed, PassingFailure):
        return None
    said = read_http_date(answer.headers.get("date", ""))
    # A cache tells how long ago it received what it sends.
    age = answer.headers.get("age", "") or "0"
    kept = int(age) if age.isdecimal() and len(age) < 9 else OLDEST_ANSWER + 1
    if said is None or kept > OLDEST_ANSWER:
        return None
    if said.year == datetime.MAXYEAR:  # a year more, or a place east of UTC, is beyond the calendar
        return None
    return said + datetime.timedelta(seconds=kept)
