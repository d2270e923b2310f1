"""What a store of keys and quotas does; `sqlite.py` and `postgres.py` are the two that exist.

A store is plain blocking code: the command line calls it directly, the service from the one
thread of `quota.Counter`, which hands it many charges at once.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol


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


class Allowance:
    """What one account has used of one day while a batch is worked through: the rule of charging.

    Both stores read `used` under a lock, let the demands through here in order, and write back.
    """

    __slots__ = ("account", "day", "key_id", "limit", "used")

    def __init__(self, key_id: int, account: str, limit: int, used: int, day: str) -> None:
        self.key_id = key_id
        self.account = account
        self.limit = limit
        self.used = used
        self.day = day

    def settle(self, amount: int) -> Charge:
        """Apply one demand."""
        granted = amount < 0 or self.used < self.limit
        if granted and amount:
            self.used = max(0, self.used + amount)
        return Charge(self.key_id, self.account, self.limit, self.used, granted, self.day)


def second(now: datetime.datetime) -> str:
    """How a store writes an instant: ISO 8601, UTC, to the second."""
    return now.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def minute(now: datetime.datetime) -> str:
    """How a store writes when a key was last used: more would trace a person's habits."""
    return _minute(int(now.timestamp()) // 60)


@functools.lru_cache(maxsize=8)
def _minute(number: int) -> str:
    instant = datetime.datetime.fromtimestamp(number * 60, datetime.UTC)
    return instant.strftime("%Y-%m-%dT%H:%MZ")


def by_day(rows: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Rows of (day, kind, times) as `Store.refusals` gives them."""
    found: dict[str, dict[str, int]] = {}
    for day, kind, times in rows:
        found.setdefault(day, {})[kind] = times
    return found


class Store(Protocol):
    """Keys and quotas, used by one thread at a time.

    Every method raises StoreUnavailable when the store cannot answer.
    """

    def prepare(self) -> None:
        """Create or migrate the tables; safe when several processes do it at once."""

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; None for a key that is unknown or ended.

        `quota` is the setting's, for accounts without their own. Successive charges of one key get
        successive `used`, without gap or repeat.
        """

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A first key for the account; AccountError if it has a live one."""

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

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if none."""

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first; empty if it never had one."""

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account."""

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key, by which it is charged; None if it has none."""

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges a day (YYYY-MM-DD -> count) of the account, from `since` on, none left out but 0."""

    def add_refusals(self, counts: Mapping[tuple[str, str], int], oldest: str) -> None:
        """Add to the refusals of each (day, kind); days before `oldest` are forgotten."""

    def refusals(self, since: str) -> dict[str, dict[str, int]]:
        """Refusals by day, then by kind, from the day `since` on."""

    def reachable(self) -> bool:
        """Whether the store answers now."""

    def close(self) -> None: ...
