"""Every answer is as the description says: status, headers, body; and the description keeps to OpenAPI."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from .service import Answer, Service
from .situations import BESIDE_THE_SEARCH, PATH, SITUATIONS, Answered
from .test_description import described

rule = pytest.mark.rule
QUOTA = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit"}
# What a status asks for beside them.
BESIDE = {
    200: {"ETag", "Link"},
    304: {"ETag", "Link"},
    401: {"Link", "WWW-Authenticate"},
    405: {"Link", "Allow"},
    429: {"Link", "Retry-After"},
    503: {"Link", "Retry-After"},
    204: set(),
}


@pytest.fixture(scope="module")
def description(service: Service) -> dict[str, Any]:
    return described(service)


def resolved(description: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What a reference leads to, or what stands there."""
    if "$ref" not in found:
        return found
    at: Any = description
    for name in found["$ref"].removeprefix("#/").split("/"):
        at = at[name]
    return dict(at)


def assert_as_described(
    description: dict[str, Any], path: str, method: str, answer: Answer
) -> dict[str, Any]:
    """The answer's headers and body are those of the described response, which is returned."""
    operation = description["paths"][path][method.lower()]
    response = resolved(description, operation["responses"][str(answer.status)])
    for name, given in response["headers"].items():
        header = resolved(description, given)
        value = answer.header(name)
        if header.get("required"):
            assert value is not None, name
        if value is not None and header["schema"].get("type") == "integer":
            Draft202012Validator(header["schema"]).validate(int(value))
    assert response["headers"].keys() >= {name for name in QUOTA if answer.header(name)}
    if method == "GET" and answer.body:
        [(kind, content)] = response["content"].items()
        assert (answer.header("Content-Type") or "").partition(";")[0] == kind
        # What stands nowhere constrains nothing: each body has a named schema.
        assert resolved(description, content["schema"])["type"] == "object"
        schema = {**content["schema"], "components": description["components"]}
        formats = Draft202012Validator.FORMAT_CHECKER
        Draft202012Validator(schema, format_checker=formats).validate(answer.json())
    else:
        assert "content" not in response
    return response


@rule("decisions-documented")
def test_the_description_is_openapi(description: dict[str, Any]) -> None:
    validate(description)


@rule("decisions-documented")
@pytest.mark.parametrize(
    ("name", "method"),
    [
        (name, method)
        for name, (_, _, methods) in SITUATIONS.items()
        for method in methods
        if name not in BESIDE_THE_SEARCH and method in ("GET", "HEAD", "OPTIONS")
    ],
)
def test_every_answer_of_the_search_is_as_described(
    description: dict[str, Any], answered: Answered, name: str, method: str
) -> None:
    response = assert_as_described(description, PATH, method, answered(name, method))
    status = SITUATIONS[name][0]
    assert response["headers"].keys() == QUOTA | BESIDE.get(status, {"Link"})


@rule("decisions-documented")
@pytest.mark.parametrize("path", ["/v1/quota", "/v1/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE"])
def test_every_answer_beside_the_search_is_as_described(
    description: dict[str, Any], service: Service, reader: dict[str, str], path: str, method: str
) -> None:
    answer = service.ask(path, reader, method)
    if method == "DELETE":
        assert str(answer.status) in description["paths"][path]["get"]["responses"]
    else:
        assert_as_described(description, path, method, answer)


@rule("decisions-documented")
def test_the_state_of_a_key_is_described_member_by_member(
    description: dict[str, Any], service: Service, reader: dict[str, str]
) -> None:
    told = service.ask("/v1/quota", reader).json()
    schema = description["components"]["schemas"]["Quota"]
    assert told.keys() == schema["properties"].keys() == set(schema["required"])
    formats = {name: one.get("format") for name, one in schema["properties"].items()}
    assert (formats["jour"], formats["retour_a"]) == ("date", "date-time")


@rule("decisions-documented")
def test_operations_are_told_apart(description: dict[str, Any]) -> None:
    operations = [one for methods in description["paths"].values() for one in methods.values()]
    assert len({one["operationId"] for one in operations}) == len(operations) == 9
    for methods in description["paths"].values():
        assert set(methods) == {"get", "head", "options"}
        assert len({one["summary"] for one in methods.values()}) == 3
        assert methods["options"]["security"] == []
