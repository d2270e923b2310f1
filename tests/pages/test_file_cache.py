"""Files made on disk: once for all who wait, held while they are sent, swept when they are too many or too old."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.files import file_cache
from datasette_mouvements.pages.files.file_cache import FileCache, WaitingClients

pytestmark = pytest.mark.asyncio


@pytest.fixture
def files(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "served", tmp_path / "movements.db")


def again(files: FileCache, **bounds: float) -> FileCache:
    """The same cache with these bounds."""
    return FileCache(files.folder, files.source, **bounds)  # type: ignore[arg-type]


def writes(content: bytes) -> file_cache.Write:
    def write(file: BinaryIO, wanted: WaitingClients) -> None:
        file.write(content)

    return write


def here(files: FileCache) -> set[str]:
    return {path.name for path in files.folder.iterdir()}


def aged(files: FileCache, name: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(files.folder / f"archive-{name}", (then, then))


async def make(files: FileCache, name: str, content: bytes = b"x") -> None:
    async with files.hold(name, writes(content)) as path:
        assert path.read_bytes() == content


class Slow:
    """What writes for as long as it is wanted, or until it may go on."""

    def __init__(self) -> None:
        self.began, self.ended, self.go_on = threading.Event(), threading.Event(), threading.Event()
        self.times = 0

    def write(self, file: BinaryIO, wanted: WaitingClients) -> None:
        self.times += 1
        self.began.set()
        try:
            for piece in wanted.pieces(self._pieces()):
                file.write(piece)
        finally:
            self.ended.set()

    def _pieces(self) -> Iterator[bytes]:
        while not self.go_on.wait(0.001):
            yield b"more"
        yield b"end"


async def happens(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 10)


async def test_a_file_is_made_once_for_all_who_ask(files: FileCache) -> None:
    slow = Slow()
    slow.go_on.set()

    async def read() -> bytes:
        async with files.hold("a.csv", slow.write) as path:
            return path.read_bytes()

    assert set(await asyncio.gather(*(read() for _ in range(5)))) == {b"end"}
    assert await read() == b"end"
    assert (slow.times, here(files)) == (1, {"archive-a.csv"})


async def test_a_file_goes_on_while_one_of_those_who_wait_stays(files: FileCache) -> None:
    slow = Slow()
    staying, going = (asyncio.create_task(_held(files, slow)) for _ in range(2))
    await happens(slow.began)
    going.cancel()
    await asyncio.wait([going])
    assert not slow.ended.is_set()
    slow.go_on.set()
    assert (await staying).endswith(b"end")


async def _held(files: FileCache, slow: Slow) -> bytes:
    async with files.hold("a.csv", slow.write) as path:
        return path.read_bytes()


async def test_a_file_that_nobody_waits_for_is_given_up_and_leaves_nothing(
    files: FileCache,
) -> None:
    slow = Slow()
    task = asyncio.create_task(_held(files, slow))
    await happens(slow.began)
    task.cancel()
    await asyncio.wait([task])
    await happens(slow.ended)
    # Who comes now does not get the one that was given up.
    await make(files, "a.csv", b"anew")
    async with asyncio.timeout(10):  # the thread that wrote it takes its part away
        while here(files) != {"archive-a.csv"}:
            await asyncio.sleep(0.01)


async def test_those_who_left_before_their_turn_make_nothing(files: FileCache) -> None:
    slow = [Slow() for _ in range(file_cache.AT_ONCE)]
    tasks = [
        asyncio.create_task(_named(files, f"{number}.csv", one)) for number, one in enumerate(slow)
    ]
    for one in slow:
        await happens(one.began)
    late = Slow()
    waiting = asyncio.create_task(_named(files, "late.csv", late))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    for one in slow:
        one.go_on.set()
    await asyncio.gather(*tasks)
    await make(files, "after.csv")
    assert "archive-late.csv" not in here(files)


async def _named(files: FileCache, name: str, slow: Slow) -> None:
    async with files.hold(name, slow.write):
        pass


async def test_a_query_is_ended_with_the_last_who_waits(files: FileCache) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(file: BinaryIO, wanted: WaitingClients) -> None:
        db = sqlite3.connect(":memory:")
        db.set_progress_handler(wanted.gone, file_cache.STEPS)
        began.set()
        try:
            db.execute(
                "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
            ).fetchone()
        finally:
            db.close()
            ended.set()

    async def wait() -> None:
        async with files.hold("a.csv", endless):
            raise AssertionError

    before = asyncio.all_tasks()
    task = asyncio.create_task(wait())
    await happens(began)
    [making] = asyncio.all_tasks() - before - {task}
    task.cancel()
    await asyncio.wait([task])
    await happens(ended)
    await asyncio.wait([making])
    assert making.exception() is None  # nobody would retrieve it, and asyncio would log it


@pytest.mark.parametrize("error", [OSError(28, "full"), sqlite3.OperationalError("gone")])
async def test_a_file_that_cannot_be_made_leaves_nothing_and_is_tried_anew(
    files: FileCache, error: Exception
) -> None:
    def fails(file: BinaryIO, wanted: WaitingClients) -> None:
        file.write(b"half")
        raise error

    with pytest.raises(type(error)):
        async with files.hold("a.csv", fails):
            raise AssertionError
    assert here(files) == set()
    await make(files, "a.csv")


async def test_files_that_nobody_asked_for_in_long_go(files: FileCache) -> None:
    await make(files, "old.csv")
    await make(files, "used.csv")
    aged(files, "old.csv", file_cache.UNUSED_FOR + 1)
    aged(files, "used.csv", file_cache.UNUSED_FOR + 1)
    await make(files, "used.csv")  # as if it were made: it is there
    files.sweep()
    assert here(files) == {"archive-used.csv"}


async def test_beyond_the_bound_the_one_used_longest_ago_goes_first(files: FileCache) -> None:
    files = again(files, least_room=25)
    for age, name in ((30, "a.csv"), (20, "b.csv"), (10, "c.csv")):
        await make(files, name, b"0123456789")
        aged(files, name, age)
    files.sweep()
    assert here(files) == {"archive-b.csv", "archive-c.csv"}


async def test_the_bound_is_as_large_as_the_movements_file(files: FileCache) -> None:
    files = again(files, least_room=5)
    files.source.write_bytes(b"0" * 30)
    for name in ("a.csv", "b.csv", "c.csv"):
        await make(files, name, b"0123456789")
    assert len(here(files)) == 3
    again(files, least_room=5, most_room=10).sweep()
    assert len(here(files)) == 1


async def test_no_file_goes_while_it_is_sent_also_by_another_process(files: FileCache) -> None:
    async with files.hold("a.csv", writes(b"x")) as path:
        aged(files, "a.csv", file_cache.UNUSED_FOR + 1)
        await asyncio.to_thread(sweep_elsewhere, files)
        assert path.exists()
    aged(files, "a.csv", file_cache.UNUSED_FOR + 1)
    await asyncio.to_thread(sweep_elsewhere, files)
    assert not path.exists()


def sweep_elsewhere(files: FileCache) -> None:
    script = (
        "import sys; from pathlib import Path;"
        "from datasette_mouvements.pages.files.file_cache import FileCache;"
        "FileCache(Path(sys.argv[1]), Path(sys.argv[1])).sweep()"
    )
    subprocess.run([sys.executable, "-c", script, files.folder], check=True, timeout=60)


async def test_what_a_killed_process_left_goes_and_what_is_being_made_stays(
    files: FileCache,
) -> None:
    files.folder.mkdir()
    left, begun = (files.folder / f"archive-{name}.csv.1-0.part" for name in ("left", "begun"))
    left.write_bytes(b"half")
    with begun.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        files.sweep()
        assert here(files) == {begun.name}


async def test_a_folder_that_is_not_there_is_swept_and_made(files: FileCache) -> None:
    files.sweep()
    await make(files, "a.csv")
    assert (files.folder / "archive-a.csv").stat().st_mode & 0o777 == 0o600


async def test_the_sweeper_sweeps_again_and_again(files: FileCache) -> None:
    files = again(files, sweep_every=0.001)
    watching = asyncio.create_task(files.watch())
    for name in ("a.csv", "b.csv"):
        await make(files, name)
        aged(files, name, file_cache.UNUSED_FOR + 1)
        async with asyncio.timeout(10):
            while here(files):
                await asyncio.sleep(0.001)
    watching.cancel()
    await asyncio.wait([watching])
