"""The rule of charging: what a request claims of a quota, and what its key has left of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
