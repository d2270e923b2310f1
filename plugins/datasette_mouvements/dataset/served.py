"""The movements file that is served: a new one is noticed, checked and adopted; a bad one is refused."""

from __future__ import annotations

import asyncio
import datetime
import errno
import fcntl
import logging
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from hashlib import blake2s
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, PARIS

from ..lru import LRUCache
from . import digest, nights, schema
from .changes import runs_of
from .connections import BUILT_ANEW, connect_read_only
from .coverage import coverage
from .disk import lock, remove_unlocked, system_errors
from .schema import Resource

log = logging.getLogger(__name__)
# A replaced file is adopted on the second look that finds it unchanged: well within two seconds.
LOOK_EVERY = 0.5
# What cannot be copied now (a full disk, too many open files) is tried again, but not at every look.
RETRY_AFTER = 1.5
# A version that was replaced is closed after so many seconds, or as many more while answers of it are under way.
CLOSE_AFTER = 10.0
# What a worker keeps of one version: answers, counts of filters by day, and pages of the file: those that movements
# of ten years are answered from. Without, a third of a new answer's time goes into copying them from the system's cache.
ANSWERS_BYTES = 16_000_000
COUNTS_BYTES = 8_000_000
CACHE_KB = 48_000


class NotServable(Exception):
    """A file is not a movements database that this version can serve; the message says why."""


# Days, ascending; and how many rows there are before each, then in all.
DayCounts = tuple[Sequence[str], Sequence[int]]
# What tells one content of a path from another without reading it.
Signature = tuple[int, int, int, int]


def signature(path: Path) -> Signature:
    """The signature of a file as it is now; OSError when that cannot be told."""
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class DataVersion:
    """An open movements file that nobody changes any more, and what it says of itself.

    Raises NotServable when opened on anything else, OSError when that cannot be told now. `lease` is a handle that
    is closed with it: while it is open no other process removes the file. `readers` are the answers under way that
    read the file through another connection, which `on_close` closes.
    """

    def __init__(self, path: Path, lease: int | None = None) -> None:
        self.path, self._lease = path, lease
        self.readers = 0
        self.on_close: Callable[[], None] = lambda: None
        try:
            with system_errors(path), ExitStack() as opened:
                self.db = opened.enter_context(closing(connect_read_only(path, immutable=True)))
                self.db.execute(f"pragma cache_size = -{CACHE_KB}")
                self._read()
                opened.pop_all()
        except (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError) as error:
            raise NotServable(f"not a readable movements database ({error})") from error
        self.answers: LRUCache[Any, Any] = LRUCache(ANSWERS_BYTES)
        self.counts: LRUCache[Any, DayCounts] = LRUCache(COUNTS_BYTES)
        # What makes, or has made, the file of everything (`pages/files`), which goes with the version.
        self.whole_file: asyncio.Task[Any] | None = None

    def _read(self) -> None:
        db = self.db
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        if "_publication" not in tables:
            raise NotServable("no table _publication")
        publication = dict(db.execute("select cle, valeur from _publication"))
        # An older version's file lacks tables, too.
        if publication.get("schema") != str(schema.SCHEMA_VERSION):
            raise NotServable(
                f"schema version {publication.get('schema')}, {schema.SCHEMA_VERSION} is needed:"
                f" {BUILT_ANEW}"
            )
        if missing := [name for name in schema.TABLES if name not in tables]:
            raise NotServable(f"no table {', '.join(missing)}")
        self.version: str = publication["version"]
        # Pages show more than the movements: stays and lists change on days without a movement.
        self.edition: str = publication["edition"]
        self._digest = publication["empreinte"]
        self.built_at = publication["construite_le"]
        # Pages say when it was made, and how many corrections there are: the edition leaves both out.
        self.build = f"{self.edition} {self.built_at}"
        self.invented = schema.INVENTED in publication
        self.rows, self.first, self.latest = db.execute(
            "select count(*), coalesce(min(date_event), ''), coalesce(max(date_event), '')"
            f" from {schema.TABLE}"
        ).fetchone()
        (self.stays,) = db.execute(f"select count(*) from {schema.TENURES}").fetchone()
        if str(self.rows) != publication["mouvements"]:
            raise NotServable("its tables do not count the same movements")
        self.feeds = {resource: runs_of(db, resource) for resource in schema.RESOURCES}
        # When a row was published or withdrawn last; when the file was built, if none ever was.
        self.changed_at = {
            resource: db.execute(f"select max(publie_le) from {resource.changes}").fetchone()[0]
            or self.built_at
            for resource in schema.RESOURCES
        }
        # Of the movements: where the feed ends, and when it changed.
        self.cursor = self.feeds[schema.MOVEMENTS].end
        self.published_at = self.changed_at[schema.MOVEMENTS]
        self.coverage = coverage(db)
        # The days of the lists that were accepted, of each chamber that has any.
        self.list_days: dict[str, list[str]] = {}
        for chamber in CHAMBERS:
            sql = "select date from listes where chambre = ? and statut <> 'refusee' order by 1"
            if days := [day for (day,) in db.execute(sql, [chamber])]:
                self.list_days[chamber] = days
        self.nights = nights.read(db)
        self.day = self._day()

    def _day(self) -> datetime.date:
        """The day in Paris on which the file was made; invented data never age, and speak on the day after their last."""
        newest = max((lists.last for lists in self.coverage.values()), default="") or self.latest
        if self.invented and newest:
            return datetime.date.fromisoformat(newest) + datetime.timedelta(1)
        return datetime.datetime.fromisoformat(self.built_at).astimezone(PARIS).date()

    def of(self, rows: Resource) -> str:
        """The version of movements; of stays, and of what else the file says, the edition."""
        return self.version if rows is schema.MOVEMENTS else self.edition

    def change_of(self, resource: Resource, id: str) -> tuple[str, bytes | None] | None:
        """When a row changed last, and its line, None if it was withdrawn; None for an id never published."""
        row: tuple[str, bytes | None] | None = self.db.execute(
            f"select c.publie_le, l.json from {resource.changes} c"
            f" left join {resource.lines} l on l.rowid = c.ligne where c.id = ?",
            [id],
        ).fetchone()
        return row

    @contextmanager
    def read(self) -> Iterator[None]:
        """Keep the file open for one answer."""
        self.readers += 1
        try:
            yield
        finally:
            self.readers -= 1

    def close(self) -> None:
        self.on_close()
        self.db.close()
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None

    @property
    def archive(self) -> Path:
        """Where the file of everything stands, once it is made; it goes with the version."""
        return self.path.with_suffix(".zip")

    def fault(self) -> str:
        """What is damaged in the file, "" if nothing; OSError as at the opening. Reads all of it, so in a thread."""
        try:
            with (
                system_errors(self.path),
                closing(connect_read_only(self.path, immutable=True)) as db,
            ):
                # Constraints were checked at the build; damaged pages are what is looked for here.
                db.execute("pragma ignore_check_constraints=on")
                (verdict,) = db.execute("pragma quick_check(1)").fetchone()
                if verdict != "ok":
                    return str(verdict)
                whole = (digest.of_lines(db), digest.of_tables(db))
        except (sqlite3.Error, TypeError) as error:
            return str(error)
        return "" if whole == (self.version, self._digest) else "its tables are not of one build"


