"""The sample movements, read with nothing of the package: what the service must answer."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any

from .environment import SAMPLE

Movement = dict[str, str]


@cache
def in_order() -> tuple[Movement, ...]:
    """Every movement of the sample, newest first, then the later in the file first."""
    with SAMPLE.open(encoding="utf-8-sig", newline="") as lines:
        movements = list(csv.DictReader(lines))
    ascending = sorted(movements, key=lambda movement: movement["date_event"])  # stable
    return tuple(reversed(ascending))


def matching(
    chambre: str = "",
    type: str = "",
    source: str = "",
    depuis: str = "",
    jusqua: str = "9999-12-31",
    elu: str = "",
) -> list[Movement]:
    """The movements that a search with these filters must find, in order."""
    return [
        movement
        for movement in in_order()
        if chambre in ("", movement["chambre"])
        and type in ("", movement["type"])
        and source in ("", movement["source"])
        and elu in ("", movement["elu_id"])
        and depuis <= movement["date_event"] <= jusqua
    ]


def values(field: str) -> list[str]:
    """The distinct values of a field, the most frequent first."""
    found = [movement[field] for movement in in_order() if movement[field]]
    return sorted(set(found), key=lambda value: (-found.count(value), value))


def as_sampled(answered: dict[str, Any]) -> Movement:
    """An answered movement in the sample's columns: what was left out is empty again."""
    return {column: answered.get(column, "") for column in in_order()[0]}
