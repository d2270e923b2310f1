"""The maintainer's house: the files, the process that runs each morning, and what a person does there."""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from datasette_mouvements.serving.sample import SCRIPT, build_sample

from .chambers import PARIS_MORNING, Chambers
from .folders import Folders
from .world import SIZES, World

ROOT = Path(__file__).resolve().parents[2]
FIRST = datetime.date(2026, 9, 14)


class House(Folders):
    """A maintainer's files and runs, under a world that goes on, inside another repository.

    For the next run alone: `kill` is the moment at which it is killed, `off` that none comes, `room` the bytes that a file may have, `busy` that another run holds the lock.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder)
        for path in (self.lists, self.database.parent, self.served.parent):
            path.mkdir(parents=True)
        self.corrections.write_text("")
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        self.world = World(FIRST, seed)
        self.chambers = Chambers(self.world)
        self.write_addresses()
        self.usual_moments = 1
        self.renewals: dict[str, int] = {}
        self._process: subprocess.Popen[str] | None = None
        self._forget_plans()

    def _forget_plans(self) -> None:
        self.kill, self.off, self.room, self.busy = 0, False, 0, False

    def close(self) -> None:
        self._end_process()
        self.chambers.close()

    def write_addresses(self) -> None:
        """Write the addresses that the chambers have today."""
        self.sources.write_text(self.chambers.sources_file())

    def pass_day(self) -> None:
        self.world.pass_day(self.renewals)
        self.renewals = {}
        self.chambers.publish()

    def run(self) -> dict[str, Any] | None:
        """The report of the morning's run; None where none came, or it was killed."""
        now = datetime.datetime.combine(self.world.day, PARIS_MORNING, datetime.UTC)
        order = {"now": now.isoformat(), "kill": self.kill, "room": self.room}
        off, busy = self.off, self.busy
        self._forget_plans()
        if off:
            return None
        lock = self.database.with_name(f".{self.database.name}.daily.lock")
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if busy:
                fcntl.flock(handle, fcntl.LOCK_EX)
            return self._ask(order)
        finally:
            os.close(handle)

    def _ask(self, order: dict[str, Any]) -> dict[str, Any] | None:
        if self._process is None:
            command = [sys.executable, "-m", f"{__package__}.runner", str(self.folder)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=_environment(), stdin=pipe, stdout=pipe, text=True
            )
        given, told = self._process.stdin, self._process.stdout
        assert given is not None
        assert told is not None
        given.write(json.dumps(order) + "\n")
        given.flush()
        line = told.readline()
        if not line:
            status = self._end_process()
            if not order["kill"]:
                raise SystemExit(f"{self.world.day}: the run ended with status {status}")
            return None
        report: dict[str, Any] = json.loads(line)
        self.usual_moments = max(self.usual_moments, report["moments"])
        return report

    def _end_process(self) -> int:
        """Close what the process reads, and wait for its end."""
        if self._process is None:
            return 0
        # A killed process leaves nothing to be closed but our ends.
        process, self._process = self._process, None
        process.communicate()
        return process.returncode

    def strayed(self) -> set[str]:
        """What a run left in the repository that the house stands in, in words."""
        return (
            {"lists are in the repository above"}
            if (self.folder / ".git" / "index").exists()
            else set()
        )

    def call_election(self, mandates_end: bool) -> None:
        """The next night has one; does the zip of the legislature that ends say so?"""
        self.chambers.mandates_end = mandates_end
        self.renewals["assemblee"] = SIZES["assemblee"] // 2

    def back_up(self) -> None:
        """Copy what a maintainer copies: lists, corrections and database, not the originals."""
        shutil.rmtree(self.backup, ignore_errors=True)
        shutil.copytree(
            self.lists, self.backup / "lists", ignore=shutil.ignore_patterns("originaux")
        )
        shutil.copytree(self.database.parent, self.backup / "var")
        shutil.copy(self.corrections, self.backup)

    def restore(self) -> None:
        """Put database, tracking state and served file of the backup in their places; the lists stay."""
        shutil.rmtree(self.database.parent)
        shutil.copytree(self.backup / "var", self.database.parent)
        shutil.copy(self.backup / "var" / self.database.name, self.served)

    def restore_lists(self) -> None:
        """Put the lists of the backup in their place, and the corrections: what names a later list matches none."""
        shutil.rmtree(self.lists)
        shutil.copytree(self.backup / "lists", self.lists)
        shutil.copy(self.backup / self.corrections.name, self.corrections)

    def accept(self, lists: Iterable[str]) -> None:
        """Accept lists by name, as sentences asked for."""
        before = self.corrections.read_text()
        entries = [
            f"- {{date: {self.world.day}, raison: vue, accepter: {name}}}\n"
            for name in lists
            if f"accepter: {name}}}" not in before
        ]
        self.corrections.write_text(before + "".join(entries))

    def sample(self) -> Path:
        """A file of invented data."""
        path = self.folder / "sample.db"
        if not path.exists():
            now = datetime.datetime.combine(FIRST, PARIS_MORNING, datetime.UTC)
            build_sample(path, now, ROOT / SCRIPT)
        return path


def _environment() -> dict[str, str]:
    """Nothing of the maintainer's own store or address."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MOUVEMENTS_")}
