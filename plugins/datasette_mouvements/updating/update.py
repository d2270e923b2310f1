"""One run over lists: movements, tables and tracking state change together, or nothing does."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Set
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ..dataset.input_files import InputRefused, read
from ..dataset.writer import MovementInput, Written, replacing, write
from ..movement import CHAMBERS, Movement
from ..tracking.corrections import Corrections
from ..tracking.list_file import ListFile
from ..tracking.members import Members
from ..tracking.report import Report
from ..tracking.run import Run, RunResult
from ..tracking.state import StateError, TrackingState, to_json
from ..tracking.tracker import Change, Tracker
from .ledger import Held, Ledger
from .published import FILES_GIVEN, STATE_TOKEN, Published, Row
from .state_file import StateFile, token_of
from .tenures import Reach, tenures_of_build, tenures_of_track


@dataclass
class Inputs:
    """What a run reads, and the rules it reads by; None where nothing was given."""

    files: list[Path] = field(default_factory=list)
    lists: Iterable[ListFile] | None = None
    members: Members = field(default_factory=Members)
    corrections: Corrections | None = None
    source: str = "archives"
    transfer_days: int | None = None


@dataclass
class Done:
    """What a run did; `built` is None when there was nothing to write. `lists` is the table `listes`."""

    report: Report
    built: Written | None
    lists: list[Row]


def build(database: Path, inputs: Inputs, now: datetime.datetime) -> Done:
    """Inputs -> `database`, anew. What the daily run found after the newest list given stays.

    Raises what `track` raises.
    """
    state_file = StateFile(database)
    tracked = bool(inputs.lists is not None or inputs.corrections or state_file.path.exists())
    with state_file.locked() if tracked else nullcontext():
        before = Published(database)
        old = state_file.load(before.token, inputs.members, anew=True) if tracked else None
        corrections = _corrections(inputs, old, before)
        old = old or TrackingState()
        state = TrackingState(inputs.transfer_days or 0, followed=set(old.followed))
        run = Run(state, inputs.members, corrections, inputs.source)
        result = run.feed(inputs.lists or ())
        _refuse_less_than_outdated(old, state)
        if inputs.lists is not None:
            _refuse_lost_chambers(result.report, state, before)
        ledger = Ledger(before, corrections, now.date())
        reaches, followed = _keep_followed(run, old, ledger)
        _refuse_gap(reaches, before)
        reach = {chamber: one.day for chamber, one in reaches.items()}
        _note_masks(state, corrections)
        held = _held(state, reach, ledger.existing)
        lists = ledger.lists(result.report.records, reach, held)
        published = ledger.existing.union(result.added) - result.removed.keys()
        tenures = tenures_of_build(before, state, result, reaches, published, followed)
        ledger.take(tenures.values(), [*result.added.values(), *followed])
        result.report.take_standing(lists)
        movements: list[MovementInput] = [
            ("lists", enumerate([*result.added.values(), *followed], 1)),
            *((str(file), read(file)) for file in inputs.files),
            (corrections.file, enumerate(corrections.added(), 1)),
        ]
        tables = ledger.tables(lists, result.removed, inputs.members, reaches)
        tables["_publication"] = [(FILES_GIVEN, str(len(inputs.files)))]
        if tracked:
            built = _write_both(state_file, state, ledger, movements, tables, now)
        else:
            built = write(database, ledger.corrected(movements), tables, now)
    report = result.report
    report.added, report.withdrawn = built.movements, ledger.withdrawn
    report.count(result.added.values())
    return Done(report, built, lists)


def track(database: Path, inputs: Inputs, now: datetime.datetime, settle: bool = False) -> Done:
    """Add what lists newer than the last ones show; the same lists again add nothing.

    With `settle`, what waits for later lists is published as it stands. Nothing is changed by what
    is raised: InputRefused for movements, or where no list can be used; CorrectionsError; StateError
    where the state or the corrections do not fit the database; OSError where one cannot be written.
    """
    state_file = StateFile(database)
    with state_file.locked():
        before = Published(database)
        state = _continued(state_file, before, inputs)
        corrections = _corrections(inputs, state, before)
        result = _follow(state, inputs, corrections, settle)
        if not state.chambers:
            raise InputRefused(result.report.refusals())
        _note_masks(state, corrections)
        ledger, report = Ledger(before, corrections, now.date()), result.report
        held = Counter() if settle else _held(state, state.chambers, ledger.existing)
        report.held = held.total()
        report.held_by_list = {f"{c}/{d}": n for (c, d), n in sorted(held.items())}
        lists = ledger.lists(report.records, dict.fromkeys(state.chambers, ""), held)
        report.take_standing(lists)
        if _nothing_new(state, ledger, result, lists) and not ledger.learns(inputs.members):
            return Done(report, None, lists)
        published = ledger.existing.union(result.added) - result.removed.keys()
        tenures = tenures_of_track(before, state, result, published)
        ledger.take(tenures.values(), chain(before.movements(), result.added.values()))
        manual = corrections.added()
        replaced = {*result.removed, *result.added, *(m.id for m in manual)}
        standing = (m for m in before.movements() if m.id not in replaced)
        movements: list[MovementInput] = [
            (str(database), enumerate(standing, 1)),
            ("lists", enumerate(result.added.values(), 1)),
            (corrections.file, enumerate(manual, 1)),
        ]
        tables = ledger.tables(lists, result.removed, inputs.members, CHAMBERS)
        tables["_publication"] = [(FILES_GIVEN, before.publication.get(FILES_GIVEN, "0"))]
        built = _write_both(state_file, state, ledger, movements, tables, now)
    fresh = [movement for id, movement in result.added.items() if id not in ledger.existing]
    report.added, report.withdrawn = len(fresh), ledger.withdrawn
    report.count(fresh)
    return Done(report, built, lists)


def _refuse_lost_chambers(report: Report, state: TrackingState, before: Published) -> None:
    """Raises InputRefused where no list can be used: none at all, or none of a chamber that had some.

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


