"""The card of the service in the catalogue data.gouv.fr, filled from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import addresses
from ..config import Config

# Catalogue field -> what it is called on the form.
FORM = {
    "title": "Nom de l’API",
    "description": "Description",
    "base_api_url": "URL racine de l’API",
    "machine_documentation_url": "Documentation machine (OpenAPI)",
    "technical_documentation_url": "Documentation technique",
    "access_type": "Type d’accès",
    "authorization_request_url": "Demande d’accès",
    "rate_limiting": "Limitation",
    "license": "Licence",
    "contact": "Point de contact",
    "tags": "Mots-clés",
}


class CardIncomplete(Exception):
    """What the card needs is missing; the message names it."""


def card(metadata: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """The fields of the card, in the order of the form."""
    for name in ("public_url", "contact"):
        if not getattr(config, name):
            raise CardIncomplete(f"the setting {name} is empty (MOUVEMENTS_{name.upper()})")
    for name in ("title", "description"):
        if not metadata.get(name):
            raise CardIncomplete(f"{name} is missing")
    base = config.public_url
    return {
        "title": metadata["title"],
        "description": f"{metadata['description']}\n\n{config.attribution}",
        "base_api_url": f"{base}/v1",
        "machine_documentation_url": f"{base}{addresses.DESCRIPTION}",
        "technical_documentation_url": f"{base}{addresses.DOCUMENTATION}",
        "access_type": "open_with_account",
        "authorization_request_url": f"{base}{addresses.KEY_PAGE}",
        "rate_limiting": f"{config.quota} requêtes par jour et par clé, jusqu’à minuit (Paris)",
        "license": config.licence,
        "contact": config.contact,
        "tags": ["parlement", "collaborateurs", "assemblee-nationale", "senat", "europarl"],
    }
