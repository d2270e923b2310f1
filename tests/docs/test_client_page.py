"""The page for authors of clients shows what the service really answers, and every address it names works."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.serving.sample import SCRIPT, build_sample
from tests.contract import environment
from tests.contract.sample import in_order
from tests.contract.service import InProcess

from .tables import names, rows, section, text
from .test_clients import CLIENT

PAGE = "how-to/write-a-client.md"
ORIGIN = "https://mouvements.example.org"
# What depends on the day of the build, what its mask drew and the hour of the question.
OF_THE_MOMENT = ("last-modified", "ratelimit", "mouvements-version", "etag")
GROUP = [movement for movement in in_order() if movement["elu_groupe"] == "SUD"]


def served(folder: Path) -> InProcess:
    internal = folder / "internal.sqlite3"
    settings = {"public_url": ORIGIN, "allow_invented": True}
    return InProcess(environment.datasette(folder / "movements.db", internal, settings), internal)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("client-page")
    environment.done("build", folder / "movements.db", "--movements", environment.SAMPLE)
    running = served(folder)
    yield running
    running.close()


@pytest.fixture
def first_start(tmp_path: Path) -> Any:
    """What `make serve` serves."""
    now = datetime(2026, 11, 21, tzinfo=UTC)
    build_sample(tmp_path / "movements.db", now, environment.ROOT / SCRIPT)
    running = served(tmp_path)
    yield running
    running.close()


@pytest.fixture
def key(service: InProcess, request: pytest.FixtureRequest) -> dict[str, str]:
    """The header of a key of which nothing is used."""
    return {"Authorization": f"Bearer {environment.issue(request.node.name, service.internal)}"}


def block(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)\n```", text(PAGE), re.M | re.S)
    return str(found)


def test_the_first_answer_is_what_the_service_answers(first_start: InProcess) -> None:
    key = {"Authorization": f"Bearer {environment.issue('first', first_start.internal)}"}
    asked = re.findall(r'curl -si .*\$MOUVEMENTS_URL([^"]+)"', text(PAGE))
    exported = re.findall(r"^export (\w+)=", text(PAGE), re.M)
    assert exported == ["MOUVEMENTS_URL", "MOUVEMENTS_KEY"]
    answer = first_start.ask(asked[0], key)
    status, *lines = block("http").split("\n")
    assert status == f"HTTP/1.1 {answer.status} OK"
    shown = [tuple(line.split(": ", 1)) for line in lines]
    given = dict(answer.headers)
    assert {name for name, _ in shown} <= set(given)
    assert [(n, v) for n, v in shown if n not in OF_THE_MOMENT and given[n] != v] == []


def test_the_client_is_called_as_it_says() -> None:
    commands = re.findall(r"^python3 client.py .*$", section(PAGE, "A client to start from"), re.M)
    assert [command.split()[2] for command in commands] == ["search", "copy"]
    assert all(command in CLIENT.read_text(encoding="utf-8") for command in commands)


def found(answer: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = answer.json()["rows"]
    return rows


def identifiers(movements: list[Any]) -> list[str]:
    return sorted(movement["id"] for movement in movements)


def is_the_nunadors(answer: Any) -> bool:
    return {row["collab_nom"] for row in found(answer)} == {"NUÑADOR"}


def is_sorted(answer: Any) -> bool:
    members = [row["elu_nom"] for row in found(answer)]
    return members == sorted(members, reverse=True) and len(set(members)) > 1


# What each line of the table promises, in its order.
PROMISED: tuple[Callable[[Any], bool], ...] = (
    lambda answer: is_the_nunadors(answer) and found(answer)[0]["collab_prenom"] == "Chloé",
    lambda answer: len(found(answer)) == len(GROUP) and found(answer)[0]["elu_groupe"] == "SUD",
    is_sorted,
    lambda answer: len(found(answer)) == len(in_order()),
    lambda answer: len(list(csv.DictReader(io.StringIO(answer.body.decode())))) == len(GROUP),
    lambda answer: found(answer) == [],  # the sample's movements come without lists
    lambda answer: sum(row["count(*)"] for row in found(answer)) == len(in_order()),
)
TABLED = [names(row[1])[0] for row in rows(section(PAGE, "What else a key opens"), "asked")]


@pytest.mark.parametrize(
    ("address", "promised"),
    list(zip(TABLED, PROMISED, strict=True)),
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_an_address_of_datasette_s_gives_what_is_told_for_one_request(
    service: InProcess, key: dict[str, str], address: str, promised: Callable[[Any], bool]
) -> None:
    answer = service.ask(address, key)
    assert answer.status == 200
    assert promised(answer)
    assert answer.remaining == 999
    for absent in ("ETag", "Mouvements-Version", "Access-Control-Allow-Origin"):
        assert answer.header(absent) is None


def test_a_value_that_is_not_there_and_a_column_that_is_not(
    service: InProcess, key: dict[str, str]
) -> None:
    given = found(service.ask("/movements/mouvements.json?collab_civilite__isnull=1", key))
    assert given[0]["collab_civilite"] is None
    answer = service.ask("/movements/mouvements.json?elu_group=SUD", key)
    assert (answer.status, found(answer)) == (200, [])
    for refused in ("_sort=xyz", "_col=xyz"):
        assert service.ask(f"/movements/mouvements.json?{refused}", key).status == 400
