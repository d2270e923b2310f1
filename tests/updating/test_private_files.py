"""What a run keeps can be read by its owner alone, whatever the umask; what it publishes, by everybody."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.updating.published import Published
from tests.contract.environment import SAMPLE, done
from tests.sources import amo10
from tests.sources.misbehaving import Server, says


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Path]:
    """A sources file whose one address answers from here."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
        file = tmp_path / "sources.yml"
        file.write_text(f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n")
        yield file
        server.stopping.set()
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    assert os.umask(before) == 0  # a command leaves it as it was


def readable(path: Path) -> bool:
    """Whether somebody who is not the owner may read a file or enter a folder, folders above left aside."""
    return bool(path.stat().st_mode & 0o077)


def others_reach(folder: Path, path: Path) -> bool:
    above = [one for one in path.parents if folder in one.parents]
    return all(map(readable, (path, *above)))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("before", ["nothing", "what everybody could read"])
def test_lists_state_and_database_are_private_and_what_is_served_is_not(
    tmp_path: Path, sources: Path, before: str
) -> None:
    lists, var, data = (tmp_path / name for name in ("lists", "var", "data"))
    database, served = var / "movements.db", data / "movements.db"
    command = ("daily", lists, database, "--serve", served, "--sources", sources)
    command += ("--source", "assemblee")
    done(*command)
    if before != "nothing":
        # As a run with a usual umask left them.
        database.chmod(0o644)
        for path in (var, lists, *lists.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        done(*command)
    kept = [*files(lists), *files(var)]
    assert {"movements.db", "movements.suivi.sqlite3", "HEAD"} <= {path.name for path in kept}
    assert [path for path in kept if others_reach(tmp_path, path)] == []
    assert served.stat().st_mode & 0o777 == 0o644
    assert data.stat().st_mode & 0o777 == 0o755


def test_a_database_that_is_served_itself_stays_as_it_is(tmp_path: Path, sources: Path) -> None:
    database = tmp_path / "data" / "movements.db"
    done("build", database, "--movements", SAMPLE)
    database.chmod(0o644)
    command = ("daily", tmp_path / "lists", database, "--sources", sources)
    done(*command, "--source", "assemblee")
    assert (len(Published(database).lists), database.stat().st_mode & 0o777) == (1, 0o644)


def test_what_is_fetched_is_private(tmp_path: Path, sources: Path) -> None:
    lists = tmp_path / "lists"
    done("fetch", lists, "--sources", sources, "--source", "assemblee")
    kept = files(lists)
    assert "HEAD" in {path.name for path in kept}
    assert [path for path in kept if readable(path)] == []
