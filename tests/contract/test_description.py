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
    for host in ("un.exemple", "autre.exemple:8001"):
        asked = service.ask("/v1/openapi.json", {"Host": host}).json()
        assert asked["servers"][0]["url"] == f"http://{host}"
        assert asked["externalDocs"]["url"] == f"http://{host}/documentation"
    below = in_process(base_url="/ici/").ask("/ici/v1/openapi.json")
    assert below.json()["servers"][0]["url"] == "http://localhost/ici"


@rule("interface-9-1", "interface-9-2", "interface-5-5", "decisions-documented")
def test_what_generated_clients_read_stays_as_it_is(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1")
    assert description["info"]["version"].startswith("1.")
    operations = [path["get"] for path in description["paths"].values()]
    names = [operation["operationId"] for operation in operations]
    assert description["paths"][PATH]["get"]["operationId"] == "mouvements"
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in names)
    tags = {tag["name"] for tag in description["tags"]}
    assert {tag for operation in operations for tag in operation["tags"]} == tags
    schemes = description["components"]["securitySchemes"].values()
    ways = {(scheme["type"], scheme.get("scheme") or scheme["name"]) for scheme in schemes}
    assert ways == {("http", "bearer"), ("apiKey", "X-API-Key")}
    assert description["paths"][PATH]["get"].get("security", description.get("security"))


@rule("decisions-documented", "interface-2-licence", "interface-8-quota", "files-open")
def test_the_description_is_that_of_the_settings(in_process: Start) -> None:
    settings = {"quota": 4321, "contact": "contact@exemple.fr", "open_whole_file": True}
    service = in_process(settings | {"licence": "Etalab 2.0 (https://a.exemple/l)."})
    whole = described(service)
    assert "4321 demandes" in str(whole)
    assert "q=4321;w=86400" in str(whole)
    assert "q=1000" not in str(whole)
    assert whole["info"]["contact"]["email"] == "contact@exemple.fr"
    assert whole["info"]["license"] == {"name": "Etalab 2.0", "url": "https://a.exemple/l"}
    link = service.ask("/v1/openapi.json").header("Link") or ""
    assert re.findall('<([^>]+)>; rel="license"', link) == ["https://a.exemple/l"]
    opened = whole["paths"]["/fichiers/tout"]["get"]
    assert opened["security"] == []
    assert not {"401", "429"} & opened["responses"].keys()
    other = described(in_process({"licence": "Nulle autre", "contact": "https://a.exemple/@nous"}))
    assert other["info"]["license"] == {"name": "Nulle autre"}
    assert other["info"]["contact"]["url"] == "https://a.exemple/@nous"
    assert "email" not in other["info"]["contact"]
    plain = described(in_process())
    assert plain["info"]["license"] == {"name": "Open Database License (ODbL) 1.0", "url": ODBL}
    assert "security" not in plain["paths"]["/fichiers/tout"]["get"]
