"""One run over sources: movements, tables and tracking state change together, or nothing does."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..dataset.input_files import InputRefused, Line, read
from ..dataset.writer import MovementInput, Written, replacing, write
from ..movement import Movement
from ..tracking.corrections import Corrections
from ..tracking.list_file import ListFile
from ..tracking.members import Members
from ..tracking.report import Report
from ..tracking.run import Run, RunResult, moment
from ..tracking.state import StateError, TrackingState, to_json
from ..tracking.tracker import Tracker
from .ledger import Held, Ledger
from .published import Published
from .state_file import TOKEN, StateFile, token_of


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
    """What a run did; `built` is None when there was nothing to write."""

    report: Report
    built: Written | None


def build(database: Path, inputs: Inputs, now: datetime.datetime) -> Done:
    """Inputs -> `database`, anew. What the daily run found after the newest list given stays."""
    store = StateFile(database)
    tracked = bool(inputs.lists is not None or inputs.corrections or store.path.exists())
    with store.locked() if tracked else nullcontext():
        before = Published(database)
        token = before.publication.get(TOKEN, "")
        old = store.load(token, inputs.members, anew=True) if tracked else None
        corrections = _corrections(inputs, old, before)
        state = TrackingState(inputs.transfer_days or 0)
        state.followed = set(old.followed if old else ())
        run = Run(state, inputs.members, corrections, inputs.source)
        result = run.feed(inputs.lists or ())
        if inputs.lists is not None and not state.chambers:
            raise InputRefused(result.report.refusals())
        sure = set(result.added)
        run.settle()
        _note_masks(state, corrections)
        ledger = Ledger(before, now.date())
        kept, reach = _keep_followed(before, old, state, result, sure)
        rows = ledger.lists(result.report.records, reach, _waiting(state, reach, ledger.existing))
        given: list[MovementInput] = [
            ("lists", enumerate([*result.added.values(), *kept], 1)),
            *((str(file), read(file)) for file in inputs.files),
            (corrections.file, enumerate(corrections.added(), 1)),
        ]
        writing = _Writing(database, store if tracked else None, corrections, ledger)
        built = writing.write(state, given, rows, result, frozenset(), now)
    report = result.report
    report.added, report.withdrawn = built.movements, ledger.withdrawn
    report.count(result.added.values())
    return Done(report, built)


def track(database: Path, inputs: Inputs, now: datetime.datetime, settle: bool = False) -> Done:
    """Add what lists newer than the last ones show; the same lists again add nothing.

    With `settle`, what waits for later lists is published as it stands.
    """
    store = StateFile(database)
    with store.locked():
        before = Published(database)
        state = _state(before, store, inputs)
        corrections = _corrections(inputs, state, before)
        matched = frozenset(state.matched)
        result = _follow(state, inputs, corrections, settle)
        _note_masks(state, corrections)
        if not state.chambers:
            raise InputRefused(result.report.refusals())
        ledger = Ledger(before, now.date())
        waiting = Counter() if settle else _waiting(state, state.chambers, ledger.existing)
        result.report.held = waiting.total()
        result.report.held_by_list = {f"{c}/{d}": n for (c, d), n in sorted(waiting.items())}
        rows = ledger.lists(result.report.records, dict.fromkeys(state.chambers, ""), waiting)
        if _nothing_new(before, ledger.existing, state, corrections, result, rows):
            corrections.check_matched(matched)
            return Done(result.report, None)
        manual = corrections.added()
        replaced = {*result.removed, *result.added, *(m.id for m in manual)}
        standing = (m for m in before.movements() if m.id not in replaced)
        given: list[MovementInput] = [
            (str(database), enumerate(standing, 1)),
            ("lists", enumerate(result.added.values(), 1)),
            (corrections.file, enumerate(manual, 1)),
        ]
        writing = _Writing(database, store, corrections, ledger)
        built = writing.write(state, given, rows, result, matched, now)
    fresh = [movement for id, movement in result.added.items() if id not in ledger.existing]
    report = result.report
    report.added, report.withdrawn = len(fresh), ledger.withdrawn
    report.count(fresh)
    return Done(report, built)


def _state(before: Published, store: StateFile, inputs: Inputs) -> TrackingState:
    """The state the daily run goes on from; refused where it cannot."""
    if before.foreign:
        # Adding to it would mean losing it.
        raise InputRefused(
            [f"{before.path}: not a movements database of this version: build it again"]
        )
    state = store.load(before.publication.get(TOKEN, ""), inputs.members)
    if state is None:
        return TrackingState(inputs.transfer_days or 0)
    if inputs.transfer_days not in (None, state.transfer_days):
        raise StateError(
            f"{before.path}: tracked with --transfer-days {state.transfer_days};"
            " to change it, build again"
        )
    return state


def _follow(
    state: TrackingState, inputs: Inputs, corrections: Corrections, settle: bool
) -> RunResult:
    """Feed the new lists; what an earlier run settled too early is taken back."""
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


def _waiting(state: TrackingState, chambers: Iterable[str], published: Set[str]) -> Held:
    """How many movements of each list wait for later ones, beside those published already."""
    return Counter(
        (chamber, datetime.date.fromisoformat(movement.date_event))
        for chamber in chambers
        for movement in state.chambers[chamber].pending().added
        if movement.id not in published
    )


def _corrections(inputs: Inputs, old: TrackingState | None, before: Published) -> Corrections:
    """The corrections given; StateError when those of an earlier run were forgotten.

    Without them a name once masked would be published again.
    """
    made = before.masked or bool(before.corrections if old is None else old.corrections)
    if inputs.corrections is None and made:
        raise StateError(
            "this database was made with corrections: give --corrections (an empty file drops them)"
        )
    corrections = inputs.corrections or Corrections()
    corrections.note_published_masks(before.corrections)
    return corrections


def _note_masks(state: TrackingState, corrections: Corrections) -> None:
    """Note the masks of those who are in the last lists, or whose movements are held."""
    for chamber, tracker in state.chambers.items():
        if tracker.last is not None:
            corrections.note_masks_of(chamber, tracker.last.pairs.values())
        corrections.note_masks_of(chamber, (a.pair for a in tracker.unsettled.undecided()))


def _digest(corrections: Corrections) -> str:
    return " ".join(entry.digest for entry in corrections.entries)


def _nothing_new(
    before: Published,
    existing: Set[str],
    state: TrackingState,
    corrections: Corrections,
    result: RunResult,
    rows: list[Any],
) -> bool:
    return (
        bool(before.publication)
        and state.corrections == _digest(corrections)
        and not result.added.keys() - existing
        and not result.removed.keys() & existing
        # Refused lists alone change nothing; they are told with the next one that is accepted.
        and not (
            result.report.accepted and rows != [before.lists[name] for name in sorted(before.lists)]
        )
    )


def _keep_followed(
    before: Published,
    old: TrackingState | None,
    state: TrackingState,
    result: RunResult,
    sure: set[str],
) -> tuple[list[Movement], dict[str, str]]:
    """Keep what the daily run found where the sources do not reach as far as it did.

    Returns the movements kept, and for each such chamber the last day the sources reach.
    """
    kept: list[Movement] = []
    reach: dict[str, str] = {}
    for chamber, tracker in (old.chambers if old else {}).items():
        now = state.chambers.get(chamber)
        if now is not None and not _later(tracker, now):
            continue
        assert old is not None
        state.chambers[chamber] = tracker
        state.refused[chamber] = old.refused.get(chamber, [])
        day = now.last.date.isoformat() if now is not None and now.last is not None else ""
        reach[chamber] = day
        standing = {m.id: m for m in before.movements() if m.chambre == chamber}
        for id, movement in list(result.added.items()):
            # Settled here for want of later lists, which the daily run had: it knows better.
            if movement.chambre == chamber and id not in sure and id not in standing:
                del result.added[id]
        kept += [
            m
            for m in standing.values()
            if m.source == "suivi" and m.date_event > day and m.id not in result.added
        ]
    return kept, reach


def _later(one: Tracker, other: Tracker) -> bool:
    return one.last is not None and (other.last is None or moment(one.last) > moment(other.last))


class _Writing:
    """Writes the state, then the database that carries its token, then forgets the state before."""

    def __init__(
        self, database: Path, store: StateFile | None, corrections: Corrections, ledger: Ledger
    ) -> None:
        self.database, self.store = database, store
        self.corrections, self.ledger = corrections, ledger
        self.refused = False

    def write(
        self,
        state: TrackingState,
        given: list[MovementInput],
        lists: list[Any],
        result: RunResult,
        matched: frozenset[str],
        now: datetime.datetime,
    ) -> Written:
        tables: dict[str, Iterable[tuple[Any, ...]]] = {
            "corrections": self.corrections.rows(),
            "listes": lists,
            "retraits": self.ledger.withdrawals(self.corrections, result.removed),
        }
        sources = self._checked(given, matched)
        if self.store is None:
            return write(self.database, sources, tables, now)
        state.corrections = _digest(self.corrections)
        state.matched = {entry.digest for entry in self.corrections.entries}
        text = to_json(state)
        tables["_publication"] = [(TOKEN, token_of(text))]
        with replacing(self.database, sources, tables, now) as built:
            self.store.add(text)
        self.store.keep(text)
        return built

    def _checked(
        self, given: list[MovementInput], matched: frozenset[str]
    ) -> Iterator[MovementInput]:
        for name, movements in given:
            yield name, self._corrected(movements)
        if not self.refused:
            self.corrections.check_matched(matched)

    def _corrected(
        self, movements: Iterable[tuple[Line, Movement]]
    ) -> Iterator[tuple[Line, Movement]]:
        try:
            for line, movement in movements:
                corrected = self.corrections.corrected(movement)
                if corrected is not None:
                    self.ledger.wrote(corrected.id)
                    yield line, corrected
        except InputRefused:
            self.refused = True  # what could not be read may be what a correction is about
            raise
