"""The dress rehearsal ends well."""

from __future__ import annotations

import pytest

from tests.rehearsal.__main__ import rehearse
from tests.rehearsal.maintainer import FIRST, Rehearsal
from tests.rehearsal.mornings import MORNINGS


@pytest.mark.process
def test_its_first_morning_is_what_it_is_said_to_be(tmp_path):
    """The whole takes minutes, and runs every week only."""
    rehearsal = Rehearsal(tmp_path)
    try:
        first = MORNINGS[0]
        report = rehearsal.morning(FIRST, first.faults)
    finally:
        rehearsal.close()
    assert tuple(result["status"] for result in report["fetched"]) == first.ends
    assert rehearsal.served.exists()


@pytest.mark.slow
def test_ten_days_of_lists_pass_without_a_failed_request_and_publish_each_movement_once(tmp_path):
    assert rehearse(tmp_path) == []
