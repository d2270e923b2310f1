"""The quota's day: from midnight to midnight in Paris, with the two days a year of 23 and 25 hours."""

from __future__ import annotations

import calendar
import datetime
import functools
from typing import Final, NamedTuple

from parlement_lists.movement import PARIS

RECENT: Final = 30  # days of use that an account is shown, today included
# Months for which charges a day are kept by account; then only sums by month, of all accounts.
KEPT_MONTHS: Final = 13


class _Hour(NamedTuple):
    day: str
    reset: datetime.datetime
    reset_at: int


@functools.lru_cache(maxsize=64)
def _hour(number: int) -> _Hour:
    """What holds for a whole hour since 1970: Paris is a whole number of hours from UTC."""
    today = datetime.datetime.fromtimestamp(number * 3600, PARIS).date()
    tomorrow = today + datetime.timedelta(days=1)
    midnight = datetime.datetime.combine(tomorrow, datetime.time(), PARIS)
    reset = midnight.astimezone(datetime.UTC)
    return _Hour(today.isoformat(), reset, int(reset.timestamp()))


def day(now: datetime.datetime) -> str:
    """The quota day of an aware instant: the calendar day in Paris, YYYY-MM-DD."""
    return _hour(int(now.timestamp()) // 3600).day


def last_days(now: datetime.datetime, count: int = RECENT) -> list[str]:
    """The last quota days, the earliest first, today's last."""
    today = datetime.date.fromisoformat(day(now))
    return [
        (today - datetime.timedelta(days=back)).isoformat() for back in range(count - 1, -1, -1)
    ]


def reset(now: datetime.datetime) -> datetime.datetime:
    """The next midnight in Paris, as an instant in UTC."""
    return _hour(int(now.timestamp()) // 3600).reset


def months_before(day: str, months: int) -> str:
    """The same day so many months before; the last of that month if it has no such day."""
    date = datetime.date.fromisoformat(day)
    year, month = divmod(date.year * 12 + date.month - 1 - months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return datetime.date(year, month + 1, min(date.day, last)).isoformat()


def seconds_to_reset(now: datetime.datetime) -> int:
    """Whole seconds until the next midnight in Paris, rounded up: 1 to 90,000."""
    instant = int(now.timestamp())
    return _hour(instant // 3600).reset_at - instant
