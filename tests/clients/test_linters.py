"""The linter that clients' authors use finds nothing to say of the description."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import InProcess

from .tools import Tools

# Settings that change what is described.
SETTINGS: dict[str, dict[str, object]] = {
    "public-address": {"public_url": "https://mouvements.exemple.fr"},
    "contact": {"contact": "contact@exemple.fr"},
    "whole-file-open": {"open_whole_file": True},
}


@pytest.mark.rule("decisions-documented")
def test_spectral_finds_nothing(npm: Tools, description: Path, tmp_path: Path) -> None:
    """In the description of the running service, and in those under other settings."""
    database, internal = tmp_path / "movements.db", tmp_path / "internal.sqlite3"
    environment.done("build", database, "--movements", environment.SAMPLE)
    paths = [description]
    for name, settings in SETTINGS.items():
        service = InProcess(environment.datasette(database, internal, settings), internal)
        answer = service.ask("/v1/openapi.json", {"Host": "127.0.0.1:8001"})
        service.close()
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_bytes(answer.body)
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    options = ["--ruleset", "rules.yaml", "--fail-severity", "hint", "--format", "text"]
    npm.run("spectral", "lint", *options, *paths, cwd=tmp_path)
