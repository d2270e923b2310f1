"""The OpenAPI 3.1 description, made from the definitions that the service itself uses."""

from __future__ import annotations

import json
from typing import Any

from ... import addresses
from ...config import Config
from ...refusal import SITE
from .. import replies
from ..service import Service
from . import operations, parameters, responses, schemas

# The first number is that of the address (/v1).
VERSION = "1.2.0"
_ORIGIN = SITE.encode()
TITLE = "Mouvements des collaborateurs parlementaires"


def document(service: Service) -> bytes:
    """The description, made once for all clients: `at` writes the site's address into it."""
    return json.dumps(_describe(service), ensure_ascii=False, indent=1).encode()


def at(text: bytes, origin: str) -> bytes:
    """The text of `document` for a client that reached the site at `origin`."""
    if not origin:  # a server's address is never empty
        text = text.replace(b'"%b"' % _ORIGIN, b'"/"')
    return text.replace(_ORIGIN, json.dumps(origin, ensure_ascii=False)[1:-1].encode())


def _describe(service: Service) -> dict[str, Any]:
    """The whole description, with the settings in force and nothing of the served data."""
    documentation = f"{SITE}{addresses.DOCUMENTATION}"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": VERSION,
            "summary": "Qui commence, quitte ou change de poste auprès des élus du Parlement.",
            "description": _introduction(service),
            "termsOfService": f"{documentation}#licence",
            "contact": _contact(service.config.contact, documentation),
            "license": _licence(service.config),
        },
        "servers": [{"url": SITE, "description": "Ce service"}],
        "externalDocs": {"url": documentation, "description": "La documentation, en français"},
        "tags": [
            {"name": name, "description": meaning} for name, meaning in operations.TAGS.items()
        ],
        "security": [{"bearer": []}, {"cle": []}],
        "paths": operations.paths(service),
        "components": {
            "securitySchemes": _security_schemes(),
            "parameters": parameters.parameters(),
            "schemas": schemas.answers(),
            "headers": responses.headers(service),
            "responses": responses.refusals(service),
        },
    }


def _introduction(service: Service) -> str:
    quota = service.config.quota
    return "\n\n".join(
        (
            "Arrivées, départs et transferts des collaborateurs de l’Assemblée nationale, du Sénat et"
            " du Parlement européen. Lecture seule ; clé personnelle gratuite ;"
            f" {quota} demandes par jour et par clé, remises à zéro à minuit, heure de Paris.",
            f"Mention à reproduire quand vous réutilisez les données : {service.config.attribution}",
            "Chaque adresse répond aussi à HEAD, comme à GET et sans corps, et à OPTIONS (CORS), sans clé."
            f" Une autre méthode répond 405 avec `Allow: {replies.METHODS}`, et sous /v1 une autre"
            " adresse 404, en `application/problem+json`.",
            "La version est celle de l’interface. Son premier nombre est dans l’adresse : tant qu’il ne"
            " change pas, rien n’est retiré ni ne change de sens. Le deuxième dit qu’une opération, un"
            " paramètre, un en-tête ou un membre est venu s’ajouter ; le troisième, que seule la"
            " description a changé. Un programme doit donc accepter des membres et des en-têtes qu’il"
            " ne connaît pas.",
            "Les exemples sont inventés, et les paramètres montrés, equipe à part, cherchent ensemble le"
            " mouvement montré.",
        )
    )


def _licence(config: Config) -> dict[str, str]:
    address = config.licence_address
    return {"name": config.licence_name, **({"url": address} if address else {})}


def _contact(contact: str, documentation: str) -> dict[str, str]:
    """The setting `contact`, else the page about personal data."""
    if "@" in contact and "/" not in contact:
        return {"name": TITLE, "email": contact}
    if contact.startswith(("https://", "http://")):
        return {"name": TITLE, "url": contact}
    return {"name": contact or TITLE, "url": f"{documentation}#donnees-personnelles"}


def _security_schemes() -> dict[str, Any]:
    key = f"La clé personnelle, gratuite, que donne {SITE}{addresses.KEY_PAGE}"
    return {
        "bearer": {"type": "http", "scheme": "bearer", "description": f"{key}."},
        "cle": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": f"{key}, là où Authorization est déjà pris ; elle est lue si Authorization"
            " n’est pas de la forme Bearer.",
        },
    }
