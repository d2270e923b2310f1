"""A copy of another service's movements: the whole file first, then what its feed of changes says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from parlement_lists.movement import PARIS, Movement
from parlement_lists.sources.downloading.retry_policy import FetchFailed

from ..dataset.changes import CursorGone
from ..dataset.disk import system_errors
from ..dataset.input_files import InputRefused, Line
from ..dataset.invented import is_marked
from ..dataset.schema import COPY_CREDITS, COPY_CURSOR, COPY_OF, INVENTED
from ..dataset.writer import Written, remove_left, write
from ..updating.failures import sentences
from ..updating.published import Published
from ..updating.state_file import StateFile
from .copied import Copied
from .original import QuotaUsed, ServiceClient
from .original_answers import AnswerReader, Credits, OddAnswer, Page, total
from .whole_file import WholeFile, unnamed

# A run that is interrupted loses so many pages at most, and has them sent again.
PAGES_A_WRITE = 50
# More than a million movements, each withdrawn once; a feed without an end is not followed.
MOST_PAGES = 10_000


@dataclass
class _Unwritten:
    """What was read and is not in the file yet: a whole file, and changes after it or after the file."""

    cursor: str
    credits: Credits
    whole: WholeFile | None = None
    changes: dict[str, Movement | None] = field(default_factory=dict)
    # What came back after it was withdrawn no longer has its old place.
    returned: set[str] = field(default_factory=set)

    def take(self, page: Page) -> None:
        for id, movement in page.changes:
            if movement is not None and self.changes.get(id, movement) is None:
                self.returned.add(id)
            self.changes[id] = movement
        self.cursor, self.credits = page.cursor, page.credits

    def movements(self, before: Published) -> Iterator[tuple[Line, Movement]]:
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


def follow(database: Path, original: ServiceClient, clock: Callable[[], datetime]) -> Copied:
    """Bring the copy of a service up to date, or begin it.

    Movements and cursor change together, or not at all. Raises InputRefused for a file that is no copy of
    this service, StateError where another run is at work on it, Refused for an answer that is odd, a
    file that cannot be written, and whatever else ends the run.
    """
    with StateFile(database).locked():
        remove_left(database)
        run = _CopyRun(database, original, clock)
        try:
            run.go()
        except OddAnswer as odd:
            told = f"{original.url}: its answer cannot be used: {odd}"
            raise Refused([told], run.done.changed) from odd
        except Exception as error:  # what nobody foresaw, too: its traceback might show the key
            raise Refused(sentences(error), run.done.changed) from error
        finally:
            run.close()
    return run.done


class Refused(Exception):
    """A run that ended with `lines`; `changed` says whether what was read before is in the copy."""

    def __init__(self, lines: list[str], changed: bool) -> None:
        super().__init__("\n".join(lines))
        self.lines, self.changed = lines, changed


class _CopyRun:
    """One run; `done` is what it did so far."""

    def __init__(
        self, database: Path, original: ServiceClient, clock: Callable[[], datetime]
    ) -> None:
        self.done = Copied()
        self._database, self._original, self._clock = database, original, clock
        self._reader = AnswerReader()
        self._before = _copy_at(database, original.url)
        said = self._before.publication
        self._kept = _Unwritten(
            said.get(COPY_CURSOR, ""), Credits(*(said.get(row, "") for row in COPY_CREDITS))
        )
        self._unwritten = self._kept
        self._began_anew = False

    def go(self) -> None:
        """Read to the end of the feed, or to what stops it, and write what was read."""
        try:
            if not self._before.publication:
                self._begin("a new copy")
            elif self._before.former:
                # It lacks tables that are served: written anew, whatever follows.
                self._unwritten = _Unwritten(self._kept.cursor, self._kept.credits)
            self._walk()
        except QuotaUsed as used:
            self.done.stopped = _goes_on(used)
        except FetchFailed as failed:
            self.done.stopped = str(failed)
        self._write()
        self.done.unknown_fields = len(self._reader.unknown)

    def _walk(self) -> None:
        for number in range(1, MOST_PAGES + 1):
            try:
                answer = self._original.changes(self._unwritten.cursor)
            except CursorGone:
                self._begin_anew("the original's feed began anew, or was restored")
                continue
            page = self._reader.page(answer, self._unwritten.cursor)
            self._take(page)
            if not page.more:
                self._write()
                if self._is_right(page):
                    return
                self._begin_anew("the copy was not as long as the original")
            elif not number % PAGES_A_WRITE:
                self._write()
        raise FetchFailed(f"the feed goes on after {MOST_PAGES} pages; the next run goes on")

    def _take(self, page: Page) -> None:
        unwritten = self._unwritten
        if unwritten is self._kept:
            if not page.changes and (page.cursor, page.credits) == (
                unwritten.cursor,
                unwritten.credits,
            ):
                return
            self._unwritten = unwritten = _Unwritten(unwritten.cursor, unwritten.credits)
        unwritten.take(page)
        self.done.published += sum(movement is not None for _, movement in page.changes)
        self.done.withdrawn += sum(movement is None for _, movement in page.changes)

    def _begin_anew(self, why: str) -> None:
        """Take the whole file once more; FetchFailed where that was done already."""
        if self._began_anew:
            raise FetchFailed(f"{why}, twice in one run: run it again later")
        self._began_anew = True
        self._begin(why)

    def _begin(self, why: str) -> None:
        folder = self._database.parent
        with system_errors(self._database), unnamed(folder) as file:
            self._original.whole_file(file)
            whole = WholeFile(file, self._reader, folder)
        self.close()
        self._unwritten = _Unwritten(whole.cursor, whole.credits, whole)
        self.done.begun = why

    def _write(self) -> None:
        """Write what was read since the last time, with the cursor that says so far."""
        unwritten = self._unwritten
        if unwritten is not self._kept:
            rows = [
                (COPY_OF, self._original.url),
                (COPY_CURSOR, unwritten.cursor),
                *zip(COPY_CREDITS, unwritten.credits, strict=True),
                *([(INVENTED, "1")] if is_marked(unwritten.credits.attribution) else []),
            ]
            inputs = [(self._original.url, unwritten.movements(self._before))]
            self._tell(write(self._database, inputs, {"_publication": rows}, self._clock()))
            self.close()
            self._before = Published(self._database)
            self._unwritten = self._kept = _Unwritten(unwritten.cursor, unwritten.credits)
        elif not self.done.version and self._before.publication:
            self.done.version = self._before.publication["version"]
            self.done.movements = int(self._before.publication["mouvements"])

    def _tell(self, written: Written) -> None:
        self.done.changed = True
        self.done.version, self.done.movements = written.version, written.movements

    def _is_right(self, page: Page) -> bool:
        """Whether the copy is the original's, as far as that can be told; `done.compared` says how."""
        if self.done.version == page.version:
            self.done.compared = "version"
            return True
        body, version = self._original.search()
        count = total(body)
        if version != page.version or count is None:
            return True
        if count == self.done.movements:
            self.done.compared = "count"
        return count == self.done.movements

    def close(self) -> None:
        """Give back what an unwritten whole file holds."""
        if self._unwritten.whole is not None:
            self._unwritten.whole.close()


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
