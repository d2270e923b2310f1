"""The copies that a service reads: which stay, and which are swept away."""

import asyncio
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from datasette_mouvements.dataset.served import live
from datasette_mouvements.dataset.served.live import Live
from tests.published import write

from .conftest import movement
from .test_live import folder as folder
from .test_live import looks, replace
from .test_live import serving as serving


@pytest.mark.asyncio
async def test_looks_at_once_make_one_copy(database: Path, serving: Live) -> None:
    await serving.start()
    for times in range(1, 4):
        replace(database)
        await serving.look()
        await asyncio.gather(*(serving.look() for _ in range(4)))
        assert (serving.refused, len(serving._retired)) == (None, times)


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
    write(folder / f"{serving.copies.prefix}3.snapshot", [("one", [(1, movement())])])
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