def _refuse_gap(reaches: dict[str, Reach], before: Published) -> None:
    """Raises StateError where the daily run began after the last list given: what lies between has no movements."""
    for chamber, reach in reaches.items():
        accepted = [r[2] for r in before.lists.values() if r[1] == chamber and r[3] != "refusee"]
        if reach.day and accepted and min(accepted) > reach.day:
            raise StateError(
                f"{chamber}: the daily run began on {min(accepted)}, after the last list given"
                f" ({reach.day}): give its lists too, or what changed between the two is lost"
            )


def _refuse_less_than_outdated(old: TrackingState, state: TrackingState) -> None:
    """Raises StateError where an older version had read later lists: what it found in them would be lost."""
    for chamber, name in sorted(old.outdated.items()):
        mine = state.chambers.get(chamber)
        if mine is None or mine.last is None or mine.last.name < name:
            raise StateError(
                f"an older version of this package has read lists up to {name}: build again from"
                " every list, those of the daily run too"
            )


def _continued(state_file: StateFile, before: Published, inputs: Inputs) -> TrackingState:
    """The state the daily run goes on from; raises where it cannot."""
    before.refuse_outdated()
    state = state_file.load(before.token, inputs.members)
    if state is None:
        return TrackingState(inputs.transfer_days or 0)
    if state.outdated:
        raise StateError(
            f"{before.path}: tracked by an older version of this package: build it again from"
            " every list"
        )
    if inputs.transfer_days not in (None, state.transfer_days):
        raise StateError(
            f"{before.path}: tracked with --transfer-days {state.transfer_days};"
            " to change it, build again"
        )
    return state


def _corrections(inputs: Inputs, old: TrackingState | None, before: Published) -> Corrections:
    """The corrections given; StateError when those of an earlier run were forgotten.

    Without them a name once masked would be published again.
    """
    made = before.has_masks or bool(before.corrections if old is None else old.corrections)
    if inputs.corrections is None and made:
        raise StateError(
            "this database was made with corrections: give --corrections (an empty file drops them)"
        )
    corrections = inputs.corrections or Corrections()
    # The names that these withheld are gone.
    applied = {mask.digest for mask in corrections.published_masks(before.corrections)}
    if old is not None:
        applied |= old.matched.intersection(mask.digest for mask in corrections.masks)
    corrections.matched |= applied
    return corrections


def _note_masks(state: TrackingState, corrections: Corrections) -> None:
    """Note the masks of those who are in the last lists, or whose movements are held."""
    for chamber, tracker in state.chambers.items():
        if tracker.last is not None:
            corrections.note_masks_of(chamber, tracker.last.pairs.values())
        corrections.note_masks_of(chamber, (a.pair for a in tracker.unsettled.undecided()))


def _follow(
    state: TrackingState, inputs: Inputs, corrections: Corrections, settle: bool
) -> RunResult:
    """Feed the new lists; take back what an earlier run settled too early."""
    settled_before = _pending(state)
    run = Run(state, inputs.members, corrections, "suivi")
    result = run.feed(inputs.lists or ())
    for id in settled_before - _pending(state) - result.added.keys():
        result.removed.setdefault(id, "démenti par une liste suivante")
    if settle:
        run.settle()
    return result


def _pending(state: TrackingState) -> set[str]:
    return {m.id for tracker in state.chambers.values() for m in tracker.pending().added}


def _held(state: TrackingState, chambers: Iterable[str], published: Set[str]) -> Held:
    """How many movements of each list wait for later ones, beside those published already."""
    return Counter(
        (chamber, datetime.date.fromisoformat(movement.date_event))
        for chamber in chambers
        for movement in state.chambers[chamber].pending().added
        if movement.id not in published
    )


def _keep_followed(
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
            removed = {id: why for id, why in change.removed.items() if id not in known}
            run.result.take(Change(added, removed, []))
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
    # A departure that a later transfer replaced stays replaced.
    known = {movement.id for movement in followed}
    for id, (_, _, reason) in ledger.before.withdrawn.items():
        if reason.rpartition(" ")[2] in known:
            run.result.added.pop(id, None)
    return reach, followed


def _later(one: Tracker, other: Tracker) -> bool:
    return one.last is not None and (other.last is None or one.last.moment > other.last.moment)


def _nothing_new(state: TrackingState, ledger: Ledger, result: RunResult, lists: list[Row]) -> bool:
    """Whether the database and its state can stay as they are."""
    return (
        state.corrections == ledger.corrections.digests
        and not ledger.differs(result.added)
        # Lists that are refused change no movement, but that they are is told.
        and (not result.report.records or lists == sorted(ledger.before.lists.values()))
    )


def _write_both(
    state_file: StateFile,
    state: TrackingState,
    ledger: Ledger,
    movements: list[MovementInput],
    tables: dict[str, Iterable[Row]],
    now: datetime.datetime,
) -> Written:
    """Write the database and the state whose token it carries; both change, or neither."""
    corrected = ledger.corrected(movements, frozenset(state.matched))
    state.note(ledger.corrections)
    text = to_json(state)
    tables["_publication"] = [*tables["_publication"], (STATE_TOKEN, token_of(text))]
    with replacing(state_file.database, corrected, tables, now) as built:
        state_file.add(text)
    state_file.keep(text)
    return built
