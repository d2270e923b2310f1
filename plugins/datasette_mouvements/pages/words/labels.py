"""What pages call fields, values and functions, where the words of the interface or of a list would mislead."""

from __future__ import annotations

from parlement_lists import tenure
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import FIELDS, plain

from . import french

# A member of whom a list gives no name.
UNNAMED = "parlementaire dont le nom n’est pas connu"

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
    "type": "Nature du mouvement.",
    "collab_nom": "Nom de famille de la personne, en capitales.",
    "collab_prenom": "Prénom de la personne.",
    "collab_civilite": "Civilité, telle que la liste l’écrit.",
    "elu_cle": "Nom puis prénom, en minuscules, sans accent ni ponctuation. Des homonymes la partagent.",
    "elu_nom": "Parlementaire dont la personne rejoint ou quitte l’équipe ; pour un transfert, celle qu’elle rejoint.",
    "elu_groupe": "Groupe politique au jour du mouvement ; d’un départ, au dernier jour de la collaboration ou du mandat.",
    "elu_origine_nom": "Pour un transfert : parlementaire dont la personne quitte l’équipe.",
    "elu_origine_groupe": "Pour un transfert : groupe politique de l’équipe quittée.",
    "fonction": "Fonction de la personne.",
    "contexte": "Si le mouvement est d’une équipe entière qui part, ou d’une équipe nouvelle ; en général, un mandat finit ou commence.",
    "confiance": "Ce que les listes disent du jour.",
}
_MEANINGS = MEANINGS | {"elu_sortant": "Équipe entière partie", "elu_entrant": "Équipe nouvelle"}
SHARED_CONTRACT = "contrat commun"
# The functions that the European Parliament lists in English, in French words that say no gender: by the words of the English name, as it is compared, without « (grouping) ».
_FRENCH = {
    "accredited assistants": "assistance accréditée",
    "accredited assistant": "assistance accréditée",
    "local assistants": "assistance locale",
    "local assistant": "assistance locale",
    "service providers": "prestation de services",
    "service provider": "prestation de services",
    "paying agents": "tiers payant",
    "paying agent": "tiers payant",
    "trainees": "stage",
    "trainee": "stage",
    "assistants to the vice presidency to the quaestorate": "assistance à la vice-présidence ou à la questure",
}


def explained(field: str) -> str:
    """What a field of a movement is."""
    return french.typography(_EXPLAINED[field])


def meaning(value: object) -> str:
    """What an enumerated value means; any other value as it is."""
    return french.typography(_MEANINGS.get(str(value), str(value))) if value else ""


def precision(confidence: str) -> str:
    """How well a date is known, without the word for how far to trust it."""
    return french.typography(MEANINGS.get(confidence, confidence).rpartition(" : ")[2])


def in_french(function: str | None) -> str:
    """What a function listed in English is called in French; "" of one that is not known so.

    « Accredited assistants (grouping) » is « assistance accréditée, contrat commun ».
    """
    words = plain(function or "")
    alone = words.removesuffix(" grouping")
    told = _FRENCH.get(alone, "")
    return f"{told}, {SHARED_CONTRACT}" if told and alone != words else told


# What a run found at a source, and how it ended itself.
OUTCOMES = {
    "nouvelle": "liste nouvelle",
    "identique": "liste inchangée",
    "refusee": "liste refusée",
    "echouee": "pas de liste",
    "reussie": "passage réussi",
    "alarme": "à voir",
}
SILENT_NIGHT = "aucun relevé"
