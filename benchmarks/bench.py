"""What one run of the benchmarks is given, and the order in which it measures."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from parlement_lists.movement import CHAMBERS, SOURCES, TYPES

from .invented import FOLDER, Data, data, members
from .servers import Key

T = TypeVar("T")
PAGE_ROWS = 100


@dataclass
class Bench:
    """The options in force, and what every measurement shares."""

    seconds: float = 5.0
    rounds: int = 3
    small_rows: int = 100_000
    large_rows: int = 1_000_000
    key: Key = field(default_factory=Key)

    @functools.cached_property
    def small(self) -> Data:
        return data(self.small_rows)

    @functools.cached_property
    def large(self) -> Data:
        return data(self.large_rows)

    def interleaved(self, runs: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
        """Every run in turn, A B C A B C: whatever else the machine does meets them all alike."""
        found: dict[str, list[T]] = {name: [] for name in runs}
        for _ in range(self.rounds):
            for name, run in runs.items():
                found[name].append(run())
        return found


def category_filters() -> list[dict[str, str]]:
    """Every filter by chamber, type and source but the one that filters nothing."""
    values = {"chambre": ("", *CHAMBERS), "type": ("", *TYPES), "source": ("", *SOURCES)}
    every = [dict(zip(values, one, strict=True)) for one in itertools.product(*values.values())]
    return [one for one in every if any(one.values())]


def cold_filters(database: Path, every: int = 1600) -> Path:
    """A file of filters for `cold.lua`: each parameter, and how far its offset may go.

    An eighth of the requests filters nothing, an eighth by member (whose pages are short), the
    rest by every combination of the others, with and without days.
    """
    path = FOLDER / "cold-filters.txt"
    draw = random.Random(11)
    categories = category_filters()
    lines = []
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        counted = [{}, *categories]
        for category in categories * 3:
            year = draw.randrange(2015, 2020)
            days = {"depuis": f"{year}-0{draw.randrange(1, 9)}-11"}
            if draw.random() < 0.6:
                days["jusqua"] = f"{year + draw.randrange(3, 6)}-0{draw.randrange(1, 9)}-27"
            counted.append({**(category if draw.random() < 0.7 else {}), **days})
        for filters in counted:
            last = _count(db, filters) - PAGE_ROWS
            if last > 0:
                query = "".join(f"{name}={value}&" for name, value in filters.items() if value)
                lines.append(f"{last}\t{query}")
    spread = [lines[number % len(lines)] for number in range(every * 6 // 8)]
    spread += [lines[0]] * (every // 8)
    spread += [f"*\telu={member.identifier}&" for member in draw.sample(members(), every // 8)]
    path.write_text("\n".join(spread) + "\n")
    return path


def whole_filter(filters: str) -> Path:
    """A file for `cold.lua` of no filter but the offset, as `cold_filters` has it first."""
    path = FOLDER / "whole-filter.txt"
    path.write_text(Path(filters).read_text().partition("\n")[0] + "\n")
    return path


def _count(db: sqlite3.Connection, filters: Mapping[str, str]) -> int:
    columns = {"depuis": "date_event >= ?", "jusqua": "date_event <= ?"}
    given = {name: value for name, value in filters.items() if value}
    where = " and ".join(columns.get(name, f"{name} = ?") for name in given) or "1"
    sql = f"select count(*) from {schema.TABLE} where {where}"
    return int(db.execute(sql, list(given.values())).fetchone()[0])
