"""Invented people are not shown under a public address by mistake: the start is refused, and says what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.contract import environment
from tests.contract.service import OverHttp

PUBLIC = {"MOUVEMENTS_PUBLIC_URL": "https://mouvements.exemple.fr"}
LISTS = environment.ROOT / "tests" / "sample" / "listes"

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("invented") / "movements.db"
    environment.done("build", database, "--lists", LISTS, "--invented")
    return database


def allowed(folder: Path) -> Path:
    """The settings of metadata.yml, and leave to show invented people."""
    described = yaml.safe_load(environment.METADATA.read_text(encoding="utf-8"))
    described["plugins"][environment.PLUGIN]["allow_invented"] = True
    file = folder / "metadata.yml"
    file.write_text(yaml.safe_dump(described), encoding="utf-8")
    return file


def commands(database: Path, folder: Path, metadata: Path) -> dict[str, list[str]]:
    internal = folder / "internal.sqlite3"
    served = environment.serve_command(database, internal, "--metadata", str(metadata))
    plain = environment.plain_command(Path(sys.executable), database, internal)
    plain[plain.index(str(environment.METADATA))] = str(metadata)
    return {"serve": served, "plain": plain}


@pytest.mark.parametrize("way", ["serve", "plain"])
def test_a_public_service_of_invented_people_does_not_start(
    invented: Path, tmp_path: Path, way: str
) -> None:
    command = commands(invented, tmp_path, environment.METADATA)[way]
    started = subprocess.run(
        [*command, "0"],
        cwd=environment.ROOT,
        env=os.environ | PUBLIC,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert started.returncode != 0
    assert "holds invented people, and public_url is set" in started.stderr
    assert f"daily lists var/daily/movements.db --serve {invented}`" in started.stderr
    assert "allow_invented" in started.stderr
    assert "Traceback" not in started.stderr


@pytest.mark.parametrize("way", ["serve", "plain"])
def test_it_starts_where_that_is_allowed(
    invented: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    for name, value in PUBLIC.items():
        monkeypatch.setenv(name, value)
    command = commands(invented, tmp_path, allowed(tmp_path))[way]
    service = OverHttp(way, command, tmp_path / "internal.sqlite3", environment.ROOT)
    try:
        assert service.ask("/-/mouvements/etat").status == 200
    finally:
        service.close()


def test_it_starts_where_nobody_else_is_told_of_it(invented: Path, tmp_path: Path) -> None:
    command = commands(invented, tmp_path, environment.METADATA)["serve"]
    service = OverHttp("own", command, tmp_path / "internal.sqlite3", environment.ROOT)
    try:
        assert service.ask("/-/mouvements/etat").status == 200
    finally:
        service.close()
