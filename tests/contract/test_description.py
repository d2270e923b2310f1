"""The machine-readable description says what the contract says."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.refusal import KINDS
from parlement_lists.movement import Movement, faults_of

from .sample import in_order, matching
from .service import InProcess, Service
from .situations import PATH, SITUATIONS, Answered

rule = pytest.mark.rule
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"


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
    assert description["info"]["version"] == "1.2.0"
    assert any(path.endswith("/v1/mouvements") for path in description["paths"])


@rule("decisions-caching")
def test_the_description_is_read_again_only_if_it_changed(service: Service) -> None:
    path = "/v1/openapi.json"
    answer = service.ask(path, {"Accept-Encoding": "gzip"})
    assert answer.header("Content-Encoding") == "gzip"
    tag = answer.header("ETag")
    again = service.ask(path, {"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")
    other = service.ask(path, {"If-None-Match": tag, "Host": "ailleurs.fr"})
    assert other.status == 200


def operation(description: dict[str, Any]) -> dict[str, Any]:
    """The search's, its parameters where they are used."""
    [found] = [item for path, item in description["paths"].items() if path.endswith(PATH)]
    shared = description["components"]["parameters"]
    used = [one["$ref"].rpartition("/")[2] for one in found["get"]["parameters"]]
    return {**found["get"], "parameters": [shared[name] for name in used]}


def values_of(description: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """The values that an enumeration allows, by the name that it has."""
    name = schema["$ref"].rpartition("/")[2]
    found: list[str] = description["components"]["schemas"][name]["enum"]
    return found


def test_generated_clients_keep_their_names(description: dict[str, Any]) -> None:
    assert operation(description)["operationId"] == "mouvements"
    assert all(path.keys() == {"get"} for path in description["paths"].values())
    operations = [path["get"] for path in description["paths"].values()]
    named = [one["operationId"] for one in operations]
    assert len(set(named)) == len(named)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in named)
    tags = {tag["name"] for tag in description["tags"]}
    assert {tag for one in operations for tag in one["tags"]} == tags


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
        *("chambre", "type", "source", "depuis", "jusqua", "elu", "equipe", "limit", "offset")
    ]
    assert not any(parameter.get("required") for parameter in parameters.values())
    schemas = {name: parameter["schema"] for name, parameter in parameters.items()}
    assert schemas["limit"]["minimum"] == 1
    assert schemas["limit"]["maximum"] == 500
    assert schemas["limit"]["default"] == 100
    assert schemas["offset"]["minimum"] == 0
    assert schemas["offset"]["default"] == 0
    assert schemas["depuis"]["format"] == "date"
    assert sorted(values_of(description, schemas["chambre"])) == ["assemblee", "europarl", "senat"]
    assert sorted(values_of(description, schemas["type"])) == ["arrivee", "depart", "transfert"]
    assert sorted(values_of(description, schemas["source"])) == ["archives", "suivi"]


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
    movement = description["components"]["schemas"]["Mouvement"]
    assert list(movement["properties"])[1:] == list(matching()[0])
    required = set(movement.get("required", ()))
    for answered in service.ask(f"{PATH}?limit=500", reader).json()["mouvements"]:
        assert required <= answered.keys() <= movement["properties"].keys()
    for name in ("chambre", "type", "source", "confiance", "contexte"):
        met = {row[name] for row in matching()}
        assert set(values_of(description, movement["properties"][name])) == met


@rule("decisions-documented")
def test_every_error_member_is_described(description: dict[str, Any], answered: Answered) -> None:
    schemas = description["components"]["schemas"]
    for name, (status, _, _) in SITUATIONS.items():
        if status >= 400:
            problem = schemas["ProblemeDeParametre" if status == 400 else "Probleme"]
            assert answered(name).json().keys() <= problem["properties"].keys()


@rule("decisions-documented", "interface-8-quota")
def test_the_quota_described_is_the_quota_in_force(
    in_process: Callable[..., InProcess],
) -> None:
    text = str(described(in_process({"quota": 4321})))
    assert "4321 demandes" in text
    assert "q=4321;w=86400" in text
    assert "q=1000" not in text


@rule("decisions-documented")
def test_every_kind_of_refusal_is_shown(description: dict[str, Any]) -> None:
    shown = {
        name
        for response in description["components"]["responses"].values()
        for name in response["content"]["application/problem+json"]["examples"]
    }
    of_the_interface = {kind.anchor for kind in KINDS.values() if not kind.pages}
    # No operation that is described answers these.
    assert shown >= of_the_interface - {"adresse-inconnue", "methode-refusee"}
    for status in ("404", "405"):
        assert status in description["info"]["description"]


@rule("decisions-example-invented")
def test_nothing_of_the_served_data_is_in_the_description(description: dict[str, Any]) -> None:
    text = json.dumps(description, ensure_ascii=False)
    served = {row[name] for row in in_order() for name in ("collab_nom", "elu_cle", "elu_id")}
    assert not [value for value in served if f'"{value}"' in text]


