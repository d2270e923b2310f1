"""A client generated from the description passes mypy strictly and walks everything there is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

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
    "unknown stay": "collaboration-inconnue",
    "elsewhere": "curseur-perime",
    "spent": "quota-atteint",
}
# The generator knows no other type of a file.
OVERRIDES = {"content_type_overrides": {"application/zip": "application/octet-stream"}}
# That of the generator itself does not hold: nothing of the description is in it.
CHECKED = "[mypy]\nstrict = true\n[mypy-mouvements.client]\nignore_errors = true\n"


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

    def asked(address: str) -> dict[str, Any]:
        return dict(served.ask(f"/v1/{address}", reader).json())

    feed = asked("changements?limit=500")
    assert not feed["encore"]
    withdrawn = [one["id"] for one in feed["changements"] if one["nature"] == "retrait"]
    ids = [one["id"] for one in asked("mouvements?limit=500")["mouvements"]]
    assert len(withdrawn) == WITHDRAWN
    keys = served.key("walker"), served.key("spent", quota=1)
    given = [served.url, *keys, withdrawn[0], ELSEWHERE]
    told: dict[str, Any] = json.loads(pypi.run("python", "walk.py", *given, cwd=tmp_path))
    assert told.pop("file") > 10_000
    assert told.pop("used") > 8
    chambers = asked("couverture")["couverture"]
    assert told == {
        "search": ids,
        "copy": sorted(ids),
        "withdrawn": WITHDRAWN,
        "unchanged": 304,
        "present": asked("collaborations?present=oui")["total"],
        "changes": len(asked("collaborations/changements")["changements"]),
        "members": [one["elu_id"] for one in asked("elus")["elus"]],
        "lists": {name: one["listes"] for name, one in chambers.items()},
        "description": "3.1.0",
        "errors": ERRORS,
    }
