"""Lists damaged in every way end in a refusal or a right result. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import datetime
import os
import random
from collections.abc import Callable

import pytest

from parlement_lists.tracking.reading.lists import ListFile
from tests.tracking import lists
from tests.tracking.lists import data, many, tracked

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "500"))
HEADERS = [
    ("senat", lists.SENAT_FIRST),
    ("senat", lists.SENAT),
    ("assemblee", lists.NOW),
    ("europarl", lists.EUROPARL),
    ("senat", lists.KEPT),
]
STAFF = many(40)
Damage = Callable[[random.Random, bytes], tuple[bytes, int]]


def truncated(chance: random.Random, good: bytes) -> tuple[bytes, int]:
    if chance.random() < 0.5:
        return good[: chance.randrange(len(good))], 0
    lines = good.splitlines(keepends=True)
    return b"".join(lines[: chance.randrange(len(lines))]), 0


def staff_shifted(chance: random.Random, good: bytes) -> tuple[bytes, int]:
    rows = [line.split(",") for line in good.decode().splitlines()]
    first, column = chance.randrange(1, 60), chance.randrange(len(rows[0]))
    values = [row[column] for row in rows[first:]]
    for row, value in zip(rows[first:], values[1:] + values[:1], strict=True):
        row[column] = value
    return "\n".join([*(",".join(row) for row in rows), ""]).encode(), len(rows)


def bytes_changed(chance: random.Random, good: bytes) -> tuple[bytes, int]:
    damaged = bytearray(good)
    edits = chance.randrange(1, 6)
    for _ in range(edits):
        damaged[chance.randrange(len(damaged))] = chance.choice([0, 9, 10, 13, 34, 44, 61, 255])
    return bytes(damaged), 4 * edits


DAMAGES: list[Damage] = [truncated, staff_shifted, bytes_changed]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_list_between_good_ones_makes_no_false_movement(damage: Damage) -> None:
    """A row that was touched may make its own arrival and departure; nothing else may move."""
    chance = random.Random(damage.__name__)
    for number in range(COUNT // len(DAMAGES) + 1):
        chamber, header = HEADERS[number % len(HEADERS)]
        good = data(chamber, STAFF, header)
        damaged, allowed = damage(chance, good)
        told = tracked(
            ListFile(chamber, datetime.date(2026, 9, day), "", f"{day}", data=lambda d=d: d)
            for day, d in ((1, good), (2, damaged), (3, good))
        )
        found = told.movements
        refused = [record for record in told.report.records if record.status == "refused"]
        assert {record.date.day for record in refused} <= {2}
        assert all(record.message and record.reason for record in refused)
        if damage is staff_shifted:
            # From the first row on, every second pair is at another member: never let through.
            assert refused or len(found) < 0.5 * allowed
        else:
            assert len(found) <= (0 if refused else allowed), damaged[:300]
