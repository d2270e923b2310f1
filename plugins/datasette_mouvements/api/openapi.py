"""The OpenAPI 3.1 description, built from the definitions that the service itself runs on."""

from __future__ import annotations

import json
from typing import Any

from ..refusal import KINDS, Refusal
from . import envelope, openapi_schemas, problems, replies
from .parameters import PARAMETERS, Parameter, Search, accepted, parse
from .search import Page, page_at_once
from .service import ODBL, ROUTE, Service

VERSION = "1.0.0"
_INTEGER_HEADER = {"schema": {"type": "integer", "minimum": 0}, "required": True}


def describe(service: Service) -> dict[str, Any]:
    """The whole description, with the settings in force and examples taken from real answers."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mouvements des collaborateurs parlementaires",
            "version": VERSION,
            "description": (
                "Arrivées, départs et transferts des collaborateurs de l’Assemblée nationale, du"
                " Sénat et du Parlement européen. Lecture seule ; clé personnelle gratuite ;"
                f" {service.config.quota} demandes par jour et par clé, remises à zéro à minuit,"
                " heure de Paris."
            ),
            "license": {
                "name": "Open Database License (ODbL) 1.0",
                "url": ODBL,
            },
        },
        "servers": [{"url": service.url("") or "/"}],
        "externalDocs": {"url": service.url("/documentation")},
        "security": [{"bearer": []}, {"cle": []}],
        "paths": {
            ROUTE: _methods(service, _search_operation(service)),
            "/v1/quota": _methods(service, _quota_operation(service)),
            "/v1/openapi.json": _methods(service, _description_operation(service)),
        },
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cle": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
            "schemas": openapi_schemas.answers(),
            "headers": _headers(service),
            "responses": {kind: _problem(service, kind) for kind in KINDS if not KINDS[kind].pages},
        },
    }


def _methods(service: Service, get: dict[str, Any]) -> dict[str, Any]:
    head = {**get, "operationId": get["operationId"] + "_entetes", "summary": "En-têtes seuls"}
    head["responses"] = {
        status: {k: v for k, v in _resolved(service, response).items() if k != "content"}
        for status, response in get["responses"].items()
    }
    options = {
        "operationId": get["operationId"] + "_options",
        "summary": "Ce qu’un navigateur peut envoyer (CORS)",
        "security": [],
        "responses": {"204": {"description": "Sans corps", "headers": _named(*QUOTA_HEADERS)}},
    }
    return {"get": get, "head": head, "options": options}


def _resolved(service: Service, response: dict[str, Any]) -> dict[str, Any]:
    kind = str(response.get("$ref", "")).rpartition("/")[2]
    return _problem(service, kind) if kind else response


QUOTA_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")


def _headers(service: Service) -> dict[str, Any]:
    text = {"schema": {"type": "string"}, "required": True}
    return {
        "X-RateLimit-Limit": {**_INTEGER_HEADER, "description": "Demandes par jour de la clé"},
        "X-RateLimit-Remaining": {**_INTEGER_HEADER, "description": "Demandes encore permises"},
        "RateLimit-Policy": {
            **text,
            "description": f"Règle : `{replies.policy(service.config.quota).decode()}`",
        },
        "RateLimit": {
            "schema": {"type": "string"},
            "description": "Reste (r) et secondes jusqu’à minuit, heure de Paris (t) ; absent où le"
            " compte n’est pas connu",
        },
        "Retry-After": {**_INTEGER_HEADER, "description": "Secondes à attendre"},
        "WWW-Authenticate": text,
        "Allow": text,
        "ETag": {"schema": {"type": "string"}, "description": "À renvoyer dans If-None-Match"},
        "Link": {**text, "description": "Pages voisines, licence, description (RFC 8288)"},
    }


def _named(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _search_operation(service: Service) -> dict[str, Any]:
    conditional = {
        "name": "If-None-Match",
        "in": "header",
        "schema": {"type": "string"},
        "description": "ETag d’une réponse reçue : si rien n’a changé, 304, non comptée",
    }
    return {
        "operationId": "mouvements",
        "summary": "Chercher des mouvements, du plus récent au plus ancien",
        "parameters": [*map(_parameter, PARAMETERS), conditional],
        "responses": {
            "200": {
                "description": "Une page de mouvements",
                "headers": _named(*QUOTA_HEADERS, "ETag", "Link"),
                "content": {
                    "application/json": {
                        "schema": {"$ref": "#/components/schemas/Recherche"},
                        "example": _example(service),
                    }
                },
            },
            "304": {
                "description": "Rien n’a changé ; non comptée",
                "headers": _named(*QUOTA_HEADERS, "ETag", "Link"),
            },
            **_refusals("parameter", "key_invalid", "method", "quota", "unavailable"),
        },
    }


def _quota_operation(service: Service) -> dict[str, Any]:
    return {
        "operationId": "quota",
        "summary": "Ce qui reste à la clé ; non comptée",
        "responses": {
            "200": {
                "description": "L’état de la clé",
                "headers": _named(*QUOTA_HEADERS),
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Quota"}}},
            },
            **_refusals("key_invalid", "method", "unavailable"),
        },
    }


def _description_operation(service: Service) -> dict[str, Any]:
    return {
        "operationId": "description",
        "summary": "Cette description ; sans clé, non comptée",
        "security": [],
        "responses": {
            "200": {
                "description": "OpenAPI 3.1",
                "headers": _named(*QUOTA_HEADERS),
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            **_refusals("method"),
        },
    }


def _refusals(*kinds: str) -> dict[str, Any]:
    return {str(KINDS[kind].status): {"$ref": f"#/components/responses/{kind}"} for kind in kinds}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "query",
        "description": f"{parameter.meaning} : {accepted(parameter)}.",
        "schema": openapi_schemas.parameter(parameter),
        "example": int(parameter.example) if parameter.least is not None else parameter.example,
    }


def _problem(service: Service, kind: str) -> dict[str, Any]:
    described = KINDS[kind]
    names = [*QUOTA_HEADERS, "Link"]
    names += {
        401: ["WWW-Authenticate"],
        405: ["Allow"],
        429: ["Retry-After"],
        503: ["Retry-After"],
    }.get(described.status, [])
    return {
        "description": f"{described.title} : {described.meaning}",
        "headers": _named(*names),
        "content": {
            "application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Probleme"},
                "example": json.loads(problems.details(service, _refused(kind))),
            }
        },
    }


def _refused(kind: str) -> Refusal:
    if kind == "parameter":
        try:
            parse(b"limit=1000")
        except Refusal as real:
            return real
    return Refusal(kind, KINDS[kind].meaning)


def _example(service: Service) -> Any:
    search = Search(limit=1)
    snapshot = service.live.snapshot
    page = (page_at_once(snapshot, search) if snapshot else None) or Page(b"", 0)
    return json.loads(envelope.around(service, search, page))
