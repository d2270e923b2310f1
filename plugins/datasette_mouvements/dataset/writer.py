"""Movements -> a new database file beside the old one, which it replaces in one step."""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import ALWAYS_PRESENT, FIELD_NAMES, PARIS
from parlement_lists.tenure import FIELD_NAMES as TENURE_FIELDS

from . import changes, digest, schema
from .disk import lock, remove_unlocked, system_errors
from .input_files import FAULTS_SHOWN, InputRefused, Numbered
from .spellings import spellings
from .stays.lines import stay_lines

# A name for messages and its movements, each with the number of its line.
MovementInput = tuple[str, Iterable[Numbered]]
_COLUMNS = ", ".join(FIELD_NAMES)
# The rows of `_publication` that are written here; others are the caller's.
OWN_ROWS = ("schema", "version", "edition", "empreinte", "mouvements", "construite_le", "lignee")
# Four times SQLite's own: a page of 500 movements out of a million is read in three quarters of the time.
PAGE_BYTES = 16_384
_FIRST_DAY = itemgetter(TENURE_FIELDS.index("debut"))


class WriteResult(NamedTuple):
    """What a build wrote."""

    version: str
    movements: int
    repeated: int  # the same movement given more than once


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
    mode: int | None = None,
) -> Iterator[WriteResult]:
    """As `write`; the new file, whole and on disk, takes the old one's place when the block ends well.

    Its `mode` is that of the umask, which is the process's: whoever writes in a thread gives it.
    """
    refuse_other_writers(database)
    with new_file(database) as path:
        with system_errors(database):
            with closing(sqlite3.connect(path.as_uri(), uri=True)) as db:
                written = _fill(db, inputs, tables or {}, database, now or datetime.now(UTC), draw)
            if mode is None:
                umask = os.umask(0)
                os.umask(umask)
                mode = 0o666 & ~umask
            # mkstemp makes a file that only its owner can read.
            path.chmod(mode)
            flush(path)
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
) -> WriteResult:
    # Nobody else sees this file before it is whole and on disk: no journal, no flush on the way.
    db.executescript(
        f"pragma page_size={PAGE_BYTES}; pragma journal_mode=off; pragma synchronous=off;"
        " pragma cache_size=-65536"
    )
    _stage(db, inputs)
    repeated = _drop_repeated(db)
    for create in schema.TABLES.values():
        db.execute(create)
    _fill_movements(db)
    for table, rows in tables.items():
        # Stays are served in the order of their first days, as movements in that of theirs.
        of_stays = table == schema.TENURES
        _insert_all(db, table, sorted(rows, key=_FIRST_DAY) if of_stays else rows)
    version = _fill_ready_made(db)
    _insert_all(db, schema.STAYS.lines, stay_lines(db, now.astimezone(PARIS).date()))
    _insert_all(db, schema.SPELLINGS, spellings(db))
    lineage = changes.record(db, before, now, draw)
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
    for create in schema.INDEXES.values():
        db.execute(create)
    for fts, create in schema.FULL_TEXT.items():
        db.execute(create)
        db.execute(f"insert into {fts} ({fts}) values ('rebuild')")
    db.execute("analyze")
    db.commit()
    return WriteResult(version, count, repeated)


def flush(path: Path) -> None:
    """Have a file, or the names of a folder, on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _stage(db: sqlite3.Connection, inputs: Iterable[MovementInput]) -> None:
    """Every movement as it comes, in a private temporary database that SQLite removes by itself."""
    db.execute("attach '' as staged")
    db.execute(f"create table staged.given (n integer primary key, {_COLUMNS}, file, line)")
    places = ", ".join("?" * (len(FIELD_NAMES) + 2))
    insert = f"insert into staged.given ({_COLUMNS}, file, line) values ({places})"
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


def _drop_repeated(db: sqlite3.Connection) -> int:
    """Drop repetitions of the same movement; refuse one identifier for different movements."""
    db.execute("create index staged.by_id on given (id)")
    differs = " or ".join(f"a.{name} is not b.{name}" for name in FIELD_NAMES)
    doubles = "select id, min(n) as n from staged.given group by id having count(*) > 1"
    different = f"""
        from ({doubles}) d
        join staged.given a on a.n = d.n
        join staged.given b on b.id = d.id and b.n > d.n
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
            delete from staged.given where exists
            (select 1 from ({doubles}) d where d.id = given.id and given.n > d.n)
            """
        ).rowcount
    )


def _fill_movements(db: sqlite3.Connection) -> None:
    optional = {name for name in FIELD_NAMES if name not in ("id", ALWAYS_PRESENT)}
    values = ", ".join(f"nullif({n}, '')" if n in optional else n for n in FIELD_NAMES)
    db.execute(
        f"insert into {schema.TABLE} ({_COLUMNS})"
        f" select {values} from staged.given order by date_event, n"
    )
    db.commit()
    db.execute("detach staged")


# A merge patch leaves out what is null: exactly "fields with no value are left out".
LINE_SQL = (
    "cast(json_patch('{}', json_object("
    + ", ".join(f"'{name}', {name}" for name in FIELD_NAMES)
    + ")) as blob)"
)


def _fill_ready_made(db: sqlite3.Connection) -> str:
    """Fill the tables that answers come from; returns the data's version."""
    db.execute(f"insert into _lignes select rowid, {LINE_SQL} from {schema.TABLE} order by rowid")
    db.execute(
        f"insert into _jours select date_event, min(rowid), max(rowid) from {schema.TABLE}"
        " group by date_event"
    )
    cells, positions = _positions(db)
    db.execute("insert into _cellules values (1, ?)", [cells])
    _insert_all(db, "_positions", ((name, found.tobytes()) for name, found in positions))
    return digest.of_lines(db)


def _positions(db: sqlite3.Connection) -> tuple[bytes, Iterator[tuple[str, array[int]]]]:
    """Each row's cell, in rowid order (byte 0 is unused: rowids start at 1), and each filter's rowids."""
    cells = bytearray(1)
    by_cell: list[array[int]] = [array("I") for _ in schema.CELLS]
    by_member: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for rowid, chamber, type_, source, member in db.execute(
        f"select rowid, chambre, type, source, elu_id from {schema.TABLE} order by rowid"
    ):
        cell = schema.CELLS[chamber, type_, source]
        cells.append(cell)
        by_cell[cell].append(rowid)
        if member:
            by_member[member].append(rowid)

    def named() -> Iterator[tuple[str, array[int]]]:
        for filter_ in schema.category_filters():
            merged = array("I")
            for cell in filter_.cells:
                merged.extend(by_cell[cell])
            # Fast, because each part is sorted already.
            yield filter_.name, array("I", sorted(merged))
        for member in sorted(by_member):
            yield schema.Filter(member=member).name, by_member[member]
        for member, transfers in _transfers_away(db).items():
            both = array("I", sorted({*transfers, *by_member.get(member, ())}))
            yield schema.Filter(team=member).name, both

    return bytes(cells), named()


def _transfers_away(db: sqlite3.Connection) -> dict[str, list[int]]:
    """The transfers that leave each member, as stays tell it: a movement has the member's name alone."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for member, rowid in db.execute(
        f"""
        select c.elu_id, m.rowid from {schema.TENURES} c
        join {schema.TABLE} m on m.id = c.mouvement_fin and m.elu_id is not c.elu_id order by 1, 2
        """
    ):
        found[member].append(rowid)
    return found


def _insert_all(db: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    columns = db.execute(f"pragma table_info({table})").fetchall()
    db.executemany(f"insert into {table} values ({', '.join('?' * len(columns))})", rows)
