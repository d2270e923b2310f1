"""The parameters of the OpenAPI description, and how an operation refers to them."""

from __future__ import annotations

from typing import Any

from .. import changes
from ..changes import CURSOR
from ..parameters.parameter import Parameter, accepted
from ..parameters.search_parameters import PARAMETERS
from ..parameters.stay_parameters import MEMBER_PARAMETERS, STAY_PARAMETERS
from . import examples, schemas

Operation = dict[str, Any]
CONDITION = "If-None-Match"
LIMIT_OF_CHANGES = "limit_changements"
# The parameters of stays by the names under which operations refer to them: two say what they page.
OF_STAYS = {
    f"{parameter.name}_collaborations"
    if parameter.default is not None
    else parameter.name: parameter
    for parameter in STAY_PARAMETERS
}
OF_MEMBERS = {
    parameter.name if parameter in PARAMETERS else f"{parameter.name}_elus": parameter
    for parameter in MEMBER_PARAMETERS
}
# The headers that a request for a file may have.
OF_FILES = (CONDITION, "If-Modified-Since", "Range", "If-Range")


# Name, meaning, example.
_HEADERS = (
    (CONDITION, "ETag d’une réponse reçue : si rien n’a changé, 304, non comptée", examples.ETAG),
    (
        "If-Modified-Since",
        "Last-Modified d’une réponse reçue, si son ETag n’a pas été gardé",
        examples.LAST_MODIFIED,
    ),
    ("Range", "La partie voulue, pour reprendre un téléchargement", "bytes=0-1023"),
    (
        "If-Range",
        "ETag du fichier dont une partie est là : s’il a changé, il est envoyé en entier",
        examples.FILE_ETAG,
    ),
)


def parameters() -> dict[str, Any]:
    """The parameters by the names under which operations refer to them."""
    return {
        **{name: _of_query(one) for name, one in (OF_STAYS | OF_MEMBERS).items()},
        **{parameter.name: _of_query(parameter) for parameter in (*PARAMETERS, CURSOR)},
        LIMIT_OF_CHANGES: _of_query(changes.PARAMETERS[1]),
        **{
            name: _described("id", "path", meaning, example)
            | {"required": True, "schema": {"type": "string", "minLength": 1, "maxLength": 80}}
            for name, meaning, example in (
                ("id", "Identifiant du mouvement", examples.MOVEMENT["id"]),
                ("id_collaboration", "Identifiant de la collaboration", examples.STAY["id"]),
            )
        },
        **{name: _described(name, "header", *rest) for name, *rest in _HEADERS},
    }


def operation(
    name: str, tag: str, summary: str, description: str, taken: list[str], responses: dict[str, Any]
) -> Operation:
    """An operation; `name` is what generated clients call its function, `taken` names its parameters."""
    return {
        "operationId": name,
        "tags": [tag],
        "summary": summary,
        "description": description,
        "parameters": [{"$ref": f"#/components/parameters/{one}"} for one in taken],
        "responses": responses,
    }


def _of_query(parameter: Parameter) -> dict[str, Any]:
    meaning = f"{parameter.meaning} : {accepted(parameter)}."
    # Paging is shown at its beginning.
    example = parameter.example if parameter.default is None else parameter.default
    described = _described(parameter.name, "query", meaning, example)
    return described | {"schema": schemas.parameter(parameter)}


def _described(name: str, place: str, meaning: str, example: str | int) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "description": meaning,
        "schema": {"type": "string"},
        "example": example,
    }
