"""One run over lists: movements, tables and tracking state change together, or nothing does."""

from __future__ import annotations

import datetime
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path

from parlement_lists import DISTRIBUTION
from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, ShorterName
from parlement_lists.tracking.guard import near_renewal
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.report import Report
from parlement_lists.tracking.run import Run, RunResult
from parlement_lists.tracking.state import TrackingState, to_json

from ..dataset.changes import Draw
from ..dataset.filling.stored_map import StoredMap
from ..dataset.input_files import InputRefused, read
from ..dataset.schema import INVENTED, NIGHTS, OF_MEMBERS
from ..dataset.writer import Gone, MovementInput, WriteResult, replacing
from .continuity import (
    continued_corrections,
    refuse_dropped_changes,
    refuse_forgotten_lists,
    refuse_losses,
    refuse_lost_chambers,
)
from .erasure.pseudonyms import Pseudonyms
from .nights.night_rows import of_lists
from .publication import Publication
from .publication_input import (
    bounds,
    concerned_movements,
    pending,
    spellings_of,
    take,
)
from .published import FILES_GIVEN, STATE_TOKEN, Published, Row
from .run_ledger import Held, Ledger, list_rows
from .state_file import StateFile, token_of


@dataclass
class Inputs:
    """What a run reads, and the rules it reads by; None where nothing was given."""

    files: list[Path] = field(default_factory=list)
    lists: Iterable[ListFile] | None = None
    members: Members = field(default_factory=Members)
    corrections: Corrections | None = None
    source: str = "archives"
    invented: bool = False


@dataclass
class UpdateResult:
    """What a run did; `built` is None when nothing was to be written. `lists` is the table `listes`."""

    report: Report
    built: WriteResult | None
    lists: list[Row]


def build(
    database: Path,
    inputs: Inputs,
    now: datetime.datetime,
    draw: Draw = secrets.token_hex,
    *,
    settle: bool = True,
    withdraw: int | None = None,
) -> UpdateResult:
    """Inputs -> `database`, anew. Without `settle`, what waits for later lists is held. `draw`: see `Draw`.

    Raises what `track` raises, and InputRefused where the daily run took later lists that are not given.
    `withdraw` movements may be lost, and a chamber's last lists (see `refuse_losses`).
    """
    state_file = StateFile(database)
    tracked = bool(inputs.lists is not None or inputs.corrections or state_file.path.exists())
    with state_file.locked() if tracked else nullcontext():
        pseudonyms = Pseudonyms(state_file.pseudonyms() if tracked else {}, draw)
        before = Published(database, pseudonyms)
        if inputs.invented and before.publication and not before.invented:
            raise InputRefused(
                [f"{database} holds real people: give invented ones a file of their own"]
            )
        old = state_file.load(before.token, inputs.members, anew=True) if tracked else None
        corrections = continued_corrections(
            inputs.corrections, inputs.invented, old, before, pseudonyms
        )
        old = old or TrackingState()
        state = TrackingState(followed=set(old.followed))
        result = RunResult(added=StoredMap(Movement._make), ended=StoredMap(Tenure._make))
        run = Run(state, inputs.members, corrections, inputs.source, result)
        run.feed(inputs.lists or ())
        if inputs.lists is not None:
            refuse_lost_chambers(result.report, state, before)
        refuse_forgotten_lists(run, old, before, now)
        if settle:
            run.settle()
        _note_masks(state, corrections)
        published = result.added.keys()
        held = Held() if settle else _held(state, published)
        _tell_held(result.report, held, inputs.members)
        lists = list_rows(result.report.records, held, {})
        result.report.take_standing(lists)
        tenures = result.ended  # and from here on those that go on, too
        for tracker in state.chambers.values():
            told = tracker.tenures(None if settle else published)
            tenures.update((tenure.id, tenure) for tenure in told)
        publication = Publication(
            before, corrections, now.date(), pseudonyms, spellings=spellings_of(state)
        )
        manual = corrections.added()
        given = _movements_in(inputs.files)
        publication.take(
            tenures.values(), chain(result.added.values(), given, manual), old, anew=True
        )
        movements: list[MovementInput] = [
            ("lists", enumerate(result.added.values(), 1)),
            *((str(file), read(file)) for file in inputs.files),
            (corrections.file, enumerate(manual, 1)),
        ]
        ledger = Ledger(before, publication)
        known = dict.fromkeys(OF_MEMBERS, ())
        tables = ledger.tables(lists, result.removed, inputs.members, known)
        if inputs.invented:
            tables[NIGHTS] = of_lists(lists)
        tables["_publication"] = [
            (FILES_GIVEN, str(len(inputs.files))),
            *([(INVENTED, "1")] if inputs.invented else []),
        ]
        if tracked:
            refuse = partial(refuse_losses, before, publication, lists, now, withdraw)
            built = _write_both(state_file, state, ledger, movements, tables, now, draw, refuse)
        else:
            with replacing(database, ledger.corrected(movements), tables, now, draw) as built:
                refuse_losses(before, publication, lists, now, withdraw)
    report = result.report
    report.added, report.withdrawn = built.movements, publication.withdrawn
    report.undecided = publication.near_names.matters()
    report.count(result.added.values())
    return UpdateResult(report, built, lists)


