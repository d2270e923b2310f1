"""The morning run: mask, fetch, track, check, publish; a step that fails does not stop the others."""

from __future__ import annotations

import datetime
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Container, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path

from parlement_lists.movement import PARIS
from parlement_lists.sources.fetcher import FetchPlan
from parlement_lists.sources.hooks import PackagesMissing
from parlement_lists.sources.repository import MEMBERS, NOT_LISTS, RepositoryBusy
from parlement_lists.tracking.correction import CorrectionsError
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.state import StateError

from ..dataset import digest
from ..dataset.check import alarms, inspect
from ..dataset.connections import is_invented
from ..dataset.coverage import covered
from ..dataset.disk import lock
from . import update
from .continuity import is_to_come
from .erasure.mask import mask
from .morning_report import Morning, told
from .nights.ledger import Found, NightLedger
from .published import Published
from .served_file import ServedFile
from .state_file import StateFile


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
        self.served = ServedFile(served.resolve(), self.database) if served else None
        self.corrections = corrections
        self.hold_limit = hold_limit
        self.clock = clock

    def morning(self) -> Morning:
        """All steps in order; what one could not do is told, and the next ones are done.

        Erasures come first.
        """
        now = self.clock()
        done = Morning(now.astimezone(PARIS).date().isoformat())
        ledger = NightLedger(self.database, now)
        with told(done), self._locked():
            corrections, sound = self._corrections(done)
            whole, begun = sound, None
            accepted = (corrections.accepted() if corrections else {}) if sound else None
            with told(done):
                try:
                    begun = self.start()
                except PackagesMissing:
                    # Nothing but erasures is done; the run is repeated once they are installed.
                    whole = False
                    raise
            unmasked = self._mask(corrections, done, now)
            with told(done):
                ledger.begin()
            if begun:
                self._fetch(begun, done)
            if whole:
                self._track_and_publish(done, corrections, unmasked, ledger, now)
            self._note(done, accepted, ledger)
            with told(done):
                if self.served and self.served.path.exists():
                    ledger.publish(self.served.path)
        return done

    def _fetch(self, begun: FetchPlan, done: Morning) -> None:
        with told(done):
            done.faults += begun.broken
            done.fetched = begun.fetcher.fetch(begun.sources)
            done.history = begun.fetcher.repository.history.fault

    def _note(self, done: Morning, accepted: Mapping[str, str] | None, ledger: NightLedger) -> None:
        """Write down what the run found so far, in the state and the database, and see what is to be told."""
        found = Found(done.fetched, done.tracked, done.faults, done.crowded, done.history)
        done.matters = found.standing()
        # All, unless the ledger can say what was told before.
        done.told = list(done.matters.values())
        with told(done):
            done.matters, (done.told, closed) = ledger.close(found, accepted)
            done.closed += closed
        with told(done):
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
        served = self.served.path if self.served else None
        unmasked = {path for path in (self.database, served) if path and path.exists()}

        def withhold(path: Path, copy_of: Path | None = None) -> None:
            found = mask(path, corrections, now, copy_of, mode=stat.S_IMODE(path.stat().st_mode))
            if count := found.movements + found.tenures:
                done.masked[str(path)] = count
            unmasked.remove(path)

        copied = self.served and self.served.is_copy()
        if self.database in unmasked:
            with told(done):
                withhold(self.database)
        if served in unmasked:
            with told(done):
                if copied and self.database not in unmasked and self._serve_masked(done):
                    unmasked.remove(served)
        if served in unmasked:
            with told(done):
                withhold(served, self.database)
        return unmasked

    def _serve_masked(self, done: Morning) -> bool:
        """Publish the database that a mask has changed in the place of its copy; False where it is not sound.

        If it were masked by itself, its feed and that of the database would use one number for two changes.
        """
        count = done.masked.get(str(self.database), 0)
        if self.served is None or (count and self.check(self.database)):
            return False
        if count:
            self.served.replace()
            done.masked[str(self.served.path)] = count
        return True

    def _track_and_publish(
        self,
        done: Morning,
        corrections: Corrections | None,
        unmasked: Container[Path],
        ledger: NightLedger,
        now: datetime.datetime,
    ) -> None:
        with told(done):
            done.tracked = self._track(done, corrections, now)
        if done.tracked is None:
            done.faults.append("nothing was tracked: no new list is taken until this is mended")
        # A database that was neither masked nor tracked would bring back names that are masked in the served file.
        if done.tracked or self.database not in unmasked:
            with told(done):
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
        with told(done):
            # If there is no folder, the fetch failed and told it.
            found = walk([self.lists] if self.lists.exists() else [])
            own = {str(self.lists / name) for name in NOT_LISTS}
            given, inputs.lists = found.total, list(found.files)
            ignored = [path for path in found.ignored if path not in own]
        if given and is_invented(self.database):
            self._set_aside(done, {file.name for file in inputs.lists})
        if self.database.exists():
            tracked = update.track(self.database, inputs, now)
        else:
            self._refuse_to_begin_anew()
            self.database.parent.mkdir(parents=True, exist_ok=True)
            # As on any morning, who is missing from the newest list may be back tomorrow.
            tracked = update.build(self.database, inputs, now, settle=False)
        done.faults += [
            f"{chamber}: look at the clock of this machine: the last list taken is of {one.last}, a day to"
            " come, and no other is taken. If the clock is right now, take the lists of days to come"
            f" away and build {self.database} again from every list and archive"
            for chamber, one in covered(tracked.lists).items()
            if is_to_come(one.last, now)
        ]
        tracked.report.ignored = ignored
        tracked.report.judge(self.hold_limit)
        return tracked

    def _set_aside(self, done: Morning, names: Set[str]) -> None:
        """Move invented people away with their state, because no real list goes on over them.

        Those whom these very lists name stay. Raises StateError where real lists were taken over others.
        """
        rows = Published(self.database).lists.values()
        own = {name for name, _, _, status, *_ in rows if status != "refusee"}
        if own & names:
            if own <= names:
                return
            raise StateError(
                f"{self.database} holds invented people beside lists of {self.lists}: move it and its"
                " tracking state away, and the next run builds it of these lists"
            )
        state, aside = StateFile(self.database), self.database.with_suffix(".invented.db")
        if state.path.exists():
            shutil.copyfile(state.path, StateFile(aside).path)
            StateFile(aside).path.chmod(0o600)
        state.forget()  # the nights in it stay
        self.database.replace(aside)
        aside.chmod(0o600)
        done.aside = f"{self.database} held invented people: it is {aside} now"

    def _refuse_to_begin_anew(self) -> None:
        """Raises StateError where a file is served that may hold more than the lists at hand."""
        if self.served and self.served.path.exists() and not is_invented(self.served.path):
            raise StateError(
                f"{self.database} is not there, and {self.served.path} is: what it has of earlier lists would"
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
            # What is wrong would be copied every morning.
            StateFile(self.database).note_written(digest.of_file(self.database))
            return None
        done.crowded = alarms(self.database, now.astimezone(PARIS).date())
        # Before the file is copied: so readers have the night with what it brought.
        accepted = corrections.accepted() if corrections else {}
        self._note(done, accepted, ledger)
        version = Published(self.database).publication.get("version", "")
        if self.served is None:
            return version
        if self.served.is_copy() and not self.check(self.served.path):
            return ""
        self.served.refuse_older()
        if is_invented(self.served.path):
            StateFile(self.served.path).path.unlink(missing_ok=True)
        self.served.replace()
        return version
