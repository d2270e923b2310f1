"""The fields of movements and stays, as openapi.json describes them, under the labels that people read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from parlement_lists.tenure import Tenure

_LABELS = {
    "id": "Identifiant",
    "date_event": "Date",
    "chambre": "Chambre",
    "type": "Mouvement",
    "collab_nom": "Nom du collaborateur",
    "collab_prenom": "Prénom du collaborateur",
    "collab_civilite": "Civilité",
    "elu_cle": "Clé de l’élu",
    "elu_id": "Identifiant de l’élu",
    "elu_nom": "Élu",
    "elu_groupe": "Groupe",
    "elu_origine_nom": "Élu d’origine",
    "elu_origine_groupe": "Groupe d’origine",
    "fonction": "Fonction",
    "contexte": "Contexte",
    "source": "Source",
    "confiance": "Confiance",
    "debut": "Début",
    "debut_apres": "Début après",
    "fin": "Fin",
    "fin_apres": "Dernière présence",
    "mouvement_debut": "Mouvement de début",
    "mouvement_fin": "Mouvement de fin",
    "conge": "Congé",
    "anciens_noms": "Anciens noms",
    "retour_de": "Retour de",
    "retour_jours": "Jours avant le retour",
    "vu_ensuite": "Vu ensuite",
    "vu_ensuite_jours": "Jours avant d’être vu ensuite",
    "mandat_fin": "Fin du mandat",
}


class Field(NamedTuple):
    """One field, described once for the interface, SQL, documentation, metadata and files."""

    name: str
    label: str
    description: str
    example: str
    required: bool = False
    values: tuple[str, ...] = ()


OPENAPI = (Path(__file__).parent / "api" / "openapi.json").read_text(encoding="utf-8")
DESCRIPTION: dict[str, Any] = json.loads(OPENAPI)
_SCHEMAS: dict[str, Any] = DESCRIPTION["components"]["schemas"]


def followed(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the description, or the component to which it refers."""
    if "$ref" not in part:
        return part
    _, kind, name = part["$ref"].rsplit("/", 2)
    component: dict[str, Any] = DESCRIPTION["components"][kind][name]
    return component


def _described(schema: str) -> Iterator[Field]:
    """The fields of a schema, in its order."""
    for name, about in _SCHEMAS[schema]["properties"].items():
        values = tuple(followed(about).get("enum", ()))
        # What answers always have may be without a value.
        required = name in _SCHEMAS[schema]["required"] and "" not in values
        (example,) = about["examples"]
        shown = " ".join(example) if isinstance(example, list) else str(example)
        yield Field(name, _LABELS[name], about["description"], shown, required, values)


MOVEMENT_FIELDS = tuple(_described("Mouvement"))
# A stay as it is answered: the columns of the table, what it returns to and what follows, the end of the mandate.
LINE_FIELDS = tuple(_described("UneCollaboration"))
STAY_FIELDS = LINE_FIELDS[: len(Tenure._fields)]
