"""Every answer is as the description says: status, headers, body; and the description keeps to OpenAPI."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from .service import Answer, Headers, Service, Start
from .situations import EVERY, SITUATIONS, Answered, NewKey
from .test_description import described, expanded

rule = pytest.mark.rule
QUOTA = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit"}
DATA = {"Mouvements-Version", "Last-Modified"}
# What a status asks for beside them.
BESIDE = {
    200: {"ETag", "Link"},
    304: {"ETag"},
    401: {"Link", "WWW-Authenticate"},
    429: {"Link", "Retry-After"},
    503: {"Link", "Retry-After"},
}


@pytest.fixture(scope="module")
def description(service: Service) -> dict[str, Any]:
    return closed(described(service))


def closed(description: dict[str, Any]) -> dict[str, Any]:
    """The description as if it allowed no members but those it names: today there are no others."""
    for schema in description["components"]["schemas"].values():
        if "properties" in schema:
            assert "additionalProperties" not in schema
            schema["additionalProperties"] = False
    return dict(expanded(description, description))


def assert_as_described(
    description: dict[str, Any], path: str, answer: Answer, body: bool = True
) -> dict[str, Any]:
    """The answer's headers and body are those of the described response, which is returned."""
    response = dict(description["paths"][path]["get"]["responses"][str(answer.status)])
    for name, header in response["headers"].items():
        value = answer.header(name)
        if header.get("required"):
            assert value is not None, name
        if value is not None and header["schema"].get("type") == "integer":
            Draft202012Validator(header["schema"]).validate(int(value))
    told = {name for name in description["components"]["headers"] if answer.header(name)}
    assert response["headers"].keys() >= told
    if not body or answer.status == 304:
        assert not answer.body
        return response
    kind = (answer.header("Content-Type") or "").partition(";")[0]
    content = response["content"][kind]
    if kind.endswith(("/json", "+json")):
        # What stands nowhere constrains nothing: each body has a named schema.
        assert content["schema"]["type"] == "object"
        validate_against(content["schema"], answer.json())
    return response


def validate_against(schema: dict[str, Any], value: Any) -> None:
    formats = Draft202012Validator.FORMAT_CHECKER
    Draft202012Validator(schema, format_checker=formats).validate(value)


@rule("decisions-documented")
def test_the_description_is_openapi(service: Service) -> None:
    validate(described(service))


@rule("decisions-documented")
@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name, method in EVERY if SITUATIONS[name].described],
)
def test_every_answer_is_as_described(
    description: dict[str, Any], answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    path = SITUATIONS[name].described
    response = assert_as_described(description, path, answer, method == "GET")
    assert response["headers"].keys() == QUOTA | DATA | BESIDE.get(answer.status, {"Link"})


@rule("decisions-documented")
@pytest.mark.parametrize("path", ["/v1/quota", "/v1/couverture", "/v1/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_beside_the_search_is_as_described(
    description: dict[str, Any], service: Service, reader: Headers, path: str, method: str
) -> None:
    assert_as_described(description, path, service.ask(path, reader, method), method == "GET")


@rule("decisions-documented")
@pytest.mark.parametrize("opened", [False, True])
def test_a_file_its_parts_and_what_is_refused_are_as_described(
    in_process: Start, new_key: NewKey, opened: bool
) -> None:
    service, path = in_process({"open_whole_file": opened}), "/fichiers/tout"
    description = closed(described(service))
    key = {} if opened else new_key(service)
    whole = service.ask(path, key)
    assert_as_described(description, path, whole)
    asked = [
        (206, {"Range": "bytes=0-9", "If-Range": whole.header("ETag") or ""}),
        (304, {"If-None-Match": whole.header("ETag") or ""}),
        (416, {"Range": "bytes=999999999-"}),
    ]
    for status, headers in asked:
        answer = service.ask(path, {**key, **headers})
        assert answer.status == status
        assert_as_described(description, path, answer)
    if not opened:
        refused = service.ask(path, {"Accept": "*/*"})
        assert refused.status == 401
        assert_as_described(description, path, refused)


@rule("decisions-documented")
def test_every_example_is_as_described(description: dict[str, Any]) -> None:
    shown = 0
    for parameter in description["components"]["parameters"].values():
        validate_against(parameter["schema"], parameter["example"])
    contents = [
        content
        for methods in description["paths"].values()
        for response in methods["get"]["responses"].values()
        for content in response.get("content", {}).values()
    ]
    for content in contents:
        several = [one["value"] for one in content.get("examples", {}).values()]
        for value in [content["example"]] if "example" in content else several:
            validate_against(content["schema"], value)
            shown += 1
    assert shown > 20
