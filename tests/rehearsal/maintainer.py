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
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.sources.fetcher import Fetcher
from datasette_mouvements.sources.hooks import ListSource

from .chambers import CHAMBERS, DAYS, SAMPLE, Chambers

ROOT = Path(__file__).resolve().parents[2]
REFUSED_DAY = DAYS[4]


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
        self.now = datetime.datetime.now(datetime.UTC)
        self.chambers = Chambers()
        self._serving = threading.Thread(target=self.chambers.serve_forever, args=(0.05,))
        self._serving.start()
        self.fetcher = Fetcher(self.lists, "rehearsal", lambda: self.now, time.sleep)
        self.port = _free_port()
        self.service: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        self.stop()
        self.chambers.shutdown()
        self._serving.join()
        self.chambers.server_close()

    def run(self, *arguments: object, refused: bool = False) -> str:
        """What a command prints; it must succeed, unless a list of the day is `refused`: that is told by 1."""
        command = [sys.executable, "-m", "datasette", "mouvements", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=_environment(), capture_output=True, text=True
        )
        if done.returncode != refused:
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        return done.stdout

    def fetch(self, day: str) -> str:
        """The lists of the day, committed, and pushed to the remote."""
        self.chambers.day = day
        self.chambers.broken = "senat" if day == REFUSED_DAY else ""
        self.now = datetime.datetime.fromisoformat(f"{day}T05:17:00+00:00")
        address = f"http://127.0.0.1:{self.chambers.server_address[1]}"
        sources = [ListSource(name, name, f"{address}/{name}") for name in CHAMBERS]
        outcomes = self.fetcher.fetch(sources)
        bad = [outcome for outcome in outcomes if outcome.status == "failed"]
        if bad:
            raise SystemExit(f"{day}: {bad}")
        push = ["git", "-C", str(self.lists), "push", "--quiet", str(self.remote), "HEAD:main"]
        subprocess.run(push, check=True)
        return f"{sum(outcome.status == 'new' for outcome in outcomes)} new"

    def track(self) -> tuple[str, bool]:
        """What `track` did, and whether the newest list of a chamber was refused."""
        if not self.work.exists():
            given = ("--movements", SAMPLE / "mouvements.csv", "--lists", self.lists)
            self.run("build", self.work, *given, "--source", "suivi")
            return "built", False
        told = bool(self.chambers.broken)
        report = json.loads(
            self.run("track", self.work, "--lists", self.lists, "--json", refused=told)
        )
        text = f"+{report['added']} -{report['withdrawn']} held {report['held']}"
        refused = list(report["refused_last"])
        return f"{text}, refused {', '.join(refused)}" if refused else text, bool(refused)

    def publish(self) -> str:
        """Check, copy and replace; the version now served."""
        self.run("check", self.work)
        next_one = self.served.with_name(".next")
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
        given = ("--movements", SAMPLE / "mouvements.csv", "--lists", clone, "--source", "suivi")
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
