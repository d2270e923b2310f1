"""The fields of a movement and of the envelope; one movement by its identifier."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .sample import in_order
from .service import Headers, Service, Start, in_every_way
from .situations import PATH, NewKey

rule = pytest.mark.rule
TEXT = r"\S(.*\S)?"
# name -> what a value looks like where there is one
FORMS = {
    "id": r"mvt_[0-9a-zA-Z]+",
    "date_event": r"\d{4}-\d{2}-\d{2}",
    "chambre": "assemblee|senat|europarl",
    "type": "arrivee|depart|transfert",
    "collab_nom": TEXT,
    "collab_prenom": TEXT,
    "collab_civilite": r"M\.|Mme",
    "elu_cle": r"[a-z0-9]+( [a-z0-9]+)*",
    "elu_id": r"PA\d+|\d+[A-Z]?",
    "elu_nom": TEXT,
    "elu_groupe": TEXT,
    "elu_origine_nom": TEXT,
    "elu_origine_groupe": TEXT,
    "fonction": TEXT,
    "contexte": "|elu_sortant|elu_entrant",
    "source": "suivi|archives",
    "confiance": "bot|faible|moyen|fort|manuel",
}


@pytest.fixture(scope="session")
def movements(service: Service, reader: Headers) -> list[dict[str, Any]]:
    found = service.ask(f"{PATH}?limit=500", reader).json()["mouvements"]
    assert isinstance(found, list)
    return found


@rule("interface-1-2", "interface-1-3", "interface-1-4", "interface-2-rule-1", "decisions-elu")
@rule("decisions-collab-names")
@pytest.mark.parametrize(
    ("name", "form"),
    [pytest.param(name, form, marks=rule(f"interface-2-{name}")) for name, form in FORMS.items()],
)
def test_a_field_has_its_form_and_the_sample_s_values(
    movements: list[dict[str, Any]], name: str, form: str
) -> None:
    given = [movement[name] for movement in movements if name in movement]
    assert given
    for value in given:
        assert isinstance(value, str)
        assert re.fullmatch(form, value), value
    if name != "id":
        assert [movement.get(name, "") for movement in movements] == [m[name] for m in in_order()]


@rule("interface-2-rule-2", "decisions-fields-left-out")
def test_fields_with_no_value_are_left_out_but_contexte(movements: list[dict[str, Any]]) -> None:
    for movement, row in zip(movements, in_order(), strict=True):
        empty = {name for name, value in row.items() if not value} - {"contexte"}
        assert movement.keys() == set(FORMS) - empty
    assert any(movement["contexte"] == "" for movement in movements)
    assert any(len(movement) < len(FORMS) for movement in movements)


@rule("interface-2-attribution", "interface-2-licence")
def test_licence_and_attribution_are_the_settings(in_process: Start, new_key: NewKey) -> None:
    service = in_process({"licence": "ODbL 1.0, « à l’essai »", "attribution": "Nous\\ & vous"})
    for answer in (service.ask(PATH, new_key(service)), service.ask(PATH), service.ask("/v1/x")):
        assert answer.json()["licence"] == "ODbL 1.0, « à l’essai »"
        assert answer.json()["attribution"] == "Nous\\ & vous"


@pytest.fixture
def movement(service: Service, reader: Headers) -> dict[str, str]:
    [found] = service.ask(f"{PATH}?limit=1&offset=30", reader).json()["mouvements"]
    assert isinstance(found, dict)
    return found


@in_every_way
@rule("decisions-one-movement", "decisions-charged", "interface-1-5")
def test_a_movement_is_answered_as_the_search_answers_it(
    service: Service, new_key: NewKey, movement: dict[str, str]
) -> None:
    for id in (movement["id"], movement["id"].replace("_", "%5F")):
        answer = service.ask(f"{PATH}/{id}", new_key(service))
        assert (answer.status, answer.remaining) == (200, 999)
        assert list(answer.json()) == ["mouvement", "licence", "attribution"]
        assert answer.json()["mouvement"] == movement


@rule("decisions-one-movement", "decisions-charged", "decisions-not-found")
@pytest.mark.parametrize("condition", [{}, {"If-None-Match": "*"}], ids=len)
@pytest.mark.parametrize("id", ["mvt_inconnu", ".json", "%C3%A9", "%00", "x" * 300])
def test_an_identifier_that_never_was_is_unknown(
    service: Service, new_key: NewKey, id: str, condition: Headers
) -> None:
    answer = service.ask(f"{PATH}/{id}", {**new_key(service), **condition})
    assert (answer.status, answer.remaining) == (404, 999)
    assert answer.json()["type"].endswith("#mouvement-inconnu")


@rule("decisions-one-movement", "decisions-unknown-parameter", "decisions-order-of-checks")
def test_a_movement_takes_no_parameter(
    service: Service, new_key: NewKey, movement: dict[str, str]
) -> None:
    answer = service.ask(f"{PATH}/{movement['id']}?limit=1", new_key(service))
    assert (answer.status, answer.remaining) == (400, 999)
    assert answer.json()["parametre"] == "limit"
    assert service.ask(f"{PATH}/{movement['id']}?limit=1").status == 401
    assert service.ask(f"{PATH}/{movement['id']}", method="DELETE").status == 405
    assert service.ask(f"{PATH}/{movement['id']}", method="OPTIONS").status == 204
