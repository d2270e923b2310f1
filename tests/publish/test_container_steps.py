"""The Dockerfile's own steps, run in an empty environment: wheel, install, serve, health check."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import venv

import pytest

from tests.contract.environment import ROOT
from tests.contract.service import OverHttp

pytestmark = pytest.mark.slow
TEXT = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


def instruction(pattern: str) -> str:
    """The one instruction of this form, or that of the image that serves, which stands last."""
    return str(re.findall(pattern, TEXT, re.M)[-1])


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """(folder, Python) after the steps that need no root; the folder stands for /."""
    folder = tmp_path_factory.mktemp("container")
    source = folder / "source"
    for names in re.findall(r"^COPY (?!--from)(.*)$", TEXT, re.M):
        for name in names.split()[:-1]:
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            litter = shutil.ignore_patterns("*.egg-info", "__pycache__")
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, place, ignore=litter)
            else:
                shutil.copy(ROOT / name, place)
    venv.create(folder / "venv", symlinks=True, with_pip=True)
    app = folder / "app"
    (app / "var").mkdir(parents=True)
    (app / "data").mkdir()
    shutil.copy(source / "metadata.yml", app)
    # None of the caller's Python: with a PYTHONPATH, pip takes the source for the installed package.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for step in (r"^RUN (pip wheel .*)$", r"^RUN (pip install .*)$"):
        line = instruction(step).replace("/wheels", str(folder / "wheels"))
        ran = subprocess.run(
            ["sh", "-c", line],
            cwd=source,
            env={**clean, "PATH": f"{folder}/venv/bin:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert ran.returncode == 0, ran.stderr
    return folder


def test_the_wheel_alone_serves_pages_answers_and_its_own_health_check(image, database):
    app, python = image / "app", image / "venv" / "bin" / "python"
    shutil.copy(database, app / "data" / "movements.db")
    command = json.loads(instruction(r"^CMD (\[.*\])$"))
    port_at = command.index("--port")
    command = [word.replace("0.0.0.0", "127.0.0.1") for word in command]
    del command[port_at : port_at + 2]
    environment = ["env", "-i", f"PATH={python.parent}:/usr/bin:/bin", "DATASETTE_SECRET=x"]
    service = OverHttp(
        "container", [*environment, *command, "--port"], app / "var" / "internal.sqlite3", app
    )
    try:
        assert service.ask("/v1/mouvements").status == 401
        page = service.ask("/documentation").body.decode()
        (stylesheet,) = set(re.findall(r'href="([^"]*mouvements\.css[^"]*)"', page))
        assert service.ask(stylesheet).status == 200
        check = json.loads(instruction(r"^HEALTHCHECK .* CMD (\[.*\])$"))
        assert check[0] == "python"
        here = [word.replace(":8001/", f":{service.port}/") for word in check[1:]]
        assert subprocess.run([python, *here], capture_output=True).returncode == 0
    finally:
        service.close()
    assert subprocess.run([python, *here], capture_output=True).returncode != 0
