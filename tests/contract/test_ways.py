"""A server answers what this process answers: one request of each kind, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .service import WAYS, Answer, Service, over_http
from .situations import PATH, NewKey

ASKED = (
    # found
    *("", "limit=500", "limit=7&offset=3&elu=99007Z", "offset=5000", "elu=PA0"),
    # written otherwise
    *("%63hambre=s%65nat", "elu=%C3%A9%27", "elu=a+b", "&limit=5&&"),
    # refused: of no such value, no such name, malformed, twice, empty, too long
    *("limit=0", "limit=5%0A", "offset=%D9%A5", "chambre=S%C3%A9nat", "jusqu%C3%A0=2024-01-01"),
    *("chambre=%ff", "elu=%00", "limit=5%", "limit=%zz", "limit=5;offset=2", "limit=5?offset=2"),
    *("type=depart&type=depart", "source=", "elu", f"chambre={'z' * 300}"),
)
# What differs from one answer to the next, or is the server's own.
VARYING = {"date", "server", "connection", "transfer-encoding", "ratelimit"}


def compared(answer: Answer) -> tuple[int, bytes, list[tuple[str, str]]]:
    kept = [(name, value) for name, value in answer.headers if name not in VARYING]
    return answer.status, answer.body, sorted(kept)


@pytest.fixture(scope="session")
def here(database: Path, start: Callable[[str, Path], Service]) -> Service:
    return start(WAYS[0], database)


OTHER_METHODS = (
    *(PATH, "/v1/quota", "/v1/couverture", "/v1/collaborations?present=oui", "/v1/elus"),
    *("/v1/collaborations/changements", "/v1/changements?limit=1", "/v1/openapi.json", "/v1/rien"),
)


@over_http
@pytest.mark.rule("service-serve", "service-not-installed", "decisions-methods")
@pytest.mark.parametrize(
    ("method", "target"),
    [
        *(("GET", f"{PATH}?{query}") for query in ASKED),
        *(("GET", target) for target in ("/mouvements?limit=2&offset=2", "/v1/openapi.json")),
        *((method, target) for method in ("HEAD", "OPTIONS", "POST") for target in OTHER_METHODS),
    ],
)
def test_a_server_answers_what_this_process_answers(
    service: Service, here: Service, new_key: NewKey, method: str, target: str
) -> None:
    # Absolute addresses are made of it.
    host = {"Host": "mouvements.exemple"}
    served = service.ask(target, new_key(service) | host, method)
    assert compared(served) == compared(here.ask(target, new_key(here) | host, method))
