"""Unpaid leave is a remark beside a name that stays: no movement, and told with the stay."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.tenure import UNPAID
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import ListRefused, Reader

from . import lists
from .raw_lists import raw_lists, raw_rows
from .windows import DATA, MISSING

STAFF = {number: [f"Ada UNE{number}", f"Zoé DEUX{number}"] for number in range(1, 31)}
DAYS = ["2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04"]


def on_leave(day: str, star: str = "") -> ListFile:
    """A list in which one person is on leave."""
    header, *rows = [list(row) for row in lists.rows("senat", STAFF)]
    rows[4][10], rows[4][4] = "Congé sans solde", rows[4][4] + star
    content = lists.text([header, *rows])
    date = datetime.date.fromisoformat(day)
    return ListFile("senat", date, "", f"senat/{day}", data=lambda: content)


@pytest.mark.parametrize("star", ["", " *"])  # from March to May 2017 there was a star, too
def test_leave_begins_and_ends_without_movement_in_one_stay(star: str) -> None:
    days = [
        lists.list_file("senat", DAYS[0], STAFF),
        on_leave(DAYS[1], star),
        on_leave(DAYS[2], star),
        lists.list_file("senat", DAYS[3], STAFF),
    ]
    told = []
    for last in range(1, len(days) + 1):
        found = lists.tracked(days[:last])
        assert found.movements == []
        tenures = found.stays
        told.append([(t.id, t.debut) for t in tenures])
        away = [(t.elu_id, t.conge) for t in tenures if t.conge]
        assert away == ([(lists.member("senat", 3), UNPAID)] if last in (2, 3) else [])
    assert told[0] == told[1] == told[2] == told[3]


@pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
def test_every_list_at_hand_is_read_with_the_leave_that_it_says() -> None:
    reader, said, read = Reader(), 0, 0
    sources = [DATA, *sorted((DATA / "archives").glob("se-*.tar.xz"))]
    of_senat = (found for source in sources for found in raw_lists(source) if "senat/" in found[0])
    for name, content in of_senat:
        day = datetime.date.fromisoformat(name[6:16])
        try:
            found = reader.read(content, "senat", day)
        except ListRefused:
            continue
        here = sum(row.on_leave for row in raw_rows(content))
        assert sum(pair.leave == UNPAID for pair in found.pairs.values()) == here, name
        said, read = said + here, read + 1
    assert read > 250
    assert said > 250
