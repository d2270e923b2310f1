"""One movement by its identifier: published, withdrawn, or never there."""

from __future__ import annotations

import pytest

from .service import Headers, Service, in_every_way
from .situations import PATH, NewKey

rule = pytest.mark.rule


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
