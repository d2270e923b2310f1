"""Clients generated from the description compile strictly and walk everything there is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.contract.sample import in_order

from .conftest import WITHDRAWN, Walked
from .tools import Tools

HERE = Path(__file__).parent
ELSEWHERE = "0123456789abcdef-12-fedcba9876543210"
ERRORS = {
    "limit=0": "parametre-invalide",
    "no key": "cle-absente",
    "bad key": "cle-invalide",
    "unknown": "mouvement-inconnu",
    "withdrawn": "mouvement-retire",
    "elsewhere": "curseur-perime",
    "spent": "quota-atteint",
}
# The generator knows no other type of a file.
OVERRIDES = {"content_type_overrides": {"application/zip": "application/octet-stream"}}
# That of the generator itself does not hold: nothing of the description is in it.
CHECKED = "[mypy]\nstrict = true\n[mypy-mouvements.client]\nignore_errors = true\n"
STRICT = (
    *("--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--lib", "es2022,dom"),
    *("--module", "commonjs", "--moduleResolution", "node10", "--types", "node", "--outDir", "out"),
)


def test_openapi_python_client_walks_everything(
    pypi: Tools, description: Path, served: Walked, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")
    options = [
        "--config",
        "settings.json",
        "--path",
        description,
        "--output-path",
        tmp_path / "mouvements",
        "--meta",
        "none",
    ]
    pypi.run("openapi-python-client", "generate", "--fail-on-warning", *options, cwd=tmp_path)
    shutil.copy(HERE / "walk.py", tmp_path)
    (tmp_path / "mypy.ini").write_text(CHECKED, encoding="utf-8")
    pypi.run("mypy", "walk.py", "mouvements", cwd=tmp_path)
    assert_walked(served, pypi, ["python", "walk.py"], tmp_path)


def test_openapi_typescript_and_openapi_fetch_walk_everything(
    npm: Tools, description: Path, served: Walked, tmp_path: Path
) -> None:
    npm.run("openapi-typescript", description, "--output", "schema.d.ts", cwd=tmp_path)
    assert_walked(served, npm, compiled(npm, "walk_fetch.ts", tmp_path), tmp_path)


def test_hey_api_walks_everything(
    npm: Tools, description: Path, served: Walked, tmp_path: Path
) -> None:
    npm.run("openapi-ts", "--input", description, "--output", "hey", "--no-log-file", cwd=tmp_path)
    assert_walked(served, npm, compiled(npm, "walk_hey.ts", tmp_path), tmp_path)


def compiled(npm: Tools, name: str, folder: Path) -> list[str]:
    """The command that runs a program, compiled strictly beside what it imports."""
    for program in (name, "walk.ts"):
        shutil.copy(HERE / program, folder)
    (folder / "node_modules").symlink_to(npm.folders[-1].parent)
    npm.run("tsc", *STRICT, name, cwd=folder)
    return ["node", f"out/{Path(name).stem}.js"]


def assert_walked(served: Walked, tools: Tools, command: list[str], folder: Path) -> None:
    reader = {"X-API-Key": served.key(f"{folder.name}-reader")}
    everything = served.ask("/v1/mouvements?limit=500", reader)
    ids = [one["id"] for one in everything.json()["mouvements"]]
    assert len(ids) == len(in_order()) - WITHDRAWN
    spent = served.key(f"{folder.name}-spent", quota=1)
    feed = served.ask("/v1/changements?limit=500", reader).json()["changements"]
    withdrawn = next(one["id"] for one in feed if one["nature"] == "retrait")
    given = [served.url, served.key(folder.name), spent, withdrawn, ELSEWHERE]
    told: dict[str, Any] = json.loads(tools.run(*command, *given, cwd=folder))
    assert told.pop("file") > 10_000
    assert told.pop("used") > 8
    assert told == {
        "search": ids,
        "copy": sorted(ids),
        "withdrawn": WITHDRAWN,
        "same": True,
        "unchanged": 304,
        "lines": len(ids),
        "description": "3.1.0",
        "errors": ERRORS,
    }
