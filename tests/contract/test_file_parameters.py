"""What files, feeds and what costs nothing accept besides what the search does, and what they refuse."""

from __future__ import annotations

import pytest

from .service import Service, Start, used
from .situations import NewKey

rule = pytest.mark.rule
EVERYTHING, FEED = "/fichiers/tout", "/flux"


@rule("decisions-all-faults", "files-parameters")
def test_a_feed_tells_all_faults_at_once_and_an_empty_field_is_none(service: Service) -> None:
    answer = service.ask(f"{FEED}?x=1&jusqua=2026-01-01&depuis=2026-01-02&nom=a&elu=Ada%20Un")
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert problem["parametres"] == ["x", "jusqua", "depuis", "nom", "elu"]
    for words in ("4 fautes.", "est antérieur", "« a » ; il accepte au moins deux lettres"):
        assert words in problem["detail"]
    assert "groupe, nom" in problem["detail"]
    empty = service.ask(f"{FEED}?chambre=&groupe=&nom=")
    assert (empty.status, empty.body) == (200, service.ask(FEED).body)


@rule("files-parameters", "decisions-not-charged", "decisions-unknown-parameter")
@pytest.mark.parametrize("target", [EVERYTHING, "/v1/quota", "/v1/couverture"])
def test_a_parameter_too_many_is_refused_and_costs_nothing(
    service: Service, new_key: NewKey, target: str
) -> None:
    key = new_key(service)
    for method in ("GET", "HEAD"):
        answer = service.ask(f"{target}?chambre=senat", key, method)
        assert (answer.status, answer.remaining, used(service, key)) == (400, 1000, 0)
    assert service.ask(f"{target}?chambre=senat", key).json()["parametre"] == "chambre"
    assert service.ask(f"{target}?chambre=senat", {"Accept": "*/*"}).status == 401


@rule("files-parameters", "files-open", "decisions-unknown-parameter")
def test_the_open_file_takes_no_parameter_and_the_description_ignores_any(
    in_process: Start,
) -> None:
    service = in_process({"open_whole_file": True})
    answer = service.ask(f"{EVERYTHING}?chambre=senat")
    assert (answer.status, answer.json()["parametre"]) == (400, "chambre")
    plain, asked = service.ask("/v1/openapi.json"), service.ask("/v1/openapi.json?v=2&x")
    assert (asked.status, asked.body) == (200, plain.body)
