"""Five weeks of the rehearsal end well."""

from __future__ import annotations

from pathlib import Path

from tests.rehearsal import rehearse


def test_five_weeks_with_all_that_goes_wrong_are_told_as_they_were(tmp_path: Path) -> None:
    assert rehearse(7, 36, tmp_path) == []
