"""The headers and refusals of the OpenAPI description, by the names under which operations refer to them."""

from __future__ import annotations

from typing import Any

from ... import addresses
from ...refusal import KINDS
from .. import replies
from ..replies import QUOTA
from ..service import Service
from . import examples
from .schemas import ref

VERSION = ("Mouvements-Version", "Last-Modified")
# Headers of every answer below /v1; the version only with data.
EVERYWHERE = (*QUOTA, *VERSION)
# The kinds of refusal under each name; all under one name have one status.
REFUSALS = {
    "DemandeRefusee": ("parameter", "malformed"),
    "DemandeMalformee": ("malformed",),
    "CleRefusee": ("key_missing", "key_invalid"),
    "MouvementInconnu": ("unknown_movement",),
    "MouvementRetire": ("withdrawn",),
    "CollaborationInconnue": ("unknown_stay",),
    "CollaborationRetiree": ("withdrawn_stay",),
    "CurseurPerime": ("cursor_gone",),
    "QuotaAtteint": ("quota",),
    "Indisponible": ("unavailable",),
    "PartieHorsDuFichier": ("range",),
    "FichierIndisponible": ("unavailable", "busy"),
}
# The whole file describes them by itself where it is open to all: they have no quota there.
OF_FILE = ("PartieHorsDuFichier", "FichierIndisponible")
# Headers of a status, beside those of every refusal.
_OF_STATUS = {
    401: ["WWW-Authenticate"],
    416: ["Content-Range"],
    429: ["Retry-After"],
    503: ["Retry-After"],
}


def headers(service: Service) -> dict[str, Any]:
    """Every header of an answer that a client may use."""
    quota = service.config.quota
    policy = replies.policy(quota).decode()
    return {
        "X-RateLimit-Limit": _count("Demandes par jour de la clé", quota),
        "X-RateLimit-Remaining": _count("Demandes encore permises", quota - 1),
        "RateLimit-Policy": _text(f"Règle : `{policy}`", policy),
        "RateLimit": _text(
            "Reste (r) et secondes jusqu’à minuit, heure de Paris (t) ; absent où le compte n’est"
            " pas connu",
            f'"jour";r={quota - 1};t=20731',
            required=False,
        ),
        "Retry-After": _count("Secondes à attendre", 20731),
        "WWW-Authenticate": _text("Comment s’authentifier (RFC 6750)", 'Bearer realm="mouvements"'),
        "ETag": _text("À renvoyer dans If-None-Match", examples.ETAG),
        "Link": _text(
            "Pages voisines, licence, description, documentation (RFC 8288)",
            f'<{service.url(addresses.DESCRIPTION)}>; rel="service-desc"; type="application/json"',
        ),
        "Mouvements-Version": _text(
            "Version des données : si elle change au cours d’un parcours, recommencez-le",
            examples.VERSION,
            required=False,
        ),
        "Last-Modified": _text(
            "Instant du dernier changement publié", examples.LAST_MODIFIED, required=False
        ),
        "Mouvements-Curseur": _text(
            "Place de ce fichier dans le flux des changements : envoyez-la à /v1/changements",
            examples.CURSOR,
        ),
        "Content-Disposition": _text("Nom du fichier", 'attachment; filename="mouvements.zip"'),
        "Accept-Ranges": _text("Si une partie peut être demandée par Range", "bytes"),
        "Content-Range": _text(
            "Quelle partie du fichier est là, et sa taille", "bytes 0-1023/65536"
        ),
    }


def named(*names: str) -> dict[str, Any]:
    """References to the headers of these names."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def refusals(service: Service) -> dict[str, Any]:
    """Every refusal of a GET that an operation refers to, by its name."""
    apart = OF_FILE if service.config.open_whole_file else ()
    return {name: refusal(service, name) for name in REFUSALS if name not in apart}


def refused(*names: str) -> dict[str, Any]:
    """References to the refusals of these names, by status."""
    return {
        str(KINDS[REFUSALS[name][0]].status): {"$ref": f"#/components/responses/{name}"}
        for name in names
    }


def refusal(service: Service, name: str, of_key: bool = True) -> dict[str, Any]:
    """The refusal of a name; without quota headers where no key is needed."""
    kinds = REFUSALS[name]
    everywhere = EVERYWHERE if of_key else VERSION
    described = [KINDS[kind] for kind in kinds]
    schema = "ProblemeDeParametre" if "parameter" in kinds else "Probleme"
    return {
        "description": "\n\n".join(
            f"`{kind.anchor}`, {kind.title} : {kind.meaning}" for kind in described
        ),
        "headers": named(*everywhere, "Link", *_OF_STATUS.get(described[0].status, [])),
        "content": {
            "application/problem+json": {
                "schema": ref(schema),
                "examples": {
                    KINDS[kind].anchor: {
                        "summary": KINDS[kind].title,
                        "value": examples.problem(service, kind),
                    }
                    for kind in kinds
                },
            }
        },
    }


def _count(meaning: str, example: int) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0}
    return {"description": meaning, "required": True, "schema": schema, "example": example}


def _text(meaning: str, example: str, required: bool = True) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"description": meaning, "required": required, "schema": schema, "example": example}
