"""Real lists in an invented history with side branches give the movements that the lists themselves give."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlement_lists.tracking.reading.list_file import Walk
from parlement_lists.tracking.reading.walk import walk
from tests.tracking.lists import tracked
from tests.tracking.repository import Repository
from tests.tracking.windows import DATA, MISSING, lists_of, unpacked

ARCHIVE = DATA / "audit" / "an-noms-2017.tar.xz"
FILE = "data/liste_deputes_collaborateurs.csv"


def found(lists: Walk) -> tuple[int, set[str]]:
    """How many lists there are, and the identifiers of their movements."""
    return lists.total, {movement.id for movement in tracked(lists.files).movements}


@pytest.mark.skipif(not ARCHIVE.exists(), reason=MISSING)
def test_no_list_of_a_side_branch_is_missing(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("2017-07-01T03:15:00+02:00", {"README": b"x"})
    repository.git("branch", "side")
    moment = ""
    for number, file in enumerate(lists_of(ARCHIVE)):
        # Three lists on the one branch, three on the other, as if two machines had taken turns.
        repository.git("checkout", "-q", ("master", "side")[number // 3 % 2])
        time = f"{file.time[1:3] or '03'}:{file.time[3:5] or '15'}"
        moment = f"{file.date}T{time}:00+02:00"
        assert file.data is not None
        repository.commit(moment, {FILE: file.data()})
    repository.git("checkout", "-q", "master")
    repository.git("merge", "-q", "-s", "ours", "side", "-m", "x", date=moment)
    lists = found(walk([unpacked(ARCHIVE)]))
    assert lists[0] > 10
    assert lists[1]
    assert found(walk([], [repository.path])) == lists