def track(
    database: Path,
    inputs: Inputs,
    now: datetime.datetime,
    settle: bool = False,
    draw: Draw = secrets.token_hex,
) -> UpdateResult:
    """Add what lists newer than the last ones show; the same lists again add nothing.

    With `settle`, what waits for later lists is published as it stands. A file of the version before
    is written anew whatever they show. `draw`: see `Draw`. Nothing is changed by what is raised:
    InputRefused for movements, or where no list can be used; CorrectionsError; StateError where the
    state or the corrections do not fit the database; OSError where one cannot be written.
    """
    state_file = StateFile(database)
    with state_file.locked():
        pseudonyms = Pseudonyms(state_file.pseudonyms(), draw)
        before = Published(database, pseudonyms)
        state = state_file.load(before.token, inputs.members) or TrackingState()
        corrections = continued_corrections(
            inputs.corrections, inputs.invented, state, before, pseudonyms
        )
        refuse_dropped_changes(corrections, before)
        # A new list may write the names otherwise.
        _note_masks(state, corrections)
        shorter, withheld = _shorter(state), corrections.names_withheld
        result = _follow(state, inputs, corrections, settle)
        if not state.chambers:
            raise InputRefused(result.report.refusals())
        _note_masks(state, corrections)
        # Under other corrections, or another name of somebody, anything may be published otherwise, and
        # another version may write it otherwise; what is near a masked name is told every day.
        same = state.corrections == corrections.digests and shorter == _shorter(state)
        stands = before.publication and state.package == _package() != ""
        if stands and same and not (state.near_to or state.undecided):
            concerned: Set[str] | None = concerned_movements(state, result, corrections)
        else:
            concerned = None
        spellings = spellings_of(state)
        publication = Publication(before, corrections, now.date(), pseudonyms, concerned, spellings)
        ledger, report = Ledger(before, publication), result.report
        held = Held() if settle else _held(state, publication.before.keys())
        _tell_held(report, held, inputs.members)
        lists = list_rows(report.records, held, before.lists)
        report.take_standing(lists)
        manual = corrections.added()
        replaced = {*result.removed, *result.added, *(m.id for m in manual)}
        take(publication, before, state, result, manual, concerned)
        report.undecided = publication.near_names.matters()
        if _nothing_new(state, ledger, result, lists) and not ledger.learns(inputs.members):
            return UpdateResult(report, None, lists)
        gone = None
        # What the file before has may be near a masked name that is seen only now.
        if (
            concerned is not None
            and withheld == corrections.names_withheld
            and state_file.is_as_written()
        ):
            gone = publication.leave(replaced, before.unended(state.chambers))
        if concerned is not None and gone is None:
            publication = Publication(
                before, corrections, now.date(), pseudonyms, spellings=spellings
            )
            ledger = Ledger(before, publication)
            take(publication, before, state, result, manual, None)
            report.undecided = publication.near_names.matters()
        looked_at = before.movements(None if gone is None else corrections.movements)
        standing = (state.named(m) for m in looked_at if m.id not in replaced)
        movements: list[MovementInput] = [
            (str(database), enumerate(standing, 1)),
            ("lists", enumerate(result.added.values(), 1)),
            (corrections.file, enumerate(manual, 1)),
        ]
        tables = ledger.tables(lists, result.removed, inputs.members, before.members)
        tables["_publication"] = [
            (FILES_GIVEN, before.publication.get(FILES_GIVEN, "0")),
            *([(INVENTED, "1")] if before.invented else []),
        ]
        refuse = partial(refuse_losses, before, publication, lists, now, None)
        built = _write_both(state_file, state, ledger, movements, tables, now, draw, refuse, gone)
    fresh = [m for id, m in result.added.items() if id not in publication.before]
    report.added, report.withdrawn = len(fresh), publication.withdrawn
    report.count(fresh)
    return UpdateResult(report, built, lists)


