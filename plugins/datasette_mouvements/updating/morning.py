"""The morning run: mask, fetch, track, check, publish; a step that fails does not stop the others."""

from __future__ import annotations

import datetime
import fcntl
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from parlement_lists.movement import PARIS
from parlement_lists.sources.fetcher import FetchPlan, FetchResult
from parlement_lists.sources.hooks import PackagesMissing
from parlement_lists.sources.repository import MEMBERS, NOT_LISTS, RepositoryBusy
from parlement_lists.tracking.corrections import Corrections, CorrectionsError
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.state import StateError

from ..dataset.check import alarms, inspect
from ..dataset.connections import publication
from ..dataset.copies import copy
from ..dataset.coverage import covered
from ..dataset.disk import lock
from ..dataset.input_files import InputRefused
from ..dataset.schema import INVENTED
from ..dataset.writer import remove_left
from . import update
from .failures import sentences
from .mask import mask
from .nights.ledger import Found, NightLedger
from .published import Published
from .state_file import StateFile


@dataclass
class Morning:
    """What one morning's run did.

    `faults` say what the run itself could not do. `matters` are all that calls for a look, key -> sentence;
    `told` are those of them that are told now: new ones, and each week those that stay open. `closed` were open
    before. `crowded`: see `Found`. `published` is the data's version that was published, "" where it was published already, None where
    nothing could be.
    """

    day: str
    fetched: list[FetchResult] = field(default_factory=list)
    tracked: update.UpdateResult | None = None
    faults: list[str] = field(default_factory=list)
    matters: dict[str, str] = field(default_factory=dict)
    told: Sequence[str] = field(default_factory=list)
    crowded: dict[str, str] | None = None
    closed: list[str] = field(default_factory=list)
    published: str | None = None
    # How many movements and stays lost a name before anything else was done, by database.
    masked: dict[str, int] = field(default_factory=dict)

    @property
    def alarms(self) -> list[str]:
        """Everything that calls for a look today, a sentence each."""
        return list(dict.fromkeys([*self.told, *self.faults]))

    @property
    def good(self) -> bool:
        """Whether nothing calls for a look, told today or before."""
        return not (self.alarms or self.matters)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        tracked, found = self.tracked, {}
        if tracked:
            found = tracked.report.as_json()
            found["coverage"] = {c: one.as_json() for c, one in covered(tracked.lists).items()}
        return {
            "day": self.day,
            "masked": self.masked,
            "fetched": [asdict(result) for result in self.fetched],
            "tracked": found or None,
            "faults": self.faults,
            "alarms": self.alarms,
            "open": list(self.matters.values()),
            "closed": self.closed,
            "published": self.published,
        }

    def lines(self) -> Iterator[str]:
        """The report for people; the alarms are not among it."""
        for database, count in self.masked.items():
            yield f"masked {count} movements and stays in {database}"
        for result in self.fetched:
            if result.status in ("new", "unchanged"):
                yield result.line()
            for sentence in result.told:
                yield f"{result.source}: {sentence}"
        if self.tracked:
            yield from self.tracked.report.lines()
        quiet = len(self.matters) - len(self.told)
        if quiet:
            yield f"{quiet} matters told before are open still: datasette mouvements nights"
        for sentence in self.closed:
            yield f"closed: {sentence}"
        if self.published is not None:
            yield f"published {self.published or 'already: nothing new'}"
        else:
            yield "published nothing"


