"""How sure a movement's date is: from the days without a list before it, and what was doubtful."""

from __future__ import annotations

# Up to this many days between two lists the date is good, then middling, then approximate.
GOOD, MIDDLING = 3, 10
_LEVELS = {"suivi": ("bot", "moyen", "faible"), "archives": ("fort", "moyen", "faible")}


def level(gap: int, after_refused: bool = False) -> int:
    """0 good, 1 middling, 2 approximate; one worse for the first list after refused ones."""
    base = 0 if gap <= GOOD else 1 if gap <= MIDDLING else 2
    return min(2, base + after_refused)


def confidence(source: str, level: int, ambiguous: bool = False) -> str:
    """The level in words (specification, "Movements"); one worse where a movement could be told otherwise."""
    return _LEVELS[source][min(2, level + ambiguous)]
