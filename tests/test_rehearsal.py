"""A month of the rehearsal: no movement is false or lost, and each fault ends as it is declared to."""

from __future__ import annotations

import pytest

from tests.rehearsal.table import not_as_declared
from tests.rehearsal.year import rehearse

SEED, MORNINGS = 29, 30


@pytest.mark.process
def test_a_month_of_faults_publishes_what_is_true(tmp_path):
    """A year takes minutes, and runs every week only."""
    month = rehearse(tmp_path / "house", SEED, MORNINGS)
    assert (month.wrong, list(not_as_declared(month.episodes))) == ([], [])
    assert month.movements
    assert month.episodes
