"""Corrections of movements that wait for later lists, when these lists tell them otherwise."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from datasette_mouvements.updating import update
from datasette_mouvements.updating.published import Published
from parlement_lists.tracking.correction import CorrectionsError, Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import lists
from tests.tracking.lists import Staff, many

NOW = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
WHOLE = many(30, 3)
LEAVES, *STAY = WHOLE[1]
NAME = LEAVES.split()[1].upper()
GONE: Staff = {**WHOLE, 1: STAY}
WITHOUT_ROWS: Staff = {**WHOLE, 1: []}


def elsewhere(staff: Staff) -> Staff:
    return {**staff, 9: [*WHOLE[9], LEAVES]}


class Desk:
    """A database of a list with somebody and of one without, whose movement a maintainer corrects."""

    def __init__(self, folder: Path, second: Staff, kind: str) -> None:
        self.database, self.lists = folder / "x.db", folder / "lists"
        self.corrections: list[Entry] = []
        self.keep(1, WHOLE)
        self.keep(2, second)
        self.run("build")
        [gone] = [m for m in Published(self.database).movements() if m.collab_nom == NAME]
        self.corrected, self.type = gone.id, gone.type
        self.correct(kind, [gone.id])
        self.run("build")

    def correct(self, kind: str, ids: Iterable[str]) -> None:
        said = ((id, id if kind == "retirer" else {"id": id, "fonction": "Cheffe"}) for id in ids)
        self.corrections = [Entry(1, "2026-10-01", id, kind, value) for id, value in said]

    def keep(self, day: int, staff: Staff) -> None:
        lists.write(self.lists, "senat", f"2026-09-{day:02}", staff)

    def run(self, command: str, masks: Sequence[Entry] = ()) -> None:
        said = Corrections([*self.corrections, *masks])
        inputs = update.Inputs(lists=walk([self.lists]).files, corrections=said, source="suivi")
        {"track": update.track, "build": update.build}[command](self.database, inputs, NOW)


@pytest.mark.parametrize("kind", ["retirer", "modifier"])
def test_what_corrects_a_movement_that_is_told_anew_is_told_in_a_daily_run_as_in_a_build(
    tmp_path: Path, kind: str
) -> None:
    """The movement of another type would come without it; the daily run names it, unless it is masked."""
    desk = Desk(tmp_path, elsewhere(GONE), kind)
    assert desk.type == "transfert"
    desk.keep(4, elsewhere(WHOLE))
    before = desk.database.read_bytes()
    for command in ("track", "track", "build"):
        with pytest.raises(CorrectionsError, match=f"{kind}: matches nothing"):
            desk.run(command)
        assert desk.database.read_bytes() == before
    named = r"(mvt_[0-9a-f]{20}) \((\w+, 2026-09-\d\d)\)"
    with pytest.raises(CorrectionsError) as told:
        desk.run("track")
    correct = dict(re.findall(named, str(told.value)))
    assert set(correct.values()) == {"arrivee, 2026-09-02"}
    masks = [Entry(2, "2026-10-01", "x", "masquer", {"nom": LEAVES})]
    with pytest.raises(CorrectionsError) as masked:
        desk.run("track", masks)
    assert "(masked) (" in str(masked.value)
    assert "mvt_" not in str(masked.value)
    desk.correct(kind, correct)
    desk.run("track")
    desk.run("build")


@pytest.mark.parametrize("kind", ["retirer", "modifier"])
@pytest.mark.parametrize("second", [GONE, WITHOUT_ROWS])
@pytest.mark.parametrize("later", [[WHOLE], [WHOLE, GONE], [WHOLE, elsewhere(GONE)]])
@pytest.mark.parametrize("at_once", [False, True])
def test_the_morning_goes_on_where_the_person_of_a_corrected_movement_came_back(
    tmp_path: Path, kind: str, second: Staff, later: Sequence[Staff], at_once: bool
) -> None:
    """Who leaves again leaves by another movement, however many lists a run takes."""
    desk = Desk(tmp_path, second, kind)
    for day, staff in enumerate(later, 3):
        desk.keep(day, staff)
        if not at_once:
            desk.run("track")
    desk.run("track")
    assert desk.corrected not in Published(desk.database).identifiers()
