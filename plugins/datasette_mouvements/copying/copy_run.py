"""A copy of another service's movements: the whole file first, then what its feed of changes says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.bounds import COPY_PAGES, COPY_TIMES, PENDING_BYTES
from parlement_lists.movement import PARIS, Movement
from parlement_lists.sources.downloading.retry_policy import FetchFailed

from ..dataset.changes import CursorGone
from ..dataset.disk import examine_room, system_errors
from ..dataset.input_files import InputRefused, Numbered
from ..dataset.invented import is_marked
from ..dataset.schema import (
    COPY_CREDITS,
    COPY_CURSOR,
    COPY_EDITION,
    COPY_OF,
    HOMONYMS,
    INVENTED,
    TENURES,
)
from ..dataset.writer import remove_left, write
from ..updating.failures import sentences
from ..updating.published import Published
from ..updating.state_file import StateFile
from .answers import AnswerReader, Credits, OddAnswer, Page, has_lists, total
from .copy_report import CopyReport
from .service_client import NotServed, QuotaUsed, ServiceClient
from .whole_file import WholeFile, examine_beginning, unnamed

# A run that is interrupted loses so many pages at most, and asks for them again.
PAGES_A_WRITE = 50
_ALWAYS = 1_000  # movements that are never too many


class CopyFailed(Exception):
    """A run that ended with `lines`; `changed` says whether what was read before is in the copy."""

    def __init__(self, lines: list[str], changed: bool) -> None:
        super().__init__("\n".join(lines))
        self.lines, self.changed = lines, changed


def follow(
    database: Path,
    service: ServiceClient,
    clock: Callable[[], datetime],
    pages_a_write: int = PAGES_A_WRITE,
) -> CopyReport:
    """Bring the copy of a service up to date, or begin it.

    Movements and cursor change together, or not at all. Raises InputRefused for a file that is no copy of
    this service, StateError where another run is at work on it, CopyFailed for an answer that is odd, a
    file that cannot be written, and whatever else ends the run.
    """
    with StateFile(database).locked():
        remove_left(database)
        run = _CopyRun(database, service, clock, pages_a_write)
        try:
            run.go()
        except OddAnswer as odd:
            said = f"{service.url}: its answer cannot be used: {odd}"
            raise CopyFailed([said], run.report.changed) from odd
        except Exception as error:  # also an unforeseen one: its traceback might show the key
            raise CopyFailed(sentences(error), run.report.changed) from error
        finally:
            run.close()
    return run.report


@dataclass
class _Pending:
    """What is read and not written yet: a whole file, and changes after it, or after the copy as it is."""

    cursor: str
    credits: Credits
    whole: WholeFile | None = None
    changes: dict[str, Movement | None] = field(default_factory=dict)
    # Movements that came back after they were withdrawn: they lose their old place.
    returned: set[str] = field(default_factory=set)
    # Bytes of the answers that these were read from.
    size: int = field(default=0, compare=False)

    def take(self, page: Page) -> None:
        for id, movement in page.changes:
            if movement is not None and self.changes.get(id, movement) is None:
                self.returned.add(id)
            self.changes[id] = movement
        self.cursor, self.credits = page.cursor, page.credits

    def movements(self, before: Published) -> Iterator[Numbered]:
        """The movements of the next file: what is replaced keeps its place, what is new comes last."""
        standing = (
            self.whole.movements() if self.whole is not None else enumerate(before.movements(), 1)
        )
        placed = set()
        for line, movement in standing:
            if movement.id not in self.changes:
                yield line, movement
            elif movement.id not in self.returned and (new := self.changes[movement.id]):
                placed.add(movement.id)
                yield line, new
        for number, (id, changed) in enumerate(self.changes.items(), 1):
            if changed is not None and id not in placed:
                yield f"change {number}", changed


class _CopyRun:
    """One run; `report` says what it did so far."""

    def __init__(
        self,
        database: Path,
        service: ServiceClient,
        clock: Callable[[], datetime],
        pages_a_write: int,
    ) -> None:
        self.report = CopyReport()
        self._database, self._service, self._clock = database, service, clock
        self._pages_a_write = pages_a_write
        self._reader = AnswerReader()
        self._began_anew = False
        self._before = _copy_at(database, service.url)
        self._cursors: set[str] = set()
        self._counted = int(self._before.publication.get("mouvements", "0"))
        self._pending = self._nothing_pending()

    def _nothing_pending(self) -> _Pending:
        """The place and the credits that the copy has."""
        said = self._before.publication
        credits = Credits(*(said.get(row, "") for row in COPY_CREDITS))
        return _Pending(said.get(COPY_CURSOR, ""), credits)

    def go(self) -> None:
        """Read to the end of the feed, or to what stops it, and write what was read."""
        try:
            if not self._before.publication:
                self._begin("a new copy")
            self._walk()
        except QuotaUsed as used:
            self.report.stopped = _goes_on(used)
        except FetchFailed as failed:
            self.report.stopped = str(failed)
        self._write()
        self.report.unknown_fields = len(self._reader.unknown)

    def _walk(self) -> None:
        for number in range(1, COPY_PAGES + 1):
            try:
                answer = self._service.changes(self._pending.cursor)
            except CursorGone:
                self._begin_anew("the original's feed began anew, or was restored")
                continue
            page = self._reader.page(answer, self._pending.cursor, self._service.page)
            if page.cursor in self._cursors and page.more:
                raise OddAnswer("curseur is one that came before")
            self._cursors.add(page.cursor)
            self._pending.take(page)
            self._pending.size += len(answer)
            self.report.published += sum(movement is not None for _, movement in page.changes)
            self.report.withdrawn += sum(movement is None for _, movement in page.changes)
            self._examine_number(self.report.published)
            if not page.more:
                if self._lacks_stays():
                    self._begin_anew("what is said of stays or lists changed")
                    continue
                self._write()
                if self._equals(page):
                    return
                self._begin_anew("the copy was not as long as the original")
            elif not number % self._pages_a_write or self._pending.size > PENDING_BYTES:
                self._write()
        raise FetchFailed(f"the feed goes on after {COPY_PAGES} pages; the next run goes on")

    def _lacks_stays(self) -> bool:
        """Whether the service has stays and lists of another edition than what is read, or else the copy."""
        whole = self._pending.whole
        if whole is not None and not whole.edition:
            return False
        try:
            body, edition = self._service.stays()
        except NotServed:
            return False
        own = whole.edition if whole is not None else self._before.publication.get(COPY_EDITION, "")
        return own != edition and bool(own or has_lists(body))

    def _begin_anew(self, why: str) -> None:
        """Take the whole file once more; FetchFailed where that was done already."""
        if self._began_anew:
            raise FetchFailed(f"{why}, twice in one run: run it again later")
        self._began_anew = True
        self._begin(why)

    def _begin(self, why: str) -> None:
        folder = self._database.parent
        with system_errors(self._database), unnamed(folder) as file:
            self._service.whole_file(file, partial(examine_room, folder), examine_beginning)
            whole = WholeFile(file, self._reader, folder, self._examine_number)
        self.close()
        self._cursors.clear()
        self._pending = _Pending(whole.cursor, whole.credits, whole)
        self.report.begun = why

    def _examine_number(self, movements: int) -> None:
        """Raises OddAnswer for many more movements than the service says there are.

        It is asked only where the copy it has would not explain them.
        """
        if movements > COPY_TIMES * self._counted + _ALWAYS:
            self._counted = max(self._counted, total(self._service.search()[0]) or 0)
            if movements > COPY_TIMES * self._counted + _ALWAYS:
                what = f"{COPY_TIMES} times the {self._counted:,} that it counts"
                raise OddAnswer(f"{movements:,} movements, more than {what}")

    def _write(self) -> None:
        """Write what was read since the last time, with its place in the feed."""
        pending = self._pending
        # A copy of the version before lacks tables that are served.
        if pending != self._nothing_pending() or self._before.former:
            rows = [
                (COPY_OF, self._service.url),
                (COPY_CURSOR, pending.cursor),
                *zip(COPY_CREDITS, pending.credits, strict=True),
                *([(INVENTED, "1")] if is_marked(pending.credits.attribution) else []),
            ]
            inputs = [(self._service.url, pending.movements(self._before))]
            edition, tables = self._beside(pending)
            if edition:
                rows.append((COPY_EDITION, edition))
            try:
                write(self._database, inputs, tables | {"_publication": rows}, self._clock())
            except sqlite3.IntegrityError as error:
                raise OddAnswer(f"a row that its table does not take: {error}") from None
            self.close()
            self._before = Published(self._database)
            self._pending = self._nothing_pending()
            self.report.changed = True
        if self._before.publication:
            self.report.version = self._before.publication["version"]
            self.report.movements = int(self._before.publication["mouvements"])
            self.report.stays = sum(1 for _ in self._before.tenures())

    def _beside(self, pending: _Pending) -> tuple[str, dict[str, Iterable[tuple[Any, ...]]]]:
        """The edition, and the rows, of the stays and tables that stand beside what is read.

        Movements that changed since leave none: a name that was withdrawn stays in no stay.
        """
        if pending.changes:
            return "", {}
        if pending.whole is not None:
            return pending.whole.edition, {**pending.whole.tables()}
        before = self._before
        stays = (tuple(value or None for value in stay) for stay in before.tenures())
        tables = {TENURES: stays, "listes": before.lists.values(), HOMONYMS: before.homonyms}
        return before.publication.get(COPY_EDITION, ""), tables | before.members

    def _equals(self, page: Page) -> bool:
        """Whether the copy equals the service, as far as that can be told; `report.compared` says how."""
        if self.report.version == page.version:
            self.report.compared = "version"
            return True
        body, version = self._service.search()
        count = total(body)
        if version != page.version or count is None:
            return True
        if count == self.report.movements:
            self.report.compared = "count"
        return count == self.report.movements

    def close(self) -> None:
        """Close a whole file that is not written."""
        if self._pending.whole is not None:
            self._pending.whole.close()


def _copy_at(database: Path, url: str) -> Published:
    """The copy of a service as it is; InputRefused for a file that is something else."""
    before = Published(database)
    copied = before.publication.get(COPY_OF, "")
    if before.publication and copied != url:
        what = f"a copy of {copied}, not of {url}" if copied else f"no copy of {url}"
        raise InputRefused([f"{database}: {what}: name another file"])
    return before


def _goes_on(used: QuotaUsed) -> str:
    if used.until is None:
        return f"{used}: run it again tomorrow"
    when = used.until.astimezone(PARIS)
    return f"{used}: it goes on from {when:%Y-%m-%d %H:%M} (Paris)"