class Served:
    """The version served now, of the movements file at `path`.

    What is read is a copy of its own in `folder`: neither a file that takes the place of the other nor one that is
    written into it is ever mixed with what is served. `on_adopt` is called in the event loop with each
    new version, before requests get it, and with None when nothing is served any more; `examine` raises
    NotServable for one that must not be served.
    `refused` says what is wrong with the file as it is now, `last_refusal` what was wrong, and when.
    """

    retry_after, close_after = RETRY_AFTER, CLOSE_AFTER

    def __init__(
        self,
        path: Path,
        folder: Path,
        on_adopt: Callable[[DataVersion | None], None],
        examine: Callable[[DataVersion], None],
    ) -> None:
        self.path = path
        self.folder = folder
        # Services of other files may have their copies in the same folder.
        self._copies = f"movements-{blake2s(bytes(path), digest_size=8).hexdigest()}"
        self.on_adopt = on_adopt
        self.examine = examine
        self.version: DataVersion | None = None
        self.since: datetime.datetime | None = None
        self.refused: str | None = None
        self.last_refusal: tuple[str, datetime.datetime] | None = None
        # What was found at the path when it was last adopted or refused, and at the last look.
        self._judged: Signature | str | None = None
        self._seen: Signature | str | None = None
        self._retry_at = 0.0
        self._looking = asyncio.Lock()
        self._retired: set[DataVersion] = set()

    async def start(self) -> None:
        """Adopt the file as it is now, else what was served last.

        What reads all of the file is left to `watch`.
        """
        self._seen = self._look()
        await self._judge(self._seen, thorough=False)
        if self.version is None:
            await self._adopt_left_behind()

    async def watch(self) -> None:
        """Look for ever; first examine what `start` adopted."""
        await self.examine_whole()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self.look()

    async def examine_whole(self) -> None:
        """Read all of what is served: if it is damaged, what was served before takes its place."""
        version = self.version
        with suppress(OSError):  # it says nothing of the file
            if version is not None and (fault := await asyncio.to_thread(version.fault)):
                self._refuse(f"damaged: {fault}")
                self.version = self._judged = None  # the file itself may be sound by now
                self.on_adopt(None)
                self._release(version)
                await self._adopt_left_behind()
        self._remove_left_behind()

    async def look(self) -> None:
        """Look at the file once; adopt or refuse what is there if the last look found the same."""
        async with self._looking:
            state = self._look()
            settled, self._seen = state == self._seen, state
            due = asyncio.get_running_loop().time() >= self._retry_at
            if settled and due and state != self._judged:
                await self._judge(state, thorough=True)

    def close(self) -> None:
        """Release everything; the next start removes the copies, which a thread may still read."""
        for version in filter(None, (self.version, *self._retired)):
            version.close()
        self.version = None
        self._retired.clear()

    def _look(self) -> Signature | str:
        try:
            state = signature(self.path)
            file = self.path.resolve()
            for suffix in ("-journal", "-wal"):
                beside = file.with_name(file.name + suffix)
                if beside.exists() and beside.stat().st_size:
                    return f"{beside.name} stands beside it: another program is writing to it"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        return state

    async def _judge(self, state: Signature | str, thorough: bool) -> None:
        try:
            if isinstance(state, str):
                raise NotServable(state)
            version = await asyncio.to_thread(self._open, self.path, state, thorough)
        except NotServable as error:
            self._judged = state
            self._refuse(str(error))
        except OSError as error:
            self._retry_at = asyncio.get_running_loop().time() + self.retry_after
            self._refuse(f"cannot be copied ({error.strerror})")
        else:
            self._judged = state
            self.refused = None
            self._adopt(version)

    async def _adopt_left_behind(self) -> None:
        """Adopt the newest sound copy of other processes, alive or killed."""
        copies: dict[Signature, Path] = {}
        for copy in self.folder.glob(f"{self._copies}-*.db"):
            with suppress(OSError):  # its process has refused or replaced it meanwhile
                copies[signature(copy)] = copy
        for state in sorted(copies, key=lambda state: state[-1], reverse=True):
            with suppress(NotServable, OSError):
                version = await asyncio.to_thread(self._open, copies[state], state, True)
                self._adopt(version)
                return

    def _open(self, path: Path, state: Signature, thorough: bool) -> DataVersion:
        """The version at a path, open and examined. Raises NotServable, OSError as `DataVersion`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        copy = self.folder / f"{self._copies}-{secrets.token_hex(8)}.db"
        lease = os.open(copy, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not lock(lease, copy, fcntl.LOCK_SH):
                raise OSError(errno.EAGAIN, "another process that starts has removed the copy")
            shutil.copyfile(path, copy)
            if signature(path) != state:
                raise NotServable("it changed while it was read")
            version = DataVersion(copy, lease)
            self.examine(version)
            if thorough and (fault := version.fault()):
                raise NotServable(f"damaged: {fault}")
        except BaseException:
            os.close(lease)
            copy.unlink(missing_ok=True)
            raise
        return version

    def _adopt(self, version: DataVersion) -> None:
        old = self.version
        self.on_adopt(version)
        self.version, self.since = version, datetime.datetime.now(datetime.UTC)
        # To do: nothing. If it does not come within seconds of a publication, look for a refusal.
        log.info("movements version %s served: %d rows", version.version, version.rows)
        if old is not None:
            self._retire(old)

    def _retire(self, version: DataVersion) -> None:
        """Close a version in a while, or later while answers of it are under way."""
        self._retired.add(version)
        asyncio.get_running_loop().call_later(
            self.close_after, lambda: (self._retire if version.readers else self._release)(version)
        )

    def _release(self, version: DataVersion) -> None:
        self._retired.discard(version)
        version.close()
        version.path.unlink(missing_ok=True)
        version.archive.unlink(missing_ok=True)

    def _refuse(self, why: str) -> None:
        why = " ".join(why.split())
        if why != self.refused:
            # To do: run `datasette mouvements check` on the file, build it again, replace it. The version before is
            # still served if there is one. Said once a file; /-/mouvements/etat goes on saying it.
            log.error("movements file refused: %s", why)
        self.refused, self.last_refusal = why, (why, datetime.datetime.now(datetime.UTC))

    def _remove_left_behind(self) -> None:
        """Remove what processes that were killed have left in the folder: it may hold names withdrawn since."""
        for file in self.folder.glob("archive-*"):  # of version 2
            remove_unlocked(file)
        # A copy before its file of everything, which has no lock of its own.
        for file in sorted(self.folder.glob("movements-*"), key=lambda path: path.suffix):
            if file.suffix != ".zip" or not file.with_suffix(".db").exists():
                remove_unlocked(file)
