"""What a run must not lose: the corrections and the lists of the runs before it."""

from __future__ import annotations

from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.report import Report
from parlement_lists.tracking.state import StateError, TrackingState

from ..dataset.input_files import InputRefused
from .pseudonyms import Pseudonyms
from .published import Published
from .state_file import StateFile


def refuse_lost_chambers(report: Report, state: TrackingState, before: Published) -> None:
    """Raises InputRefused where no list can be used: none at all, or none of a chamber that had one.

    All movements that came of that chamber's lists would be withdrawn.
    """
    had = {chamber for _, chamber, _, status, *_ in before.lists.values() if status != "refusee"}
    lost = sorted(
        had.intersection(record.chamber for record in report.records) - state.chambers.keys()
    )
    if lost:
        told = [f"{chamber}: no list is accepted any more, and there were some" for chamber in lost]
        raise InputRefused(report.refusals(lost) + told)
    if not state.chambers:
        raise InputRefused(report.refusals())


def continued_corrections(
    given: Corrections | None,
    invented: bool,
    old: TrackingState | None,
    before: Published,
    pseudonyms: Pseudonyms,
) -> Corrections:
    """The corrections given; StateError when those of an earlier run were forgotten.

    Without them a name once masked would be published again.
    """
    made = before.has_masks or bool(before.corrections if old is None else old.corrections)
    if before.invented and not invented and given is None and made:
        raise StateError(
            f"{before.path} holds invented people: build into another file, or remove it and"
            f" {StateFile(before.path).path}"
        )
    if given is None and made:
        raise StateError(
            "this database was made with corrections: give --corrections (an empty file drops them)"
        )
    corrections = given or Corrections()
    corrections.know_movements_by(pseudonyms.internal)
    # The names that these withheld are gone.
    applied = {mask.digest for mask in corrections.published_masks(before.corrections)}
    if old is not None:
        applied |= old.matched.intersection(mask.digest for mask in corrections.masks)
    corrections.matched |= applied
    return corrections
