"""The parameters of the OpenAPI description, and the operations that refer to them by their names."""

from __future__ import annotations

from typing import Any

from .. import changes
from ..changes import CURSOR
from ..parameters.parameter import FORMS, Form, Parameter, accepted
from ..parameters.search_parameters import PARAMETERS
from . import examples, schemas

Operation = dict[str, Any]
FILTERS = [parameter.name for parameter in PARAMETERS if parameter.default is None]
CONDITION = "If-None-Match"
LIMIT_OF_CHANGES = "limit_changements"
# What a request for a file may ask besides the file.
OF_FILES = (CONDITION, "If-Modified-Since", "Range", "If-Range")


def parameters() -> dict[str, Any]:
    """The parameters by the names under which operations refer to them."""
    return {
        **{parameter.name: _parameter(parameter) for parameter in PARAMETERS},
        "id": _given("id", "path", "Identifiant du mouvement", examples.MOVEMENT["id"])
        | {"required": True, "schema": {"type": "string", "minLength": 1, "maxLength": 80}},
        CURSOR.name: _parameter(CURSOR),
        LIMIT_OF_CHANGES: _parameter(changes.PARAMETERS[1]),
        "format": _given("format", "query", f"Forme du fichier : {_told(FORMS)}.", "csv")
        | {"schema": {"type": "string", "enum": [*FORMS], "default": "csv"}},
        CONDITION: _given(
            CONDITION,
            "header",
            "ETag d’une réponse reçue : si rien n’a changé, 304, non comptée",
            examples.ETAG,
        ),
        "If-Modified-Since": _given(
            "If-Modified-Since",
            "header",
            "Last-Modified d’une réponse reçue, si son ETag n’a pas été gardé",
            examples.LAST_MODIFIED,
        ),
        "Range": _given(
            "Range", "header", "La partie voulue, pour reprendre un téléchargement", "bytes=0-1023"
        ),
        "If-Range": _given(
            "If-Range",
            "header",
            "ETag du fichier dont une partie est là : s’il a changé, il est envoyé en entier",
            examples.FILE_ETAG,
        ),
    }


def operation(
    name: str, tag: str, summary: str, told: str, taken: list[str], responses: dict[str, Any]
) -> Operation:
    """An operation; `name` is what generated clients call its function, `taken` names its parameters."""
    return {
        "operationId": name,
        "tags": [tag],
        "summary": summary,
        "description": told,
        "parameters": [{"$ref": f"#/components/parameters/{one}"} for one in taken],
        "responses": responses,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "query",
        "description": f"{parameter.meaning} : {accepted(parameter)}.",
        "schema": schemas.parameter(parameter),
        "example": examples.parameter(parameter),
    }


def _given(name: str, where: str, told: str, example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "description": told,
        "schema": {"type": "string"},
        "example": example,
    }


def _told(forms: dict[str, Form]) -> str:
    return " ; ".join(f"`{name}`, {form.meaning}" for name, form in forms.items())
