"""What the daily run found after the last list that a build is given: it stays."""

from __future__ import annotations

from typing import NamedTuple

from parlement_lists.movement import Movement
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import StateError, TrackingState
from parlement_lists.tracking.tracker import Change, Tracker

from .published import Published
from .run_ledger import Ledger


class Reach(NamedTuple):
    """How far a build's lists go in a chamber where the daily run had later ones: its tracker, and the day."""

    tracker: Tracker | None
    day: str  # "" where the build has no list of the chamber


def keep_followed(
    run: Run, old: TrackingState, ledger: Ledger
) -> tuple[dict[str, Reach], list[Movement]]:
    """Settle what the lists leave open; where the daily run had later ones, keep what it found.

    Returns how far the lists given here go in each chamber where it had, and the movements it found
    after that day.
    """
    reach: dict[str, Reach] = {}
    records = run.result.report.records
    corrected = {record.name for record in records if record.reason == "correction"}
    for chamber, tracker in old.chambers.items():
        mine = run.state.chambers.get(chamber)
        # A newest list that was accepted, and that a correction refuses now, is none to go on from.
        undone = tracker.last is not None and tracker.last.name in corrected
        if mine is not None and (undone or not _later(tracker, mine)):
            continue
        day = mine.last.date.isoformat() if mine is not None and mine.last else ""
        reach[chamber] = Reach(mine, day)
        if mine is not None:
            # What is open here was settled by later lists: it stands if they published it.
            change, known = mine.pending(), ledger.existing
            added = [movement for movement in change.added if movement.id in known]
            run.result.take(Change(added, []))
        run.state.chambers[chamber] = tracker
        run.state.refused[chamber] = old.refused.get(chamber, [])
    run.settle(but=reach)
    followed = [
        movement
        for movement in (ledger.before.movements() if reach else ())
        if movement.source == "suivi"
        and movement.chambre in reach
        and movement.date_event > reach[movement.chambre].day
        and movement.id not in run.result.added
    ]
    return reach, followed


def _later(one: Tracker, other: Tracker) -> bool:
    return one.last is not None and (other.last is None or one.last.moment > other.last.moment)


def refuse_gap(reaches: dict[str, Reach], before: Published) -> None:
    """Raises StateError where the daily run began after the last list given: what lies between has no movements."""
    for chamber, reach in reaches.items():
        accepted = [r[2] for r in before.lists.values() if r[1] == chamber and r[3] != "refusee"]
        if reach.day and accepted and min(accepted) > reach.day:
            raise StateError(
                f"{chamber}: the daily run began on {min(accepted)}, after the last list given"
                f" ({reach.day}): give its lists too, or what changed between the two is lost"
            )
