"""The machine-readable description says what the contract says."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from parlement_lists.movement import Movement, faults_of

from .sample import in_order
from .service import Service, Start
from .situations import PATH

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


def expanded(whole: dict[str, Any], part: Any) -> Any:
    """A part of a description, each reference in it replaced by what it leads to."""
    if isinstance(part, list):
        return [expanded(whole, one) for one in part]
    if not isinstance(part, dict):
        return part
    target: Any = whole if "$ref" in part else {}
    for name in part.get("$ref", "").split("/")[1:]:
        target = target[name]
    beside = {name: one for name, one in part.items() if name != "$ref"}
    return (expanded(whole, target) if target else {}) | {
        name: expanded(whole, one) for name, one in beside.items()
    }


@pytest.fixture(scope="session")
def description(service: Service) -> dict[str, Any]:
    """The description, each reference replaced by what it leads to."""
    whole = described(service)
    return dict(expanded(whole, whole))


@rule("interface-9-1", "interface-9-2")
def test_the_description_is_at_version_1(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1")
    assert description["info"]["version"].startswith("1.")
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


def test_generated_clients_keep_their_names(description: dict[str, Any]) -> None:
    assert description["paths"][PATH]["get"]["operationId"] == "mouvements"
    assert all(path.keys() == {"get"} for path in description["paths"].values())
    operations = [path["get"] for path in description["paths"].values()]
    named = [one["operationId"] for one in operations]
    assert len(set(named)) == len(named)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in named)
    tags = {tag["name"] for tag in description["tags"]}
    assert {tag for one in operations for tag in one["tags"]} == tags


@rule("interface-5-5", "decisions-documented")
def test_both_ways_to_send_the_key_are_described(description: dict[str, Any]) -> None:
    schemes = list(description["components"]["securitySchemes"].values())
    assert any((s["type"], s.get("scheme")) == ("http", "bearer") for s in schemes)
    assert any((s["type"], s.get("name")) == ("apiKey", "X-API-Key") for s in schemes)
    assert description["paths"][PATH]["get"].get("security", description.get("security"))


@rule("decisions-documented", "interface-8-quota")
def test_the_quota_described_is_the_quota_in_force(in_process: Start) -> None:
    text = str(described(in_process({"quota": 4321})))
    assert "4321 demandes" in text
    assert "q=4321;w=86400" in text
    assert "q=1000" not in text


@rule("decisions-example-invented")
def test_nothing_of_the_served_data_is_in_the_description(description: dict[str, Any]) -> None:
    text = json.dumps(description, ensure_ascii=False)
    served = {row[name] for row in in_order() for name in ("collab_nom", "elu_cle", "elu_id")}
    assert not [value for value in served if f'"{value}"' in text]


@rule("decisions-example-invented")
def test_the_parameters_shown_would_find_the_movement_shown(description: dict[str, Any]) -> None:
    search = description["paths"][PATH]["get"]
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
    service: Service, in_process: Start
) -> None:
    for host in ("un.exemple", "autre.exemple:8001", "un.exemple"):
        asked = service.ask("/v1/openapi.json", {"Host": host}).json()
        assert asked["servers"][0]["url"] == f"http://{host}"
        assert asked["externalDocs"]["url"] == f"http://{host}/documentation"
    below = in_process(base_url="/ici/").ask("/ici/v1/openapi.json")
    assert below.json()["servers"][0]["url"] == "http://localhost/ici"


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
    in_process: Start, setting: str | None, told: dict[str, str]
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
    in_process: Start, contact: str, told: dict[str, str]
) -> None:
    described_as = described(in_process({"contact": contact}))["info"]["contact"]
    assert described_as.pop("name")
    assert described_as == told


@rule("decisions-documented")
def test_a_whole_file_that_is_open_needs_no_key_in_the_description_either(
    description: dict[str, Any], in_process: Start
) -> None:
    path = "/fichiers/tout"
    assert "security" not in description["paths"][path]["get"]
    assert "401" in description["paths"][path]["get"]["responses"]
    opened = described(in_process({"open_whole_file": True}))["paths"][path]["get"]
    assert opened["security"] == []
    assert not {"401", "429"} & opened["responses"].keys()
