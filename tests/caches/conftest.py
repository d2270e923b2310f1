"""A running service for caches to stand in front of, and what each key was charged."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from datasette.utils import parse_metadata

from tests.contract import environment
from tests.contract.service import OverHttp

# The ways that a client sends its key.
HEADERS: dict[str, Callable[[str], dict[str, str]]] = {
    "bearer": lambda key: {"Authorization": f"Bearer {key}"},
    "x-api-key": lambda key: {"X-API-Key": key},
}


class Origin(OverHttp):
    """The sample, served to everyone who has a key."""

    def __init__(self, folder: Path, database: Path, settings: dict[str, object]) -> None:
        internal = folder / "internal.sqlite3"
        metadata = folder / "metadata.json"
        described = parse_metadata(environment.METADATA.read_text(encoding="utf-8"))
        described.setdefault("plugins", {}).setdefault(environment.PLUGIN, {}).update(settings)
        metadata.write_text(json.dumps(described))
        command = environment.serve_command(database, internal, "-m", str(metadata))
        super().__init__("origin", command, internal, environment.ROOT)
        self._accounts = itertools.count(1)

    def new_account(self, quota: int = 1000) -> tuple[str, str]:
        """The name of a new account, and its key."""
        account = f"compte-{next(self._accounts)}"
        return account, environment.issue(account, self.internal, "--quota", quota)

    def charged(self, key: str) -> int:
        """How many requests the key was charged so far; asking is free."""
        used: int = self.ask("/v1/quota", HEADERS["bearer"](key)).json()["utilise"]
        return used


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built."""
    path = tmp_path_factory.mktemp("data") / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    return path


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory, database: Path) -> Iterator[Origin]:
    """The service as it is run."""
    yield from started(tmp_path_factory.mktemp("origin"), database, {})


def started(folder: Path, database: Path, settings: dict[str, object]) -> Iterator[Origin]:
    """The service with these settings, ended afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATASETTE_SECRET", environment.SECRET)
        running = Origin(folder, database, settings)
        yield running
        running.close()
