"""One run over sources: movements, tables and tracking state change together, or nothing does."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..tracking.corrections import Corrections
from ..tracking.members import Members
from ..tracking.report import Report
from ..tracking.run import Outcome, Run, moment
from ..tracking.snapshot import Snapshot
from ..tracking.state import TOKEN, State, StateError, Store
from ..tracking.tracker import Tracker
from .build import Built, Source, write
from .files import InputRefused, Line, read
from .ledger import Held, Ledger
from .movement import Movement
from .published import Published


@dataclass
class Sources:
    """What a run reads, and the rules it reads by; None where nothing was given."""

    files: list[Path] = field(default_factory=list)
    snapshots: Iterable[Snapshot] | None = None
    members: Members = field(default_factory=Members)
    corrections: Corrections | None = None
    source: str = "archives"
    transfer_days: int | None = None


@dataclass
class Done:
    """What a run did; `built` is None when there was nothing to write."""

    report: Report
    built: Built | None


def build(database: Path, sources: Sources, now: datetime.datetime) -> Done:
    """Sources -> `database`, anew. What the daily run found after the newest list given stays."""
    store = Store(database)
    tracked = bool(sources.snapshots is not None or sources.corrections or store.path.exists())
    with store.locked() if tracked else nullcontext():
        before = Published(database)
        token = before.publication.get(TOKEN, "")
        old = store.load(token, sources.members, anew=True) if tracked else None
        corrections = _corrections(sources, old, before)
        state = State(sources.transfer_days or 0)
        state.followed = set(old.followed if old else ())
        run = Run(state, sources.members, corrections, sources.source)
        outcome = run.feed(sources.snapshots or ())
        if sources.snapshots is not None and not state.chambers:
            raise InputRefused(outcome.report.refusals())
        sure = set(outcome.added)
        run.settle()
        _meet(state, corrections)
        ledger = Ledger(before, now.date())
        kept, reach = _keep_followed(before, old, state, outcome, sure)
        rows = ledger.lists(outcome.report.records, reach, _waiting(state, reach, ledger.existing))
        given: list[Source] = [
            ("lists", enumerate([*outcome.added.values(), *kept], 1)),
            *((str(file), read(file)) for file in sources.files),
            (corrections.file, enumerate(corrections.added(), 1)),
        ]
        writing = _Writing(database, store if tracked else None, corrections, ledger)
        built = writing.write(state, given, rows, outcome, frozenset(), now)
    report = outcome.report
    report.added, report.withdrawn = built.movements, ledger.withdrawn
    report.count(outcome.added.values())
    return Done(report, built)


def track(database: Path, sources: Sources, now: datetime.datetime, settle: bool = False) -> Done:
    """Add what lists newer than the last ones show; the same lists again add nothing.

    With `settle`, what waits for later lists is published as it stands.
    """
    store = Store(database)
    with store.locked():
        before = Published(database)
        state = _state(before, store, sources)
        corrections = _corrections(sources, state, before)
        matched = frozenset(state.matched)
        outcome = _follow(state, sources, corrections, settle)
        _meet(state, corrections)
        if not state.chambers:
            raise InputRefused(outcome.report.refusals())
        ledger = Ledger(before, now.date())
        waiting = Counter() if settle else _waiting(state, state.chambers, ledger.existing)
        outcome.report.held = waiting.total()
        outcome.report.held_by_list = {f"{c}/{d}": n for (c, d), n in sorted(waiting.items())}
        rows = ledger.lists(outcome.report.records, dict.fromkeys(state.chambers, ""), waiting)
        if _nothing_new(before, ledger.existing, state, corrections, outcome, rows):
            corrections.check_matched(matched)
            return Done(outcome.report, None)
        manual = corrections.added()
        replaced = {*outcome.removed, *outcome.added, *(m.id for m in manual)}
        standing = (m for m in before.movements() if m.id not in replaced)
        given: list[Source] = [
            (str(database), enumerate(standing, 1)),
            ("lists", enumerate(outcome.added.values(), 1)),
            (corrections.file, enumerate(manual, 1)),
        ]
        writing = _Writing(database, store, corrections, ledger)
        built = writing.write(state, given, rows, outcome, matched, now)
    fresh = [movement for id, movement in outcome.added.items() if id not in ledger.existing]
    report = outcome.report
    report.added, report.withdrawn = len(fresh), ledger.withdrawn
    report.count(fresh)
    return Done(report, built)


def _state(before: Published, store: Store, sources: Sources) -> State:
    """The state the daily run goes on from; refused where it cannot."""
    if before.foreign:
        # Adding to it would mean losing it.
        raise InputRefused(
            [f"{before.path}: not a movements database of this version: build it again"]
        )
    state = store.load(before.publication.get(TOKEN, ""), sources.members)
    if state is None:
        return State(sources.transfer_days or 0)
    if sources.transfer_days not in (None, state.transfer_days):
        raise StateError(
            f"{before.path}: tracked with --transfer-days {state.transfer_days};"
            " to change it, build again"
        )
    return state


def _follow(state: State, sources: Sources, corrections: Corrections, settle: bool) -> Outcome:
    """Feed the new lists; what an earlier run settled too early is taken back."""
    settled_before = _pending(state)
    run = Run(state, sources.members, corrections, "suivi")
    outcome = run.feed(sources.snapshots or ())
    for id in settled_before - _pending(state) - outcome.added.keys():
        outcome.removed.setdefault(id, "démenti par une liste suivante")
    if settle:
        run.settle()
    return outcome


def _pending(state: State) -> set[str]:
    return {m.id for tracker in state.chambers.values() for m in tracker.pending().added}


def _waiting(state: State, chambers: Iterable[str], published: Set[str]) -> Held:
    """How many movements of each list wait for later ones, beside those published already."""
    return Counter(
        (chamber, datetime.date.fromisoformat(movement.date_event))
        for chamber in chambers
        for movement in state.chambers[chamber].pending().added
        if movement.id not in published
    )


def _corrections(sources: Sources, old: State | None, before: Published) -> Corrections:
    """The corrections given; StateError when those of an earlier run were forgotten.

    Without them a name once masked would be published again.
    """
    made = before.masked or bool(before.corrections if old is None else old.corrections)
    if sources.corrections is None and made:
        raise StateError(
            "this database was made with corrections: give --corrections (an empty file drops them)"
        )
    corrections = sources.corrections or Corrections()
    corrections.recall(before.corrections)
    return corrections


def _meet(state: State, corrections: Corrections) -> None:
    """Note the masks of those who are in the last lists, or whose movements are held."""
    for chamber, tracker in state.chambers.items():
        if tracker.last is not None:
            corrections.meet(chamber, tracker.last.pairs.values())
        corrections.meet(chamber, (a.pair for a in tracker.open.undecided()))


def _digest(corrections: Corrections) -> str:
    return " ".join(entry.digest for entry in corrections.entries)


def _nothing_new(
    before: Published,
    existing: Set[str],
    state: State,
    corrections: Corrections,
    outcome: Outcome,
    rows: list[Any],
) -> bool:
    return (
        bool(before.publication)
        and state.corrections == _digest(corrections)
        and not outcome.added.keys() - existing
        and not outcome.removed.keys() & existing
        # Refused lists alone change nothing; they are told with the next one that is accepted.
        and not (
            outcome.report.accepted
            and rows != [before.lists[name] for name in sorted(before.lists)]
        )
    )


def _keep_followed(
    before: Published, old: State | None, state: State, outcome: Outcome, sure: set[str]
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
        for id, movement in list(outcome.added.items()):
            # Settled here for want of later lists, which the daily run had: it knows better.
            if movement.chambre == chamber and id not in sure and id not in standing:
                del outcome.added[id]
        kept += [
            m
            for m in standing.values()
            if m.source == "suivi" and m.date_event > day and m.id not in outcome.added
        ]
    return kept, reach


def _later(one: Tracker, other: Tracker) -> bool:
    return one.last is not None and (other.last is None or moment(one.last) > moment(other.last))


class _Writing:
    """Writes the state, then the database that carries its token, then forgets the state before."""

    def __init__(
        self, database: Path, store: Store | None, corrections: Corrections, ledger: Ledger
    ) -> None:
        self.database, self.store = database, store
        self.corrections, self.ledger = corrections, ledger
        self.refused = False

    def write(
        self,
        state: State,
        given: list[Source],
        lists: list[Any],
        outcome: Outcome,
        matched: frozenset[str],
        now: datetime.datetime,
    ) -> Built:
        tables: dict[str, Iterable[tuple[Any, ...]]] = {
            "corrections": self.corrections.rows(),
            "listes": lists,
            "retraits": self.ledger.withdrawals(self.corrections, outcome.removed),
        }
        sources = self._checked(given, matched)
        if self.store is None:
            return write(self.database, sources, tables, now)
        state.corrections = _digest(self.corrections)
        state.matched = {entry.digest for entry in self.corrections.entries}
        token = self.store.prepare(state)
        tables["_publication"] = [(TOKEN, token)]
        built = write(self.database, sources, tables, now)
        self.store.keep(token)
        return built

    def _checked(self, given: list[Source], matched: frozenset[str]) -> Iterator[Source]:
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
