"""What a store of keys and quotas does, whichever database it is in.

A store is plain blocking code: the command line calls it directly, the service from the one
thread of `charge_queue.ChargeQueue`, which hands it many charges at once.
"""

from __future__ import annotations

import datetime
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from .quota_day import day

Execute = Callable[..., Any]  # of a statement and its parameters; returns a cursor

_OLDEST: Final = """
    select account, day, used from mouvements_quota where day < ? order by day, account limit ?
"""
_RECORDS: Final = """
    select k.id, k.account, k.prefix, k.quota, k.created_at, k.last_used_at, k.ended_at,
        k.ended_why, coalesce(q.used, 0)
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
"""
# What was last done, and when.
_NOTE: Final = """
    insert into mouvements_last (what, at) values (?, ?)
    on conflict (what) do update set at = excluded.at
"""
_OF_ACCOUNT: Final = "where k.account = ?"


class StoreUnavailable(Exception):
    """The store cannot be reached or did not answer in time; nothing may be assumed recorded."""


class AccountError(Exception):
    """The account's state does not allow what was asked; the message says why."""


class Demand(NamedTuple):
    """One request's claim: `amount` 1 to charge, 0 to look, -1 to give back a charge."""

    digest: bytes  # SHA-256 of the key
    amount: int
    day: str = ""  # of the charge given back; empty: today. After midnight they differ.


class Charge(NamedTuple):
    """What a known key has left on one Paris day, after the claim was recorded or refused."""

    key_id: int
    account: str
    limit: int
    used: int
    granted: bool  # False: the quota is reached and nothing was recorded; of a look: would be
    day: str = ""  # the Paris day, YYYY-MM-DD

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


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
    """The live one among an account's keys, in the order of `Store.show`; None if all have ended."""
    return records[0] if records and records[0].ended_at is None else None


@dataclass(slots=True)
class Allowance:
    """What one account has used of one day while a batch is worked through: the rule of charging.

    Both stores read `used` under a lock, let the demands through here in order, and write back.
    """

    key_id: int
    account: str
    limit: int
    used: int
    day: str

    def settle(self, amount: int) -> Charge:
        """Apply one demand."""
        granted = amount < 0 or self.used < self.limit
        if granted and amount:
            self.used = max(0, self.used + amount)
        return Charge(self.key_id, self.account, self.limit, self.used, granted, self.day)


def second(now: datetime.datetime) -> str:
    """How a store writes an instant: ISO 8601, UTC, to the second."""
    return now.astimezone(datetime.UTC).isoformat()[:19] + "Z"


