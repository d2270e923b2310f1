"""The rule of charging: what a request takes of a quota, and what its key has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Demand(NamedTuple):
    """One request for the store: `amount` 1 to charge, 0 to look, -1 to give a charge back."""

    digest: bytes  # SHA-256 of the key
    amount: int
    day: str = ""  # of the charge to give back, which may be yesterday's; empty: today


class Charge(NamedTuple):
    """What a known key has left on one Paris day, after the demand was recorded or refused."""

    key_id: int
    account: str
    limit: int
    used: int
    granted: bool  # False: the quota is used up; nothing was recorded, or would be
    day: str = ""  # the Paris day, YYYY-MM-DD

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


@dataclass(slots=True)
class Allowance:
    """What one account has used of one day, while a store works through a batch.

    Both stores read `used` under a lock, apply the demands in order, and write it back.
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
