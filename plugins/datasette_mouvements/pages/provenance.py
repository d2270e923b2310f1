"""The public tables beside the movements, which say where these come from: their words in French."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..movement import MEANINGS
from . import french


class Table(NamedTuple):
    """One of these tables: what it is called, what a row is, its columns."""

    title: str
    row: str
    labels: dict[str, str]


TABLES = {
    "listes": Table(
        "Listes reçues",
        "liste",
        {
            "nom": "Liste",
            "chambre": "Chambre",
            "date": "Date",
            "statut": "Statut",
            "motif": "Raison du refus",
            "mesure": "Mesure",
            "paires": "Couples",
            "arrivees": "Nouveaux",
            "departs": "Disparus",
            "retenus": "En attente",
        },
    ),
    "retraits": Table(
        "Retraits",
        "retrait",
        {"id": "Identifiant du mouvement", "date": "Date", "raison": "Raison"},
    ),
    "corrections": Table(
        "Corrections",
        "correction",
        {"numero": "Numéro", "date": "Date", "genre": "Genre", "raison": "Raison"},
    ),
}
# Enumerated values are stored without accents.
STATUSES = {"acceptee": "acceptée", "refusee": "refusée", "retenue": "retenue"}


def cell(column: str, value: Any) -> str:
    """What stands in one of these tables, as people read it."""
    if column in ("date", "statut", "chambre"):
        words = STATUSES | MEANINGS
        return words.get(value, french.day(value))
    if isinstance(value, int):
        return french.number(value)
    return french.typography(value)
