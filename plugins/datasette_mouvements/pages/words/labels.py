"""What pages call the fields of movements and stays and their values, where the interface has words of men only or of trust."""

from __future__ import annotations

from parlement_lists import tenure
from parlement_lists.movement import FIELDS, MEANINGS

from . import french

LABELS = (
    {field.name: field.label for field in tenure.FIELDS}
    | {field.name: field.label for field in FIELDS}
    | {
        "collab_nom": "Nom de famille",
        "collab_prenom": "Prénom",
        "elu_cle": "Clé de parlementaire",
        "elu_id": "Identifiant de parlementaire",
        "elu_nom": "Parlementaire",
        "elu_origine_nom": "Équipe quittée",
        "elu_origine_groupe": "Groupe de l’équipe quittée",
        "confiance": "Précision de la date",
    }
)
_EXPLAINED = {field.name: field.description for field in FIELDS} | {
    "collab_nom": "Nom de famille de la personne, en capitales.",
    "collab_prenom": "Prénom de la personne.",
    "collab_civilite": "Civilité, telle que la liste l’écrit.",
    "elu_cle": "Nom puis prénom, en minuscules, sans accent ni ponctuation. Des homonymes la partagent.",
    "elu_nom": "Parlementaire dont la personne rejoint ou quitte l’équipe ; pour un transfert, celle qu’elle rejoint.",
    "elu_groupe": "Groupe politique au jour du mouvement, ou au dernier jour d’un mandat terminé.",
    "elu_origine_nom": "Pour un transfert : parlementaire dont la personne quitte l’équipe.",
    "elu_origine_groupe": "Pour un transfert : groupe politique de l’équipe quittée.",
    "fonction": "Fonction de la personne.",
    "contexte": "Le mandat que le mouvement accompagne.",
    "confiance": "Ce que les listes disent du jour.",
}
_MEANINGS = MEANINGS | {"elu_sortant": "Fin de mandat", "elu_entrant": "Début de mandat"}


def explained(field: str) -> str:
    """What a field of a movement is."""
    return french.typography(_EXPLAINED[field])


def meaning(value: object) -> str:
    """What an enumerated value means; any other value as it is."""
    return french.typography(_MEANINGS.get(str(value), str(value))) if value else ""


def precision(confidence: str) -> str:
    """How well a date is known, without the word for how far to trust it."""
    return french.typography(MEANINGS.get(confidence, confidence).rpartition(" : ")[2])
