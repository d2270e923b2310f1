"""How far a movements file reaches, by the lists that it tells of."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.coverage import Coverage, coverage

TODAY = datetime.date(2026, 9, 20)


def with_lists(database: Path, *rows: tuple[str, str]) -> Path:
    with closing(sqlite3.connect(database)) as db, db:
        for name, status in rows:
            chamber, _, moment = name.partition("/")
            row = (name, chamber, moment[:10], status, "", "", 0, 0, 0, 0)
            db.execute(f"insert into listes values ({', '.join('?' * 10)})", row)
    return database


@pytest.mark.parametrize(
    ("rows", "last", "refused"),
    [
        ([], "", ""),
        ([("senat/2026-09-01", "acceptee")], "2026-09-01", ""),
        ([("senat/2026-09-01", "acceptee"), ("senat/2026-09-02", "retenue")], "2026-09-02", ""),
        (
            [
                ("senat/2026-09-01", "refusee"),
                ("senat/2026-09-02", "acceptee"),
                ("senat/2026-09-03", "refusee"),
                ("senat/2026-09-04", "refusee"),
            ],
            *("2026-09-02", "2026-09-03"),
        ),
        # Of one day: the time of day tells which came first.
        (
            [("senat/2026-09-02T0146", "acceptee"), ("senat/2026-09-02T0800", "refusee")],
            *("2026-09-02", "2026-09-02"),
        ),
        (
            [("senat/2026-09-02", "refusee"), ("senat/2026-09-02T0800", "acceptee")],
            "2026-09-02",
            "",
        ),
        ([("senat/2026-09-02", "refusee"), ("senat/2026-09-09", "refusee")], "", "2026-09-02"),
    ],
)
def test_the_last_list_accepted_and_the_first_refused_since(
    database: Path, rows: list[tuple[str, str]], last: str, refused: str
) -> None:
    found = coverage(with_lists(database, *rows, ("europarl/2026-09-30", "acceptee")))
    assert found == {
        "assemblee": Coverage("", ""),
        "senat": Coverage(last, refused),
        "europarl": Coverage("2026-09-30", ""),
    }


def test_a_chamber_is_late_when_its_last_list_is_older_than_so_many_days() -> None:
    one = Coverage("2026-09-10", "")
    assert (one.age(TODAY), one.late(TODAY, 10), one.late(TODAY, 9)) == (10, False, True)


def test_without_lists_nothing_is_late() -> None:
    none = Coverage("", "2026-09-01")
    assert (none.age(TODAY), none.late(TODAY, 1)) == (None, False)
