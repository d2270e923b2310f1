"""Which version is served while its file is replaced, spoiled, moved: one look after the other, no waiting."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.served import DataVersion, NotServable, Served, signature
from tests.disk import files_up_to
from tests.published import write

from .conftest import movement


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "served"


def new(
    database: Path,
    folder: Path,
    on_adopt: Callable[[DataVersion | None], None] = lambda version: None,
    examine: Callable[[DataVersion], None] = lambda version: None,
) -> Served:
    return Served(database, folder, on_adopt, examine)


@pytest.fixture
def serving(database: Path, folder: Path) -> Iterator[Served]:
    serving = new(database, folder)
    yield serving
    serving.close()


def replace(database: Path) -> None:
    write(database, [("one", [(1, movement())])])


def overwrite(database: Path, content: bytes) -> None:
    with database.open("r+b") as file:
        file.truncate(0)
        file.write(content)


async def looks(serving: Served) -> None:
    """Two looks: the second finds what the first saw, and judges it."""
    await serving.look()
    await serving.look()


async def test_a_replaced_file_is_adopted_at_the_second_look(database: Path, folder: Path) -> None:
    adopted: list[DataVersion | None] = []
    serving = new(database, folder, adopted.append)
    await serving.start()
    await looks(serving)
    first = serving.version
    assert adopted == [first]  # a file is judged once
    replace(database)
    await serving.look()
    assert serving.version is first
    await serving.look()
    assert serving.version is not None
    assert serving.version.rows == 1
    assert first is not None
    # Requests under way still read the version they began with.
    assert first.db.execute("select json from _lignes").fetchone()
    serving.close()


BAD = {
    "deleted": lambda database: database.unlink(),
    "truncated": lambda database: os.truncate(database, 5000),
    "replaced by a folder": lambda database: (database.unlink(), database.mkdir()),
    "written to": lambda database: database.with_name("movements.db-journal").write_bytes(b"x"),
}


@pytest.mark.parametrize("bad", BAD)
async def test_a_bad_file_is_told_once_and_the_good_one_stays_served(
    serving: Served, database: Path, caplog: pytest.LogCaptureFixture, bad: str
) -> None:
    await serving.start()
    good = serving.version
    BAD[bad](database)
    for _ in range(3):
        await looks(serving)
    assert serving.version is good
    assert good is not None
    assert len(good.db.execute("select json from _lignes").fetchall()) == good.rows
    assert serving.refused
    assert [r.levelname for r in caplog.records if "refused" in r.getMessage()] == ["ERROR"]


def test_stays_have_a_last_change_of_their_own(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        days = "2030-01-02T03:04:05Z", "2030-01-03T03:04:05Z"
        rows = [(n, f"col_{n}", day, schema.WITHDRAWN, None) for n, day in enumerate(days, 1)]
        db.executemany(f"insert into {schema.STAYS.changes} values (?, ?, ?, ?, ?)", rows)
    with closing(DataVersion(database)) as version:
        assert version.changed_at[schema.STAYS] == days[1] > version.changed_at[schema.MOVEMENTS]


def spoil(database: Path) -> None:
    """What only the whole examination notices: each table can be read, and one is not of this build."""
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("update _lignes set json = replace(json, 'senat', 'Senat')")


async def test_a_file_that_is_not_of_one_build_is_refused(serving: Served, database: Path) -> None:
    await serving.start()
    good = serving.version
    spoil(database)
    await looks(serving)
    assert good is not None
    assert serving.version is good
    assert serving.refused == "damaged: its tables are not of one build"
    assert list(serving.folder.iterdir()) == [good.path]  # that of the other is not kept


@pytest.mark.parametrize(("retry", "served"), [(0, True), (1000, False)])
async def test_on_a_full_disk_a_file_is_tried_again_after_a_while(
    serving: Served, database: Path, caplog: pytest.LogCaptureFixture, retry: float, served: bool
) -> None:
    serving.retry_after = retry
    with files_up_to(1000):
        await serving.start()
        await looks(serving)
        await looks(serving)
    assert serving.refused == "cannot be copied (File too large)"
    assert len([r for r in caplog.records if "refused" in r.getMessage()]) == 1
    assert list(serving.folder.iterdir()) == []
    await looks(serving)
    assert (serving.version is not None) == served


def test_a_file_changed_since_the_look_is_not_copied(serving: Served, database: Path) -> None:
    seen = signature(database)
    replace(database)
    with pytest.raises(NotServable, match="it changed while it was read"):
        serving._open(database, seen, thorough=False)
    assert list(serving.folder.iterdir()) == []


@pytest.mark.parametrize("tear", [spoil, lambda copy: os.truncate(copy, 5000)])
async def test_a_torn_copy_is_made_again(serving: Served, tear: Callable[[Path], None]) -> None:
    await serving.start()
    assert serving.version is not None
    tear(serving.version.path)
    await serving.examine_whole()
    assert serving.version is None
    await looks(serving)
    assert serving.version is not None
    assert serving.version.fault() == ""


async def test_what_must_not_be_served_is_not(database: Path, folder: Path) -> None:
    def examine(version: DataVersion) -> None:
        if version.invented:
            raise NotServable("invented")

    write(database, [("one", [(1, movement())])], {"_publication": [("invente", "1")]})
    serving = new(database, folder, examine=examine)
    await serving.start()
    assert (serving.version, serving.refused) == (None, "invented")
    replace(database)
    await looks(serving)
    assert serving.version is not None
    serving.close()


async def test_what_a_killed_process_left_is_removed_and_what_another_serves_stays(
    serving: Served, database: Path, folder: Path
) -> None:
    await serving.start()
    assert serving.version is not None
    # With a file of everything, and what version 2 left.
    for name in ("movements-00.db", "movements-00.zip", "movements-1a.snapshot", "archive-1a.zip"):
        (folder / name).touch()
    serving.version.archive.touch()
    other = new(database, folder)
    await other.start()
    await other.examine_whole()
    assert other.version is not None
    kept = {serving.version.path, serving.version.archive}
    assert {*folder.iterdir()} == kept | {other.version.path}
    other.close()
    third = new(database, folder)
    await third.start()
    await third.examine_whole()
    assert third.version is not None
    assert {*folder.iterdir()} == kept | {third.version.path}
    third.close()


async def test_a_start_on_a_bad_file_serves_what_was_served_last(
    serving: Served, database: Path, folder: Path
) -> None:
    await serving.start()
    replace(database)
    await looks(serving)
    overwrite(database, b"garbage")
    for other, rows in ((database, 1), (database.with_name("other.db"), None)):
        again = new(other, folder)
        await again.start()
        assert again.refused
        assert (again.version.rows if again.version else None) == rows
        again.close()


async def test_a_file_found_damaged_gives_place_to_what_was_served_before(
    serving: Served, database: Path, folder: Path
) -> None:
    await serving.start()
    spoil(database)
    adopted: list[DataVersion | None] = []
    again = new(database, folder, adopted.append)
    await again.start()
    damaged = again.version
    await again.examine_whole()
    assert adopted == [damaged, None, again.version]
    assert again.version is not None
    assert again.version.fault() == ""
    again.close()


async def test_a_version_is_closed_after_its_last_answer(serving: Served, database: Path) -> None:
    serving.close_after = 0.01
    await serving.start()
    first = serving.version
    assert first is not None
    closed: list[str] = []
    first.on_close = lambda: closed.append("closed")
    first.archive.touch()
    with first.read():
        replace(database)
        await looks(serving)
        await asyncio.sleep(0.05)
        assert (closed, first.path.exists(), first.archive.exists()) == ([], True, True)
    await asyncio.sleep(0.05)
    assert (closed, first.path.exists(), first.archive.exists()) == (["closed"], False, False)
