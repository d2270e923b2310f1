"""The linters that clients' authors use find nothing to say of the description."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import InProcess

from .tools import Tools

# Settings that change what is described.
SETTINGS: dict[str, dict[str, object]] = {
    "public address": {"public_url": "https://mouvements.exemple.fr"},
    "contact": {"contact": "contact@exemple.fr"},
    "whole file open": {"open_whole_file": True},
}


@pytest.fixture(scope="module")
def descriptions(
    description: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], list[Path]]:
    """The description of the running service, and those under other settings."""

    def written() -> list[Path]:
        folder = tmp_path_factory.mktemp("described")
        database, internal = folder / "movements.db", folder / "internal.sqlite3"
        environment.done("build", database, "--movements", environment.SAMPLE)
        paths = [description]
        for name, settings in SETTINGS.items():
            service = InProcess(environment.datasette(database, internal, settings), internal)
            answer = service.ask("/v1/openapi.json", {"Host": "127.0.0.1:8001"})
            service.close()
            paths.append(folder / f"{name.replace(' ', '-')}.json")
            paths[-1].write_bytes(answer.body)
        return paths

    return written


@pytest.mark.rule("decisions-documented")
def test_spectral_finds_nothing(
    npm: Tools, descriptions: Callable[[], list[Path]], tmp_path: Path
) -> None:
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    options = ["--ruleset", "rules.yaml", "--fail-severity", "hint", "--format", "text"]
    npm.run("spectral", "lint", *options, *descriptions(), cwd=tmp_path)


@pytest.mark.rule("decisions-documented")
def test_redocly_finds_nothing(
    npm: Tools, descriptions: Callable[[], list[Path]], tmp_path: Path
) -> None:
    for path in descriptions():
        told = npm.run(
            "redocly", "lint", "--extends=recommended", "--format=json", path, cwd=tmp_path
        )
        found, _ = json.JSONDecoder().raw_decode(told[told.index("{") :])
        assert found["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, found["problems"]
