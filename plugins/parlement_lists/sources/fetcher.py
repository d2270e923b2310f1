"""The fetcher takes every source's originals and keeps the list they make; a source that fails keeps no other back."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import LATE_DAYS
from ..movement import PARIS
from ..regular_file import read_bytes
from ..tracebacks import place_of
from ..tracking.members.known_members import Members, MembersError
from ..tracking.reading.git import GitFailed
from ..tracking.reading.list_file import ListFilesError, parse_path
from . import kept_list, members
from .downloading.downloads import SourceDownloads, forget_unasked
from .downloading.originals import FOLDER, KeptOriginals
from .downloading.retry_policy import MOST_SECONDS, FetchFailed
from .last_sound import last_sound
from .repository import Repository, StoredList
from .source import ListRead, Original, OriginalRefused, Source, StaffRow

# For how many days originals are kept.
KEPT_DAYS = 90


class FetchResult(NamedTuple):
    """The result of one source.

    `status` is new, unchanged, refused (what came is not used) or failed (nothing came); `detail` says
    why, `path` is the newest list of the chamber, `day` its day, `age` its days; `late` where
    that is more than the service's `late_days` by default; `told` is what a maintainer should know;
    `members` why those who sit could not be brought up to date, "" where they could.
    """

    source: str
    chamber: str
    status: str
    path: str = ""
    detail: str = ""
    day: str = ""
    age: int | None = None
    late: bool = False
    origin: str = ""
    carried: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    members: str = ""

    @property
    def alarm(self) -> str:
        """What calls for a look, in a sentence; "" where nothing is wrong."""
        if self.status in ("failed", "refused"):
            return self.line()
        return f"{self.source}: members: {self.members}" if self.members else ""

    def line(self) -> str:
        """The result in a line."""
        what = self.detail or f"{self.path}, from {self.origin}"
        late = f" (LATE: the last list is of {self.day or 'no day'})" if self.late else ""
        return f"{self.source}: {self.status} {what}{late}"


class Start(NamedTuple):
    """What a run begins with: who fetches, from where, and which packages' sources cannot be had."""

    fetcher: Fetcher
    sources: Sequence[Source]
    broken: Sequence[str] = ()