class MorningRun:
    """One morning over a folder of lists, a database that grows, and the file that is served.

    `start` makes the plan of the sources to fetch, or raises. `served` is None where only the
    database is kept. `hold_limit` is that of `track`; `check` tells the faults of a file.
    """

    def __init__(
        self,
        lists: Path,
        start: Callable[[], FetchPlan],
        database: Path,
        served: Path | None,
        corrections: Path | None,
        hold_limit: int,
        clock: Callable[[], datetime.datetime],
        check: Callable[[Path], list[str]] = inspect,
    ) -> None:
        self.lists, self.start, self.check = lists, start, check
        # The target of a link is replaced, not the link: names would stay in the target.
        self.database = database.resolve()
        self.served = served.resolve() if served else None
        self.corrections = corrections
        self.hold_limit = hold_limit
        self.clock = clock

    def morning(self) -> Morning:
        """All steps in order; what one could not do is told, and the next ones are done.

        Erasures come first: nothing that takes long, or fails, is before them.
        """
        now = self.clock()
        done = Morning(now.astimezone(PARIS).date().isoformat())
        ledger = NightLedger(self.database, now)
        with _told(done), self._locked():
            corrections, sound = self._corrections(done)
            whole = sound
            accepted = (corrections.accepted() if corrections else {}) if sound else None
            unmasked = self._mask(corrections, done, now)
            with _told(done):
                ledger.begin()
            with _told(done):
                try:
                    begun = self.start()
                except PackagesMissing:
                    # Nothing but erasures is done; the run is repeated once they are installed.
                    whole = False
                    raise
                done.faults += begun.broken
                done.fetched = begun.fetcher.fetch(begun.sources)
            if whole:
                self._track_and_publish(done, corrections, unmasked, ledger, now)
            self._note(done, accepted, ledger)
            with _told(done):
                if self.served and self.served.exists():
                    ledger.publish(self.served)
        return done

    def _note(self, done: Morning, accepted: Mapping[str, str] | None, ledger: NightLedger) -> None:
        """Write down what the run found so far, in the state and the database, and see what is to be told."""
        found = Found(done.fetched, done.tracked, done.faults, done.crowded)
        done.matters = found.standing()
        # All, unless the ledger can say what was told before.
        done.told = list(done.matters.values())
        with _told(done):
            done.matters, (done.told, closed) = ledger.close(found, accepted)
            done.closed += closed
        with _told(done):
            if self.database.exists():
                # A mask or a track by hand that ends meanwhile would be undone.
                with StateFile(self.database).locked():
                    ledger.publish(self.database)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Refuses a second run, because its publication could undo a mask of this one."""
        path = self.database.with_name(f".{self.database.name}.daily.lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not lock(handle, path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                raise RepositoryBusy(f"{self.database}: another daily run is at work on it")
            yield
        finally:
            os.close(handle)

    def _corrections(self, done: Morning) -> tuple[Corrections | None, bool]:
        """The corrections, and whether the file has no fault; of one with faults, only its sound masks."""
        if self.corrections is None:
            return None, True
        try:
            return read_corrections(self.corrections), True
        except CorrectionsError as error:
            done.faults += error.faults
            if not error.masks:
                done.faults.append(f"{self.corrections}: no mask of it was applied")
            return Corrections(error.masks, str(self.corrections)), False

    def _mask(
        self, corrections: Corrections | None, done: Morning, now: datetime.datetime
    ) -> set[Path]:
        """Withhold names in the files as they stand; returns those in which it could not be done."""
        if corrections is None or not corrections.masks:
            return set()
        unmasked = {path for path in (self.database, self.served) if path and path.exists()}

        def withhold(path: Path, copy_of: Path | None = None) -> None:
            found = mask(path, corrections, now, copy_of)
            if count := found.movements + found.tenures:
                done.masked[str(path)] = count
            unmasked.remove(path)

        copied = self._serves_a_copy()
        if self.database in unmasked:
            with _told(done):
                withhold(self.database)
        if self.served and self.served in unmasked:
            with _told(done):
                if copied and self.database not in unmasked and self._serve_masked(done):
                    unmasked.remove(self.served)
        if self.served and self.served in unmasked:
            with _told(done):
                withhold(self.served, self.database)
        return unmasked

    def _serves_a_copy(self) -> bool:
        """Whether the served file is a copy of the database as it is."""
        if self.served is None:
            return False
        with suppress(InputRefused, OSError):
            found = Published(self.served).publication
            return bool(found) and found == Published(self.database).publication
        return False

    def _serve_masked(self, done: Morning) -> bool:
        """Publish the database that a mask has changed in the place of its copy; False where it is not sound.

        If it were masked by itself, its feed and that of the database would use one number for two changes.
        """
        count = done.masked.get(str(self.database), 0)
        if self.served is None or (count and self.check(self.database)):
            return False
        if count:
            _replace(self.database, self.served)
            done.masked[str(self.served)] = count
        return True

    def _track_and_publish(
        self,
        done: Morning,
        corrections: Corrections | None,
        unmasked: Container[Path],
        ledger: NightLedger,
        now: datetime.datetime,
    ) -> None:
        with _told(done):
            done.tracked = self._track(done, corrections, now)
        if done.tracked is None:
            done.faults.append("nothing was tracked: no new list is taken until this is mended")
        # A database that was neither masked nor tracked would bring back names that are masked in the served file.
        if done.tracked or self.database not in unmasked:
            with _told(done):
                done.published = self._publish(done, corrections, ledger, now)

    def _track(
        self, done: Morning, corrections: Corrections | None, now: datetime.datetime
    ) -> update.UpdateResult:
        """The day's lists and corrections brought into the database, which the first run makes."""
        folder = self.lists / MEMBERS
        inputs = update.Inputs(
            members=Members.read(folder) if folder.exists() else Members(),
            # A run notes in them what matched.
            corrections=corrections and Corrections(corrections.entries, corrections.file),
            source="suivi",
            lists=(),
        )
        ignored: list[str] = []
        given = 0
        with _told(done):
            # If there is no folder, the fetch failed and told it.
            found = walk([self.lists] if self.lists.exists() else [])
            own = {str(self.lists / name) for name in NOT_LISTS}
            inputs.lists, given = found.files, found.total
            ignored = [path for path in found.ignored if path not in own]
        if given and INVENTED in publication(self.database):
            # No real list goes on over invented people, who can be made again at any time.
            StateFile(self.database).forget()
            self.database.unlink()
        if self.database.exists():
            tracked = update.track(self.database, inputs, now)
        else:
            self._refuse_to_begin_anew()
            self.database.parent.mkdir(parents=True, exist_ok=True)
            tracked = update.build(self.database, inputs, now)
        done.faults += [
            f"{chamber}: the last list taken is of {one.last}, a day to come: refuse it in the"
            " corrections and build again from every list"
            for chamber, one in covered(tracked.lists).items()
            if one.last > now.astimezone(PARIS).date().isoformat()
        ]
        tracked.report.ignored = ignored
        tracked.report.judge(self.hold_limit)
        return tracked

    def _refuse_to_begin_anew(self) -> None:
        """Raises StateError where a file is served that may hold more than the lists at hand."""
        if self.served and self.served.exists() and INVENTED not in publication(self.served):
            raise StateError(
                f"{self.database} is not there, and {self.served} is: what it has of earlier lists would"
                " be lost. Restore it with its tracking state, or build it again from every list;"
                " to begin anew, move the served file away"
            )

    def _publish(
        self,
        done: Morning,
        corrections: Corrections | None,
        ledger: NightLedger,
        now: datetime.datetime,
    ) -> str | None:
        """Replace the served file by a copy of the database, if they differ and the database is sound."""
        if not self.database.exists():
            return None
        faults = self.check(self.database)
        done.faults += [f"{self.database}: {fault}" for fault in faults]
        if faults:
            return None
        done.crowded = alarms(self.database, now.astimezone(PARIS).date())
        # Before the file is copied: so readers have the night with what it brought.
        accepted = corrections.accepted() if corrections else {}
        self._note(done, accepted, ledger)
        version = Published(self.database).publication.get("version", "")
        if self.served is None:
            return version
        if self._serves_a_copy() and not self.check(self.served):
            return ""
        if INVENTED in publication(self.served):
            StateFile(self.served).path.unlink(missing_ok=True)
        _replace(self.database, self.served)
        return version


def _replace(database: Path, served: Path) -> None:
    """Replace the served file by a copy of the database, in one step and readable by the service."""
    if not served.parent.exists():
        served.parent.mkdir(parents=True)
        served.parent.chmod(0o755)
    next_one = served.with_name(f".{served.name}.next")
    remove_left(served)
    # Parts of a copy that a killed run left.
    for left in served.parent.glob(f".{next_one.name}.*"):
        left.unlink(missing_ok=True)
    next_one.unlink(missing_ok=True)
    copy(database, next_one)
    next_one.chmod(0o644)
    next_one.replace(served)


@contextmanager
def _told(done: Morning) -> Iterator[None]:
    """Turns a failure, foreseen or not, into sentences of the report."""
    try:
        yield
    except Exception as error:
        done.faults += sentences(error)
