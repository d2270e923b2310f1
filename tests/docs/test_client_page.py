"""The page for authors of clients shows what the service really answers, and every address it names works."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.contract import environment
from tests.contract.service import InProcess
from tests.published import sample

from .tables import names, rows, section, text
from .test_clients import CLIENT

PAGE = "how-to/write-a-client.md"
# What depends on the day of the build, what its mask drew and the hour of the question.
OF_THE_MOMENT = ("last-modified", "ratelimit", "mouvements-version", "etag")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    """What `make serve` serves at first."""
    folder = tmp_path_factory.mktemp("client-page")
    database, internal = folder / "movements.db", folder / "internal.sqlite3"
    sample(database)
    settings = {"public_url": "https://mouvements.example.org", "allow_invented": True}
    running = InProcess(environment.datasette(database, internal, settings), internal)
    yield running
    running.close()


@pytest.fixture
def key(service: InProcess, request: pytest.FixtureRequest) -> dict[str, str]:
    """The header of a key of which nothing is used."""
    return {"Authorization": f"Bearer {environment.issue(request.node.name, service.internal)}"}


def test_the_first_answer_is_what_the_service_answers(
    service: InProcess, key: dict[str, str]
) -> None:
    asked = re.findall(r'curl -si .*\$MOUVEMENTS_URL([^"]+)"', text(PAGE))
    exported = re.findall(r"^export (\w+)=", text(PAGE), re.M)
    assert exported == ["MOUVEMENTS_URL", "MOUVEMENTS_KEY"]
    answer = service.ask(asked[0], key)
    [block] = re.findall(r"^```http\n(.*?)\n```", text(PAGE), re.M | re.S)
    status, *lines = block.split("\n")
    assert status == f"HTTP/1.1 {answer.status} OK"
    shown = [tuple(line.split(": ", 1)) for line in lines]
    given = dict(answer.headers)
    assert {name for name, _ in shown} <= set(given)
    assert [(n, v) for n, v in shown if n not in OF_THE_MOMENT and given[n] != v] == []


def test_the_client_is_called_as_it_says() -> None:
    commands = re.findall(r"^python3 client.py .*$", section(PAGE, "A client to start from"), re.M)
    assert [command.split()[2] for command in commands] == ["search", "copy"]
    assert all(command in CLIENT.read_text(encoding="utf-8") for command in commands)


@pytest.mark.parametrize(
    "address", [names(row[1])[0] for row in rows(section(PAGE, "What else a key opens"), "asked")]
)
def test_an_address_of_datasette_s_answers_for_one_request(
    service: InProcess, key: dict[str, str], address: str
) -> None:
    answer = service.ask(address, key)
    assert (answer.status, answer.remaining) == (200, 999)
    for absent in ("ETag", "Mouvements-Version", "Access-Control-Allow-Origin"):
        assert answer.header(absent) is None
