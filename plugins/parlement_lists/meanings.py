"""What the values of a movement mean, in the words that people read."""

from __future__ import annotations

from .chambers import KNOWN

# What the values mean, in the words people read (table labels, documentation, badges).
MEANINGS = {
    **{name: chamber.name for name, chamber in KNOWN.items()},
    "arrivee": "Arrivée",
    "depart": "Départ",
    "transfert": "Transfert",
    "suivi": "Suivi quotidien",
    "archives": "Archives historiques",
    "bot": "Relevé automatique : la liste précédente a trois jours au plus",
    "fort": "Confiance forte : date connue à trois jours près",
    "moyen": "Confiance moyenne : date connue à dix jours près",
    "faible": "Confiance faible : date approximative (période sans liste, liste en retard ou fin de mandat)",
    "manuel": "Mouvement vérifié ou saisi à la main",
    "elu_sortant": "Équipe entière sortie de la liste, à la fin d’un mandat ou à un renouvellement",
    "elu_entrant": "Équipe nouvelle, d’un élu qui vient d’entrer",
    "": "Sans contexte particulier",
}


# Stands wherever transfers are counted: a departure and an arrival of different days are one transfer where no
# list lies between them.
TRANSFERS_COUNT = "Le nombre de transferts dépend de l’espacement des listes."
