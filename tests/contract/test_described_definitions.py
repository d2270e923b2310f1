"""The description says what the definitions say that the service uses: it is written by hand, they are what runs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from datasette_mouvements import addresses
from datasette_mouvements.api.parameters import FEED, MEMBERS, MOVEMENTS, NO_IDENTIFIER, OF, STAYS
from datasette_mouvements.api.replies import EXPOSED, METHODS
from datasette_mouvements.dataset.schema import PUBLISHED, WITHDRAWN
from datasette_mouvements.dataset.stays import INTERVALS, RULES
from datasette_mouvements.fields import LINE_FIELDS, MOVEMENT_FIELDS, STAY_FIELDS
from datasette_mouvements.refusal import KINDS, SITE
from parlement_lists.bounds import FULL_NAME_LETTERS, GROUP_LETTERS
from parlement_lists.meanings import MEANINGS, TRANSFERS_COUNT
from parlement_lists.movement import ALWAYS_PRESENT, CIVILITIES, FIELD_NAMES, TYPES, VALUES, is_date
from parlement_lists.tenure import UNPAID, Tenure

from .service import Headers, Service
from .test_description import described
from .test_description import description as description

rule = pytest.mark.rule
# The parameters of each address that takes any.
TABLES = {
    addresses.SEARCH: OF[MOVEMENTS],
    addresses.CHANGES: OF[FEED],
    addresses.STAYS: OF[STAYS],
    addresses.STAY_CHANGES: OF[FEED],
    addresses.MEMBERS: OF[MEMBERS],
}
BY_ANCHOR = {kind.anchor: kind for kind in KINDS.values()}


@pytest.fixture(scope="module")
def schemas(description: dict[str, Any]) -> dict[str, Any]:
    return dict(description["components"]["schemas"])


def answer(description: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema of the answer at a path."""
    found = description["paths"][path]["get"]["responses"]["200"]
    return dict(found["content"]["application/json"]["schema"])


@rule("decisions-documented")
def test_what_is_described_is_what_answers(service: Service, description: dict[str, Any]) -> None:
    paths = re.findall(r"/v1/[\w./]+", service.ask("/v1/inconnu").json()["detail"])
    answering = {path.replace("ID", "{id}") for path in paths}
    assert description["paths"].keys() == answering | {addresses.WHOLE_FILE}


@rule("decisions-documented", "interface-4-optional")
def test_the_words_of_a_parameter_tell_its_bounds(description: dict[str, Any]) -> None:
    assert TABLES.keys() < description["paths"].keys()
    for path in description["paths"]:
        asked = [
            p for p in description["paths"][path]["get"].get("parameters", []) if p["in"] == "query"
        ]
        table = TABLES.get(path, {})
        assert [parameter["name"] for parameter in asked] == [*table]
        for parameter in asked:
            assert not parameter.get("required")
            accepted, schema = table[parameter["name"]].accepted, parameter["schema"]
            names = ("minimum", "maximum", "minLength", "maxLength")
            bounds = [schema[name] for name in names if name in schema]
            for value in (*bounds, *schema.get("enum", ())):
                assert re.search(rf"\b{value}\b", accepted) or parameter["name"] == "curseur"


def test_what_the_description_lets_through_is_accepted(description: dict[str, Any]) -> None:
    lengths = {"groupe": GROUP_LETTERS, "nom": FULL_NAME_LETTERS}
    for path, table in TABLES.items():
        for parameter in table.values():
            longest = parameter.schema.get("maxLength", 0)
            assert longest == lengths.get(parameter.name, longest)
            valid = Draft202012Validator(parameter.schema).is_valid
            for text in ("PA1", "pa1", "9z", "A b", "a,b", "x?", "é", "\0", "\ufffd", "A\t"):
                likely = not NO_IDENTIFIER.fullmatch(text) or "elu_id" not in parameter.where
                if longest and parameter.name != "curseur":
                    accepted = parameter.value(text) is not None
                    assert valid(text) == (accepted and likely), (path, parameter.name, text)
            if longest:
                assert parameter.value("1" * (longest + 1)) is None


def test_the_form_of_a_day_is_the_one_that_is_accepted(description: dict[str, Any]) -> None:
    days = [
        Draft202012Validator(parameter["schema"])
        for path in TABLES
        for parameter in description["paths"][path]["get"]["parameters"]
        if parameter["schema"].get("format") == "date"
    ]
    assert days
    for text in ("2026-01-31", "2026-1-31", "2026-01-310", "٢٠٢٦-01-31", " 2026"):
        assert {day.is_valid(text) for day in days} == {is_date(text)}


@rule("decisions-documented", "interface-3")
def test_fields_are_those_of_the_records(schemas: dict[str, Any]) -> None:
    assert tuple(schemas["Mouvement"]["properties"]) == FIELD_NAMES
    assert schemas["Mouvement"]["required"] == [
        *("id", "date_event", "chambre", "type"),
        *(ALWAYS_PRESENT, "source", "confiance"),
    ]
    assert tuple(field.name for field in STAY_FIELDS) == Tenure._fields
    required = ["id", "chambre", "elu_id", "debut", "fin_apres"]
    assert schemas["UneCollaboration"]["required"] == required
    for field in MOVEMENT_FIELDS:
        allowed = VALUES.get(field.name, ())
        # An absent civility is no value.
        assert field.values == (CIVILITIES if field.name == "collab_civilite" else allowed)
    assert {field.name: field.values for field in LINE_FIELDS}["conge"] == (UNPAID,)


