"""The servers' clocks beside this machine's: one that is wrong would date lists, members and movements wrongly."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterable

import httpx2

from ..kept_list import MOST_APART
from ..source import Address, Source
from .download import failures, trusted
from .retry_policy import FetchFailed, PassingFailure, read_http_date

# One server may be wrong by itself.
WITNESSES = 2
SECONDS = 10.0


class ClockWrong(Exception):
    """The servers of several sources say that this machine's clock is wrong; `true` is the instant by theirs."""

    def __init__(self, message: str, true: datetime.datetime) -> None:
        super().__init__(message)
        self.true = true


def compare(sources: Iterable[Source], agent: str, now: datetime.datetime) -> bool:
    """Whether the servers of WITNESSES sources bear out that it is `now`; raises ClockWrong if as many deny it."""
    urls = {source.name: address.url for source in sources for address in _first(source)}
    said = asyncio.run(_ask_all(urls.values(), agent)) if len(urls) >= WITNESSES else []
    told = {name: instant for name, instant in zip(urls, said, strict=False) if instant}
    denied = {name: at for name, at in told.items() if abs(at - now) > MOST_APART}
    if len(denied) >= WITNESSES:
        true = sorted(denied.values())[len(denied) // 2]
        raise ClockWrong(
            f"the clock of this machine says {now:%Y-%m-%d %H:%M} UTC, the servers of"
            f" {', '.join(denied)} say {true:%Y-%m-%d %H:%M}: nothing is kept until it is set right",
            true,
        )
    return len(told) - len(denied) >= WITNESSES


def _first(source: Source) -> list[Address]:
    return list(source.addresses.values())[:1]


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
    # A cache tells when it received what it sends.
    age = answer.headers.get("age", "")
    kept = int(age) if age.isdecimal() and len(age) < 9 else 0
    return said + datetime.timedelta(seconds=kept) if said else None
