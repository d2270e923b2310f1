"""A client that a generator of others makes of the description passes mypy strictly and reads its answers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.tracking import lists

pytestmark = pytest.mark.clients
TOOLS = ("openapi-python-client==0.29.1", "mypy==2.4.1")
# The generator knows no other type of a file.
OVERRIDES = {"content_type_overrides": {"application/zip": "application/octet-stream"}}
# That of the generator itself does not hold: nothing of the description is in it.
CHECKED = "[mypy]\nstrict = true\n[mypy-mouvements.client]\nignore_errors = true\n"


def run(folder: Path, program: str, *arguments: object) -> str:
    """What a tool prints, which must succeed; it finds nothing of this project."""
    path = f"{folder / 'tools' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [folder / "tools" / "bin" / program, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def database(folder: Path) -> Path:
    """The sample without its last movement, which was withdrawn, and two lists."""
    path, fewer = folder / "movements.db", folder / "fewer.csv"
    fewer.write_text("".join(environment.SAMPLE.read_text("utf-8").splitlines(True)[:-1]), "utf-8")
    for day in ("13", "14"):  # nobody moves between them
        lists.write(folder / "lists", "senat", f"2026-09-{day}", lists.STAFF)
    for movements in (environment.SAMPLE, fewer):
        given = ("--movements", movements, "--lists", folder / "lists")
        environment.done("build", path, *given)
    return path


def test_openapi_python_client_reads_an_answer_of_each_kind(tmp_path: Path) -> None:
    venv.create(tmp_path / "tools", symlinks=True, with_pip=True)
    try:
        run(tmp_path, "pip", "install", "--quiet", "--retries=0", *TOOLS)
    except AssertionError as refused:
        pytest.skip(f"PyPI cannot be reached: {refused}")
    internal = tmp_path / "internal.sqlite3"
    command = environment.serve_command(database(tmp_path), internal)
    with contextlib.closing(OverHttp("walked", command, internal, environment.ROOT)) as service:
        key = environment.issue("walker", internal)

        def asked(address: str) -> dict[str, Any]:
            return dict(service.ask(f"/v1/{address}", {"X-API-Key": key}).json())

        (tmp_path / "openapi.json").write_bytes(service.ask("/v1/openapi.json").body)
        (tmp_path / "settings.json").write_text(json.dumps(OVERRIDES))
        (tmp_path / "mypy.ini").write_text(CHECKED)
        shutil.copy(Path(__file__).with_name("walk.py"), tmp_path)
        options = ("--config", "settings.json", "--path", "openapi.json", "--meta", "none")
        options += ("--output-path", "mouvements", "--fail-on-warning")
        run(tmp_path, "openapi-python-client", "generate", *options)
        run(tmp_path, "mypy", "walk.py", "mouvements")
        met = json.loads(run(tmp_path, "python", "walk.py", service.url, key))
        changes = asked("changements?limit=500")["changements"]
        lists_of = {name: one["listes"] for name, one in asked("couverture")["couverture"].items()}
        assert met == {
            "search": [one["id"] for one in asked("mouvements?limit=500")["mouvements"]],
            "published": [one["id"] for one in changes if one["nature"] == "publication"],
            "lists": lists_of,
            "refused": "parametre-invalide",
            "file": "PK",
        }
        assert any(one["nature"] == "retrait" for one in changes)
