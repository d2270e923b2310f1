"""The windows of real lists, where they are at hand: MOUVEMENTS_DATA, by default ../shared/data."""

from __future__ import annotations

import functools
import json
import os
import tarfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from parlement_lists.movement import words
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile, parse_path
from parlement_lists.tracking.reading.names import civility_and_name, near
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.track import Tracked
from tests.run_folder import made_once
from tests.tracking.lists import tracked

DATA = Path(
    os.environ.get("MOUVEMENTS_DATA") or Path(__file__).parents[2].parent / "shared" / "data"
)
MISSING = f"no real lists in {DATA}; MOUVEMENTS_DATA says where they are"


class Counts(NamedTuple):
    """How many movements of each type, and lists refused."""

    arrivals: int
    departures: int
    transfers: int
    refused: int


# What an independent reading of the same lists counts, transfers in the same step only; it calls who
# has a new family name a departure and an arrival.
REFERENCE = {
    "an-calme-2022": Counts(77, 96, 0, 0),
    "an-legislature-2022": Counts(993, 1344, 18, 0),
    "an-encodage-2018": Counts(52, 20, 0, 2),
    "se-renouvellement-2017": Counts(184, 310, 0, 0),
    "se-trou-2020": Counts(212, 252, 47, 0),
    "se-debut-2015": Counts(18, 12, 0, 3),
    "an-quotidien-2020": Counts(1025, 985, 14, 0),
}


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
def followed(name: str) -> Tracked:
    """What the lists of the window of that name tell, as archives, read once: nobody changes it."""
    return tracked(list_files(available()[name]), known_members())


@cache
def known_members() -> Members:
    return Members.read(DATA / "elus")


def counts(found: Tracked) -> Counts:
    types = Counter(movement.type for movement in found.movements)
    refused = sum(record.status == "refused" for record in found.report.records)
    return Counts(types["arrivee"], types["depart"], types["transfert"], refused)


def renamed(found: Tracked) -> int:
    """How many people have a name from one list to the next that is not near the one before."""
    changes = [change for record in found.report.records for change in record.renamed]
    keys = [[words(civility_and_name(c[name])[1]) for name in ("old", "new")] for c in changes]
    return sum(not near(*both) for both in keys)
