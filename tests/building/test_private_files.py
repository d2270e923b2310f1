"""What a run keeps can be read by its owner alone, whatever the umask; what it publishes, by everybody."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.building.masks import KEY_FILE, key_in
from parlement_lists.tracking.reading import git
from tests.contract.environment import done
from tests.published import Published
from tests.sources import amo10
from tests.sources.misbehaving import Server, says


@pytest.fixture
def sources(tmp_path: Path, server: Server) -> Path:
    """A sources file whose one address answers from here."""
    server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
    file = tmp_path / "sources.yml"
    file.write_text(f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n")
    return file


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    assert os.umask(before) == 0  # a command leaves it as it was


def others_reach(folder: Path, path: Path) -> bool:
    """Whether somebody who is not the owner may read a file, folders above `folder` left aside."""
    above = [one for one in path.parents if folder in one.parents]
    return all(one.stat().st_mode & 0o077 for one in (path, *above))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_lists_and_key_are_private_and_the_database_is_not(tmp_path: Path, sources: Path) -> None:
    lists, database, corrections = (tmp_path / n for n in ("lists", "data/movements.db", "c.yml"))
    chosen = ("--sources", sources, "--source", "assemblee")
    done("fetch", lists, *chosen)
    assert [path for path in files(lists) if others_reach(tmp_path, path)] == []
    command = ("daily", lists, database, *chosen)
    done(*command)
    # As a run with a usual umask left them.
    for path in (lists, *lists.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (person,) = Published(database).rows(
        "select collab_prenom || ' ' || collab_nom from collaborations limit 1"
    )
    corrections.write_text(
        f"- {{date: 2100-01-01, raison: Demande, masquer: {{nom: {person[0]}}}}}"
    )
    done(*command, "--corrections", corrections)
    kept = files(lists)
    assert {KEY_FILE, "journal.csv", "HEAD"} <= {path.name for path in kept}
    assert [path for path in kept if others_reach(tmp_path, path)] == []
    assert (lists / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert database.stat().st_mode & 0o777 == 0o644
    assert KEY_FILE not in git.run(lists, "ls-files")
    database.chmod(0o640)
    done(*command, "--corrections", corrections)
    assert database.stat().st_mode & 0o777 == 0o640


def test_the_private_key_is_its_owner_s_alone_whatever_the_umask(tmp_path: Path) -> None:
    key_in(tmp_path / KEY_FILE)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
