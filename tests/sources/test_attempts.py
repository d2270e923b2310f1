"""One bound holds over all attempts and pauses of a source; no test waits for it."""

from __future__ import annotations

import datetime
import math

import pytest

from parlement_lists.sources.downloading.retry_policy import (
    PATIENCE,
    PAUSES,
    FetchFailed,
    PassingFailure,
    repeat,
    seconds_to_wait,
)


class Source:
    """Fails as often as it is told to, each attempt after some seconds; sleeping moves its clock."""

    def __init__(self, seconds: float, *asked: str) -> None:
        self.now = self.begun = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
        self.seconds = seconds
        self.asked = list(asked)
        self.slept: list[float] = []

    def attempt(self) -> str:
        self.pass_(self.seconds)
        if self.asked:
            raise PassingFailure("status 503", self.asked.pop(0))
        return "a list"

    def pass_(self, seconds: float) -> None:
        self.now += datetime.timedelta(seconds=seconds)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_(seconds)

    def get(self) -> str:
        until = self.begun + datetime.timedelta(seconds=PATIENCE)
        return repeat("a list", self.attempt, lambda: self.now, self.sleep, until)


def test_all_that_is_left_may_be_asked_for():
    source = Source(10.0, str(int(PATIENCE) - 10))
    assert source.get() == "a list"
    assert source.slept == [PATIENCE - 10]


def test_one_second_more_than_what_is_left_is_refused():
    source = Source(10.0, str(int(PATIENCE) - 9))
    with pytest.raises(FetchFailed, match="wait 291 s, longer than the 290 s that are left"):
        source.get()
    assert source.slept == []


def test_pauses_count_together():
    source = Source(0.0, "200", "200")
    with pytest.raises(FetchFailed, match="wait 200 s, longer than the 100 s that are left"):
        source.get()
    assert source.slept == [200.0]


def test_attempts_that_take_long_leave_no_time_for_others():
    source = Source(150.0, "", "", "")
    with pytest.raises(FetchFailed, match="status 503: no time is left for another attempt"):
        source.get()
    assert source.slept == [PAUSES[0]]


def test_a_long_attempt_that_succeeds_is_not_cut_short():
    source = Source(10 * PATIENCE)
    assert source.get() == "a list"


def test_the_last_of_three_attempts_may_still_succeed():
    source = Source(0.0, "", "")
    assert source.get() == "a list"
    assert source.slept == list(PAUSES)


def test_the_last_failure_is_told_with_the_number_of_attempts():
    source = Source(0.0, "", "", "")
    with pytest.raises(FetchFailed, match=r"status 503 \(3 attempts\)"):
        source.get()
    assert source.slept == list(PAUSES)


def test_each_wait_is_told_before_it_begins(caplog):
    Source(0.0, "", "").get()
    assert caplog.messages == [
        f"a list: status 503: asked again in {seconds:g} s" for seconds in PAUSES
    ]


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7),
        ("Mon, 14 Sep 2026 04:00:30 GMT", 30),
        ("Mon, 14 Sep 2026 03:00:00 GMT", -3600),
        ("9" * 400, math.inf),
        ("nonsense", 0),
        ("\xb2", 0),
    ],
)
def test_a_pause_is_asked_for_as_a_number_or_a_date(asked, seconds):
    assert seconds_to_wait(asked, Source(0.0).now) == seconds
