"""How many sit on each day of a list: never more than there are seats."""

from __future__ import annotations

import sqlite3

import pytest

from datasette_mouvements.dataset.check import _seats
from datasette_mouvements.dataset.mandates import crowded_days
from datasette_mouvements.dataset.schema import MANDATES, TENURES

DAYS = ["2023-01-02", "2023-06-01", "2023-12-01"]


@pytest.fixture
def db() -> sqlite3.Connection:
    """A file in which each seat of the Assemblée has a mandate and a stay, and one deputy came for another."""
    db = sqlite3.connect(":memory:")
    db.execute(f"create table {MANDATES} (chambre, elu_id, debut, fin)")
    db.execute(f"create table {TENURES} (chambre, elu_id, debut, fin, fin_apres)")
    db.execute("create table _publication (cle, valeur)")
    db.execute("create table listes (chambre, date, statut)")
    db.executemany(
        "insert into listes values ('assemblee', ?, 'acceptee')", [(day,) for day in DAYS]
    )
    for number in range(1, 578):
        add(db, f"PA{number}", "2022-06-22", DAYS[-1])
    return db


def add(db: sqlite3.Connection, member: str, since: str, listed: str, mandate: bool = True) -> None:
    if mandate:
        db.execute(f"insert into {MANDATES} values ('assemblee', ?, ?, '')", [member, since])
    end = None if listed == DAYS[-1] else listed
    db.execute(
        f"insert into {TENURES} values ('assemblee', ?, ?, ?, ?)", [member, since, end, listed]
    )


@pytest.mark.rule("record-seats")
def test_no_more_members_sit_than_there_are_seats(db: sqlite3.Connection) -> None:
    assert crowded_days(db, "assemblee", DAYS) == {}
    # One who came in May sits in the place of nobody whom the file knows to have left.
    add(db, "PA600", "2023-05-02", DAYS[-1], mandate=False)
    assert crowded_days(db, "assemblee", DAYS) == dict.fromkeys(DAYS[1:], (578, 577))
    assert list(_seats(db)) == [
        "578 members sit at assemblee on 2023-06-01, which has 577 seats, and on 1 more days: mandates that"
        " ended are open in mandats.csv"
    ]


@pytest.mark.rule("record-seats")
def test_an_open_mandate_whose_team_vanished_ends_after_the_last_list_that_names_it(
    db: sqlite3.Connection,
) -> None:
    add(db, "PA600", "2022-06-22", DAYS[0])
    assert crowded_days(db, "assemblee", DAYS) == {DAYS[0]: (578, 577)}


def test_where_no_mandate_is_known_the_last_list_counts(db: sqlite3.Connection) -> None:
    db.execute(f"delete from {MANDATES}")
    add(db, "PA600", "2022-06-22", DAYS[1], mandate=False)
    assert crowded_days(db, "assemblee", DAYS) == {}
    add(db, "PA601", "2022-06-22", DAYS[-1], mandate=False)
    assert crowded_days(db, "assemblee", DAYS) == {DAYS[-1]: (578, 577)}
