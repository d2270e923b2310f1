"""What `nights` tells of the journal: each run's result at each source, and the nights on which none came."""

from __future__ import annotations

import datetime
import re

import pytest

from datasette_mouvements.building import nights
from parlement_lists.sources import journal

DAY = datetime.date(2026, 9, 16)


def told(tmp_path, *lines, refused=()):
    journal.add(tmp_path, [journal.Line(*line) for line in lines])
    rows = nights.nights_of([tmp_path])(None, list(refused))
    return [nights._line(night) for night in nights.latest(rows, DAY, 30)]


def test_results_holes_and_the_run_itself_are_told_the_newest_day_first(tmp_path):
    lines = told(
        tmp_path,
        ("2026-09-14", "senat", "nouvelle", "", "", "senat/2026-09-14"),
        ("2026-09-14", "", "reussie"),
        ("2026-09-16", "senat", "echouee", journal.CAUSES["unreachable"], "", "senat"),
    )
    assert [re.split(r"  +", line)[0] for line in lines] == [
        *("2026-09-16", "2026-09-15", "2026-09-15", "2026-09-14", "2026-09-14"),
    ]
    assert lines[0].split()[1:3] == ["senat", "failed"]
    assert [line.split()[1:3] for line in lines[1:3]] == [["run", "silent"], ["senat", "silent"]]
    assert [line.split()[1:] for line in lines[3:]] == [["run", "ok"], ["senat", "ok"]]


def test_a_list_that_tracking_refused_is_told_as_refused(tmp_path):
    row = ("senat/2026-09-16", "senat", "2026-09-16", "refusee", "motif", "3 élus", *[""] * 6)
    lines = told(
        tmp_path,
        ("2026-09-16", "senat", "nouvelle", "", "", "senat/2026-09-16"),
        refused=[row],
    )
    assert lines[0].split()[1:3] == ["senat", "refused"]


@pytest.mark.parametrize("text", ["jour,source\n", "x" * 10])
def test_a_journal_of_another_form_is_refused_by_its_line(tmp_path, text):
    (tmp_path / journal.FILE).write_text(text)
    with pytest.raises(journal.ListFilesError, match=r"journal\.csv: line 1: no column"):
        journal.read(tmp_path)
