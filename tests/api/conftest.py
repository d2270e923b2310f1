"""A service with a key, at an instant; one of invented lists of more than a year for all that read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.contract import environment
from tests.contract.service import Answer, InProcess, behind
from tests.pages import years


class Asked:
    """A service of a file, and a key for it."""

    def __init__(self, database: Path, folder: Path, settings: dict[str, Any]) -> None:
        internal = folder / "internal.sqlite3"
        self.database = database
        self.service = InProcess(environment.datasette(database, internal, settings), internal)
        self.key = {"X-API-Key": environment.issue("qui", internal)}

    def at(self, now: datetime.datetime) -> None:
        behind(self.service).clock = lambda: now

    def ask(self, target: str, **headers: str) -> Answer:
        return self.service.ask(target, self.key | headers)

    def find(self, target: str) -> dict[str, Any]:
        """What a 200 says."""
        answer = self.ask(target)
        assert answer.status == 200, answer.body
        return dict(answer.json())


@contextmanager
def serving(database: Path, folder: Path, **settings: Any) -> Iterator[Asked]:
    """With its keys in the folder."""
    folder.mkdir(exist_ok=True)
    running = Asked(database, folder, settings)
    try:
        yield running
    finally:
        running.service.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    database = years.build(tmp_path_factory.mktemp("years"))
    with serving(database, tmp_path_factory.mktemp("keys")) as running:
        running.at(years.TODAY)
        yield running