@rule("decisions-example-invented")
def test_the_parameters_shown_would_find_the_movement_shown(description: dict[str, Any]) -> None:
    search = operation(description)
    page = search["responses"]["200"]["content"]["application/json"]["example"]
    [shown] = page["mouvements"]
    assert faults_of(Movement(**shown)) == []
    asked = {one["name"]: one["example"] for one in search["parameters"] if one["in"] == "query"}
    assert (asked["limit"], asked["offset"]) == (page["limit"], page["offset"])
    assert asked["depuis"] <= shown["date_event"] <= asked["jusqua"]
    assert asked["elu"] == shown["elu_id"]
    for name in ("chambre", "type", "source"):
        assert asked[name] == shown[name]
    by_id = description["paths"][f"{PATH}/{{id}}"]["get"]["responses"]["200"]
    assert by_id["content"]["application/json"]["example"]["mouvement"] == shown
    assert description["components"]["parameters"]["id"]["example"] == shown["id"]


@rule("decisions-description-absolute")
def test_addresses_are_those_at_which_the_description_was_asked_for(
    service: Service, in_process: Callable[..., InProcess]
) -> None:
    for host in ("un.exemple", "autre.exemple:8001", "un.exemple"):
        asked = service.ask("/v1/openapi.json", {"Host": host}).json()
        assert asked["servers"][0]["url"] == f"http://{host}"
        assert asked["externalDocs"]["url"] == f"http://{host}/documentation"
    public = in_process({"public_url": "https://mouvements.exemple.fr"}, base_url="/ici/")
    told = public.ask("/v1/openapi.json", {"Host": "autre.exemple"})
    assert told.json()["servers"][0]["url"] == "https://mouvements.exemple.fr"
    assert "autre.exemple" not in told.body.decode()
    below = in_process(base_url="/ici/").ask("/ici/v1/openapi.json")
    assert below.json()["servers"][0]["url"] == "http://localhost/ici"


@rule("decisions-description-absolute")
def test_without_any_host_the_server_is_here(service: Service) -> None:
    told = service.ask("/v1/openapi.json", {"Host": "a b"}).json()
    assert told["servers"][0]["url"] == "/"
    assert told["externalDocs"]["url"] == "/documentation"


@rule("decisions-description-absolute")
def test_the_description_is_made_once_whatever_host_it_is_asked_at(
    in_process: Callable[..., InProcess],
) -> None:
    running = in_process()
    routes = routes_of(running.datasette)
    assert routes is not None
    service = routes.service
    licence = running.ask("/v1/openapi.json").json()["info"]["license"]
    # What is made anew would say it.
    service.config = dataclasses.replace(service.config, licence="Une autre")
    for number in range(20):
        told = running.ask("/v1/openapi.json", {"Host": f"h{number}.exemple"}).json()
        assert told["info"]["license"] == licence


@rule("decisions-documented", "interface-2-licence")
@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (None, {"name": "Open Database License (ODbL) 1.0", "url": ODBL}),
        ("Nulle autre", {"name": "Nulle autre"}),
        ("Etalab 2.0 (https://a.exemple/l).", {"url": "https://a.exemple/l"}),
    ],
)
def test_the_licence_is_the_one_that_is_set(
    in_process: Callable[..., InProcess], setting: str | None, told: dict[str, str]
) -> None:
    service = in_process({"licence": setting} if setting else {})
    answer = service.ask("/v1/openapi.json")
    licence = answer.json()["info"]["license"]
    assert licence.items() >= told.items()
    assert licence.keys() - told.keys() <= {"name"}
    linked = re.findall('<([^>]+)>; rel="license"', answer.header("Link") or "")
    assert linked == ([told["url"]] if "url" in told else [])


@rule("decisions-documented")
@pytest.mark.parametrize(
    ("contact", "told"),
    [
        ("contact@exemple.fr", {"email": "contact@exemple.fr"}),
        ("https://exemple.fr/ecrire", {"url": "https://exemple.fr/ecrire"}),
        ("", {"url": "http://localhost/documentation#donnees-personnelles"}),
    ],
)
def test_whom_to_write_to_is_described(
    in_process: Callable[..., InProcess], contact: str, told: dict[str, str]
) -> None:
    described_as = described(in_process({"contact": contact}))["info"]["contact"]
    assert described_as.pop("name")
    assert described_as == told


@rule("decisions-documented")
def test_a_whole_file_that_is_open_needs_no_key_in_the_description_either(
    description: dict[str, Any], in_process: Callable[..., InProcess]
) -> None:
    path = "/fichiers/tout"
    assert "security" not in description["paths"][path]["get"]
    assert "401" in description["paths"][path]["get"]["responses"]
    opened = described(in_process({"open_whole_file": True}))["paths"][path]["get"]
    assert opened["security"] == []
    assert not {"401", "429"} & opened["responses"].keys()
