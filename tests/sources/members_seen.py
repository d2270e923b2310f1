"""Members of the Sénat as sources tell of them, and the rows of the files that keep them."""

from __future__ import annotations

import datetime
from pathlib import Path

from parlement_lists.sources import members
from parlement_lists.sources.originals import ChamberMembers, MemberRecord, Period

FILES = ("mandats.csv", "groupes.csv", "noms_groupes.csv")
# The last day on which the members of a folder were read, as the journal has it.
_READ_ON: dict[tuple[Path, str], datetime.date] = {}


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


D1, D2, D3, D9 = (day(f"2026-09-0{n}") for n in (1, 2, 3, 9))


def merge(folder: Path, chamber: str, read: ChamberMembers, when: datetime.date) -> bool:
    """Merge as a run does, which has the last day before from the journal."""
    changed = members.merge(folder, chamber, read, when, _READ_ON.get((folder, chamber)))
    _READ_ON[folder, chamber] = when
    return changed


def seen(**groups: str) -> ChamberMembers:
    """Members of the Sénat without dates, by the letter of their matricule, with their groups."""
    seated = [
        MemberRecord(f"1000{number}{letter}", f"Nom{letter}", "Élue", "Mme", group)
        for number, (letter, group) in enumerate(groups.items())
    ]
    # The number must not depend on who else is seen.
    seated = [m._replace(id=f"10000{m.id[-1]}") for m in seated]
    return ChamberMembers(seated, False, "page", {"GRA": "Groupe Alpha", "GRB": "Groupe Bêta"})


def dated(*seated: MemberRecord, origin: str = "fichier") -> ChamberMembers:
    return ChamberMembers(seated, True, origin)


def member(letter: str, mandates: list[str], groups: list[str] | None = None) -> MemberRecord:
    """A member with mandates written `FIRST LAST` and groups `FIRST LAST CODE`; a last day of - goes on."""

    def period(text: str) -> Period:
        since, until, *group = text.split()
        return Period(day(since), None if until == "-" else day(until), *group)

    periods = [[period(text) for text in texts or ()] for texts in (mandates, groups)]
    return MemberRecord(f"10000{letter}", f"Nom{letter}", "Élue", "Mme", "", *periods)


def rows(folder: Path, file: str) -> list[str]:
    """The rows of a file, the letter of the member, days, group and origin only."""
    found = []
    for line in (folder / file).read_text().splitlines()[1:]:
        cells = line.split(",")
        shown = (
            cells[6:8] + cells[9:] if file == "mandats.csv" else [*cells[3:5], cells[2], *cells[5:]]
        )
        found.append(" ".join([cells[1][-1], *(cell or "-" for cell in shown)]))
    return found


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def archive(folder: Path, mandates: list[str], groups: list[str]) -> None:
    """Files as somebody else made them: rows `LETTER FIRST LAST [CODE]`, of origin `rc`."""
    folder.mkdir(parents=True)
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine"
    lines = [head]
    for text in mandates:
        letter, *days = text.replace(" -", " ").split(" ")
        lines.append(f"senat,10000{letter},Élue Nom,Nom,Élue,M.,{','.join(days)},En Cours,rc")
    (folder / "mandats.csv").write_text("\n".join([*lines, ""]))
    lines = ["chambre,elu_id,groupe,depuis,jusqua,origine"]
    for text in groups:
        letter, since, until, code = text.replace(" -", " ").split(" ")
        lines.append(f"senat,10000{letter},{code},{since},{until},rc")
    (folder / "groupes.csv").write_text("\n".join([*lines, ""]))