def _movements_in(files: Iterable[Path]) -> Iterator[Movement]:
    """The movements of files, to look at their names; what is refused in them is told when they are written."""
    for file in files:
        with suppress(InputRefused):
            yield from (movement for _, movement in read(file))


def _package() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # loaded with --plugins-dir
        return ""


def _shorter(state: TrackingState) -> set[tuple[str, ShorterName]]:
    return {(name, one) for name, tracker in state.chambers.items() for one in tracker.shorter}


def _note_masks(state: TrackingState, corrections: Corrections) -> None:
    """Note the masks of those who are in the last lists, and all that is said of movements that are held."""
    corrections.note_changes_of(m.id for t in state.chambers.values() for m in t.pending().added)
    for chamber, tracker in state.chambers.items():
        corrections.know_shorter(chamber, tracker.shorter)
        if tracker.last is not None:
            corrections.note_masks_of(chamber, tracker.last.pairs.values())
        corrections.note_masks_of(chamber, (a.pair for a in tracker.unsettled.undecided()))


def _follow(
    state: TrackingState, inputs: Inputs, corrections: Corrections, settle: bool
) -> RunResult:
    """Feed the new lists; take back what an earlier run settled too early."""
    settled_before = pending(state)
    corrected = corrections.movements & settled_before.keys()
    bounds_before = bounds(state) if corrected else {}
    run = Run(state, inputs.members, corrections, "suivi")
    result = run.feed(inputs.lists or ())
    found = {**pending(state), **result.added}
    contradicted = settled_before.keys() - found.keys()
    if corrected & contradicted:
        # Who came back needs no correction; what another movement tells now would come without it.
        now = bounds(state, result.ended.values())
        anew: dict[str, set[Movement]] = defaultdict(set)
        for bound in bounds_before.keys() & now.keys():
            if (id := bounds_before[bound]) in contradicted:
                anew[id].add(found[now[bound]])
        state.matched -= corrections.note_told_anew(anew)
    for id in contradicted:
        result.removed.setdefault(id, "démenti par une liste suivante")
    if settle:
        run.settle()
    return result


def _held(state: TrackingState, published: Set[str]) -> Held:
    """How many movements of each list wait for later ones, beside those published already."""
    return Held(
        (chamber, datetime.date.fromisoformat(movement.date_event))
        for chamber, tracker in state.chambers.items()
        for movement in tracker.pending().added
        if movement.id not in published
    )


def _tell_held(report: Report, held: Held, members: Members) -> None:
    report.held = held.total()
    report.held_by_renewals = sum(
        number
        for (chamber, day), number in held.items()
        if near_renewal(day, day, members.renewals(chamber))
    )
    report.held_by_list = {f"{c}/{d}": n for (c, d), n in sorted(held.items())}


def _nothing_new(state: TrackingState, ledger: Ledger, result: RunResult, lists: list[Row]) -> bool:
    """Whether the database and its state can stay as they are."""
    return (
        state.corrections == ledger.corrections.digests
        and not ledger.differs(result.added)
        # Refused lists change no movement, but `listes` has them.
        and (not result.report.records or lists == sorted(ledger.before.lists.values()))
    )


def _write_both(
    state_file: StateFile,
    state: TrackingState,
    ledger: Ledger,
    movements: list[MovementInput],
    tables: dict[str, Iterable[Row]],
    now: datetime.datetime,
    draw: Draw,
    refuse: Callable[[], None],
    gone: Gone | None = None,
) -> WriteResult:
    """Write the database and the state whose token it carries; both change, or neither.

    `refuse` raises where the file that was written must not take the other's place.
    """
    corrected = ledger.corrected(movements, frozenset(state.matched))
    state.note(ledger.corrections)
    near = ledger.publication.near_names
    undecided = {id: list(one) for id, one in near.undecided.items()}
    # The movements that are read below still have the names of `state`.
    text = to_json(
        replace(
            state,
            undecided=undecided,
            near_to=near.names_in_doubt(),
            package=_package(),
        )
    )
    tables["_publication"] = [*tables["_publication"], (STATE_TOKEN, token_of(text))]
    with replacing(state_file.database, corrected, tables, now, draw, gone) as built:
        refuse()
        state_file.add(text, ledger.publication.pseudonyms.known, built.sha256)
    state_file.keep(text, ledger.publication.pseudonyms.lifted)
    return built
