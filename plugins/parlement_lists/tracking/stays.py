"""The stays of a chamber's pairs that are not over: since which list each pair is there."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import NamedTuple

from ..movement import words
from ..tenure import identifier
from .reading.formats import Pair, PairKey


class Stay(NamedTuple):
    """What is known of a stay from its first day on: its identifier and its beginning.

    `begin_after` is the day of the list before, which lacks the pair; "" where there was none.
    """

    id: str
    begin: str
    begin_after: str


class Stays:
    """One stay for each pair of the last list; an absence takes its stay with it, and may give it back.

    `arrivals` are the movements that began stays, by the stay's identifier; `spellings` the names that this run
    saw in the same stay, one after the other, where there is more than one.
    """

    def __init__(self) -> None:
        self.open: dict[PairKey, Stay] = {}
        self.arrivals: dict[str, str] = {}
        self.spellings: dict[str, list[str]] = {}

    def copy(self) -> Stays:
        """A copy; what becomes of it leaves this one as it is."""
        twin = Stays()
        twin.open, twin.arrivals = dict(self.open), dict(self.arrivals)
        twin.spellings = {id: [*names] for id, names in self.spellings.items()}
        return twin

    def begin(
        self, chamber: str, pair: Pair, day: datetime.date, before: datetime.date | None
    ) -> Stay:
        """The stay of a pair that a list has and the list before it, of the day `before`, lacks."""
        begin = day.isoformat()
        person = words(pair.family, pair.given)
        id = identifier(chamber, pair.member, person, begin)
        stay = Stay(id, begin, before.isoformat() if before else "")
        self.open[pair.key] = stay
        return stay

    def respell(self, old: Pair, new: Pair) -> None:
        """Go on with a stay under another spelling of the name."""
        self.go_on(self.open.pop(old.key), old, new)

    def go_on(self, stay: Stay, old: Pair, new: Pair) -> None:
        """Open a stay for a pair that may have another spelling than it had."""
        self.open[new.key] = stay
        if old.person != new.person:
            spelled = self.spellings.setdefault(stay.id, [_full_name(old)])
            if (name := _full_name(new)) in spelled:
                del spelled[spelled.index(name) :]
            spelled.append(name)

    def rename(self, key: Callable[[str, str], str]) -> None:
        """Give each person the key that `key` makes of the member and the person.

        Of two stays that turn out to be one person's, the older one stays.
        """
        renamed: dict[PairKey, Stay] = {}
        for (member, person), stay in self.open.items():
            known = renamed.setdefault((member, key(member, person)), stay)
            if stay.begin < known.begin:
                renamed[member, key(member, person)] = stay
        self.open = renamed


def _full_name(pair: Pair) -> str:
    return f"{pair.given} {pair.family}".strip()
