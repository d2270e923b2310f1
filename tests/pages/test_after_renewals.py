"""After a renewal nobody is told to sit whom no list confirms, on no page, in no count and in no file."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from parlement_lists.movement import seats_on
from tests.contract import environment
from tests.tracking import lists

from .conftest import Start, told

pytestmark = pytest.mark.asyncio
NOW = datetime.datetime(2023, 11, 5, 10, 30, tzinfo=datetime.UTC)


async def test_a_renewal_of_the_very_day_of_the_last_list_is_not_told_as_after_it(
    make: Start, tmp_path: Path
) -> None:
    for day in ("2023-09-30", "2023-10-02"):
        lists.write(tmp_path / "lists", "senat", day, lists.many(60))
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", tmp_path / "lists")
    text = await told(await make(path=database, now=NOW.replace(month=10, day=4)), "/elus/senat")
    assert "60 membres et leurs 120 collaborations, à la liste du 2 octobre 2023" in text
    assert "Depuis a eu lieu" not in text


async def test_check_fails_where_more_sit_than_there_are_seats(tmp_path: Path) -> None:
    assert [
        seats_on("europarl", datetime.date.fromisoformat(day))
        for day in ("2020-01-31", "2020-02-01", "2024-07-15", "2024-07-16")
    ] == [74, 79, 79, 81]
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    for number in (79, 80):
        european = lists.data("europarl", lists.many(number, each=1), lists.KEPT)
        lists.write(folder, "europarl", "2023-11-02", european)
        environment.done("build", database, "--lists", folder)
        done = environment.command("check", database)
        expected = "80 members sit at europarl on 2023-11-02, which has 79 seats"
        assert (done.exit_code, expected in done.stderr) == (number - 79, number == 80)
