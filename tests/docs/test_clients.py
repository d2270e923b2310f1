"""The clients of the documentation, run as they stand, read everything, wait, and keep a copy that stays right."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.building.follower import table
from tests.building.original_service import OriginalService, movement
from tests.contract.environment import ROOT
from tests.contract.service import Answer

pytestmark = pytest.mark.process
CLIENT = ROOT / "docs" / "examples" / "client.py"
# A cursor of another history.
GONE = "0123456789abcdef-7-0123456789abcdef"
Ran = subprocess.CompletedProcess[str]


@pytest.fixture
def original(tmp_path: Path) -> Iterator[OriginalService]:
    """More movements than a page holds."""
    service = OriginalService(tmp_path)
    service.publish(*(movement(number) for number in range(1, 521)))
    yield service
    service.close()


@pytest.fixture
def client(original: OriginalService) -> Callable[..., Ran]:
    """Runs the client in a process with nothing else around it."""

    def run(*arguments: object, seconds: float = 20, fails: bool = False) -> Ran:
        given = {"MOUVEMENTS_URL": original.url, "MOUVEMENTS_KEY": original.key}
        ran = subprocess.run(
            [sys.executable, str(CLIENT), *map(str, arguments)],
            env={"PATH": os.environ["PATH"], "MOUVEMENTS_TIMEOUT": str(seconds), **given},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert (ran.returncode != 0) == fails, ran.stderr
        assert original.key not in ran.stdout + ran.stderr
        return ran

    return run


def found(ran: Ran) -> dict[str, Any]:
    """The movements that were printed, each once, by identifier."""
    movements = [json.loads(line) for line in ran.stdout.splitlines()]
    by_id = {movement["id"]: movement for movement in movements}
    assert len(by_id) == len(movements)
    return by_id


def test_a_search_is_read_to_its_end(original: OriginalService, client: Callable[..., Ran]) -> None:
    assert found(client("search", "")) == table(original.database)
    original.change(*(movement(number, type="depart") for number in range(1, 8)))
    assert len(found(client("search", "limit=5&type=depart"))) == 7
    assert original.targets[-1].count("limit=") == 1


def test_a_walk_that_a_publication_tears_begins_again(
    original: OriginalService, client: Callable[..., Ran]
) -> None:
    def publish(target: str) -> None:
        if len(original.targets) == 2:
            original.change(movement(600), gone=(1,))

    original.behave = publish
    assert found(client("search", "")) == table(original.database)
    assert len(original.targets) == 2 + 2


def test_a_copy_follows_what_is_published_and_withdrawn_for_as_little_as_can_be(
    original: OriginalService, client: Callable[..., Ran], tmp_path: Path
) -> None:
    path = tmp_path / "copy.json"
    path.write_text(json.dumps({"curseur": GONE, "etag": "", "mouvements": {"mvt_gone": {}}}))
    asked = []
    for change in (lambda: original.change(movement(3, collab_nom="AUTRE"), gone=(2, 5)), None):
        client("copy", path)
        kept = json.loads(path.read_text(encoding="utf-8"))
        assert kept["mouvements"] == table(original.database)
        assert "ODbL" in kept["licence"]
        if change:
            change()
    for _ in range(2):
        original.targets.clear()
        client("copy", path)
        asked.append(len(original.targets))
    assert asked == [1, 1]
    used = original.service.ask("/v1/quota", {"X-API-Key": original.key}).json()["utilise"]
    client("copy", path)
    again = original.service.ask("/v1/quota", {"X-API-Key": original.key}).json()["utilise"]
    assert again == used


def says(status: int, wait: str) -> Answer:
    return Answer(status, [("retry-after", wait)], b"{}")


def cut(target: str) -> Answer:
    raise ConnectionResetError


def silent(target: str) -> Answer:
    time.sleep(2)
    raise ConnectionResetError


@pytest.mark.parametrize(
    ("faults", "waited"),
    [
        ([says(429, "1"), says(503, "0"), says(429, "0")], ["1", "0", "0"]),
        ([cut], ["1"]),
        ([silent], ["1"]),
    ],
)
def test_what_is_refused_for_a_while_or_does_not_come_is_asked_again(
    original: OriginalService, client: Callable[..., Ran], faults: list[Any], waited: list[str]
) -> None:
    remaining = list(faults)

    def behave(target: str) -> Answer | None:
        fault = remaining.pop(0) if remaining else None
        return fault(target) if callable(fault) else fault

    original.behave = behave
    ran = client("search", "", seconds=1.0 if silent in faults else 20.0)
    assert re.findall(r"again in (\d+) s", ran.stderr) == waited
    assert found(ran) == table(original.database)


def test_what_is_refused_is_told_and_not_asked_again(
    original: OriginalService, client: Callable[..., Ran]
) -> None:
    for query in ("chambre=commune", "collab_nom=Zoé"):
        assert "400" in client("search", query, fails=True).stderr
    assert len(original.targets) == 2
    for arguments in ((), ("search",), ("delete", "x"), ("copy", "x", "y")):
        assert "MOUVEMENTS_URL" in client(*arguments, fails=True).stderr
    assert len(original.targets) == 2


def test_the_loop_of_the_documentation_s_page_keeps_a_copy_right(original: OriginalService) -> None:
    page = original.service.ask("/documentation").body.decode()
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.S)
    [loop] = [html.unescape(code) for code in shown if "def suivre" in code]
    names: dict[str, Any] = {}
    loop = re.sub(r"http://localhost(?=/v1)", original.url, loop)
    exec(compile(loop, "documentation", "exec"), names)
    copied: dict[str, dict[str, Any]] = {}
    cursor = names["suivre"](copied, "", original.key)
    assert copied == table(original.database)
    original.change(movement(3, collab_nom="AUTRE"), movement(600), gone=(2, 5))
    names["suivre"](copied, cursor, original.key)
    assert copied == table(original.database)
