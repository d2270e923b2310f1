"""Stays found by the index in memory: the same as by looking at each."""

from __future__ import annotations

import datetime
from contextlib import closing
from random import Random
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.served.stay_index import StayFilter, StayIndex
from datasette_mouvements.dataset.served.stay_sets import BLOCK

FIRST = datetime.date(2020, 1, 1)
DAYS = 700
GROUPS = ("", "A", "B", "C")
LAST = (FIRST + datetime.timedelta(DAYS)).isoformat()
Row = dict[str, Any]


def day(number: int) -> str:
    return (FIRST + datetime.timedelta(number)).isoformat()


@pytest.fixture(scope="module")
def known() -> tuple[StayIndex, list[Row], list[Row]]:
    """The index, the stays in the order of rowids, and the members' groups; of a dozen blocks."""
    draw = Random(28)
    begun = sorted(draw.randrange(DAYS) for _ in range(12 * BLOCK + 7))
    stays: list[Row] = [
        {
            "id": f"col_{number}",
            "chambre": draw.choice(("assemblee", "senat")),
            "elu_id": f"E{draw.randrange(40)}",
            "elu_groupe": draw.choice(GROUPS) or None,
            "debut": day(first),
            "fin": day(first + draw.randrange(1, 200)) if draw.random() < 0.9 else None,
            "fin_apres": LAST,
        }
        for number, first in enumerate(begun)
    ]
    groups = []
    for member in range(30):
        changed = draw.randrange(DAYS)
        for group, since, until in (("A", 0, changed), ("B", changed + 1, changed + 50)):
            span = {"debut": day(since), "fin": day(until)}
            groups.append({"chambre": "senat", "elu_id": f"E{member}", "groupe": group, **span})
    with closing(sqlite3.connect(":memory:")) as db:
        db.text_factory = bytes
        for table, rows in ((schema.TENURES, stays), (schema.MEMBERSHIPS, groups)):
            names = list(rows[0])
            db.execute(f"create table {table} ({', '.join(names)})")
            db.executemany(
                f"insert into {table} values ({', '.join(f':{name}' for name in names)})", rows
            )
        return StayIndex(db, {"assemblee": LAST}), stays, groups


def group_on(stay: Row, asked: str, groups: list[Row]) -> str:
    of = [
        one
        for one in groups
        if (one["chambre"], one["elu_id"]) == (stay["chambre"], stay["elu_id"])
    ]
    told = [one["groupe"] for one in of if one["debut"] <= asked <= one["fin"]]
    return str(told[0] if told else stay["elu_groupe"] or "")


def test_any_filter_finds_what_looking_at_each_stay_finds(
    known: tuple[StayIndex, list[Row], list[Row]],
) -> None:
    index, stays, groups = known
    draw = Random(5)
    for _ in range(300):
        asked = StayFilter(
            chamber=draw.choice(("", "assemblee", "senat")),
            member=draw.choice(("", "", "", "E3", "E35", "E99")),
            group=draw.choice(("", "A", "B", "C", "D")),
            day=draw.choice(("", *(day(draw.randrange(-9, DAYS + 220)) for _ in range(3)))),
        )
        wanted = [
            rowid
            for rowid, stay in enumerate(stays, 1)
            if asked.chamber in ("", stay["chambre"])
            and asked.member in ("", stay["elu_id"])
            and asked.group in ("", group_on(stay, asked.day, groups))
            and (not asked.day or stay["debut"] <= asked.day < (stay["fin"] or "9"))
        ]
        found = index.find(asked, None, ())
        assert (list(found), len(found)) == (wanted, len(wanted)), asked
        low = draw.randrange(len(wanted) + 2)
        assert list(found[low : low + 20]) == wanted[low : low + 20]
        assert list(reversed(found)) == wanted[::-1]
