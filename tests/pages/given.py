"""What the invented lists of these tests have in common: the folder of members, corrections, and how they are built."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.contract import environment

HEADS = {
    "mandats": "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin",
    "groupes": "chambre,elu_id,groupe,depuis,jusqua",
    "noms_groupes": "chambre,groupe,nom,couleur",
}


def members(folder: Path, **files: Iterable[str]) -> Path:
    """Write the folder of members, which is returned: of each file its rows."""
    into = folder / "members"
    into.mkdir()
    for name, rows in {"mandats": (), "groupes": (), **files}.items():
        text = "\n".join([HEADS[name], *rows]) + "\n"
        (into / f"{name}.csv").write_text(text, encoding="utf-8")
    return into


def build(
    folder: Path,
    elus: Path,
    *corrections: str,
    on: str = "2026-09-14",
    others: Iterable[object] = (),
) -> Path:
    """The database of the lists of a folder, with corrections of a day; `others` are further options of the command."""
    database, file = folder / "movements.db", folder / "corrections.yml"
    entries = (f"- {{date: {on}, raison: Demande, {entry}}}\n" for entry in corrections)
    file.write_text("".join(entries) or "[]", encoding="utf-8")
    given = ("--lists", folder / "lists", "--members", elus, "--corrections", file)
    environment.done("build", database, *given, *others)
    return database
