"""What a maintainer does day after day, in a clean folder."""

from __future__ import annotations

import datetime
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from .chambers import Chambers, Fault
from .world import World

ROOT = Path(__file__).resolve().parents[2]
FIRST = datetime.date(2026, 9, 14)


class Rehearsal:
    """The clean folder, and what a maintainer does in it day after day."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lists = folder / "lists"
        self.remote = folder / "remote.git"
        self.work = folder / "work" / "movements.db"
        self.served = folder / "data" / "movements.db"
        self.internal = folder / "var" / "internal.sqlite3"
        for path in (self.work, self.served, self.internal):
            path.parent.mkdir()
        shutil.copy(ROOT / "metadata.yml", folder)
        subprocess.run(["git", "init", "--quiet", "--bare", self.remote], check=True)
        self.world = World(FIRST)
        self.chambers = Chambers(self.world)
        self.sources = folder / "sources.yml"
        self.sources.write_text(self.chambers.sources_file())
        self.port = _free_port()
        self.service: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        self.stop()
        self.chambers.close()

    def run(self, *arguments: object) -> str:
        """What a command prints; it must succeed."""
        command = [sys.executable, "-m", "datasette", "mouvements", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=_environment(), capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        return done.stdout

    def morning(self, day: datetime.date, faults: Mapping[str, Fault]) -> dict[str, Any]:
        """The report of the daily run of that day, whose lists are pushed to the remote."""
        self.chambers.faults = dict(faults)
        command = [sys.executable, "-m", "tests.rehearsal.daily_at", day.isoformat(), self.lists]
        command += [self.work, "--serve", self.served, "--sources", self.sources, "--json"]
        done = subprocess.run(
            [*map(str, command)],
            cwd=ROOT,
            env=_environment(),
            capture_output=True,
            text=True,
        )
        if not done.stdout:
            raise SystemExit(f"{day}: {done.stderr}")
        report: dict[str, Any] = json.loads(done.stdout)
        if done.returncode != bool(report["alarms"]):
            raise SystemExit(f"{day}: status {done.returncode}, {report['alarms']}")
        if report["tracked"] is None:
            raise SystemExit(f"{day}: nothing was tracked: {report['alarms']}")
        push = ["git", "-C", str(self.lists), "push", "--quiet", str(self.remote), "HEAD:main"]
        subprocess.run(push, check=True)
        return report

    def pass_day(self, last: bool = False) -> None:
        """A night, after which the servers have other originals; after the last one nobody is away."""
        self.world.pass_day()
        if last:
            self.world.end()
        self.chambers.publish()

    def settle(self) -> str:
        """Publish what is held, as it stands; the version now served."""
        members = self.lists / "elus"
        self.run("track", self.work, "--lists", self.lists, "--members", members, "--settle")
        next_one = self.served.with_name(".settled")
        self.run("copy", self.work, next_one)
        next_one.replace(self.served)
        with closing(sqlite3.connect(self.served)) as db:
            (version,) = db.execute(
                "select valeur from _publication where cle = 'version'"
            ).fetchone()
        return str(version)

    def start(self) -> None:
        log = (self.folder / "service.log").open("ab")
        options = ["--port", str(self.port), "--workers", "2", "--db", str(self.served)]
        command = [sys.executable, "-m", "datasette", "mouvements", "serve", *options]
        with log:
            self.service = subprocess.Popen(
                [*command, "--internal", str(self.internal)],
                cwd=self.folder,
                env=_environment(),
                stdout=log,
                stderr=log,
            )
        self.wait_for(None)

    def stop(self) -> None:
        if self.service is not None:
            self.service.terminate()
            self.service.wait(30)
            self.service = None

    def ask(self, path: str, key: str = "") -> tuple[int, Any]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", path, headers={"X-API-Key": key} if key else {})
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def wait_for(self, version: str | None) -> float:
        """Seconds until every worker serves `version` (asked ten times in a row, over new connections)."""
        began = time.monotonic()
        agreed = 0
        while agreed < 10:
            if time.monotonic() - began > 60:
                raise SystemExit(f"{version} is not served: {self.folder / 'service.log'}")
            try:
                _, state = self.ask("/-/mouvements/etat")
                agreed = agreed + 1 if version in (None, state["version"]) else 0
            except (OSError, ValueError):
                agreed = 0
            time.sleep(0.01)
        return time.monotonic() - began

    def published(self, key: str) -> list[str]:
        """Every identifier in the pages of the service, in order."""
        found: list[str] = []
        total = 1
        while len(found) < total:
            _, page = self.ask(f"/v1/mouvements?limit=100&offset={len(found)}", key)
            total = page["total"]
            found += [movement["id"] for movement in page["mouvements"]]
        return found

    def expected(self) -> list[str]:
        """The same from one build of everything that the remote keeps."""
        clone, database = self.folder / "clone", self.folder / "whole.db"
        subprocess.run(
            ["git", "clone", "--quiet", "--branch", "main", self.remote, clone], check=True
        )
        given = ("--lists", clone, "--members", clone / "elus", "--source", "suivi")
        self.run("build", database, *given)
        with closing(sqlite3.connect(database)) as db:
            return [row[0] for row in db.execute("select id from mouvements")]


def _environment() -> dict[str, str]:
    """Nothing of the maintainer's own store or address."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MOUVEMENTS_")}


def _free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port
