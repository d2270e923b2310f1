"""The machine-readable description says what the contract says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from .sample import matching
from .service import InProcess, Service
from .situations import PATH, SITUATIONS, Answered

rule = pytest.mark.rule


def described(service: Service) -> dict[str, Any]:
    """The description that answers link to."""
    link = service.ask("/v1/inconnu").header("Link") or ""
    found = re.search(r'<([^>]*)>; ?rel="?service-desc"?', link)
    assert found
    answer = service.ask(urlsplit(found[1]).path)
    assert answer.status == 200
    description = answer.json()
    assert isinstance(description, dict)
    return description


@pytest.fixture(scope="session")
def description(service: Service) -> dict[str, Any]:
    return described(service)


@rule("interface-9-1", "interface-9-2")
def test_the_description_is_at_version_1(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1")
    assert description["info"]["version"] == "1.0.0"
    assert any(path.endswith("/v1/mouvements") for path in description["paths"])


def operation(description: dict[str, Any]) -> dict[str, Any]:
    [found] = [item for path, item in description["paths"].items() if path.endswith(PATH)]
    assert isinstance(found["get"], dict)
    return found["get"]


def test_generated_clients_keep_their_names(description: dict[str, Any]) -> None:
    assert operation(description)["operationId"] == "mouvements"
    named = [
        method["operationId"] for path in description["paths"].values() for method in path.values()
    ]
    assert len(set(named)) == len(named)


def test_days_are_described_as_such(description: dict[str, Any]) -> None:
    movement = description["components"]["schemas"]["Mouvement"]["properties"]
    assert movement["date_event"]["format"] == "date"
    [since] = [p for p in operation(description)["parameters"] if p["name"] == "depuis"]
    for text, right in (("2026-01-31", True), ("2026-1-31", False), ("2026-01-310", False)):
        assert Draft202012Validator(since["schema"]).is_valid(text) is right


@rule("decisions-documented", "interface-4-optional")
def test_every_parameter_and_bound_is_described(description: dict[str, Any]) -> None:
    parameters = {
        parameter["name"]: parameter
        for parameter in operation(description)["parameters"]
        if parameter.get("in") == "query"
    }
    assert list(parameters) == [
        *("chambre", "type", "source", "depuis", "jusqua", "elu", "limit", "offset")
    ]
    assert not any(parameter.get("required") for parameter in parameters.values())
    schemas = {name: parameter["schema"] for name, parameter in parameters.items()}
    assert schemas["limit"]["minimum"] == 1
    assert schemas["limit"]["maximum"] == 500
    assert schemas["limit"]["default"] == 100
    assert schemas["offset"]["minimum"] == 0
    assert schemas["offset"]["default"] == 0
    assert schemas["depuis"]["format"] == "date"
    assert sorted(schemas["chambre"]["enum"]) == ["assemblee", "europarl", "senat"]
    assert sorted(schemas["type"]["enum"]) == ["arrivee", "depart", "transfert"]
    assert sorted(schemas["source"]["enum"]) == ["archives", "suivi"]


@rule("decisions-documented")
def test_every_status_of_the_search_is_described(description: dict[str, Any]) -> None:
    search = {"200", "304", "400", "401", "429", "503"}
    assert operation(description)["responses"].keys() >= search


@rule("interface-5-5", "decisions-documented")
def test_both_ways_to_send_the_key_are_described(description: dict[str, Any]) -> None:
    schemes = list(description["components"]["securitySchemes"].values())
    assert any((s["type"], s.get("scheme")) == ("http", "bearer") for s in schemes)
    assert any((s["type"], s.get("name")) == ("apiKey", "X-API-Key") for s in schemes)
    assert operation(description).get("security", description.get("security"))


@rule("decisions-documented", "interface-3")
def test_the_movement_described_is_the_movement_answered(
    service: Service, reader: dict[str, str], description: dict[str, Any]
) -> None:
    schemas = description["components"]["schemas"].values()
    [movement] = [s for s in schemas if "elu_cle" in s.get("properties", {})]
    assert list(movement["properties"])[1:] == list(matching()[0])
    required = set(movement.get("required", ()))
    for answered in service.ask(f"{PATH}?limit=500", reader).json()["mouvements"]:
        assert required <= answered.keys() <= movement["properties"].keys()
    for name in ("chambre", "type", "source", "confiance", "contexte"):
        met = {row[name] for row in matching()}
        assert set(movement["properties"][name]["enum"]) == met


@rule("decisions-documented")
def test_every_error_member_is_described(description: dict[str, Any], answered: Answered) -> None:
    schemas = description["components"]["schemas"].values()
    [problem] = [s for s in schemas if "detail" in s.get("properties", {})]
    for name, (status, _, _) in SITUATIONS.items():
        if status >= 400:
            assert answered(name).json().keys() <= problem["properties"].keys()


@rule("decisions-documented", "interface-8-quota")
def test_the_quota_described_is_the_quota_in_force(
    in_process: Callable[..., InProcess],
) -> None:
    text = str(described(in_process({"quota": 4321})))
    assert "4321 demandes" in text
    assert "q=4321;w=86400" in text
    assert "q=1000" not in text
