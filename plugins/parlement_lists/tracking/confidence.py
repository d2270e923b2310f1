"""How sure a movement's date is: from the days without a list before it, and what was doubtful."""

from __future__ import annotations

import datetime

# Up to this many days between two lists the date is good, then middling, then approximate.
GOOD, MIDDLING = 3, 10
APPROXIMATE = 2
# A departure seen so long after the member's mandate ended says when the source was put right. Lists
# follow the end of a mandate within 8 days, or once, for 26 people, after 40 to 236 (figure `lateness`).
AFTER_MANDATE = datetime.timedelta(10)
# The last list known, when a renewal takes more than this share of the pairs away. Three days after the
# dissolution of 2024, 323 of 577 deputies had lost all staff (figure `dissolution`), the others nobody.
EMPTIED = 0.2
_LEVELS = {"suivi": ("bot", "moyen", "faible"), "archives": ("fort", "moyen", "faible")}


def level(gap: int, doubtful: bool = False) -> int:
    """0 good, 1 middling, 2 approximate; one worse for a `doubtful` list.

    That is the first one after refused ones, or of another source: what it shows may be older.
    """
    base = 0 if gap <= GOOD else 1 if gap <= MIDDLING else 2
    return min(APPROXIMATE, base + doubtful)


def confidence(source: str, level: int, ambiguous: bool = False) -> str:
    """The level in words (specification, "Movements"); one worse where a movement could be told otherwise."""
    return _LEVELS[source][min(APPROXIMATE, level + ambiguous)]
