"""Members of the Sénat as sources tell of them, and the rows of the files that keep them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from parlement_lists.sources import members
from parlement_lists.sources.originals import ChamberMembers, MemberRecord
from parlement_lists.tracking.members.spans import Span
from tests.tracking.lists import write_members

# The last day on which the members of a folder were read, as the journal has it.
_READ_ON: dict[Path, datetime.date] = {}


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


D1, D2, D3, D9 = (day(f"2026-09-0{n}") for n in (1, 2, 3, 9))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "lists" / "elus"


def merge(folder: Path, read: ChamberMembers, when: datetime.date) -> None:
    """Merge as a run does, which has the last day before from the journal."""
    members.merge(folder, "senat", read, when, _READ_ON.get(folder))
    _READ_ON[folder] = when


def seen(**groups: str) -> ChamberMembers:
    """Members of the Sénat without dates, by the letter of their matricule, with their groups."""
    seated = [
        MemberRecord(f"10000{letter}", f"Nom{letter}", "Élue", "Mme", group)
        for letter, group in groups.items()
    ]
    return ChamberMembers(seated, False, "page", {"GRA": "Groupe Alpha", "GRB": "Groupe Bêta"})


def dated(*seated: MemberRecord, origin: str = "fichier") -> ChamberMembers:
    return ChamberMembers(seated, True, origin)


def member(letter: str, mandates: list[str], groups: list[str] | None = None) -> MemberRecord:
    """A member with mandates written `FIRST LAST` and groups `FIRST LAST CODE`, or ?; a last day of - goes on."""

    def period(text: str) -> Span:
        since, until, *group = text.replace("?", "").split()
        return Span(day(since), None if until == "-" else day(until), *group)

    periods = [[period(text) for text in texts or ()] for texts in (mandates, groups)]
    return MemberRecord(f"10000{letter}", f"Nom{letter}", "Élue", "Mme", "", *periods)


def rows(folder: Path, file: str) -> str:
    """The rows of a file, `LETTER FIRST LAST [CODE] ORIGIN`, with `; ` between them."""
    table = [line.split(",") for line in (folder / file).read_text().splitlines()[1:]]
    kept = (6, 7, 9) if file == "mandats.csv" else (3, 4, 2, 5)
    return "; ".join(" ".join([cells[1][-1], *(cells[n] or "-" for n in kept)]) for cells in table)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def archive(folder: Path, mandates: str, groups: str) -> None:
    """Files as somebody else made them: rows `LETTER FIRST LAST [CODE]`, of origin `rc`."""
    of_mandates = [
        f"senat,10000{letter},Élue Nom,Nom,Élue,M.,{since},{until.strip('-')},En Cours,rc"
        for letter, since, until in map(str.split, filter(None, mandates.split("; ")))
    ]
    of_groups = [
        f"senat,10000{letter},{code},{since.strip('-')},{until.strip('-')},rc"
        for letter, since, until, code in map(str.split, filter(None, groups.split("; ")))
    ]
    write_members(folder, of_mandates, of_groups)
