"""Which version is served while its file is replaced, spoiled, moved: one look after the other, no waiting."""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.served import leases
from datasette_mouvements.dataset.served.live import Live
from datasette_mouvements.dataset.served.snapshot import NotServable, Snapshot
from tests.published import write
from tests.tracking.disk import files_up_to

from .conftest import movement


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "served"


@pytest.fixture
def serving(database: Path, folder: Path) -> Iterator[Live]:
    serving = Live(database, folder)
    yield serving
    serving.close()


def replace(database: Path) -> None:
    write(database, [("one", [(1, movement())])])


def overwrite(database: Path, content: bytes) -> None:
    with database.open("r+b") as file:
        file.truncate(0)
        file.write(content)


async def looks(serving: Live) -> None:
    """Two looks: the second finds what the first saw, and judges it."""
    await serving.look()
    await serving.look()


@pytest.mark.asyncio
async def test_a_replaced_file_is_adopted_at_the_second_look(serving: Live, database: Path) -> None:
    await serving.start()
    first = serving.snapshot
    replace(database)
    await serving.look()
    assert serving.snapshot is first
    await serving.look()
    assert serving.snapshot is not None
    assert serving.snapshot.rows == 1
    assert first is not None
    assert first.lines(range(1, 2))  # requests under way still read the version they began with


