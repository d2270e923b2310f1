"""What is served while the file on disk changes, by itself and without a server."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from datasette_mouvements.dataset.served.live import Live

from . import replacements, versions
from .versions import Version


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Version]:
    return versions.build(tmp_path_factory.mktemp("versions"), 2)


@pytest.fixture
def path(tmp_path: Path, made: list[Version]) -> Path:
    published = tmp_path / "published" / "movements.db"
    published.parent.mkdir()
    shutil.copyfile(made[0].path, published)
    return published


@pytest.fixture
def live(path: Path, tmp_path: Path) -> Iterator[Live]:
    started = Live(path, tmp_path / "served")
    yield started
    started.close()


def looking(live: Live, *steps: Callable[[], object]) -> list[str]:
    """The version served after each step, and two looks at the file."""

    async def run() -> list[str]:
        await live.start()
        served = []
        for step in steps:
            step()
            await live.look()
            await live.look()
            served.append(live.snapshot.version if live.snapshot else "")
        return served

    return asyncio.run(run())


def spoil_a_line(path: Path) -> None:
    """Inside a ready-made line, where SQLite sees no damage."""
    good = path.read_bytes()
    at = good.index(b'"chambre":')
    path.write_bytes(good[:at] + b'"chambra":' + good[at + 10 :])


@pytest.mark.parametrize("way", replacements.WAYS)
def test_a_new_file_is_taken_at_the_second_look(
    live: Live, path: Path, made: list[Version], way: Callable[[Path, Path], None]
) -> None:
    assert looking(live, lambda: way(path, made[1].path)) == [made[1].number]
    assert live.refused is None


def test_damage_that_a_start_did_not_see_is_noticed_at_once(live: Live, path: Path) -> None:
    spoil_a_line(path)

    async def run() -> None:
        await live.start()
        assert live.snapshot is not None
        watching = asyncio.create_task(live.watch())
        deadline = time.monotonic() + 10
        while live.snapshot is not None and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        assert live.snapshot is None
        assert "not of one build" in str(live.refused)
        watching.cancel()

    asyncio.run(run())
