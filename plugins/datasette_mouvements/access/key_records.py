"""Keys as a store keeps and shows them: one row each; an account has at most one live key.

In SQL that SQLite and PostgreSQL both understand.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from .quota_day import day

Execute = Callable[..., Any]  # of a statement and its parameters; returns a cursor

_RECORDS: Final = """
    select k.id, k.account, k.prefix, k.quota, k.created_at, k.last_used_at, k.ended_at,
        k.ended_why, coalesce(q.used, 0)
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
"""
_OF_ACCOUNT: Final = "where k.account = ?"


class KeyRecord(NamedTuple):
    """A key as it may be shown: never the key, nor its digest."""

    id: int
    account: str
    prefix: str  # the first characters, to recognise it by
    quota: int | None  # None: the setting's
    created_at: str  # ISO 8601, UTC, seconds
    last_used_at: str | None  # to the minute
    ended_at: str | None
    ended_why: str | None  # "rotated" | "revoked"
    used_today: int = 0


def live_key(records: Sequence[KeyRecord]) -> KeyRecord | None:
    """The live key among an account's, in the order of `read`; None if all have ended."""
    return records[0] if records and records[0].ended_at is None else None


def second(now: datetime.datetime) -> str:
    """An instant in ISO 8601, UTC, to the second."""
    return now.astimezone(datetime.UTC).isoformat()[:19] + "Z"


def minute(now: datetime.datetime) -> str:
    """An instant to the minute, for a key's last use: seconds would trace a person's habits."""
    return _minute(int(now.timestamp()) // 60)


@functools.lru_cache(maxsize=8)
def _minute(number: int) -> str:
    return second(datetime.datetime.fromtimestamp(number * 60, datetime.UTC))[:16] + "Z"


def read(execute: Execute, now: datetime.datetime, account: str | None = None) -> list[KeyRecord]:
    """An account's keys, the live one first, then newest first; without an account, all by account."""
    where, parameters = ("", ()) if account is None else (_OF_ACCOUNT, (account,))
    rows = execute(_RECORDS + where, (day(now), *parameters)).fetchall()
    # Sorted here: a database may sort by the language of its server. The live key is the newest.
    return sorted(
        (KeyRecord(*row) for row in rows), key=lambda record: (record.account, -record.id)
    )


def insert(
    execute: Execute,
    account: str,
    digest: bytes,
    prefix: str,
    now: datetime.datetime,
    quota: int | None,
) -> KeyRecord:
    """Write the live key of an account that has none; its record."""
    execute(
        "insert into mouvements_keys (account, digest, prefix, quota, created_at)"
        " values (?, ?, ?, ?, ?)",
        (account, digest, prefix, quota, second(now)),
    )
    return read(execute, now, account)[0]


def end(execute: Execute, live: KeyRecord, now: datetime.datetime, why: str) -> KeyRecord:
    """End a live key; its new record."""
    ended = live._replace(ended_at=second(now), ended_why=why)
    execute(
        "update mouvements_keys set ended_at = ?, ended_why = ? where id = ?",
        (ended.ended_at, why, ended.id),
    )
    return ended