class Fetcher:
    """A fetcher stores into one repository of lists, and asks under one user agent.

    `clock` dates what is received, and bounds a source's attempts together with `sleep`. Originals
    are kept for `kept_days`.
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
        self.clock = clock
        self.sleep = sleep
        self.kept_days = kept_days

    def fetch(self, sources: Iterable[Source]) -> list[FetchResult]:
        """One result a source, in their order; raises AtWork when another run is."""
        with self.repository.locked():
            deadline = self.clock() + datetime.timedelta(seconds=MOST_SECONDS)
            results = [self._result(source, deadline) for source in sources]
            self._forget_originals()
        return results

    def _result(self, source: Source, deadline: datetime.datetime) -> FetchResult:
        told: list[str] = []
        faults: list[str] = []
        result = FetchResult(source.name, source.chamber, "failed")
        try:
            read, stored = self._fetch(source, deadline, told, faults)
            status = "new" if stored.new else "unchanged"
            path, carried = str(stored.path), tuple(read.carried)
            result = result._replace(status=status, path=path, origin=read.origin, carried=carried)
        except OriginalRefused as error:
            result = result._replace(status="refused", detail=str(error))
        except (FetchFailed, GitFailed, ListFilesError, MembersError, OSError) as error:
            result = result._replace(detail=str(error))
        except Exception as error:
            # Another package's source may fail in ways that nobody foresaw, and holds no other back.
            result = result._replace(
                detail=place_of(error, type(source).__module__.partition(".")[0])
            )
        day = _day(self.repository.latest(source.chamber))
        age = (self.clock().astimezone(PARIS).date() - day).days if day else None
        late = age is None or age > LATE_DAYS
        shown = day.isoformat() if day else ""
        told += [f"members: {fault}" for fault in faults]
        return result._replace(
            day=shown, age=age, late=late, told=tuple(told), members="; ".join(faults)
        )

    def _fetch(
        self, source: Source, deadline: datetime.datetime, told: list[str], faults: list[str]
    ) -> tuple[ListRead, StoredList]:
        """The list read and kept.

        Whatever is raised, what is to be told is added to `told`, what is wrong with the members to
        `faults`.
        """
        seen = self.repository.last_seen()
        mine = seen[source.name] = _memory(seen.get(source.name, {}))
        downloads = SourceDownloads(
            *(source.name, self.originals, mine["originals"], mine["memory"]),
            *(self.agent, self.clock, self.sleep, deadline),
        )
        try:
            originals = source.download(downloads)
        finally:
            told += downloads.told
            self.repository.remember(seen)
        day = downloads.day
        self._take_members(source, originals, day, told, faults)
        folder = self.repository.members
        known = Members.read(folder) if folder.exists() else Members()
        # A member whom the files do not know, but the list before does, does not leave it for that.
        before = self._last_rows(source.chamber)
        named = kept_list.member_names(before)
        read = source.read(originals, known.also_named(source.chamber, named), day)
        told += read.told
        return read, self._store(source.chamber, read, day, known, len(before))

    def _take_members(
        self,
        source: Source,
        originals: Sequence[Original],
        day: datetime.date,
        told: list[str],
        faults: list[str],
    ) -> None:
        """Bring the members kept up to date; where they cannot be, those of the days before stand."""
        try:
            read = source.members(originals, day)
            if read is None:
                return
            told += read.told
            members.merge(self.repository.members, source.chamber, read, day)
            self.repository.commit_members(source.chamber, day)
        except (OriginalRefused, GitFailed) as error:
            # What was written and not committed is committed with the next change.
            faults.append(str(error))

    def _store(
        self, chamber: str, read: ListRead, received: datetime.date, known: Members, before: int
    ) -> StoredList:
        """Keep the list, unless it has fewer than half of the rows of the one `before`."""
        kept_list.examine_day(read, received)
        rows = [*read.rows, *self._carried(chamber, read, known)]
        if len(rows) * 2 < before:
            raise OriginalRefused(
                f"{len(rows)} pairs, fewer than half of the {before} of the last list: if it is"
                " right, `datasette mouvements read` keeps it by hand, from what lies in originaux/"
            )
        body, now = kept_list.to_csv(chamber, rows), self.clock().astimezone(PARIS)
        day = read.day or received
        return self.repository.store(chamber, body, day, now, read.origin, read.carried)

    def _carried(self, chamber: str, read: ListRead, known: Members) -> list[StaffRow]:
        """What was last known of members of whom nothing could be read."""
        lists = self.repository.lists(chamber)
        if not (read.carried and lists):
            return []
        sound = last_sound(lists, known.renewals(chamber))
        if sound is None:
            raise OriginalRefused("the last list is needed, and none can be read")
        return kept_list.carried_rows(read, kept_list.rows_of(sound))

    def _last_rows(self, chamber: str) -> list[StaffRow]:
        """The rows of the last list; none where it is no list."""
        last = self.repository.latest(chamber)
        try:
            return kept_list.of_list(read_bytes(last, follow=False), chamber) if last else []
        except OriginalRefused:
            return []

    def _forget_originals(self) -> None:
        """Remove originals that are older than is wanted, but for those to compare with next.

        Those that nobody asked for as long are not compared with any more: a former member's page.
        """
        before = self.clock().astimezone(PARIS).date() - datetime.timedelta(self.kept_days)
        seen = {name: _memory(noted) for name, noted in self.repository.last_seen().items()}
        paths = [forget_unasked(memory["originals"], before) for memory in seen.values()]
        self.repository.remember(seen)
        self.originals.forget(before, set().union(*paths))


def _memory(noted: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What a source noted of its originals, and for itself; empty where it is nothing of the kind."""
    found = {name: noted.get(name) for name in ("originals", "memory")}
    return {name: value if isinstance(value, dict) else {} for name, value in found.items()}


def _day(path: Path | None) -> datetime.date | None:
    found = parse_path(f"{path.parent.name}/{path.name}") if path else None
    return found[1] if found else None