BAD = {
    "deleted": lambda database: database.unlink(),
    "truncated": lambda database: os.truncate(database, 5000),
    "emptied": lambda database: os.truncate(database, 0),
    "overwritten": lambda database: overwrite(database, b"garbage" * 10_000),
    "replaced by a folder": lambda database: (database.unlink(), database.mkdir()),
    "written to": lambda database: database.with_name("movements.db-journal").write_bytes(b"x"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.asyncio
async def test_a_bad_file_is_told_once_and_the_good_one_stays_served(
    serving: Live, database: Path, caplog: pytest.LogCaptureFixture, bad: str
) -> None:
    await serving.start()
    good = serving.snapshot
    BAD[bad](database)
    for _ in range(3):
        await looks(serving)
    assert serving.snapshot is good
    assert good is not None
    rows = json.loads(b"[%b]" % b"".join(good.lines(range(1, good.rows + 1))))
    assert len(rows) == good.rows
    assert serving.refused
    assert [r.levelname for r in caplog.records if "refused" in r.getMessage()] == ["ERROR"]


@pytest.mark.asyncio
async def test_where_nothing_can_be_served_a_good_file_is_adopted_when_it_comes(
    serving: Live, database: Path
) -> None:
    database.write_bytes(b"garbage")
    await serving.start()
    assert serving.snapshot is None
    replace(database)
    await looks(serving)
    assert serving.snapshot is not None
    assert serving.refused is None


@pytest.mark.asyncio
async def test_a_large_file_is_served_at_once_and_copied_by_the_looks(
    serving: Live, database: Path, folder: Path
) -> None:
    serving.copied_at_once = 0
    await serving.start()
    assert serving.snapshot is not None
    assert serving.snapshot.path == database
    assert not folder.exists()
    await serving.look()
    assert serving.snapshot.path.parent == folder
    os.truncate(database, 0)
    await looks(serving)
    assert serving.snapshot.lines(range(1, 2))


@pytest.mark.asyncio
async def test_a_large_file_that_is_bad_is_refused_and_left_alone(
    serving: Live, database: Path
) -> None:
    serving.copied_at_once = 0
    overwrite(database, b"garbage" * 100)
    await serving.start()
    await serving._examine()
    assert serving.snapshot is None
    assert serving.refused
    assert database.read_bytes() == b"garbage" * 100


def spoil(database: Path) -> None:
    """What only the whole examination notices: each table can be read, and one is not of this build."""
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("update _lignes set json = replace(json, 'senat', 'Senat')")


@pytest.mark.asyncio
async def test_a_file_is_judged_once(database: Path, folder: Path) -> None:
    adopted: list[Snapshot] = []
    serving = Live(database, folder, adopted.append)
    await serving.start()
    await looks(serving)
    await looks(serving)
    assert len(adopted) == 1
    serving.close()


@pytest.mark.asyncio
async def test_a_file_that_is_not_of_one_build_is_refused(serving: Live, database: Path) -> None:
    await serving.start()
    good = serving.snapshot
    spoil(database)
    await looks(serving)
    assert serving.snapshot is good
    assert serving.refused == "damaged: its tables are not of one build"
    copies = [copy.suffix for copy in serving.folder.iterdir()]
    assert copies == [".snapshot"]  # the good one's: that of the other is not kept


@pytest.mark.parametrize(("retry", "served"), [(0, True), (1000, False)])
@pytest.mark.asyncio
async def test_on_a_full_disk_a_file_is_tried_again_after_a_while(
    serving: Live,
    database: Path,
    caplog: pytest.LogCaptureFixture,
    retry: float,
    served: bool,
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
    assert (serving.snapshot is not None) == served


def test_a_file_that_changed_since_it_was_looked_at_is_not_copied(
    serving: Live, database: Path
) -> None:
    seen = leases.Signature.of(database)
    replace(database)
    with pytest.raises(NotServable, match="it changed while it was read"):
        serving.copies.take(seen, thorough=False)
    assert list(serving.folder.iterdir()) == []


@pytest.mark.asyncio
async def test_a_large_file_that_goes_bad_before_it_was_copied_is_served_no_more(
    serving: Live, database: Path
) -> None:
    serving.copied_at_once = 0
    await serving.start()
    overwrite(database, b"garbage" * 100)
    await looks(serving)
    assert serving.snapshot is None


@pytest.mark.asyncio
async def test_what_a_start_did_not_look_at_is_examined_first(
    serving: Live, database: Path
) -> None:
    spoil(database)
    await serving.start()
    assert serving.snapshot is not None
    watching = asyncio.create_task(serving.watch())
    async with asyncio.timeout(10):
        while serving.snapshot is not None:
            await asyncio.sleep(0.001)
    watching.cancel()
    assert serving.refused == "damaged: its tables are not of one build"


@pytest.mark.asyncio
async def test_a_copy_that_is_damaged_is_made_again(serving: Live, database: Path) -> None:
    await serving.start()
    assert serving.snapshot is not None
    spoil(serving.snapshot.path)
    await serving._examine()
    await looks(serving)
    assert serving.snapshot is not None
    assert serving.snapshot.sound() == ""


@pytest.mark.asyncio
async def test_a_start_on_a_bad_file_serves_the_newest_good_copy_of_that_file(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    versions = {}
    folder.mkdir()
    # From the oldest to the newest; the third is damaged, the fourth of another file.
    for number, path in enumerate((database, database, database, tmp_path / "other.db"), 1):
        copy = folder / f"{Live(path, folder).copies.prefix}{number}.snapshot"
        given = [(1, movement(collab_nom=f"N{number}"))]
        versions[number] = write(copy, [("one", given)]).version
        if number == 3:
            spoil(copy)
        os.utime(copy, (number, number))
    database.write_bytes(b"garbage")
    serving = Live(database, folder)
    await serving.start()
    assert serving.snapshot is not None
    assert serving.snapshot.version == versions[2]
    serving.close()


@pytest.mark.parametrize("copied_at_once", [0, 10**9])
@pytest.mark.asyncio
async def test_what_must_not_be_served_is_not_whatever_way_it_comes(
    database: Path, folder: Path, copied_at_once: int
) -> None:
    def examine(snapshot: Snapshot) -> None:
        if snapshot.invented:
            raise NotServable("invented")

    before = Live(database, folder)
    write(database, [("one", [(1, movement())])], {"_publication": [("invente", "1")]})
    await before.start()
    before.close()
    assert list(folder.glob("*.snapshot"))
    serving = Live(database, folder, examine=examine)
    serving.copied_at_once = copied_at_once
    await serving.start()
    assert (serving.snapshot, serving.refused) == (None, "invented")
    database.write_bytes(b"garbage")
    again = Live(database, folder, examine=examine)
    await again.start()  # a copy that was served before is not either
    assert again.snapshot is None
    replace(database)
    await looks(again)
    assert again.snapshot is not None
    again.close()
