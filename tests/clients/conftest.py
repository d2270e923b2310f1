"""The tools, the description, and a real service that clients generated from it walk."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.pages import years
from tests.tracking.lists import member

from . import tools

WITHDRAWN = 7
PAGE = "https://www.hatvp.fr/pages_nominatives/exemple-1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.clients)


class Walked(OverHttp):
    """The service that clients walk: the sample and lists, of which movements and a name were withdrawn."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def key(self, account: str, quota: int = 1_000_000) -> str:
        return environment.issue(account, self.internal, "--quota", quota)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    folder = tmp_path_factory.mktemp("walked")
    database, fewer = folder / "movements.db", folder / "fewer.csv"
    members, masked = years.write(folder), folder / "corrections.yml"
    masked.write_text(f"- {{date: 2026-09-14, raison: Demande, masquer: {{nom: {years.IDA}}}}}\n")
    page = f"chambre,elu_id,hatvp\nsenat,{member('senat', years.TEAM)},{PAGE}\n"
    (members / "fiches.csv").write_text(page)
    lists = ("--lists", folder / "lists", "--members", members)
    environment.done("build", database, "--movements", environment.SAMPLE, *lists)
    with environment.SAMPLE.open(encoding="utf-8-sig", newline="") as sample:
        rows = list(csv.reader(sample))
    with fewer.open("w", encoding="utf-8", newline="") as kept:
        csv.writer(kept).writerows(rows[:-WITHDRAWN])
    environment.done("build", database, "--movements", fewer, *lists, "--corrections", masked)
    internal = folder / "internal.sqlite3"
    command = environment.serve_command(database, internal)
    with contextlib.closing(Walked("walked", command, internal, environment.ROOT)) as service:
        yield service


@pytest.fixture(scope="session")
def description(served: Walked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The description that generators read, as the service gives it."""
    path = tmp_path_factory.mktemp("description") / "openapi.json"
    path.write_bytes(served.ask("/v1/openapi.json").body)
    return path


@pytest.fixture(scope="session")
def pypi(tmp_path_factory: pytest.TempPathFactory) -> tools.Tools:
    return tools.from_pypi(tmp_path_factory.mktemp("pypi"))


@pytest.fixture(scope="session")
def npm(pypi: tools.Tools, tmp_path_factory: pytest.TempPathFactory) -> tools.Tools:
    return tools.from_npm(tmp_path_factory.mktemp("npm"), pypi)
