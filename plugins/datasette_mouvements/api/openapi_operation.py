"""One operation of the OpenAPI description."""

from __future__ import annotations

from typing import Any

Operation = dict[str, Any]


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
