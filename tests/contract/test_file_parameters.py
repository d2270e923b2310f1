"""What files and feeds accept besides what the search does, and what they refuse, all at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .service import InProcess, Service
from .situations import NewKey

rule = pytest.mark.rule
EVERYTHING, FEED = "/fichiers/tout", "/flux"


@rule("decisions-all-faults", "files-parameters")
@pytest.mark.parametrize(
    ("target", "names", "said"),
    [
        (
            f"{FEED}?x=1&jusqua=2026-01-01&depuis=2026-01-02&nom=a",
            ["x", "jusqua", "depuis", "nom"],
            [
                "3 fautes.",
                "est antérieur",
                "« a » ; il accepte au moins deux lettres",
                "groupe, nom",
            ],
        ),
    ],
)
def test_files_and_feeds_tell_all_faults_at_once(
    service: Service, reader: dict[str, str], target: str, names: list[str], said: list[str]
) -> None:
    answer = service.ask(target, reader)
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert problem["parametre"] == names[0]
    assert problem.get("parametres", names[:1]) == names
    for words in said:
        assert words in problem["detail"]


@rule("files-parameters")
@pytest.mark.parametrize(
    "target",
    [
        f"{FEED}?chambre=&groupe=&nom=",
    ],
)
def test_fields_that_a_form_sends_empty_filter_nothing(
    service: Service, reader: dict[str, str], target: str
) -> None:
    all_of_it = service.ask(target.partition("?")[0], reader)
    answer = service.ask(target, reader)
    assert (answer.status, answer.body) == (200, all_of_it.body)


@rule("files-parameters", "decisions-not-charged")
@pytest.mark.parametrize(
    "target", [f"{EVERYTHING}?chambre=senat", f"{EVERYTHING}?x", "/v1/quota?x=1"]
)
def test_a_parameter_too_many_is_refused_before_anything_is_charged(
    in_process: Callable[..., InProcess], new_key: NewKey, target: str
) -> None:
    service = in_process({})
    key = new_key(service)
    answer = service.ask(target, key)
    assert answer.status == 400
    assert answer.json()["parametre"] in ("chambre", "x")
    assert answer.header("X-RateLimit-Remaining") == "1000"
    assert service.ask("/v1/quota", key).json()["utilise"] == 0


@rule("files-parameters", "files-open")
def test_the_open_file_takes_no_parameter_either(in_process: Callable[..., InProcess]) -> None:
    service = in_process({"open_whole_file": True})
    answer = service.ask(f"{EVERYTHING}?chambre=senat")
    assert (answer.status, answer.json()["parametre"]) == (400, "chambre")


@rule("decisions-unknown-parameter")
def test_the_description_alone_ignores_what_it_does_not_know(service: Service) -> None:
    asked = [service.ask(f"/v1/openapi.json{query}") for query in ("", "?_=1700000000", "?v=2&x")]
    assert [answer.status for answer in asked] == [200, 200, 200]
    assert len({answer.body for answer in asked}) == 1


@rule("decisions-unknown-parameter")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/v1/quota", "/v1/couverture"])
def test_what_costs_nothing_takes_no_parameter(
    service: Service, reader: dict[str, str], method: str, path: str
) -> None:
    assert service.ask(f"{path}?x=1", reader, method).status == 400
    assert service.ask(f"{path}?x=1", method=method).status == 401
