"""The positions' digest tells apart what the same bytes, put together, would not."""

from __future__ import annotations

import itertools
from contextlib import closing

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest, schema

DIGESTED = (
    "_positions",
    "_jours",
    "_cellules",
    *(one.changes for one in schema.RESOURCES),
    schema.STAYS.lines,
    *schema.OF_MEMBERS,
    schema.SPELLINGS,
    schema.HOMONYMS,
)


def of(positions: dict[str, bytes], days: dict[str, tuple[int, int]], cells: bytes) -> str:
    with closing(sqlite3.connect(":memory:")) as db:
        for table in DIGESTED:
            db.execute(schema.TABLES[table])
        db.executemany("insert into _positions values (?, ?)", positions.items())
        db.executemany("insert into _jours values (?, ?, ?)", [(d, *v) for d, v in days.items()])
        db.execute("insert into _cellules values (1, ?)", [cells])
        return digest.of_positions(db)


def test_every_name_value_and_border_between_them_counts() -> None:
    day = {"2026-09-01": (1, 23)}
    found = [
        of({"a": b"bc", "d": b"e"}, day, b"0"),
        of({"ab": b"c", "d": b"e"}, day, b"0"),
        of({"a": b"b", "cd": b"e"}, day, b"0"),
        of({"a": b"e", "d": b"bc"}, day, b"0"),
        of({"a": b"bc"}, day, b"0"),
        of({"a": b"bc", "d": b"e"}, {"2026-09-01": (12, 3)}, b"0"),
        of({"a": b"bc", "d": b"e"}, {"2026-09-02": (1, 23)}, b"0"),
        of({"a": b"bc", "d": b"e"}, {}, b"0"),
        of({"a": b"bc", "d": b"e"}, day, b"1"),
    ]
    assert all(one != other for one, other in itertools.combinations(found, 2))


def test_a_value_cannot_pass_for_a_name_or_for_another_filter() -> None:
    two = of({"a": b"bc", "d": b"e"}, {}, b"")
    assert two != of({"a": b"bc1,0,de"}, {}, b"")
    assert two != of({"a": b"bc1,1,de"}, {}, b"")
    assert two != of({"abc0,1,": b"de"}, {}, b"")
    assert two != of({"abc1,1,": b"de"}, {}, b"")


def test_the_order_of_insertion_does_not_count() -> None:
    assert of({"a": b"e", "d": b"e"}, {}, b"0") == of({"d": b"e", "a": b"e"}, {}, b"0")


def test_what_is_known_of_members_counts() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        for table in DIGESTED:
            db.execute(schema.TABLES[table])
        found = [digest.of_positions(db)]
        for civility, page in (("M.", None), ("Mme", None), ("Mme", "https://a.exemple")):
            db.execute(
                "insert or replace into _elus values ('senat', '1', 'UN', 'Ida', ?, ?)",
                [civility, page],
            )
            found.append(digest.of_positions(db))
        db.text_factory = bytes  # as whoever looks at a file reads it
        found.append(digest.of_positions(db))
    assert len(set(found)) == 4
    assert found[3] == found[4]


def test_the_addresses_of_names_count() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        for table in DIGESTED:
            db.execute(schema.TABLES[table])
        db.execute("insert into _noms values ('un-ada', 'un', 'ada', 'UN', 'Ada', 'ada un')")
        before = digest.of_positions(db)
        db.execute("update _noms set adresse = 'un-bo'")
        assert digest.of_positions(db) != before
