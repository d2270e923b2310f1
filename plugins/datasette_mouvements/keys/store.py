"""Keys and quotas as a store keeps them: one row a key, one a day of an account.

The statements are here once, in SQL that SQLite and PostgreSQL both understand, with `?` for a parameter; `sqlite`
and `postgres` bring a connection and the tables.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from .quota_day import minute, quota_day, second

Execute = Callable[..., Any]  # of a statement and its parameters; returns a cursor
# What one request asks of a quota: the SHA-256 of its key, and 1 to charge, 0 to look.
Demand = tuple[bytes, int]

_KEY = """
    select k.id, k.account, coalesce(k.quota, ?), k.last_used_at, coalesce(q.used, 0)
    from mouvements_keys k left join mouvements_quota q on q.account = k.account and q.day = ?
    where k.digest = ? and k.ended_at is null
"""
# All that is asked for, or nothing: no row changes where the limit has not so much left. For a day's first row
# the caller asks for no more than the limit.
_ADD = """
    on conflict (account, day) do update set used = q.used + excluded.used
    where q.used + excluded.used <= ?
"""
_CHARGE = f"insert into mouvements_quota as q (account, day, used) values (?, ?, ?) {_ADD}"
# The same of a key, if it is live: one statement in the place of a transaction.
_CHARGE_KEY = f"""
    insert into mouvements_quota as q (account, day, used)
    select account, ?, ? from mouvements_keys where digest = ? and ended_at is null {_ADD}
    returning used
"""
_USED = "select used from mouvements_quota where account = ? and day = ?"
_RECORDS = """
    select k.id, k.account, k.prefix, k.quota, k.created_at, k.last_used_at, k.ended_at, k.ended_why,
        coalesce(q.used, 0)
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
"""
_NOTE = """
    insert into mouvements_last (what, at) values (?, ?)
    on conflict (what) do update set at = excluded.at
"""


class StoreUnavailable(Exception):
    """The store cannot be reached or did not answer in time; nothing may be assumed recorded."""


class StoreBusy(StoreUnavailable):
    """Another process holds the lock that a charge needs."""


class AccountError(Exception):
    """The account's state does not allow what was asked; the message says why."""


class Charge(NamedTuple):
    """What a live key has left on one Paris day, after the demand was recorded or refused."""

    key_id: int
    account: str
    limit: int
    used: int
    granted: bool  # False: the quota is used up, and nothing was recorded
    day: str  # YYYY-MM-DD
    window: int  # seconds of that day
    resets_in: int  # seconds until it ends

    @property
    def remaining(self) -> int:
        return self.limit - self.used if self.used < self.limit else 0


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
    used_today: int


