"""The quota's day: from midnight to midnight in Paris, with the two days a year of 23 and 25 hours."""

from __future__ import annotations

import datetime
import functools
from typing import Final, NamedTuple

from parlement_lists.movement import PARIS

RECENT: Final = 30  # days of use that an account is shown, today included
# Months, about, and days for which charges are kept by account; older ones are deleted.
KEPT_MONTHS: Final = 13
KEPT_DAYS: Final = 396


class QuotaDay(NamedTuple):
    """A calendar day in Paris."""

    day: str  # YYYY-MM-DD
    reset: datetime.datetime  # the next midnight, in UTC
    seconds: int  # 86,400, or 82,800 and 90,000 where the clock is changed

    def seconds_left(self, now: datetime.datetime) -> int:
        """Whole seconds until the next midnight, rounded up: 1 to 90,000."""
        return int(self.reset.timestamp()) - int(now.timestamp())


def quota_day(now: datetime.datetime) -> QuotaDay:
    """The quota day of an aware instant."""
    return _of_hour(int(now.timestamp()) // 3600)


@functools.lru_cache(maxsize=64)
def _of_hour(number: int) -> QuotaDay:
    """The quota day of an hour since 1970: Paris is a whole number of hours from UTC."""
    today = datetime.datetime.fromtimestamp(number * 3600, PARIS).date()
    began, reset = (
        datetime.datetime.combine(date, datetime.time(), PARIS).astimezone(datetime.UTC)
        for date in (today, today + datetime.timedelta(days=1))
    )
    return QuotaDay(today.isoformat(), reset, int((reset - began).total_seconds()))


def last_days(now: datetime.datetime, count: int = RECENT) -> list[str]:
    """The last quota days, the earliest first, today's last."""
    today = datetime.date.fromisoformat(quota_day(now).day)
    return [
        (today - datetime.timedelta(days=back)).isoformat() for back in range(count - 1, -1, -1)
    ]


def second(now: datetime.datetime) -> str:
    """An instant in ISO 8601, UTC, to the second."""
    return now.astimezone(datetime.UTC).isoformat()[:19] + "Z"


def minute(now: datetime.datetime) -> str:
    """An instant to the minute, for a key's last use: seconds would trace a person's habits."""
    return second(now)[:16] + "Z"