def minute(now: datetime.datetime) -> str:
    """How a store writes when a key was last used: more would trace a person's habits."""
    return _minute(int(now.timestamp()) // 60)


@functools.lru_cache(maxsize=8)
def _minute(number: int) -> str:
    return second(datetime.datetime.fromtimestamp(number * 60, datetime.UTC))[:16] + "Z"


class Store(ABC):
    """Keys and quotas, used by one thread at a time.

    Every method raises StoreUnavailable when the store cannot answer. A child brings its tables,
    its connection and its charging, which must be quick; the statements here are rarer and in SQL
    that SQLite and PostgreSQL both understand, with `?` for a parameter.
    """

    # Whether a key is still there after a restart. Where it would not be, none is taken.
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

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection; the next call makes another."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Execute]:
        """Run statements that only read, each for itself."""

    @abstractmethod
    def _writing(self, account: str = "") -> AbstractContextManager[Execute]:
        """Run statements in one transaction, in which nobody else changes the account's keys."""

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A first key for the account; AccountError if it has a live one."""
        with self._writing(account) as execute:
            if _live(execute, account, now) is not None:
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
        """A new key in place of the live one, which ends in the same transaction; AccountError if none.

        Today's count and the account's own quota stay with the account (quota given: replaces it).
        """
        with self._writing(account) as execute:
            old = _end(execute, account, now, "rotated")
            kept = old.quota if quota is None else quota
            return _insert(execute, account, digest, prefix, now, kept)

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if none."""
        with self._writing(account) as execute:
            return _end(execute, account, now, "revoked")

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first; empty if it never had one."""
        with self._reading() as execute:
            return _records(execute, now, _OF_ACCOUNT, account)

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key, by which it is charged; None if it has none."""
        with self._reading() as execute:
            row = execute(
                "select digest from mouvements_keys where account = ? and ended_at is null",
                (account,),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges a day (YYYY-MM-DD -> count) of the account, from `since` on, none left out but 0."""
        with self._reading() as execute:
            counted = execute(
                "select day, used from mouvements_quota"
                " where account = ? and day >= ? and used > 0 order by day",
                (account, since),
            )
            return dict(counted.fetchall())

    def add_refusals(self, counts: Mapping[tuple[str, str], int], oldest: str) -> None:
        """Add to the refusals of each (day, kind); days before `oldest` are forgotten."""
        # In one order, whatever the caller's: two machines that lock rows never wait for each other.
        rows = [(*place, times) for place, times in sorted(counts.items())]
        with self._writing() as execute:
            if rows:
                execute(
                    "insert into mouvements_refusals (day, kind, times)"
                    f" values {', '.join(['(?, ?, ?)'] * len(rows))} on conflict (day, kind)"
                    " do update set times = mouvements_refusals.times + excluded.times",
                    [value for row in rows for value in row],
                )
            execute("delete from mouvements_refusals where day < ?", (oldest,))

    def refusals(self, since: str) -> dict[str, dict[str, int]]:
        """Refusals by day, then by kind, from the day `since` on."""
        with self._reading() as execute:
            rows = execute(
                "select day, kind, times from mouvements_refusals where day >= ?", (since,)
            ).fetchall()
        found: dict[str, dict[str, int]] = {}
        for on, kind, times in sorted(rows):
            found.setdefault(on, {})[kind] = times
        return found

    def forget_days(self, oldest: str, most: int) -> int:
        """Add counts of days before `oldest` to the sums by month, and delete them; how many.

        The `most` oldest, so that no charge waits long for the lock; call again while it is so many.
        """
        # The lock of no account: on PostgreSQL two callers would add the same counts.
        with self._writing("the sums by month") as execute:
            execute(
                f"""
                insert into mouvements_months (month, used)
                select substr(old.day, 1, 7), sum(old.used) from ({_OLDEST}) old
                group by substr(old.day, 1, 7)
                on conflict (month) do update set used = mouvements_months.used + excluded.used
                """,
                (oldest, most),
            )
            deleted = execute(
                "delete from mouvements_quota where (account, day) in"
                f" (select old.account, old.day from ({_OLDEST}) old)",
                (oldest, most),
            )
            return int(deleted.rowcount)

    def months(self) -> dict[str, int]:
        """Charges of the months (YYYY-MM) whose days were forgotten, or some of them, of all accounts."""
        with self._reading() as execute:
            return dict(
                execute("select month, used from mouvements_months order by month").fetchall()
            )

    def reachable(self, now: datetime.datetime) -> bool:
        """Whether a charge would be recorded now: something is, so that a full disk shows."""
        try:
            with self._writing() as execute:
                # They change nothing, and are refused where a charge would be.
                execute("update mouvements_keys set last_used_at = '' where 1 = 0")
                execute("update mouvements_quota set used = 0 where 1 = 0")
                # Another text each time: a page that stays as it is would not be written.
                execute(_NOTE, ("asked", now.isoformat()))
        except StoreUnavailable:
            return False
        return True

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account, each as `show` orders them."""
        with self._reading() as execute:
            return _records(execute, now)


def _records(
    execute: Execute, now: datetime.datetime, where: str = "", *parameters: str
) -> list[KeyRecord]:
    rows = execute(_RECORDS + where, (day(now), *parameters)).fetchall()
    # By code point: a database may order by the language of its server. The live key is the newest.
    return sorted(
        (KeyRecord(*row) for row in rows), key=lambda record: (record.account, -record.id)
    )


def _live(execute: Execute, account: str, now: datetime.datetime) -> KeyRecord | None:
    return live_key(_records(execute, now, _OF_ACCOUNT, account))


def _insert(
    execute: Execute,
    account: str,
    digest: bytes,
    prefix: str,
    now: datetime.datetime,
    quota: int | None,
) -> KeyRecord:
    execute(
        "insert into mouvements_keys (account, digest, prefix, quota, created_at)"
        " values (?, ?, ?, ?, ?)",
        (account, digest, prefix, quota, second(now)),
    )
    return _records(execute, now, _OF_ACCOUNT, account)[0]


def _end(execute: Execute, account: str, now: datetime.datetime, why: str) -> KeyRecord:
    """End the live key; its record as it is from then on."""
    live = _live(execute, account, now)
    if live is None:
        raise AccountError(f"{account} has no live key: create one")
    ended = live._replace(ended_at=second(now), ended_why=why)
    execute(
        "update mouvements_keys set ended_at = ?, ended_why = ? where id = ?",
        (ended.ended_at, why, ended.id),
    )
    return ended
