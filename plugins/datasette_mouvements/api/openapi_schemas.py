"""The schemas of the OpenAPI description: what a parameter may be, and what each JSON answer holds."""

from __future__ import annotations

from typing import Any

from ..movement import ALWAYS_PRESENT, FIELDS, Field
from .envelope import ENVELOPE
from .parameters import BY_NAME, Parameter

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_CREDITS = {"licence": _TEXT, "attribution": _TEXT}


def parameter(parameter: Parameter) -> Schema:
    """What a parameter's value may be."""
    if parameter.values:
        return _TEXT | {"enum": list(parameter.values)}
    if parameter.least is not None:
        return {
            "type": "integer",
            "minimum": parameter.least,
            "maximum": parameter.most,
            "default": parameter.default,
        }
    if parameter.format:
        return _TEXT | {"format": parameter.format, "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
    return _TEXT | {"minLength": 1, "maxLength": parameter.longest, "pattern": parameter.pattern}


def answers() -> dict[str, Schema]:
    """What each answer holds, under the names by which the description refers to it."""
    return {
        "Mouvement": {
            "type": "object",
            "properties": {field.name: _property(field) for field in FIELDS},
            "required": [f.name for f in FIELDS if f.required or f.name == ALWAYS_PRESENT],
            "additionalProperties": False,
        },
        "Recherche": _search(),
        "Quota": _quota(),
        "Probleme": _problem(),
    }


def _property(field: Field) -> Schema:
    schema = _TEXT | {"description": field.description}
    if field.values:
        schema["enum"] = list(field.values)
    if field.name == "date_event":
        schema["format"] = "date"
    return schema


def _search() -> Schema:
    return {
        "type": "object",
        "properties": {
            "total": {
                "type": ["integer", "null"],
                "minimum": 0,
                "description": "Nombre exact de mouvements trouvés ; la spécification admet null",
            },
            "limit": parameter(BY_NAME["limit"]),
            "offset": parameter(BY_NAME["offset"]),
            "mouvements": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Mouvement"},
            },
            **_CREDITS,
        },
        "required": [*ENVELOPE],
        "additionalProperties": False,
    }


def _quota() -> Schema:
    properties = {
        "limite": _COUNT,
        "utilise": _COUNT,
        "reste": _COUNT,
        "jour": {"type": "string", "format": "date"},
        "retour_a": {"type": "string", "format": "date-time"},
        "retour_dans": _COUNT,
        **_CREDITS,
    }
    return {"type": "object", "properties": properties, "required": [*properties]}


def _problem() -> Schema:
    return {
        "type": "object",
        "description": "RFC 9457",
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": _TEXT,
            "status": {"type": "integer"},
            "detail": _TEXT,
            "parametre": _TEXT,
            "parametres": {"type": "array", "items": _TEXT},
            **_CREDITS,
        },
        "required": ["type", "title", "status", "detail", *_CREDITS],
    }
