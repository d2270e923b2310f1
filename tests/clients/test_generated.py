"""Clients generated from the description compile strictly and walk everything there is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from .conftest import WITHDRAWN, Walked
from .tools import Tools

HERE = Path(__file__).parent
ELSEWHERE = "0123456789abcdef-12-fedcba9876543210"
# Of the lists of `tests.pages.years`.
DAY = "2026-01-15"
ERRORS = {
    "limit=0": "parametre-invalide",
    "no key": "cle-absente",
    "bad key": "cle-invalide",
    "unknown": "mouvement-inconnu",
    "withdrawn": "mouvement-retire",
    "unknown stay": "collaboration-inconnue",
    "withdrawn stay": "collaboration-retiree",
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


def everything(served: Walked, path: str, reader: dict[str, str]) -> list[dict[str, Any]]:
    """All that pages of an address have, as they are followed by hand."""
    found: list[dict[str, Any]] = []
    name = path.rpartition("/")[2]
    while True:
        page = served.ask(f"{path}?limit=500&offset={len(found)}", reader).json()
        found += page[name]
        if len(found) >= page["total"]:
            return found


def changed(served: Walked, path: str, reader: dict[str, str]) -> tuple[list[str], list[str]]:
    """What a feed publishes and what it withdraws, by identifier."""
    natures: dict[str, list[str]] = {"publication": [], "retrait": []}
    cursor = ""
    while True:
        page = served.ask(f"{path}?limit=500{cursor}", reader).json()
        for one in page["changements"]:
            natures[one["nature"]].append(one["id"])
        if not page["encore"]:
            return sorted(natures["publication"]), natures["retrait"]
        cursor = f"&curseur={page['curseur']}"


def assert_walked(served: Walked, tools: Tools, command: list[str], folder: Path) -> None:
    reader = {"X-API-Key": served.key(f"{folder.name}-reader")}
    ids = [one["id"] for one in everything(served, "/v1/mouvements", reader)]
    stays = everything(served, "/v1/collaborations", reader)
    members = everything(served, "/v1/elus", reader)
    coverage = served.ask("/v1/couverture", reader).json()["couverture"]
    spent = served.key(f"{folder.name}-spent", quota=1)
    copy, withdrawn = changed(served, "/v1/changements", reader)
    kept, gone = changed(served, "/v1/collaborations/changements", reader)
    assert len(withdrawn) >= WITHDRAWN
    assert gone
    assert (copy, kept) == (sorted(ids), sorted(one["id"] for one in stays))
    given = [served.url, served.key(folder.name), spent, withdrawn[0], gone[0], ELSEWHERE, DAY]
    told: dict[str, Any] = json.loads(tools.run(*command, *given, cwd=folder))
    assert told.pop("file") > 10_000
    assert told.pop("used") > 8
    assert told == {
        "search": ids,
        "copy": copy,
        "withdrawn": len(withdrawn),
        "same": True,
        "unchanged": 304,
        "stays": [one["id"] for one in stays],
        "kept": kept,
        "gone": len(gone),
        "stay": stays[0],
        "on a day": sum(one["debut"] <= DAY < one.get("fin", "9999") for one in stays),
        "present": sum(one["equipe"] for one in members),
        "members": [one["elu_id"] for one in members],
        "mandates": sum(len(one["mandats"]) for one in members),
        "lists": {name: one["listes"] for name, one in coverage.items()},
        "holes": sum(hole["jours"] for one in coverage.values() for hole in one["trous"]),
        "description": "3.1.0",
        "errors": ERRORS,
    }
