"""What one kind of fault did to the service."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

SHOWN = 5


@dataclass
class Outcome:
    """The figures of one scenario; what is wrong, or took too long, is a sentence each.

    A test looks at what is wrong alone: its machine may be busy.
    """

    fault: str
    tried: int = 0
    sent: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    lost_charges: int = 0
    longest: float = 0.0  # seconds without a good answer, while somebody asked
    note: str = ""
    _last_good: float | None = None

    @property
    def answered(self) -> int:
        """Answers that cost one."""
        return self.statuses[200] + self.statuses[400]

    def good(self) -> None:
        """A good answer has come: how long was it since the one before?"""
        now = time.monotonic()
        if self._last_good is not None:
            self.longest = max(self.longest, now - self._last_good)
        self._last_good = now

    def pause(self) -> None:
        """Nobody asks for a while."""
        self._last_good = None

    def reckon(self, charged: int) -> None:
        """Hold what the store recorded against what was sent and answered."""
        self.lost_charges = max(0, self.answered - charged)
        if charged > self.sent:
            self.wrong.append(f"{charged} charges for {self.sent} requests")
        if self.lost_charges:
            self.wrong.append(f"{charged} charges for {self.answered} answers")

    def check(self) -> None:
        assert not self.wrong, "\n".join(self.wrong[:SHOWN])
        assert self.sent > 0

    def row(self) -> tuple[str, ...]:
        figures = (self.tried, self.sent, len(self.wrong), self.lost_charges)
        return (self.fault, *(f"{n:,}" for n in figures), f"{self.longest:.2f} s", self.note)


COLUMNS = (
    *("fault", "times tried", "requests sent", "wrong answers", "lost charges"),
    *("longest without service", "also"),
)
