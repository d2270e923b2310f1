"""What a store of keys and quotas does; `sqlite.py` and `postgres.py` are the two that exist.

A store is plain blocking code: the command line calls it directly, the service from the one
thread of `quota.Counter`, which hands it many charges at once.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class StoreUnavailable(Exception):
    """The store cannot be reached or did not answer in time; nothing may be assumed recorded."""


class AccountError(Exception):
    """The account's state does not allow what was asked; the message says why."""


class Demand(NamedTuple):
    """One request's claim: `amount` 1 to charge, 0 to look, -1 to give back a charge."""

    digest: bytes  # SHA-256 of the key
    amount: int


class Charge(NamedTuple):
    """What a known key has left on one Paris day, after the claim was recorded or refused."""

    key_id: int
    account: str
    limit: int
    used: int
    granted: bool  # False: the quota is reached and nothing was recorded
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


class Store(Protocol):
    """Keys and quotas. Every method raises StoreUnavailable when the store cannot answer."""

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

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges a day (YYYY-MM-DD -> count) of the account, from `since` on."""

    def reachable(self) -> bool:
        """Whether the store answers now."""

    def close(self) -> None: ...
