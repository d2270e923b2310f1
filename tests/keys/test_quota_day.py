"""The quota day: from midnight to midnight in Paris, 23 and 25 hours included."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_mouvements.keys.quota_day import PARIS, last_days, quota_day

UTC = datetime.UTC
pytestmark = pytest.mark.rule("decisions-quota-day")


def utc(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "day", "reset", "seconds"),
    [
        ("2024-05-14T21:59:59.999999", "2024-05-14", "2024-05-14T22:00:00", 1),
        ("2024-12-31T23:00:00", "2025-01-01", "2025-01-01T23:00:00", 86_400),
        # Summer time begins on 31 March 2024: 23 hours.
        ("2024-03-30T23:00:00", "2024-03-31", "2024-03-31T22:00:00", 23 * 3600),
        # It ends on 27 October 2024: 25 hours, one of them twice.
        ("2024-10-26T22:00:00", "2024-10-27", "2024-10-27T23:00:00", 25 * 3600),
        ("2024-10-27T01:30:00", "2024-10-27", "2024-10-27T23:00:00", 21 * 3600 + 1800),
    ],
)
def test_the_day_goes_from_midnight_to_midnight_in_paris(
    now: str, day: str, reset: str, seconds: int
) -> None:
    today = quota_day(utc(now))
    assert (today.day, today.reset) == (day, utc(reset))
    assert today.seconds == {"2024-03-31": 23, "2024-10-27": 25}.get(day, 24) * 3600
    assert today.reset.tzinfo is UTC
    assert today.seconds_left(utc(now)) == seconds


def test_the_zone_in_which_an_instant_is_written_makes_no_difference() -> None:
    twice = datetime.datetime(2024, 10, 27, 2, 30, tzinfo=PARIS, fold=1)
    today = quota_day(twice)
    assert today.seconds_left(twice) == today.seconds_left(utc("2024-10-27T01:30:00"))


@given(st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2035, 1, 1)))
def test_every_instant_is_before_its_reset_which_begins_the_next_day(
    naive: datetime.datetime,
) -> None:
    now = naive.replace(tzinfo=UTC)
    today = quota_day(now)
    assert 0 < today.seconds_left(now) <= today.seconds <= 25 * 3600
    assert today.day == now.astimezone(PARIS).date().isoformat()
    assert quota_day(today.reset - datetime.timedelta(microseconds=1)) == today
    assert quota_day(today.reset).day > today.day
    assert today.reset.astimezone(PARIS).time() == datetime.time()


def test_the_last_days_end_with_the_day_in_paris() -> None:
    late = utc("2024-05-14T22:30:00")  # 15 May in Paris
    assert last_days(late, 3) == ["2024-05-13", "2024-05-14", "2024-05-15"]
    assert last_days(late)[0] == "2024-04-16"
