"""Movements -> a new database file beside the old one, which it replaces in one step."""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import ALWAYS_PRESENT, FIELD_NAMES, PARIS

from . import changes, digest, schema
from .connections import connect_read_only, copy_whole
from .disk import lock, remove_unlocked, system_errors
from .filling.merge import merge, stage
from .filling.ready_made import fill_ready_made
from .input_files import FAULTS_SHOWN, InputRefused, Numbered
from .spellings import fill_spellings
from .stays.lines import fill_stay_lines

# A name for messages and its movements, each with the number of its line.
MovementInput = tuple[str, Iterable[Numbered]]
_COLUMNS = ", ".join(FIELD_NAMES)
# The rows of `_publication` that are written here; others are the caller's.
OWN_ROWS = ("schema", "version", "edition", "empreinte", "mouvements", "construite_le", "lignee")
# Four times SQLite's own: a page of 500 movements out of a million is read in three quarters of the time.
PAGE_BYTES = 16_384
# The identifiers of movements and of stays that the next file has no more, if they are not given again.
Gone = Mapping[str, Collection[str]]


class WriteResult(NamedTuple):
    """What a build wrote."""

    version: str
    movements: int
    repeated: int  # the same movement given more than once
    sha256: str = ""  # of the file's bytes, once it is on disk


def write(
    database: Path,
    inputs: Iterable[MovementInput],
    tables: Mapping[str, Iterable[tuple[Any, ...]]] | None = None,
    now: datetime | None = None,
    draw: changes.Draw = secrets.token_hex,
) -> WriteResult:
    """Build `database` from the inputs; nothing changes unless everything was accepted.

    `tables` are rows for further tables of `schema.TABLES`, read after the movements; `draw`: see `changes.Draw`.
    The feed of changes of the file that is there goes on. Raises
    InputRefused with every input's faults, or for an identifier that stands for two different
    movements; OSError, naming `database`, when it cannot be written.
    """
    with replacing(database, inputs, tables, now, draw) as written:
        return written


@contextmanager
def replacing(
    database: Path,
    inputs: Iterable[MovementInput],
    tables: Mapping[str, Iterable[tuple[Any, ...]]] | None = None,
    now: datetime | None = None,
    draw: changes.Draw = secrets.token_hex,
    gone: Gone | None = None,
    mode: int | None = None,
) -> Iterator[WriteResult]:
    """As `write`; the new file, whole and on disk, takes the old one's place when the block ends well.

    With `gone` the movements and stays of the file that is there stay, but for these and those that are
    given: SQLite copies them, and what is made of them is made anew only where it may change.
    Its `mode` is that of the umask, which is the process's: whoever writes in a thread gives it.
    """
    refuse_other_writers(database)
    with new_file(database) as path:
        with system_errors(database):
            with closing(sqlite3.connect(path.as_uri(), uri=True)) as db:
                moment = now or datetime.now(UTC)
                written = _fill(db, inputs, tables or {}, database, moment, draw, gone)
            # mkstemp makes a file that only its owner can read.
            path.chmod(umask_mode() if mode is None else mode)
            flush(path)
            written = written._replace(sha256=digest.of_file(path))
        yield written
        with system_errors(database):
            take_place(path, database)


@contextmanager
def new_file(database: Path) -> Iterator[Path]:
    """An empty file beside the database, private and locked, which the block may let take its place.

    What killed runs left there is removed first.
    """
    with system_errors(database):
        database.parent.mkdir(parents=True, exist_ok=True)
        handle, path = _new_file(database)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def umask_mode() -> int:
    """The mode of a file that is made under the umask of this process."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def take_place(path: Path, database: Path) -> None:
    """Put a file that is whole and on disk in the database's place."""
    path.replace(database)
    flush(database.parent)


