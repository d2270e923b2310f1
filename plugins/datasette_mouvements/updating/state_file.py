"""The tracking state, in a private file beside the database it belongs to.

The file holds names, so it is never served. It and the database change together: the new state is
written first, under a token that the new database carries; a run that ends between the two leaves
the old database with the old state, which is still there. Beside the states it has the pseudonyms of
names withheld (see `Pseudonyms`): one that no database has does no harm; and the digest of the
database as it was written.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.state import StateError, TrackingState, from_json, tell_shorter

from ..dataset import digest
from ..dataset.disk import lock, system_errors

_TABLE = (
    "create table if not exists etats (jeton text primary key not null, etat text not null,"
    " garde integer not null)"
)
_PSEUDONYMS = (
    "create table if not exists pseudonymes (interne text primary key not null,"
    " publie text not null unique)"
)
# The SHA-256 of the database as it was written last.
_WRITTEN = "create table if not exists ecrit (sha256 text not null)"

# The maintainer's book of nights, which every state has (see `nights/book`).
NIGHTS, MATTERS = "nuits", "affaires"
_BESIDE_STATES = {"pseudonymes", "ecrit", NIGHTS, MATTERS}


class StateFile:
    """The states in the file beside a database; one for the database as it is, one while it changes."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.path = database.with_name(f"{database.stem}.suivi.sqlite3")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps a second run out for as long as this one lasts; the end of the process frees it.

        Raises StateError when another run is at work, OSError when the file cannot be made.
        """
        with system_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            # Another run that wrote nothing may remove the file between opening it here and locking it.
            if not lock(handle, self.path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                raise StateError(f"{self.path}: another run is at work on this database")
            try:
                yield
            finally:
                if not os.fstat(handle).st_size:  # it was made for the lock alone
                    self.path.unlink(missing_ok=True)
        finally:
            os.close(handle)

    def load(self, token: str, members: Members, anew: bool = False) -> TrackingState | None:
        """The state of the database that carries `token`; None when tracking never began.

        With `anew`, None too where the state of the database is lost: nothing goes on from it.
        Raises StateError when the file and the database do not belong together.
        """
        text, carried = self._read(token)
        if text:
            return from_json(text, members)
        # A first run that was killed leaves a state that no database ever carried.
        if carried:
            raise StateError(
                f"{self.path}: does not belong to the database beside it; restore the two together,"
                " or remove this file and build again"
            )
        if token and not anew:
            raise StateError(
                f"{self.path}: what the database was tracked with is missing;"
                " restore the two together, or build again"
            )
        return None

    def found(self, token: str) -> TrackingState | None:
        """The state of a database, for whoever only reads it; None where there is none. Raises StateError."""
        return self.load(token, Members(), anew=True) if self.path.exists() else None

    def _read(self, token: str) -> tuple[str, int]:
        """The text of a state, "" if it is not there, and how many states a database has carried."""
        with self.reading() as (db, tables):
            if not tables - _BESIDE_STATES:
                return "", 0  # made for the lock, or by a first run that was killed
            found = db.execute("select etat from etats where jeton = ?", [token]).fetchone()
            (carried,) = db.execute("select count(*) from etats where garde").fetchone()
        return found[0] if found else "", carried

    def pseudonyms(self) -> dict[str, str]:
        """The pseudonyms, by internal identifier; empty where there is no file.

        Raises StateError when it is not a tracking state.
        """
        if not self.path.exists():
            return {}
        with self.reading() as (db, tables):
            if "pseudonymes" not in tables:
                return {}
            return dict(db.execute("select interne, publie from pseudonymes"))

    def tell_shorter(self, corrections: Corrections) -> None:
        """Tell corrections the shorter names that the states know; StateError when they cannot be read."""
        if not self.path.exists():
            return
        with self.reading() as (db, tables):
            texts = db.execute("select etat from etats").fetchall() if "etats" in tables else []
        for (text,) in texts:
            tell_shorter(text, corrections)

    def is_as_written(self) -> bool:
        """Whether the database has every byte as it was written, so that the next one can be a copy of it.

        Damage, and what others wrote into it, would be copied. Raises StateError.
        """
        with self.reading() as (db, tables):
            noted = db.execute("select sha256 from ecrit").fetchone() if "ecrit" in tables else None
        return noted == (digest.of_file(self.database),)

    def note_written(self, before: str, sha256: str = "") -> None:
        """Note the database as it is written now, or that it must not be copied; raises StateError.

        If it was not noted as it was `before`, or the disk is full, the next run reads everything.
        """
        if self.path.exists():
            with suppress(OSError), self.faults(), self.changed() as db:
                db.execute(_WRITTEN)
                db.execute("update ecrit set sha256 = ? where sha256 = ?", (sha256, before))

    def add(self, text: str, pseudonyms: Mapping[str, str] | None = None, sha256: str = "") -> None:
        """Write a state down beside the current one, pseudonyms, and the database that is to carry it.

        Raises OSError when they cannot be.
        """
        with self.changed() as db:
            db.execute(_WRITTEN)
            db.execute("delete from ecrit")
            db.execute("insert into ecrit values (?)", [sha256])
            db.execute(_TABLE)
            db.execute("insert or ignore into etats values (?, ?, 0)", [token_of(text), text])
            # A mask of a copy may have added other ones meanwhile, which are not in the database.
            _add_pseudonyms(db, pseudonyms or {}, "replace")

    def add_pseudonyms(self, pseudonyms: Mapping[str, str]) -> None:
        """Write pseudonyms down, beside those that are there.

        Raises OSError when they cannot be, StateError where this is no tracking state.
        """
        with self.faults(), self.changed() as db:
            _add_pseudonyms(db, pseudonyms, "ignore")

    def keep(self, text: str, lifted: Iterable[str] = ()) -> None:
        """Forget every state but this one, whose token the database carries now, and pseudonyms it has no more."""
        # If the disk is full, the others stay until the next run: the database is right.
        with suppress(OSError), self.changed() as db:
            db.execute("delete from etats where jeton <> ?", [token_of(text)])
            db.execute("update etats set garde = 1")
            for id in lifted:
                db.execute("delete from pseudonymes where interne = ?", [id])

    def forget(self) -> None:
        """Forget every state, whose database is given up; what stands beside them stays."""
        with self.locked(), self.faults(), self.changed() as db:
            db.execute("drop table if exists etats")

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Raises StateError where the file is damaged or none of ours, OSError where the disk fails."""
        try:
            with system_errors(self.path):
                yield
        except sqlite3.DatabaseError as error:
            raise StateError(
                f"{self.path}: not a tracking state: {error}; restore it and the database together, or"
                " remove it and build again from every list"
            ) from error

    @contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, set[str]]]:
        """A connection and the names of the tables; raises what `faults` raises."""
        with self.faults(), closing(sqlite3.connect(self.path)) as db:
            yield (
                db,
                {n for (n,) in db.execute("select name from sqlite_master where type = 'table'")},
            )

    @contextmanager
    def changed(self) -> Iterator[sqlite3.Connection]:
        """One transaction over the file, which only its owner can read; raises OSError where the disk fails."""
        with system_errors(self.path), suppress(FileExistsError):
            # SQLite would let everybody read what it makes.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with system_errors(self.path), closing(sqlite3.connect(self.path)) as db, db:
            db.execute("pragma secure_delete = on")
            db.execute("begin")  # creating the table would not begin one
            yield db


def token_of(text: str) -> str:
    """The token that the database of a state carries."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _add_pseudonyms(db: sqlite3.Connection, pseudonyms: Mapping[str, str], known: str) -> None:
    if pseudonyms:
        db.execute(_PSEUDONYMS)
        rows = sorted(pseudonyms.items())
        db.executemany(f"insert or {known} into pseudonymes values (?, ?)", rows)
