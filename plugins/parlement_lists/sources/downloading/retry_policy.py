"""Attempts at one original, with growing pauses between them and one bound over those of a source."""

from __future__ import annotations

import email.utils
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

PAUSES = (2.0, 10.0, 60.0)
PATIENCE = 300.0  # seconds between a source's first attempt and its last repeated one
MOST_SECONDS = 1800.0  # of all sources' downloads together

T = TypeVar("T")


class FetchFailed(Exception):
    """A source could not be fetched; the message says why in one line."""


class PassingFailure(Exception):
    """An attempt failed for a reason that may pass; `retry_after` is the header of that name, or empty."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def repeat(
    attempt: Callable[[], T],
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
    until: datetime,
    attempts: int = len(PAUSES) + 1,
) -> T:
    """What `attempt` returns, tried again after each of PAUSES while it raises PassingFailure.

    There are `attempts` of them at most, not more than PAUSES leaves room for.

    A server that asks for a longer pause gets it. FetchFailed after the last attempt, and at once
    when the pause would end after `until`: slow servers must not hold back a whole morning's run,
    however many they are.
    """
    for pause in PAUSES[: attempts - 1]:
        try:
            return attempt()
        except PassingFailure as error:
            left = max(0.0, (until - clock()).total_seconds())
            asked = seconds_to_wait(error.retry_after, clock())
            if pause > left:
                raise FetchFailed(f"{error}: no time is left for another attempt") from error
            if asked > left:
                why = f"asks to wait {asked:.0f} s, longer than the {left:.0f} s that are left"
                raise FetchFailed(f"{error}: {why}") from error
            sleep(max(pause, asked))
    try:
        return attempt()
    except PassingFailure as error:
        raise FetchFailed(f"{error} ({attempts} attempts)") from error


def seconds_to_wait(retry_after: str, now: datetime) -> float:
    """The pause that a Retry-After header asks for, as a number or a date (RFC 9110, 10.2.3)."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        until = email.utils.parsedate_to_datetime(retry_after)
        return until.timestamp() - now.timestamp()
    except (ValueError, OverflowError):
        return 0.0
