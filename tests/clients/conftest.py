"""The tools, the description, and a real service that clients generated from it walk."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.tracking import lists

from . import tools

WITHDRAWN = 7


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.clients)


class Walked(OverHttp):
    """The service that clients walk: the sample, of which movements were withdrawn, and two lists."""

    def key(self, account: str, quota: int = 1_000_000) -> str:
        return environment.issue(account, self.internal, "--quota", quota)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    folder = tmp_path_factory.mktemp("walked")
    database, fewer = folder / "movements.db", folder / "fewer.csv"
    for day in ("13", "14"):  # nobody moves between them
        lists.write(folder / "lists", "senat", f"2026-09-{day}", lists.STAFF)
    given = ("--lists", folder / "lists")
    environment.done("build", database, "--movements", environment.SAMPLE, *given)
    with environment.SAMPLE.open(encoding="utf-8-sig", newline="") as sample:
        rows = list(csv.reader(sample))
    with fewer.open("w", encoding="utf-8", newline="") as kept:
        csv.writer(kept).writerows(rows[:-WITHDRAWN])
    environment.done("build", database, "--movements", fewer, *given)
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
