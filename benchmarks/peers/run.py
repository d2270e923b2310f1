"""The peers as servers: started like the others, or the reason why they cannot be had."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.invented import FOLDER
from benchmarks.servers import Running, free_port, running, under_uvicorn

FASTIFY = Path(__file__).with_name("fastify")
INSTALLED = FOLDER / "fastify"
# Where Debian keeps node's headers; elsewhere node-gyp finds or fetches them itself.
HEADERS = Path("/usr/include/node")


class Unavailable(Exception):
    """The peer cannot be had on this machine; the message says why."""


@contextmanager
def fastapi(database: Path) -> Iterator[Running]:
    """FastAPI under uvicorn, with what makes uvicorn fast."""
    if importlib.util.find_spec("fastapi") is None:
        raise Unavailable("the Python package fastapi is not installed")
    application = "benchmarks.peers.fastapi_peer:app"
    with under_uvicorn(application, database, "/v1/mouvements?limit=1") as started:
        yield started


@contextmanager
def fastify(database: Path) -> Iterator[Running]:
    """Fastify under node."""
    install_fastify()
    port = free_port()
    command = ["node", str(INSTALLED / "server.js"), str(database), str(port)]
    with running(command, port, "/v1/mouvements?limit=1") as started:
        yield started


def install_fastify() -> None:
    """Bring the packages into FOLDER once; Unavailable if node, npm or a compiler is missing."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "server.js"):
        shutil.copy(FASTIFY / name, INSTALLED / name)
    if _loads():
        return
    print("installing Fastify and compiling better-sqlite3", file=sys.stderr)
    # Scripts are left out and the one that matters is run here: newer versions of npm refuse them.
    _do(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"])
    root = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=True)
    gyp = Path(root.stdout.strip()) / "npm/node_modules/node-gyp/bin/node-gyp.js"
    headers = ["--nodedir=/usr"] if HEADERS.is_dir() else []
    where = INSTALLED / "node_modules/better-sqlite3"
    _do(["node", str(gyp), "rebuild", "--release", *headers], where)
    if not _loads():
        raise Unavailable("better-sqlite3 was compiled and does not load")


def _loads() -> bool:
    check = "new (require('better-sqlite3'))(':memory:'); require('fastify')"
    done = subprocess.run(["node", "-e", check], cwd=INSTALLED, capture_output=True)
    return done.returncode == 0


def _do(command: list[str], folder: Path = INSTALLED) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise Unavailable(f"`{' '.join(command[:3])}` failed: {' '.join(last)}")