class Store(ABC):
    """Keys and quotas, used by one thread at a time.

    Every method raises StoreUnavailable when the store cannot answer, and has then recorded nothing.
    """

    # Whether a key survives a restart. Where it would not, no key is accepted.
    lasts = True
    # Whether a charge takes so little that it may be made on an event loop.
    at_once = False
    # Whether a statement can tell what it wrote.
    returns = True

    def __init__(self) -> None:
        # The minute and the setting of a quota for which keys were charged, and of each its number, account and
        # limit: a live key changes none of them.
        self._charged_in: tuple[int, int] = (0, 0)
        self._charged: dict[bytes, tuple[Any, ...]] = {}

    @abstractmethod
    def prepare(self) -> None:
        """Create or migrate the tables; safe when several processes do it at once."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the next call makes another."""

    @abstractmethod
    def _transaction(
        self, account: str = "", reads: bool = False, single: bool = False, wait: bool = True
    ) -> AbstractContextManager[Execute]:
        """Run statements in one transaction, while nobody else changes the keys of `account`.

        A `single` statement gives its rows, and needs none around it.
        """

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int, wait: bool = True
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; None for a key that is unknown or ended.

        `quota` is the setting's, for accounts without their own. Successive charges of one key get successive
        `used`, without gap or repeat, over all processes. StoreBusy where it would have to `wait` for another
        process, and may not.
        """
        today, this_minute = quota_day(now), int(now.timestamp()) // 60
        resets_in = today.seconds_left(now)
        wanted: dict[bytes, int] = {}
        for digest, amount in demands:
            wanted[digest] = wanted.get(digest, 0) + amount
        if self._charged_in != (this_minute, quota):
            self._charged_in, self._charged = (this_minute, quota), {}
        # Most requests of one moment are of one key, which was charged a moment ago.
        keys, left = self._charged, self._charge_again(wanted, today.day, wait)
        if not left:
            with self._transaction(reads=not any(wanted.values()), wait=wait) as execute:
                keys = {
                    digest: execute(_KEY, (quota, today.day, digest)).fetchone()
                    for digest in wanted
                }
                # In the order of accounts: of two transactions, none waits for a row that the other has.
                for digest in sorted(filter(keys.get, keys), key=lambda digest: keys[digest][1]):
                    used, granted = _charge(execute, today.day, wanted[digest], *keys[digest])
                    left[digest] = used - granted, granted
                    # Once a minute, not once a request.
                    if granted and keys[digest][3] != (used_at := minute(now)):
                        touched = (used_at, keys[digest][0])
                        execute("update mouvements_keys set last_used_at = ? where id = ?", touched)
            self._charged |= {digest: keys[digest] for digest in left if left[digest][1]}
        charges: list[Charge | None] = []
        for digest, amount in demands:
            if digest not in left:
                charges.append(None)
                continue
            key_id, account, limit = keys[digest][:3]
            used, granted = left[digest]
            is_granted = granted > 0 if amount else used < limit
            if amount and granted:
                used += 1
                left[digest] = used, granted - 1
            charges.append(
                Charge(
                    key_id, account, limit, used, is_granted, today.day, today.seconds, resets_in
                )
            )
        return charges

    def _charge_again(
        self, wanted: dict[bytes, int], day: str, wait: bool
    ) -> dict[bytes, tuple[int, int]]:
        """What one key had used before, and how much it is charged now; nothing where that takes a transaction."""
        if len(wanted) != 1 or not self.returns:
            return {}
        ((digest, many),) = wanted.items()
        limit = self._charged[digest][2] if digest in self._charged else 0
        if not 0 < many <= limit:
            return {}
        with self._transaction(single=True, wait=wait) as execute:
            rows = list(execute(_CHARGE_KEY, (day, many, digest, limit)))
        return {digest: (rows[0][0] - many, many)} if rows else {}

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """Record a key for an account without a live one; AccountError if it has one."""
        with self._transaction(account) as execute:
            if live_key(_read(execute, now, account)) is not None:
                raise AccountError(f"{account} already has a live key: rotate or revoke it")
            return _insert(execute, account, digest, prefix, now, quota)

    def rotate(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """End the live key and record a new one, in one transaction; AccountError if there is none.

        The account keeps today's count, and its quota unless another is given.
        """
        with self._transaction(account) as execute:
            old = _end(execute, account, now, "rotated")
            kept = old.quota if quota is None else quota
            return _insert(execute, account, digest, prefix, now, kept)

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if none."""
        with self._transaction(account) as execute:
            return _end(execute, account, now, "revoked")

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first; empty if it never had one."""
        with self._transaction(reads=True) as execute:
            return _read(execute, now, account)

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account, each as `show` orders them."""
        with self._transaction(reads=True) as execute:
            return _read(execute, now)

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key, by which it is charged; None if it has none."""
        with self._transaction(reads=True) as execute:
            row = execute(
                "select digest from mouvements_keys where account = ? and ended_at is null",
                (account,),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges of the account by day (YYYY-MM-DD), from `since` on; days without one are left out."""
        with self._transaction(reads=True) as execute:
            rows = execute(
                "select day, used from mouvements_quota"
                " where account = ? and day >= ? and used > 0 order by day",
                (account, since),
            )
            return dict(rows.fetchall())

    def forget_days(self, oldest: str) -> None:
        """Delete the counts of days before `oldest`."""
        with self._transaction() as execute:
            execute("delete from mouvements_quota where day < ?", (oldest,))

    def reachable(self, now: datetime.datetime) -> bool:
        """Whether a charge would be recorded now: a row is written, to notice a full disk."""
        try:
            with self._transaction() as execute:
                # Both change nothing, and fail where a charge would.
                execute("update mouvements_keys set last_used_at = '' where 1 = 0")
                execute("update mouvements_quota set used = 0 where 1 = 0")
                # SQLite writes a page only where it changed: the instant is another each time.
                execute(_NOTE, ("asked", now.isoformat()))
        except StoreUnavailable:
            return False
        return True


def live_key(records: Sequence[KeyRecord]) -> KeyRecord | None:
    """The live key among an account's, in the order of `Store.show`; None if all have ended."""
    return records[0] if records and records[0].ended_at is None else None


def _charge(
    execute: Execute,
    day: str,
    wanted: int,
    key_id: int,
    account: str,
    limit: int,
    last_used_at: str | None,
    used: int,
) -> tuple[int, int]:
    """Charge a row of _KEY what is wanted, or as much as it has left: used afterwards, and how much was granted."""
    while granted := max(0, min(wanted, limit - used)):
        charged = execute(_CHARGE, (account, day, granted, limit)).rowcount
        used = execute(_USED, (account, day)).fetchone()[0]
        if charged:
            return used, granted
        # Another machine has charged it since it was read, and waits from now on.
    return used, 0


def _read(execute: Execute, now: datetime.datetime, account: str | None = None) -> list[KeyRecord]:
    """An account's keys, the live one first, then newest first; without an account, all by account."""
    where, values = ("", ()) if account is None else ("where k.account = ?", (account,))
    rows = execute(_RECORDS + where, (quota_day(now).day, *values)).fetchall()
    # Sorted here: a database may sort by the language of its server. The live key is the newest.
    return sorted(
        (KeyRecord(*row) for row in rows), key=lambda record: (record.account, -record.id)
    )


def _insert(
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
    return _read(execute, now, account)[0]


def _end(execute: Execute, account: str, now: datetime.datetime, why: str) -> KeyRecord:
    """End the account's live key; its new record. AccountError if it has none."""
    live = live_key(_read(execute, now, account))
    if live is None:
        raise AccountError(f"{account} has no live key: create one")
    ended = live._replace(ended_at=second(now), ended_why=why)
    execute(
        "update mouvements_keys set ended_at = ?, ended_why = ? where id = ?",
        (ended.ended_at, why, ended.id),
    )
    return ended
