"""What a run must not lose: the corrections and the lists of the runs before it."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence

from parlement_lists.movement import PARIS
from parlement_lists.sources import kept_list
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.report import Report
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import StateError, TrackingState

from ..dataset.coverage import covered
from ..dataset.input_files import InputRefused
from .erasure.pseudonyms import Pseudonyms
from .publication import Publication
from .published import Published, Row
from .state_file import StateFile

# What a run may withdraw without being asked to: so many movements, or this part of the file's where that is more.
WITHDRAWN_AT_MOST, WITHDRAWN_PART = 50, 100


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


def is_to_come(day: str, now: datetime.datetime) -> bool:
    """Whether a list's day shows that a clock was ahead."""
    return bool(day) and kept_list.is_to_come(
        datetime.date.fromisoformat(day), now.astimezone(PARIS).date()
    )


def refuse_forgotten_lists(
    run: Run, old: TrackingState, before: Published, now: datetime.datetime
) -> None:
    """Raises InputRefused where the daily run took lists that a build is not given, later than those it is.

    What they showed would be lost. Lists that the corrections refuse are given up on purpose, those of a day
    to come because a clock was ahead.
    """
    given = {record.name for record in run.result.report.records}
    forgotten: dict[str, list[str]] = {}
    for name, (_, chamber, day, status, *_) in sorted(before.lists.items()):
        tracker = run.state.chambers.get(chamber)
        last = tracker.last.name if tracker is not None and tracker.last is not None else ""
        if name not in old.followed or name in given or name <= last or status == "refusee":
            continue
        if is_to_come(day, now):
            continue
        if run.corrections.take_verdict(name) != "refuser":
            forgotten.setdefault(chamber, []).append(name)
    if forgotten:
        raise InputRefused([_forgotten(chamber, names) for chamber, names in forgotten.items()])


def _forgotten(chamber: str, names: Sequence[str]) -> str:
    lists = "1 later list" if len(names) == 1 else f"{len(names)} later lists"
    return (
        f"{chamber}: the daily run took {lists} ({', '.join(names)}): give these too, or refuse them in"
        " the corrections"
    )


def refuse_losses(
    before: Published,
    publication: Publication,
    lists: Iterable[Row],
    now: datetime.datetime,
    allowed: int | None,
) -> None:
    """Raises InputRefused where a file would lose what nobody asked to be withdrawn.

    That is: more movements than a run may withdraw, and a chamber's lists up to the last one; where `allowed`
    is given, more movements than that alone. To be called once all movements of the next file are written.
    Movements that corrections withdraw or mask are no losses, nor are invented ones, nor lists that corrections
    refuse or that are of a day to come because a clock was ahead.
    """
    if before.invented:
        return
    total = int(before.publication.get("mouvements", 0))
    usual = max(WITHDRAWN_AT_MOST, total // WITHDRAWN_PART)
    limit = usual if allowed is None else allowed
    lost = publication.lost
    faults = []
    if lost > limit:
        faults.append(
            f"{before.path}: {lost} of its {total} movements would be withdrawn, and this run may withdraw"
            f" {limit}: look at what was given. If it is meant: build with --withdraw {lost}"
        )
    if allowed is None:
        faults += [
            f"{before.path}: {chamber}: its lists reach to {had}, and would end"
            f" {f'on {has}' if has else 'altogether'}: give the later ones too. If it is meant: build with"
            f" --withdraw {lost}"
            for chamber, had, has in _shortened(before, publication.corrections, lists, now)
        ]
    if faults:
        raise InputRefused(faults)


def _shortened(
    before: Published, corrections: Corrections, lists: Iterable[Row], now: datetime.datetime
) -> list[tuple[str, str, str]]:
    """The chambers whose lists end earlier than before: chamber, last day before, last day of `lists` or ""."""
    standing = covered(
        row
        for name, row in before.lists.items()
        if not is_to_come(row[2], now) and corrections.take_verdict(name) != "refuser"
    )
    following = covered(lists)
    return [
        (chamber, coverage.last, following[chamber].last)
        for chamber, coverage in standing.items()
        if following[chamber].last < coverage.last
    ]


def refuse_dropped_changes(corrections: Corrections, before: Published) -> None:
    """Raises InputRefused where fewer corrections change or add movements than the run before was given.

    What they wrote stands in the file, and is no longer what the stays say.
    """
    given = Counter(entry.kind for entry in corrections.entries)
    had = Counter(kind for _, kind, _ in before.corrections)
    dropped = [kind for kind in ("ajouter", "modifier") if given[kind] < had[kind]]
    if dropped:
        kinds = " and ".join(f"{had[kind] - given[kind]} {kind}" for kind in dropped)
        raise InputRefused(
            [
                f"the corrections have {kinds} less than before, and what these wrote stays in {before.path}:"
                " put them back, or build again from every list"
            ]
        )


def made_with_corrections(before: Published, old: TrackingState | None) -> bool:
    """Whether a file was made with corrections, as it says itself or the state of its run does."""
    return before.has_masks or bool(before.corrections if old is None else old.corrections)


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
    made = made_with_corrections(before, old)
    if before.invented and not invented and given is None and made:
        raise StateError(
            f"{before.path} holds invented people: build into another file, or remove it and"
            f" {StateFile(before.path).path}"
        )
    if given is None and made:
        raise StateError(
            f"{before.path} was made with corrections: give --corrections with the file of before, or names that"
            " it withholds would be published again"
        )
    corrections = given or Corrections()
    corrections.know_movements_by(pseudonyms.internal)
    corrections.know_lists(before.lists)
    # The names that these withheld are no longer in the database.
    applied = {mask.digest for mask in corrections.published_masks(before.corrections)}
    if old is not None:
        corrections.know_near_to(old.near_to)
        applied |= old.matched.intersection(mask.digest for mask in corrections.masks)
    corrections.matched |= applied
    return corrections
