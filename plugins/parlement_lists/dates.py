"""Days written as 2026-09-01: what lies between two, and what is so many before or after one."""

from __future__ import annotations

from datetime import date, timedelta


def days_between(since: str, until: str) -> int:
    """The days from one day to another, negative where `until` is the earlier one."""
    return (date.fromisoformat(until) - date.fromisoformat(since)).days


def add_days(day: str, number: float) -> str:
    """The day so many days after another, before it where the number is negative."""
    return (date.fromisoformat(day) + timedelta(int(number))).isoformat()
