"""A client generated from the description passes mypy strictly and walks everything there is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.contract.service import Headers

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


def everything(served: Walked, path: str, reader: Headers) -> list[dict[str, Any]]:
    """All that pages of an address have, as they are followed by hand."""
    found: list[dict[str, Any]] = []
    name = path.rpartition("/")[2]
    while True:
        page = served.ask(f"{path}?limit=500&offset={len(found)}", reader).json()
        found += page[name]
        if len(found) >= page["total"]:
            return found


def changed(served: Walked, path: str, reader: Headers) -> tuple[list[str], list[str]]:
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


def test_openapi_python_client_walks_everything(
    pypi: Tools, description: Path, served: Walked, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")
    options = ["--config", "settings.json", "--path", description, "--meta", "none"]
    options += ["--output-path", tmp_path / "mouvements"]
    pypi.run("openapi-python-client", "generate", "--fail-on-warning", *options, cwd=tmp_path)
    shutil.copy(HERE / "walk.py", tmp_path)
    (tmp_path / "mypy.ini").write_text(CHECKED, encoding="utf-8")
    pypi.run("mypy", "walk.py", "mouvements", cwd=tmp_path)
    reader = {"X-API-Key": served.key("reader")}
    ids = [one["id"] for one in everything(served, "/v1/mouvements", reader)]
    stays = everything(served, "/v1/collaborations", reader)
    members = everything(served, "/v1/elus", reader)
    coverage = served.ask("/v1/couverture", reader).json()["couverture"]
    spent = served.key("spent", quota=1)
    copy, withdrawn = changed(served, "/v1/changements", reader)
    kept, gone = changed(served, "/v1/collaborations/changements", reader)
    assert len(withdrawn) >= WITHDRAWN
    assert gone
    assert (copy, kept) == (sorted(ids), sorted(one["id"] for one in stays))
    given = [served.url, served.key("walker"), spent, withdrawn[0], gone[0], ELSEWHERE, DAY]
    told: dict[str, Any] = json.loads(pypi.run("python", "walk.py", *given, cwd=tmp_path))
    assert told.pop("file") > 10_000
    assert told.pop("used") > 8
    assert told == {
        "search": ids,
        "copy": copy,
        "withdrawn": len(withdrawn),
        "same": True,
        "unchanged": 304,
        "stays": [one["id"] for one in stays[:500]],
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
