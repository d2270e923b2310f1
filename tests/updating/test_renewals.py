"""A renewal that the members' mandates prove is no matter: half the people leave on the same day."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.sources.hooks import ChamberMembers, MemberRecord, Period
from parlement_lists.sources.members import merge
from tests.updating.mornings import rows


@pytest.mark.parametrize("renewed", [True, False])
def test_changes_that_a_renewal_explains_are_held_without_a_word(maintainer, renewed):
    maintainer.run.hold_limit = 3
    day = maintainer.now.date()
    long_ago = day.replace(year=2020)
    before = Period(long_ago, day - datetime.timedelta(1))
    mandates = [before, Period(day)] if renewed else [Period(long_ago)]
    seats = [
        MemberRecord(row.elu_id, row.elu_nom, "Jeanne", mandates=mandates) for row in rows("senat")
    ]
    merge(maintainer.lists / "elus", "senat", ChamberMembers(seats, True, "essai"), day)
    maintainer.desk.published["senat"] = rows("senat")[4:]
    done = maintainer.morning()
    assert done.tracked.report.held == 4
    assert list(done.matters) == ([] if renewed else ["suivi/retenus"])
