"""Every answer is as the description says: status, headers, body; and the description keeps to OpenAPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from .service import Answer, InProcess, Service
from .situations import BESIDE_THE_SEARCH, CHANGES, PATH, SITUATIONS, Answered, NewKey
from .test_description import described

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
BESIDE_THE_SEARCH_AT = {
    **dict.fromkeys(
        ("changes", "no changes", "no cursor", "gone", "changes without data"), CHANGES
    ),
    **dict.fromkeys(("one", "withdrawn", "never published"), f"{PATH}/{{id}}"),
}
# At no address that is described.
UNDESCRIBED = set(BESIDE_THE_SEARCH) - BESIDE_THE_SEARCH_AT.keys()


@pytest.fixture(scope="module")
def description(service: Service) -> dict[str, Any]:
    return closed(described(service))


def closed(description: dict[str, Any]) -> dict[str, Any]:
    """The description as if it allowed no members but those it names: today there are no others."""
    for schema in description["components"]["schemas"].values():
        if "properties" in schema:
            assert "additionalProperties" not in schema
            schema["additionalProperties"] = False
    return description


def resolved(description: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What a reference leads to, or what stands there."""
    if "$ref" not in found:
        return found
    at: Any = description
    for name in found["$ref"].removeprefix("#/").split("/"):
        at = at[name]
    return dict(at)


def assert_as_described(
    description: dict[str, Any], path: str, answer: Answer, body: bool = True
) -> dict[str, Any]:
    """The answer's headers and body are those of the described response, which is returned."""
    responses = description["paths"][path]["get"]["responses"]
    response = resolved(description, responses[str(answer.status)])
    for name, given in response["headers"].items():
        header = resolved(description, given)
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
        assert resolved(description, content["schema"])["type"] == "object"
        validate_against(description, content["schema"], answer.json())
    return response


def validate_against(description: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    whole = {**schema, "components": description["components"]}
    formats = Draft202012Validator.FORMAT_CHECKER
    Draft202012Validator(whole, format_checker=formats).validate(value)


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
        if name not in UNDESCRIBED and method in ("GET", "HEAD")
    ],
)
def test_every_answer_is_as_described(
    description: dict[str, Any], answered: Answered, name: str, method: str
) -> None:
    answer = answered(name, method)
    response = assert_as_described(
        description, BESIDE_THE_SEARCH_AT.get(name, PATH), answer, method == "GET"
    )
    assert response["headers"].keys() == QUOTA | DATA | BESIDE.get(answer.status, {"Link"})


@rule("decisions-documented")
@pytest.mark.parametrize(
    "path",
    [
        *("/v1/quota", "/v1/couverture", "/v1/openapi.json"),
        *("/v1/collaborations", "/v1/collaborations/changements", "/v1/elus"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_beside_the_search_is_as_described(
    description: dict[str, Any], service: Service, reader: dict[str, str], path: str, method: str
) -> None:
    assert_as_described(description, path, service.ask(path, reader, method), method == "GET")


@rule("decisions-documented")
@pytest.mark.parametrize("opened", [False, True])
def test_a_file_its_parts_and_what_has_not_changed_are_as_described(
    in_process: Callable[..., InProcess], new_key: NewKey, opened: bool
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


@rule("decisions-documented")
def test_a_file_without_a_key_is_refused_as_described(
    description: dict[str, Any], service: Service
) -> None:
    answer = service.ask("/fichiers/tout", {"Accept": "*/*"})
    assert answer.status == 401
    assert_as_described(description, "/fichiers/tout", answer)


@rule("decisions-documented")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Recherche", PATH),
        ("PageDeChangements", CHANGES),
        ("Quota", "/v1/quota"),
        ("ListesDesChambres", "/v1/couverture"),
        ("RechercheDeCollaborations", "/v1/collaborations"),
        ("ChangementsDeCollaborations", "/v1/collaborations/changements"),
        ("RechercheDElus", "/v1/elus"),
        ("MouvementSeul", f"{PATH}/{{id}}"),
    ],
)
def test_an_answer_is_described_member_by_member(
    description: dict[str, Any], service: Service, reader: dict[str, str], name: str, path: str
) -> None:
    [found] = service.ask(f"{PATH}?limit=1", reader).json()["mouvements"]
    told = service.ask(path.format(id=found["id"]), reader).json()
    schema = description["components"]["schemas"][name]
    assert set(schema["required"]) <= told.keys() <= schema["properties"].keys()
    # Beside a movement stand only what lists tell of it.
    assert name == "MouvementSeul" or len(schema["required"]) == len(schema["properties"])
    formats = {name: one.get("format") for name, one in schema["properties"].items()}
    if name == "Quota":
        assert (formats["jour"], formats["retour_a"]) == ("date", "date-time")


@rule("decisions-documented", "decisions-changes")
def test_a_change_is_one_of_two_by_its_nature(
    description: dict[str, Any], service: Service, reader: dict[str, str]
) -> None:
    feed = service.ask(f"{CHANGES}?limit=500", reader).json()["changements"]
    by_nature = {change["nature"]: change for change in feed}
    schemas = description["components"]["schemas"]
    schema = schemas["Changement"] | {"components": description["components"]}
    names = {"publication": "Publication", "retrait": "Retrait"}
    assert by_nature.keys() == schema["discriminator"]["mapping"].keys() == names.keys()
    for nature, change in by_nature.items():
        assert schema["discriminator"]["mapping"][nature].endswith(f"/{names[nature]}")
        assert schemas[names[nature]]["properties"]["nature"]["const"] == nature
        [other] = names.keys() - {nature}
        assert Draft202012Validator(schema).is_valid(change)
        assert not Draft202012Validator(schema).is_valid(change | {"nature": other})


@rule("decisions-documented")
def test_every_example_is_as_described(description: dict[str, Any]) -> None:
    shown = 0
    for parameter in description["components"]["parameters"].values():
        validate_against(description, parameter["schema"], parameter["example"])
    responses = [
        response
        for methods in description["paths"].values()
        for response in methods["get"]["responses"].values()
    ]
    for response in [resolved(description, one) for one in responses]:
        for content in response.get("content", {}).values():
            several = [one["value"] for one in content.get("examples", {}).values()]
            for value in [content["example"]] if "example" in content else several:
                validate_against(description, content["schema"], value)
                shown += 1
    assert shown > 20
