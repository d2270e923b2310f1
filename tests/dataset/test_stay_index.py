"""Stays found by the index in memory: the same as by looking at each."""

from __future__ import annotations

import datetime
from collections import defaultdict
from contextlib import closing
from random import Random
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.served.stay_index import Key, StayFilter, StayIndex
from datasette_mouvements.dataset.served.stay_sets import BLOCK

FIRST = datetime.date(2020, 1, 1)
CHAMBERS = ("assemblee", "senat", "europarl")
MEMBERS = 12
# None at all, one, and as many as end before, with and after a block.
SIZES = (0, 1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 7)
SPANS = (3, 40, 700)
ASKED = 200
STAYS = "id chambre elu_id elu_groupe debut fin fin_apres".split()
GROUPS = "chambre elu_id groupe debut fin".split()
Row = dict[str, Any]


def day(number: int) -> str:
    return (FIRST + datetime.timedelta(number)).isoformat()


class StaysOfTest:
    """So many stays that begin within some days, and the groups of their members, which may overlap."""

    def __init__(self, size: int, days: int) -> None:
        self.draw = draw = Random(f"{size} {days}")
        self.days = days
        self.last = {"assemblee": day(days), "senat": day(days - 1)}
        self.stays: list[Row] = [
            {
                "id": f"col_{number}",
                "chambre": draw.choice(CHAMBERS),
                "elu_id": f"E{draw.randrange(MEMBERS)}",
                "elu_groupe": draw.choice((None, "", "A", "B", "C")),
                "debut": day(begun),
                "fin": day(begun + draw.randrange(60)) if draw.random() < 0.8 else None,
                "fin_apres": draw.choice((day(days), day(days - 1))),
            }
            for number, begun in enumerate(sorted(draw.randrange(days) for _ in range(size)))
        ]
        self.groups: dict[Key, list[Row]] = defaultdict(list)
        for _ in range(3 * MEMBERS):
            key = draw.choice(CHAMBERS), f"E{draw.randrange(MEMBERS)}"
            # Days that are not known, or not to come, and few of them so that some begin together.
            since = draw.choice(("", *(day(draw.randrange(0, days, 5)) for _ in range(3))))
            until = draw.choice(("", *(day(draw.randrange(0, days + 9, 5)) for _ in range(3))))
            span = {"groupe": draw.choice("ABC"), "debut": since, "fin": until}
            self.groups[key].append({"chambre": key[0], "elu_id": key[1], **span})

    def index(self) -> StayIndex:
        with closing(sqlite3.connect(":memory:")) as db:
            db.text_factory = bytes
            groups = [row for of in self.groups.values() for row in of]
            for table, names, rows in (
                (schema.TENURES, STAYS, self.stays),
                (schema.MEMBERSHIPS, GROUPS, groups),
            ):
                db.execute(f"create table {table} ({', '.join(names)})")
                values = ", ".join(f":{name}" for name in names)
                db.executemany(f"insert into {table} values ({values})", rows)
            return StayIndex(db, self.last)

    def question(self) -> tuple[StayFilter, list[int] | None, frozenset[Key]]:
        """A filter, the stays of its name, and the members whose mandate has ended."""
        draw = self.draw
        edges = [one[name] for of in self.groups.values() for one in of for name in GROUPS[3:]]
        on = draw.choice(("", day(draw.randrange(-9, self.days + 70)), draw.choice(edges)))
        filter_ = StayFilter(
            chamber=draw.choice(("", *CHAMBERS)),
            member=draw.choice(("", "", "", "E3", "E99")),
            group=draw.choice(("", "A", "B", "Z")),
            name=draw.choice(("", "", "un nom")),
            day=on,
            present="" if on else draw.choice(("", "2021-01-01")),
        )
        every = range(1, len(self.stays) + 1)
        named = sorted(draw.sample(every, draw.randrange(len(every) + 1))) if filter_.name else None
        keys = [(chamber, f"E{number}") for chamber in CHAMBERS for number in range(MEMBERS)]
        over = draw.sample(keys, len(keys) // 3) if filter_.present else []
        return filter_, named, frozenset(over)

    def wanted(self, asked: StayFilter, named: list[int] | None, over: frozenset[Key]) -> list[int]:
        return [
            rowid
            for rowid, stay in enumerate(self.stays, 1)
            if asked.chamber in ("", stay["chambre"])
            and asked.member in ("", stay["elu_id"])
            and (named is None or rowid in named)
            and (not asked.day or stay["debut"] <= asked.day < (stay["fin"] or "9"))
            and (not asked.present or self._present(stay, over))
            and asked.group in ("", self._group_on(stay, asked.day))
        ]

    def _present(self, stay: Row, over: frozenset[Key]) -> bool:
        on_last = stay["fin"] is None and stay["fin_apres"] == self.last.get(stay["chambre"])
        return on_last and (stay["chambre"], stay["elu_id"]) not in over

    def _group_on(self, stay: Row, asked: str) -> str:
        """Of groups of the same day the one that began last, then the one that goes on longest."""
        of = [
            (one["debut"], one["fin"] or "9", one["groupe"])
            for one in self.groups[stay["chambre"], stay["elu_id"]]
            if asked and one["debut"] <= asked <= (one["fin"] or "9")
        ]
        latest = max((one[:2] for one in of), default=None)
        return min((one[2] for one in of if one[:2] == latest), default=stay["elu_groupe"] or "")


@pytest.mark.parametrize("days", SPANS)
@pytest.mark.parametrize("size", SIZES)
def test_any_filter_finds_what_looking_at_each_stay_finds(size: int, days: int) -> None:
    made = StaysOfTest(size, days)
    index, draw = made.index(), made.draw
    for _ in range(ASKED):
        asked = made.question()
        wanted = made.wanted(*asked)
        found = index.find(*asked)
        assert (list(found), len(found)) == (wanted, len(wanted)), asked
        low = draw.randrange(len(wanted) + 2)
        assert list(found[low : low + 20]) == wanted[low : low + 20]
        for place in (0, -1, draw.randrange(len(wanted))) if wanted else ():
            assert found[place] == wanted[place]


def test_a_part_of_the_stays_of_a_day_has_no_step() -> None:
    made = StaysOfTest(BLOCK, 40)
    found = made.index().find(StayFilter(day=day(30)), None, frozenset())
    assert list(found[0:9:1]) == list(found)[:9]
    for step in (2, -1):
        with pytest.raises(ValueError, match="low to high"):
            found[::step]
