"""Which version is served while its file is replaced, spoiled, moved: one look after the other, no waiting."""

import fcntl
import os
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import writer
from datasette_mouvements.dataset.served import leases, live
from datasette_mouvements.dataset.served.live import Live
from datasette_mouvements.dataset.served.snapshot import NotServable, Snapshot
from tests.tracking.disk import files_up_to

from .test_build import movement


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "served"


@pytest.fixture
def serving(database: Path, folder: Path) -> Iterator[Live]:
    serving = Live(database, folder)
    yield serving
    serving.close()


def replace(database: Path) -> None:
    writer.write(database, [("one", [(1, movement())])])


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
    assert good.lines(range(1, good.rows + 1)).count(b'"id"') == good.rows
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
        versions[number] = writer.write(copy, [("one", given)]).version
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
    writer.write(database, [("one", [(1, movement())])], {"_publication": [("invente", "1")]})
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


@pytest.mark.asyncio
async def test_nothing_is_swept_away_while_a_copy_is_written_anew(
    serving: Live, folder: Path
) -> None:
    folder.mkdir()
    left = folder / f".{serving.copies.prefix}0.1.part.build-x"
    left.touch()
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    await serving.start()  # a file of this version is no matter of that lock
    assert serving.snapshot is not None
    assert left.exists()
    os.close(handle)
    serving.copies.sweep()
    assert not left.exists()


@contextmanager
def files_to_open(count: int) -> Iterator[None]:
    """The process may open so many files more."""
    free = os.dup(0)
    os.close(free)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# The lease on the copy takes the one.
@pytest.mark.parametrize(("files", "copied_at_once"), [(0, 0), (1, 10**9)])
@pytest.mark.asyncio
async def test_too_many_open_files_are_not_the_files_fault(
    database: Path,
    folder: Path,
    serving: Live,
    files: int,
    copied_at_once: int,
) -> None:
    serving.retry_after = 0
    await serving.start()
    assert serving.snapshot is not None
    other = Live(database, folder)
    other.retry_after, other.copied_at_once = 0, copied_at_once
    with files_to_open(files):
        await other.start()
        await other.look()
        await serving._examine()
    assert serving.snapshot.path.exists()  # this worker goes on serving it
    assert serving.refused is None
    assert other.snapshot is None
    assert "cannot be copied" in str(other.refused)
    await looks(other)
    assert other.snapshot is not None
    assert other.refused is None
    other.close()


@pytest.mark.asyncio
async def test_copies_that_cannot_be_read_do_not_keep_a_good_one_back(
    database: Path, folder: Path
) -> None:
    folder.mkdir()
    serving = Live(database, folder)
    (other := folder / f"{serving.copies.prefix}1.snapshot").mkdir()
    os.utime(other, (2e9, 2e9))  # the newest
    (loop := folder / f"{serving.copies.prefix}2.snapshot").symlink_to(loop)
    database.write_bytes(b"garbage")
    await serving.start()
    assert serving.snapshot is None
    writer.write(folder / f"{serving.copies.prefix}3.snapshot", [("one", [(1, movement())])])
    await serving.start()
    assert serving.snapshot is not None
    assert serving.snapshot.rows == 1
    serving.close()


@pytest.mark.asyncio
async def test_a_copy_of_a_file_that_is_served_elsewhere_goes_when_it_is_old_and_unused(
    database: Path, folder: Path, serving: Live
) -> None:
    paths = {name: database.with_name(f"{name}.db") for name in ("fresh", "old", "used")}
    others = {}
    for name, path in paths.items():
        path.symlink_to(database)
        others[name] = Live(path, folder)
        await others[name].start()
        if name != "used":
            others[name].close()
    for copy in folder.iterdir():
        if not copy.name.startswith(others["fresh"].copies.prefix):
            os.utime(copy, (1, 1))
    await serving.start()
    left = {name for name in paths if list(folder.glob(f"{others[name].copies.prefix}*"))}
    assert left == {"fresh", "used"}
    others["used"].close()


@pytest.mark.asyncio
async def test_a_large_file_that_is_replaced_again_and_again_has_a_few_copies_only(
    serving: Live, database: Path, folder: Path
) -> None:
    await serving.start()
    serving.copied_at_once = 0
    for _ in range(live.MOST_RETIRED + 3):
        replace(database)
        await looks(serving)
    assert len(list(folder.iterdir())) == live.MOST_RETIRED + 1
    third = serving.snapshot
    serving._release_oldest()
    await looks(serving)
    assert serving.snapshot is not third


@pytest.mark.asyncio
async def test_copies_nobody_holds_are_swept_away(
    database: Path, folder: Path, serving: Live
) -> None:
    folder.mkdir()
    other = Live(database, folder)
    (folder / f"{other.copies.prefix}0123456789abcdef.snapshot").write_bytes(
        b"left by a killed process"
    )
    (folder / f"{other.copies.prefix}0123456789abcdef.99.part").write_bytes(b"left half way")
    (folder / "something else").write_bytes(b"not ours")
    await other.start()
    await serving.start()
    assert len(list(folder.iterdir())) == 2  # both serve the same copy
    other.close()
    assert serving.snapshot is not None
    assert serving.snapshot.lines(range(1, 2))
    serving.close()
    assert len(list(folder.iterdir())) == 2  # it stays, for a start that finds nothing better
