"""The dress rehearsal ends well."""

from __future__ import annotations

import pytest

from tests.rehearsal.__main__ import rehearse


@pytest.mark.slow
def test_ten_days_of_lists_pass_without_a_failed_request_and_publish_each_movement_once(tmp_path):
    assert rehearse(tmp_path) == []
