"""A key made before a deploy works after it, with the day's count: what each host would run, run here."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

from tests.contract.environment import SAMPLE, done
from tests.contract.service import OverHttp
from tests.keys.postgres_server import PostgresServer

from .host import Machine

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def image_python(tmp_path_factory):
    """An empty environment, as the image has before its RUN lines; each target adds its own to it."""
    folder = tmp_path_factory.mktemp("image") / "venv"
    venv.create(folder, symlinks=True, with_pip=True)
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def tomorrow(tmp_path_factory):
    """The sample with one movement more."""
    folder = tmp_path_factory.mktemp("tomorrow")
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    with (folder / "more.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, last)
        writer.writeheader()
        writer.writerow({**last, "date_event": "2026-09-14", "type": "arrivee"})
    done("build", folder / "t.db", "--movements", SAMPLE, "--movements", folder / "more.csv")
    return folder / "t.db"


@pytest.fixture(scope="session")
def postgres():
    server = PostgresServer()
    yield server
    server.close()


class Image:
    """A captured context made ready by its own lines, and its own start line on loopback."""

    def __init__(self, target: str, context: Path, python: Path, volume: Path, store: str) -> None:
        self.context, self.python, self.volume = context, python, volume
        self.environment = {
            "PATH": f"{python.parent}:/bin:/usr/bin",
            "DATASETTE_SECRET": "x",
            **({"MOUVEMENTS_STORE": store} if store else {}),
        }
        if target == "heroku":
            self.run("pip install -q -r requirements.txt")
            self.run("sh bin/post_compile")
            self.start = (context / "Procfile").read_text().removeprefix("web: ")
        else:
            dockerfile = (context / "Dockerfile").read_text()
            for step in re.findall(r"^RUN (.*)$", dockerfile, re.M):
                self.run(step)
            self.start = re.findall(r"^CMD (.*)$", dockerfile, re.M)[-1]
        if self.start.startswith("["):  # the form with a program and its arguments
            shell, option, self.start = json.loads(self.start)
            assert (shell, option) == ("/bin/bash", "-c")
        assert "--host 0.0.0.0" in self.start

    def run(self, step: str) -> str:
        ran = subprocess.run(
            ["sh", "-c", step],
            cwd=self.context,
            env={**self.environment, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **_pip_settings()},
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def serve(self) -> OverHttp:
        """The start line as it is, but on loopback and with /data where the volume is here."""
        given = [f"{name}={value}" for name, value in self.environment.items()]
        # `exec`, so that stopping what was started stops the service; the port comes last, as $0.
        line = self.line().replace("datasette serve", "exec datasette serve", 1)
        command = ["env", "-i", *given, "/bin/bash", "-c", f"PORT=$0; {line}"]
        return OverHttp("published", command, self.context.with_name("service"), self.context)

    def line(self) -> str:
        line = self.start.replace("--host 0.0.0.0", "--host 127.0.0.1")
        return line.replace("/data/", f"{self.volume}/")

    def new_key(self, account: str) -> str:
        """Made as on the host: in its shell, where the package is a folder and not installed."""
        store = self.environment.get("MOUVEMENTS_STORE")
        where = f"--store '{store}'" if store else f"--internal {self.volume}/internal.sqlite3"
        made = self.run(
            f"cd plugins && python -m datasette_mouvements keys create {account} {where} --json"
        )
        key: str = json.loads(made)["key"]
        return key


def _pip_settings() -> dict[str, str]:
    """Where pip finds packages on this machine."""
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


@pytest.mark.parametrize("target", ["fly", "heroku"])
def test_the_key_and_the_days_count_outlive_a_deploy(
    target, tmp_path, image_python, database, tomorrow, postgres
):
    store = postgres.new_database() if target == "heroku" else ""
    machine = Machine(tmp_path)
    volume = tmp_path / "volume"
    volume.mkdir()
    totals, left = [], []
    key = ""
    for version in (database, tomorrow):
        given = {"MOUVEMENTS_STORE": store} if store else {}
        published = machine.publish(target, "essai", "--db", version, **given)
        assert published.returncode == 0, published.stderr
        image = Image(target, machine.captured, image_python, volume, store)
        service = image.serve()
        try:
            key = key or image.new_key("account@example.org")
            for _ in range(2):
                answer = service.ask("/v1/mouvements?limit=1", {"X-API-Key": key})
                assert answer.status == 200, answer.body
                totals.append(answer.json()["total"])
                left.append(answer.remaining)
            fresh = image.new_key(f"{version.stem}@example.org")
            assert service.ask("/v1/mouvements?limit=1", {"X-API-Key": fresh}).remaining == 999
            assert service.ask("/v1/mouvements").status == 401
            assert service.ask("/internal/mouvements_keys").status == 404
        finally:
            service.close()
    assert totals == [383, 383, 384, 384]
    assert left == [999, 998, 997, 996]


def test_without_its_volume_and_secret_the_image_serves_pages_takes_no_key_and_says_why(
    tmp_path, image_python, database
):
    machine = Machine(tmp_path)
    assert machine.publish("docker", "essai", "--db", database).returncode == 0
    image = Image("docker", machine.captured, image_python, tmp_path / "not-mounted", "")
    del image.environment["DATASETTE_SECRET"]
    service = image.serve()
    try:
        assert service.ask("/movements").status == 200
        assert service.ask("/v1/mouvements").status == 503
        assert "not-mounted is not there: mount a volume on it" in service.log()
        assert "DATASETTE_SECRET is not set" in service.log()
        assert not (tmp_path / "not-mounted").exists()
    finally:
        service.close()
