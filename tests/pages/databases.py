"""Databases of invented lists, with members and corrections, and such as a test changes as no build would."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest
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
    options = ("--lists", folder / "lists", "--members", elus, "--corrections", file)
    environment.done("build", database, *options, *others)
    return database


@contextmanager
def changing(of: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a file, to be changed; then it says what its tables are now, or nobody would serve it."""
    shutil.copy(of, path)
    with closing(sqlite3.connect(path)) as db, db:
        yield db
        empreinte = [digest.of_tables(db)]
        db.execute("update _publication set valeur = ? where cle = 'empreinte'", empreinte)
