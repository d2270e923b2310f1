"""Which version is served while its file is replaced, spoiled, moved: one look after the other, no waiting."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.dataset import live, writer
from datasette_mouvements.dataset.live import Live

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
    serving: Live, database: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "COPIED_AT_ONCE", 0)
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
    serving: Live, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "COPIED_AT_ONCE", 0)
    overwrite(database, b"garbage" * 100)
    await serving.start()
    await serving._examine()
    assert serving.snapshot is None
    assert serving.refused
    assert database.read_bytes() == b"garbage" * 100


@pytest.mark.asyncio
async def test_copies_nobody_holds_are_swept_away(
    database: Path, folder: Path, serving: Live
) -> None:
    folder.mkdir()
    other = Live(database, folder)
    (folder / f"{other._prefix}0123456789abcdef.snapshot").write_bytes(b"left by a killed process")
    (folder / f"{other._prefix}0123456789abcdef.99.part").write_bytes(b"left half way")
    (folder / "something else").write_bytes(b"not ours")
    await other.start()
    await serving.start()
    assert len(list(folder.iterdir())) == 2  # both serve the same copy
    other.close()
    assert serving.snapshot is not None
    assert serving.snapshot.lines(range(1, 2))
    serving.close()
    assert len(list(folder.iterdir())) == 2  # it stays, for a start that finds nothing better