@rule("decisions-documented")
def test_the_example_of_each_field_is_of_its_kind(schemas: dict[str, Any]) -> None:
    for schema in ("Mouvement", "UneCollaboration"):
        for name, field in schemas[schema]["properties"].items():
            examples = field.get("examples", [])
            if field.get("format") == "date":
                assert all(map(is_date, examples)), name
            if field.get("type") == "integer":
                assert all(type(example) is int for example in examples), name
            of_kind = {"id": r"(mvt|col)_[0-9a-f]{20}", "elu_id": "[0-9A-Z]+"}.get(name, ".+")
            assert all(re.fullmatch(of_kind, str(example)) for example in examples), name
            assert all(example in field["enum"] for example in examples if "enum" in field), name


def test_every_value_is_told_by_its_meaning(schemas: dict[str, Any]) -> None:
    valued = {field.values: field for field in MOVEMENT_FIELDS if field.values}
    assert valued[TYPES].description.endswith(f" {TRANSFERS_COUNT}")
    enumerations = [schema for schema in schemas.values() if "enum" in schema]
    assert {tuple(schema["enum"]) for schema in enumerations} == valued.keys()
    for schema in enumerations:
        field = valued[tuple(schema["enum"])]
        assert schema["description"].startswith(f"{field.description} ")
        for value in field.values:
            said = f"`{value}`" if value else "vide"
            assert f"{said} : {MEANINGS.get(value, value)}" in schema["description"]


def test_what_beside_a_movement_has_a_list_of_values_has_that_of_the_service(
    schemas: dict[str, Any],
) -> None:
    evidence = schemas["MouvementSeul"]["properties"]["preuve"]["properties"]
    assert evidence["regle"]["enum"] == [*RULES.values(), INTERVALS]
    for name in ("Changement", "ChangementDeCollaboration"):
        natures = [one["properties"]["nature"]["const"] for one in schemas[name]["oneOf"]]
        assert natures == [*schemas[name]["discriminator"]["mapping"]] == [PUBLISHED, WITHDRAWN]


@rule("decisions-documented")
@pytest.mark.parametrize("path", TABLES)
def test_every_member_of_an_envelope_is_promised(description: dict[str, Any], path: str) -> None:
    schema = answer(description, path)
    assert list(schema["properties"]) == schema["required"]


@rule("decisions-documented")
def test_every_refusal_is_told_with_an_example(
    service: Service, reader: Headers, description: dict[str, Any]
) -> None:
    refusals = [
        (int(status), response)
        for path in description["paths"].values()
        for status, response in path["get"]["responses"].items()
        if int(status) >= 400
    ]
    for status, response in refusals:
        examples = response["content"]["application/problem+json"]["examples"]
        for anchor, example in examples.items():
            kind, value = BY_ANCHOR[anchor], example["value"]
            assert f"`{anchor}`, {kind.title} : {kind.meaning}" in response["description"]
            assert example["summary"] == value["title"]
            assert value["status"] == status
            assert value["type"].endswith(f"{addresses.DOCUMENTATION}#{anchor}")
            if kind is KINDS["parameter"]:
                real = service.ask(f"{addresses.SEARCH}?limit=1000", reader)
                assert value == real.json()
            else:
                assert value["detail"] == kind.meaning
    introduction = description["info"]["description"]
    # No operation that is described answers these.
    assert [
        name for name in ("not_found", "method") if f" {KINDS[name].status}" not in introduction
    ] == []
    assert f"`Allow: {METHODS}`" in introduction


@rule("decisions-documented", "decisions-cors")
def test_the_headers_described_are_those_that_scripts_may_read(
    service: Service, reader: Headers, description: dict[str, Any]
) -> None:
    """Everyone may read Last-Modified, and browsers themselves ask for the key."""
    exposed = service.ask(addresses.WHOLE_FILE, reader)
    every = {name.lower() for name in description["components"]["headers"]}
    assert every - {"www-authenticate"} == exposed.listed("Access-Control-Expose-Headers")
    assert every >= {name.lower() for name in EXPOSED}


def test_every_component_is_used_and_every_placeholder_filled(service: Service) -> None:
    whole = described(service)
    text = json.dumps(whole)
    components = {
        f"{kind}/{name}"
        for kind, named in whole["components"].items()
        for name in named
        if kind != "securitySchemes"
    }
    assert {*re.findall(r'"#/components/([^"]+)"', text)} == components
    placeholder = re.compile(r"\{[a-z_]+\}")
    assert {*placeholder.findall(text)} == {*placeholder.findall(" ".join(whole["paths"]))}
    assert SITE not in service.ask(addresses.DESCRIPTION).body.decode()
