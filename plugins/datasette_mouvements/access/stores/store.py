"""What a store of keys and quotas does, in SQLite or PostgreSQL.

A store blocks: the command line calls it directly, the service from the one thread of
`charge_queue.ChargeQueue`, which hands it many charges at once. Only `charge_at_once` belongs on an
event loop.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

from .. import key_records
from ..charging import Charge, Demand
from ..key_records import Execute, KeyRecord, live_key

_OLDEST: Final = """
    select account, day, used from mouvements_quota where day < ? order by day, account limit ?
"""
_NOTE: Final = """
    insert into mouvements_last (what, at) values (?, ?)
    on conflict (what) do update set at = excluded.at
"""


class StoreUnavailable(Exception):
    """The store cannot be reached or did not answer in time; nothing may be assumed recorded."""


class AccountError(Exception):
    """The account's state does not allow what was asked; the message says why."""


class Store(ABC):
    """Keys and quotas, used by one thread at a time.

    Every method raises StoreUnavailable when the store cannot answer. A child has its tables, its
    connection and its charging, which must be quick. The other statements are here, in SQL that
    SQLite and PostgreSQL both understand, with `?` for a parameter.
    """

    # Whether a key survives a restart. Where it would not, no key is accepted.
    lasts = True

    @abstractmethod
    def prepare(self) -> None:
        """Create or migrate the tables; safe when several processes do it at once."""

    @abstractmethod
    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; None for a key that is unknown or ended.

        `quota` is the setting's, for accounts without their own. Successive charges of one key get
        successive `used`, without gap or repeat.
        """

    def charge_at_once(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None] | None:
        """As `charge`, within a fraction of a millisecond; None, and nothing recorded, if it might take longer."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the next call makes another."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Execute]:
        """Run statements that only read, each in a transaction of its own."""

    @abstractmethod
    def _writing(self, account: str = "") -> AbstractContextManager[Execute]:
        """Run statements in one transaction, while nobody else changes the account's keys."""

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """Record a key for an account without a live one; AccountError if it has one."""
        with self._writing(account) as execute:
            if live_key(key_records.read(execute, now, account)) is not None:
                raise AccountError(f"{account} already has a live key: rotate or revoke it")
            return key_records.insert(execute, account, digest, prefix, now, quota)

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
        with self._writing(account) as execute:
            old = _end(execute, account, now, "rotated")
            kept = old.quota if quota is None else quota
            return key_records.insert(execute, account, digest, prefix, now, kept)

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if none."""
        with self._writing(account) as execute:
            return _end(execute, account, now, "revoked")

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first; empty if it never had one."""
        with self._reading() as execute:
            return key_records.read(execute, now, account)

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key, by which it is charged; None if it has none."""
        with self._reading() as execute:
            row = execute(
                "select digest from mouvements_keys where account = ? and ended_at is null",
                (account,),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges of the account by day (YYYY-MM-DD), from `since` on; days without one are left out."""
        with self._reading() as execute:
            counted = execute(
                "select day, used from mouvements_quota"
                " where account = ? and day >= ? and used > 0 order by day",
                (account, since),
            )
            return dict(counted.fetchall())

    def forget_days(self, oldest: str, most: int) -> int:
        """Delete counts of days before `oldest`; how many were deleted.

        At most the `most` oldest, because charges wait for the lock: call again until none is left.
        """
        with self._writing() as execute:
            deleted = execute(
                "delete from mouvements_quota where (account, day) in"
                f" (select old.account, old.day from ({_OLDEST}) old)",
                (oldest, most),
            )
            return int(deleted.rowcount)

    def reachable(self, now: datetime.datetime) -> bool:
        """Whether a charge would be recorded now: a row is written, to notice a full disk."""
        try:
            with self._writing() as execute:
                # Both change nothing, and fail where a charge would.
                execute("update mouvements_keys set last_used_at = '' where 1 = 0")
                execute("update mouvements_quota set used = 0 where 1 = 0")
                # SQLite writes a page only where it changed: the instant is another each time.
                execute(_NOTE, ("asked", now.isoformat()))
        except StoreUnavailable:
            return False
        return True

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account, each as `show` orders them."""
        with self._reading() as execute:
            return key_records.read(execute, now)


def _end(execute: Execute, account: str, now: datetime.datetime, why: str) -> KeyRecord:
    live = live_key(key_records.read(execute, now, account))
    if live is None:
        raise AccountError(f"{account} has no live key: create one")
    return key_records.end(execute, live, now, why)
