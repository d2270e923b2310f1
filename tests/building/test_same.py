"""The same file, whether it is built at once or after every list."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.building.build import Inputs, build
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import ListFile
from tests.published import Published
from tests.real.windows import MISSING, available, known_members, list_files
from tests.tracking.lists import list_file, many

NOW = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
WINDOWS = available()


def contents(database: Path) -> dict[str, list[Any]]:
    """All tables but what the feeds say of the runs themselves."""
    published = Published(database)
    names = [
        name for (name,) in published.rows("select name from sqlite_master where type = 'table'")
    ]
    own = (
        "_changements",
        "_passages",
        "_publication",
        "sqlite_",
        "mouvements_fts",
        "collaborations_fts",
    )
    return {
        name: published.rows(f"select * from {name} order by 1, 2")
        for name in names
        if not name.startswith(own)
    }


def follow(folder: Path, files: list[ListFile], members: Members, every: int = 1) -> None:
    daily, once = folder / "daily.db", folder / "once.db"
    for number in [*range(every, len(files), every), len(files)]:
        built = build(daily, Inputs(lists=iter(files[:number]), members=members), NOW)
        assert built.report.withdrawn == 0
    build(once, Inputs(lists=iter(files), members=members), NOW)
    assert contents(daily) == contents(once)
    changes = "select id, nature from _changements order by id"
    assert Published(daily).rows(changes) == Published(once).rows(changes)


@pytest.mark.rule("record-same")
def test_invented_lists_make_one_file(tmp_path: Path) -> None:
    staff, files = many(40), []
    for day in range(1, 25):
        staff[day] = [*staff[day][1:], f"Une{chr(64 + day)} NOUVELLE{chr(64 + day)}"]
        if day % 3 == 0:  # back after some days, or after more than seven
            staff[day - 2] = [*staff[day - 2], *many(40)[day - 2][:1]]
        days = {number: [*names] for number, names in staff.items()}
        files.append(list_file("senat", f"2026-09-{day:02}", days))
    follow(tmp_path, [replace(file, kind="suivi") for file in files], Members())


@pytest.mark.skipif(not WINDOWS, reason=MISSING)
def test_the_lists_of_an_election_make_one_file(tmp_path: Path) -> None:
    files = list_files(WINDOWS["an-legislature-2022"])
    follow(tmp_path, [replace(file, kind="suivi") for file in files], known_members(), every=5)
