"""Copy keys and counts from the internal database to PostgreSQL: all or nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..access import open_store
from ..access.stores.internal import PATIENT_BUSY_MS, connect, prepare_internal
from ..access.stores.store import StoreUnavailable

_KEYS = "id, account, digest, prefix, quota, created_at, last_used_at, ended_at, ended_why"
_QUOTA = "account, day, used"


class TransferRefused(Exception):
    """Nothing was copied; the message says why, without the address of the store."""


class TransferCounts(NamedTuple):
    """How much was copied."""

    keys: int
    counts: int


def transfer(internal: Path, url: str) -> TransferCounts:
    """Copy every key and count to the PostgreSQL store at `url`, which must hold no key yet.

    Keys keep their numbers, which stand in logs. Nobody may charge meanwhile: charges after the
    internal database was read are not copied. ConfigError without psycopg.
    """
    store = open_store(url, internal)  # before the import below: its error says what to install
    import psycopg

    from ..access.stores.postgres_connection import as_unavailable

    keys, counts, months = _read(internal)
    try:
        with closing(store):
            store.prepare()
        with as_unavailable(), psycopg.connect(url, connect_timeout=5) as connection:
            connection.execute("lock table mouvements_keys in exclusive mode")
            taken = connection.execute("select count(*) from mouvements_keys").fetchone()
            if taken != (0,):
                raise TransferRefused("the store holds keys already: copy into an empty one")
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"insert into mouvements_keys ({_KEYS}) overriding system value"
                    " values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    keys,
                )
                cursor.executemany(
                    f"insert into mouvements_quota ({_QUOTA}, most, granted)"
                    " values (%s, %s, %s, 0, 0)",
                    counts,
                )
                cursor.executemany(
                    "insert into mouvements_months (month, used) values (%s, %s)", months
                )
            connection.execute(
                "select setval(pg_get_serial_sequence('mouvements_keys', 'id'),"
                " (select coalesce(max(id), 0) + 1 from mouvements_keys), false)"
            )
    except StoreUnavailable as error:
        raise TransferRefused(f"the store cannot be written to: {error}") from error
    return TransferCounts(len(keys), len(counts))


_Rows = list[tuple[object, ...]]


def _read(internal: Path) -> list[_Rows]:
    """The rows of keys, counts and sums by month, of one moment."""
    statements = (
        f"select {_KEYS} from mouvements_keys order by id",
        f"select {_QUOTA} from mouvements_quota",
        "select month, used from mouvements_months",
    )
    try:
        prepare_internal(internal)  # the file may never have been opened by this version
        with closing(connect(internal, PATIENT_BUSY_MS)) as db:
            db.execute("begin")
            return [db.execute(statement).fetchall() for statement in statements]
    except (sqlite3.Error, StoreUnavailable) as error:
        raise TransferRefused(f"{internal}: {error}") from error
