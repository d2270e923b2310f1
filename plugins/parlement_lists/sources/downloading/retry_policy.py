"""The retry policy: how often an original is asked for, with which pauses, and until when."""

from __future__ import annotations

import email.utils
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

# What fails longer is asked for again by the next run: a timer may have two a day.
PAUSES = (2.0, 10.0)
PATIENCE = 300.0  # seconds between a source's first attempt and its last repeated one
MOST_SECONDS = 1800.0  # of all sources' downloads together

T = TypeVar("T")

_log = logging.getLogger(__name__)


class FetchFailed(Exception):
    """A source could not be fetched; the message says why in one line."""


class PassingFailure(Exception):
    """An attempt failed and a later one may not; `retry_after` is the server's `Retry-After`, or empty."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def repeat(
    name: str,
    attempt: Callable[[], T],
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
    until: datetime,
    attempts: int = len(PAUSES) + 1,
) -> T:
    """The result of `attempt`, tried again after each of PAUSES while it raises PassingFailure.

    Each wait is logged, with `name` for what is waited for.
    `attempts` is at most one more than there are PAUSES. A server that asks for a longer pause gets it.
    Raises FetchFailed after the last attempt, and at once if the pause would end after `until`, because
    slow servers must not delay the whole morning's run.
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
            wait = max(pause, asked)
            _log.warning("%s: %s: asked again in %.0f s", name, error, wait)
            sleep(wait)
    try:
        return attempt()
    except PassingFailure as error:
        raise FetchFailed(f"{error} ({attempts} attempts)") from error


def seconds_to_wait(retry_after: str, now: datetime) -> float:
    """The pause that a Retry-After header asks for, as a number or a date (RFC 9110, 10.2.3)."""
    if retry_after.isdecimal():
        return float(retry_after)
    until = read_http_date(retry_after)
    return (until - now).total_seconds() if until else 0.0


def read_http_date(text: str) -> datetime | None:
    """The moment in a header, in UTC; None where it is none."""
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
