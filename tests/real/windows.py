"""The windows of real lists, where they are at hand: MOUVEMENTS_DATA, by default ../shared/data."""

from __future__ import annotations

import functools
import json
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import ListFile, parse_path
from parlement_lists.tracking.reading.walk import walk
from tests.run_folder import made_once

DATA = Path(
    os.environ.get("MOUVEMENTS_DATA") or Path(__file__).parents[2].parent / "shared" / "data"
)
MISSING = f"no real lists in {DATA}; MOUVEMENTS_DATA says where they are"


def available() -> dict[str, Any]:
    """The windows by name; none where the data is not at hand."""
    file = DATA / "windows.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def list_files(window: dict[str, Any]) -> list[ListFile]:
    """The lists of a window, in order."""
    if "archive" in window:
        return lists_of(DATA / window["archive"])
    return list(_files(window))


@cache
def lists_of(source: Path) -> list[ListFile]:
    """The lists of a folder or an archive, found once."""
    return list(walk([source if source.is_dir() else unpacked(source)]).files)


def unpacked(archive: Path) -> Path:
    """The folder of an archive's lists, unpacked once in a run of the tests."""
    return made_once(archive.name.removesuffix(".tar.xz"), functools.partial(_unpack, archive))


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")


def _files(window: dict[str, Any]) -> Iterator[ListFile]:
    for name in window["fichiers"]:
        where = parse_path(name)
        assert where is not None
        yield ListFile(*where, name, data=(DATA / name).read_bytes)


@cache
def known_members() -> Members:
    return Members.read(DATA / "elus")
