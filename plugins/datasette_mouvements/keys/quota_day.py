"""The quota's day: from midnight to midnight in Paris, with the two days a year of 23 and 25 hours."""

from __future__ import annotations

import calendar
import datetime
import functools
from typing import Final, NamedTuple

from parlement_lists.movement import PARIS

RECENT: Final = 30  # days of use that an account is shown, today included
# Months for which charges are kept by account and day; older ones are deleted.
KEPT_MONTHS: Final = 13


class _Hour(NamedTuple):
    day: str
    reset: datetime.datetime
    reset_at: int
    seconds: int  # of the whole day


@functools.lru_cache(maxsize=64)
def _hour(number: int) -> _Hour:
    """The quota day of an hour since 1970: Paris is a whole number of hours from UTC."""
    today = datetime.datetime.fromtimestamp(number * 3600, PARIS).date()
    tomorrow = today + datetime.timedelta(days=1)
    began, reset = (
        datetime.datetime.combine(date, datetime.time(), PARIS).astimezone(datetime.UTC)
        for date in (today, tomorrow)
    )
    seconds = int((reset - began).total_seconds())
    return _Hour(today.isoformat(), reset, int(reset.timestamp()), seconds)


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
    """The same day of a month before; the last day of that month where it has none."""
    date = datetime.date.fromisoformat(day)
    year, month = divmod(date.year * 12 + date.month - 1 - months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return datetime.date(year, month + 1, min(date.day, last)).isoformat()


def seconds_of_day(now: datetime.datetime) -> int:
    """The length of the quota day: 86,400, or 82,800 and 90,000 on the days on which the clock is changed."""
    return _hour(int(now.timestamp()) // 3600).seconds


def second(now: datetime.datetime) -> str:
    """An instant in ISO 8601, UTC, to the second."""
    return now.astimezone(datetime.UTC).isoformat()[:19] + "Z"


def minute(now: datetime.datetime) -> str:
    """An instant to the minute, for a key's last use: seconds would trace a person's habits."""
    return _minute(int(now.timestamp()) // 60)


@functools.lru_cache(maxsize=8)
def _minute(number: int) -> str:
    return second(datetime.datetime.fromtimestamp(number * 60, datetime.UTC))[:16] + "Z"


def seconds_to_reset(now: datetime.datetime) -> int:
    """Whole seconds until the next midnight in Paris, rounded up: 1 to 90,000."""
    instant = int(now.timestamp())
    return _hour(instant // 3600).reset_at - instant
