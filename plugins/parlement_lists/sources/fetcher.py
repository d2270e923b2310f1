"""The fetcher: it makes a list of each source's originals; a source that fails stops no other."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .. import LATE_DAYS
from ..movement import PARIS
from ..tracebacks import place_of
from ..tracking.guard import near_renewal
from ..tracking.members.known_members import Members, MembersError
from ..tracking.reading.list_file import ListFilesError
from . import journal, kept_list, members
from .downloading.download import download
from .downloading.downloads import SourceDownloads, forget_unasked
from .downloading.originals import FOLDER, KeptOriginals, digest
from .downloading.retry_policy import MOST_SECONDS, FetchFailed
from .journal import CAUSES, NO_MEMBERS, Line
from .keeping.earlier_lists import EarlierLists
from .repository import Repository
from .source import Original, OriginalRefused, Source, StaffList

# What the journal calls each `status`.
_OUTCOMES = {
    "new": "nouvelle",
    "unchanged": "identique",
    "refused": "refusee",
    "failed": "echouee",
}
# Days for which originals are kept, by default.
KEPT_DAYS = 90


@dataclass
class FetchResult:
    """The result of one source.

    `status` is new, unchanged, refused (what came is not used) or failed (nothing came), `detail` the
    reason. `path` is the chamber's newest list, `day` its day, `age` its days, `late` if these are more
    than the service's `late_days` by default. `told` is what a maintainer should know, `members` why the
    files of members could not be updated, "" if they were. `cause` is one of CAUSES where no list was kept,
    `original` is the first one's name, with its SHA-256 and the day it says it is of.
    """

    source: str
    chamber: str
    status: str = "failed"
    path: str = ""
    detail: str = ""
    day: str = ""
    age: int | None = None
    late: bool = False
    origin: str = ""
    told: list[str] = field(default_factory=list)
    members: str = ""
    cause: str = ""
    original: str = ""
    original_sha256: str = ""
    original_day: str = ""

    @property
    def alarm(self) -> str:
        """The sentence that calls for a look; "" if nothing is wrong."""
        if self.status in ("failed", "refused"):
            return self.line()
        return f"{self.source}: members: {self.members}" if self.members else ""

    def entry(self, day: str) -> Line:
        """The line of the journal of a day."""
        return Line(
            jour=day,
            source=self.source,
            resultat=_OUTCOMES[self.status],
            raison=CAUSES.get(self.cause, NO_MEMBERS if self.members else ""),
            liste=f"{self.chamber}/{Path(self.path).stem}" if self.path else self.chamber,
            sha256=self.original_sha256,
            original=self.original,
        )

    def line(self) -> str:
        """The result in a line."""
        what = self.detail or f"{self.path}, from {self.origin}"
        last = f"the last list is of {self.day}" if self.day else "no list is kept yet"
        late = f" (LATE: {last})" if self.late else ""
        return f"{self.source}: {self.status} {what}{late}"


class FetchPlan(NamedTuple):
    """What a run fetches: the fetcher, the sources, and `broken`, the faults of packages of sources."""

    fetcher: Fetcher
    sources: Sequence[Source]
    broken: Sequence[str] = ()


class Fetcher:
    """A fetcher stores into one repository of lists, and asks under one user agent.

    `clock` dates what is received; with `sleep` it bounds a source's attempts. Originals are kept for
    `kept_days`.
    """

    def __init__(
        self,
        directory: Path,
        agent: str,
        clock: Callable[[], datetime.datetime],
        sleep: Callable[[float], None],
        kept_days: int = KEPT_DAYS,
    ) -> None:
        self.repository = Repository(directory)
        self.originals = KeptOriginals(directory / FOLDER)
        self.agent = agent
        self.download = partial(download, agent=agent)
        self.clock = clock
        self.sleep = sleep
        self.kept_days = kept_days

    def fetch(self, sources: Iterable[Source]) -> list[FetchResult]:
        """A result for each source, in their order; raises RepositoryBusy during another run."""
        with self.repository.locked():
            deadline = self.clock() + datetime.timedelta(seconds=MOST_SECONDS)
            restored = [
                f"{name} was gone or cut short, and is restored from the history"
                for name in self.repository.restore_members()
            ]
            results = [self._result(source, deadline) for source in sources]
            for result in results:
                result.told = restored + result.told
            self._forget_originals()
            day = self._today().isoformat()
            journal.add(self.repository.directory, [result.entry(day) for result in results])
            self.repository.commit_journal(day)
        return results

    def _result(self, source: Source, deadline: datetime.datetime) -> FetchResult:
        result = FetchResult(source.name, source.chamber)
        try:
            self._fetch(source, deadline, result)
        except OriginalRefused as error:
            result.status, result.detail, result.cause = "refused", str(error), "unusable"
        except FetchFailed as error:
            result.detail, result.cause = str(error), "unreachable"
        except (ListFilesError, MembersError, OSError) as error:
            result.detail, result.cause = str(error), "local"
        except Exception as error:
            # Another package's source may raise anything, and must not stop the other sources.
            result.detail = place_of(error, type(source).__module__.partition(".")[0])
            result.cause = "unforeseen"
        if result.members:
            result.told.append(f"members: {result.members}")
        latest = self.repository.latest(source.chamber)
        if latest is not None:
            day = datetime.date.fromisoformat(latest.name[:10])
            result.day, result.age = day.isoformat(), (self._today() - day).days
        result.late = result.age is None or result.age > LATE_DAYS
        return result

    def _today(self) -> datetime.date:
        return self.clock().astimezone(PARIS).date()

    def _fetch(self, source: Source, deadline: datetime.datetime, result: FetchResult) -> None:
        """Read and store the list; `result` is filled step by step, so that a failure keeps the steps before."""
        seen = self.repository.last_seen()
        noted = seen.setdefault(source.name, {"originals": {}})
        downloads = SourceDownloads(
            source.name,
            self.originals,
            noted["originals"],
            self.download,
            self.clock,
            self.sleep,
            deadline,
        )
        try:
            originals = source.download(downloads)
        finally:
            result.told += downloads.told
            self.repository.remember(seen)
        received = downloads.day
        if originals:
            first = originals[0]
            result.original, result.original_sha256 = first.name, digest(first.body)
            result.original_day = first.modified.isoformat() if first.modified else ""
        self._take_members(source, originals, received, result)
        folder = self.repository.members
        known = Members.read(folder, self._read_on()) if folder.exists() else Members()
        earlier = EarlierLists(self.repository.lists(source.chamber))
        read = earlier.read_with(source, originals, known, received)
        result.told += read.told
        if read.day and not result.original_day:
            result.original_day = read.day.isoformat()
        self._examine_size(read, received, known, earlier, source.chamber)
        self._store(read, received, result)

    def _take_members(
        self,
        source: Source,
        originals: Sequence[Original],
        day: datetime.date,
        result: FetchResult,
    ) -> None:
        """Update the files of members; if that fails, those of the days before stay."""
        try:
            read = source.members(originals, day)
            if read is None:
                return
            result.told += read.told
            last = self._read_on().get(source.chamber)
            members.merge(self.repository.members, source.chamber, read, day, last)
            self.repository.commit_members(source.chamber, day)
        except OriginalRefused as error:
            result.members = str(error)

    def _read_on(self) -> dict[str, datetime.date]:
        return journal.read_on(journal.read(self.repository.directory))

    def _examine_size(
        self,
        read: StaffList,
        received: datetime.date,
        known: Members,
        earlier: EarlierLists,
        chamber: str,
    ) -> None:
        """Raises OriginalRefused if fewer than half of the last list's pairs are left and no renewal says why.

        A new assembly hires for weeks; the mandates that its source has told prove it.
        """
        if len(read.rows) * 2 >= len(earlier.last_rows):
            return
        renewals = known.renewals(chamber)
        before = len(earlier.last_rows)
        before = min(before, len(earlier.sound_rows(renewals)) or before)
        if len(read.rows) * 2 >= before:
            return  # the last list has too many: tracking refuses it
        latest = self.repository.latest(chamber)
        last = datetime.date.fromisoformat(latest.name[:10]) if latest else received
        if not near_renewal(last, read.day or received, renewals):
            raise OriginalRefused(
                f"{len(read.rows)} pairs, fewer than half of the {before} of the last list: if it is"
                " right, the command `read` keeps it by hand, from what lies in originaux/"
            )

    def _store(self, read: StaffList, received: datetime.date, result: FetchResult) -> None:
        kept_list.examine_day(read, received)
        body = kept_list.to_csv(result.chamber, read.rows)
        stored = self.repository.store(
            result.chamber,
            body,
            read.day or received,
            self.clock().astimezone(PARIS),
            read.origin,
        )
        result.status = "new" if stored.new else "unchanged"
        result.path, result.origin = str(stored.path), read.origin

    def _forget_originals(self) -> None:
        """Remove originals older than `kept_days`, but not those that the next run compares with.

        An original that nobody asked for in that time, such as a former member's page, is compared no
        longer.
        """
        before = self._today() - datetime.timedelta(self.kept_days)
        seen = self.repository.last_seen()
        paths = [forget_unasked(noted["originals"], before) for noted in seen.values()]
        self.repository.remember(seen)
        self.originals.forget(before, set().union(*paths))
