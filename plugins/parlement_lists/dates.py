"""Days written as 2026-09-01: what lies between two, what is so many before or after one, one in French."""

from __future__ import annotations

from datetime import date, timedelta

MONTH_NAMES = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
)


def days_between(since: str, until: str) -> int:
    """The days from one day to another, negative where `until` is the earlier one."""
    return (date.fromisoformat(until) - date.fromisoformat(since)).days


def add_days(day: str, number: float) -> str:
    """The day so many days after another, before it where the number is negative."""
    return (date.fromisoformat(day) + timedelta(int(number))).isoformat()


def in_french(day: str) -> str:
    """2026-09-01 -> 1er septembre 2026."""
    date_ = date.fromisoformat(day)
    number = "1er" if date_.day == 1 else str(date_.day)
    return f"{number} {MONTH_NAMES[date_.month - 1]} {date_.year}"