def refuse_other_writers(database: Path) -> None:
    """Raises InputRefused where a log of another program stands beside a file that is to be replaced."""
    wal = database.with_name(database.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        raise InputRefused([f"{wal}: another program writes to the database; close it first"])


def _new_file(database: Path) -> tuple[int, Path]:
    """An empty file beside the database, locked for as long as the handle is open."""
    remove_left(database)
    while True:
        handle, name = tempfile.mkstemp(prefix=_prefix(database), dir=database.parent)
        # Another run may have found it before it was locked.
        if lock(handle, Path(name), fcntl.LOCK_EX):
            return handle, Path(name)
        os.close(handle)


def remove_left(database: Path) -> None:
    """Remove what killed runs left beside the database: halves of files, with names in them."""
    for left in database.parent.iterdir():
        if left.name.startswith(_prefix(database)):
            remove_unlocked(left)


def _prefix(database: Path) -> str:
    return f".{database.name}.build-"


def _fill(
    db: sqlite3.Connection,
    inputs: Iterable[MovementInput],
    tables: Mapping[str, Iterable[tuple[Any, ...]]],
    before: Path,
    now: datetime,
    draw: changes.Draw,
    gone: Gone | None,
) -> WriteResult:
    # Nobody else sees this file before it is whole and on disk: no journal, no flush on the way.
    db.executescript(
        f"pragma page_size={PAGE_BYTES}; pragma journal_mode=off; pragma synchronous=off;"
        " pragma cache_size=-65536"
    )
    if gone is None:
        _create(db, schema.TABLES)
    else:
        with closing(connect_read_only(before)) as standing:
            copy_whole(standing, db)
        # What is deleted leaves nothing in the file, which everybody can download: not every SQLite sees to that.
        db.execute("pragma secure_delete=on")
        db.executemany("delete from _publication where cle = ?", zip(OWN_ROWS))
        db.commit()
    # A private temporary database, which SQLite removes by itself.
    db.execute("attach '' as staged")
    repeated = _stage(db, inputs, tables, gone or {})
    first, first_stay = merge(db, schema.TABLE), merge(db, schema.TENURES)
    names_left = fill_spellings(db)
    _create(db, schema.INDEXES)
    _fill_full_text(db, anew=names_left or gone is None)
    for table, rows in tables.items():
        if table != schema.TENURES:
            db.execute(f"delete from {table}")
            _insert_all(db, table, rows)
    version = fill_ready_made(db, first)
    fill_stay_lines(db, now.astimezone(PARIS).date(), first_stay)
    lineage = changes.record(db, before, now, draw)
    db.execute("detach staged")
    count = int(db.execute(f"select count(*) from {schema.TABLE}").fetchone()[0])
    _insert_all(
        db,
        "_publication",
        [
            *zip(
                OWN_ROWS,
                (
                    str(schema.SCHEMA_VERSION),
                    version,
                    digest.of_edition(db, version, lineage),
                    digest.of_positions(db),
                    str(count),
                    now.isoformat(timespec="seconds"),
                    lineage,
                ),
                strict=True,
            )
        ],
    )
    db.execute("analyze")
    db.commit()
    if names_left:
        db.execute("vacuum")
    return WriteResult(version, count, repeated)


def _create(db: sqlite3.Connection, wanted: Mapping[str, str]) -> None:
    """Make those of the tables and indexes that are not there."""
    found = {name for (name,) in db.execute("select name from main.sqlite_master")}
    for name, create in wanted.items():
        if name not in found:
            db.execute(create)


def _fill_full_text(db: sqlite3.Connection, anew: bool) -> None:
    """Index the names of movements and stays, `anew` or where rows have other ones than before."""
    _create(db, schema.FULL_TEXT)
    for table, searched in schema.SEARCHED.items():
        fts, names = f"{table}_fts", ", ".join(searched)
        if anew:
            db.execute(f"insert into {fts} ({fts}) values ('rebuild')")
            continue
        other = "where not exists (select 1 from {} s where s.{} = r.{} and ({}) is ({}))"
        ours, theirs = (", ".join(f"{of}.{name}" for name in searched) for of in "rs")
        old, fresh = f"staged.old_{table}", f"(select n from staged.fresh_{table})"
        db.execute(
            f"insert into {fts} ({fts}, rowid, {names}) select 'delete', n, {names} from {old} r"
            f" {other.format(table, 'rowid', 'n', ours, theirs)}"
        )
        db.execute(
            f"insert into {fts} (rowid, {names}) select rowid, {names} from {table} r"
            f" {other.format(old, 'n', 'rowid', ours, theirs)} and rowid in {fresh}"
        )


def flush(path: Path) -> None:
    """Have a file, or the names of a folder, on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _stage(
    db: sqlite3.Connection,
    inputs: Iterable[MovementInput],
    tables: Mapping[str, Iterable[tuple[Any, ...]]],
    gone: Gone,
) -> int:
    """Stage every movement as it comes, then the stays; returns how many movements repeat one given before."""
    stage(db, schema.TABLE, gone.get(schema.TABLE, ()), ", file, line")
    optional = {name for name in FIELD_NAMES if name not in ("id", ALWAYS_PRESENT)}
    places = ", ".join("nullif(?, '')" if name in optional else "?" for name in FIELD_NAMES)
    insert = f"insert into staged.{schema.TABLE} ({_COLUMNS}, file, line) values ({places}, ?, ?)"
    faults: list[str] = []
    count = 0
    for name, movements in inputs:
        try:
            db.executemany(insert, ((*movement, name, line) for line, movement in movements))
        except InputRefused as refused:
            faults += refused.faults
            count += refused.count
    if count:
        raise InputRefused(faults, count)
    repeated = _drop_repeated(db)
    stage(db, schema.TENURES, gone.get(schema.TENURES, ()))
    _insert_all(db, schema.TENURES, tables.get(schema.TENURES, ()), "staged")
    return repeated


def _drop_repeated(db: sqlite3.Connection) -> int:
    """Drop repetitions of the same movement; refuse one identifier for different movements."""
    given = f"staged.{schema.TABLE}"
    differs = " or ".join(f"a.{name} is not b.{name}" for name in FIELD_NAMES)
    doubles = f"select id, min(n) as n from {given} group by id having count(*) > 1"
    different = f"""
        from ({doubles}) d
        join {given} a on a.n = d.n
        join {given} b on b.id = d.id and b.n > d.n
        where {differs}
    """
    (count,) = db.execute(f"select count(*) {different}").fetchone()
    if count:
        rows = db.execute(
            f"select b.file, b.line, b.id, a.file, a.line {different} order by b.n limit ?",
            [FAULTS_SHOWN],
        )
        raise InputRefused(
            [
                f"{file}, line {line}: id: {id} is another movement in {first}, line {first_line}"
                for file, line, id, first, first_line in rows
            ],
            count,
        )
    return int(
        db.execute(
            f"""
            delete from {given} as g where exists
            (select 1 from ({doubles}) d where d.id = g.id and g.n > d.n)
            """
        ).rowcount
    )


def _insert_all(
    db: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]], into: str = "main"
) -> None:
    columns = [column.name for column in schema.columns(table)]
    places = ", ".join("?" * len(columns))
    db.executemany(f"insert into {into}.{table} ({', '.join(columns)}) values ({places})", rows)
