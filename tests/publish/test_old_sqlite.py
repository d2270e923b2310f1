"""The service on SQLite 3.34, which published images have: built here from the source a package ships."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile

import pytest

from tests.contract.environment import ROOT

pytestmark = pytest.mark.slow

# The npm package of that version carries the amalgamation of SQLite 3.34.0; pysqlite3, which Datasette
# prefers to the standard module when it is there, can be linked with one.
CARRIER = "better-sqlite3@7.1.2"
BINDING = "pysqlite3==0.5.4"
# As Debian builds it. Without usleep, a process that waits for a lock sleeps for whole seconds.
FLAGS = "-O2 -w -DHAVE_USLEEP=1"


@pytest.fixture(scope="module")
def old_sqlite(tmp_path_factory):
    """The folder to put on PYTHONPATH."""
    missing = [name for name in ("npm", "cc") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    folder = tmp_path_factory.mktemp("sqlite")

    def run(*command, cwd=folder):
        ran = subprocess.run(
            command, cwd=cwd, env={**os.environ, "CFLAGS": FLAGS}, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr

    run("npm", "pack", "--silent", CARRIER)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
    run(*pip, BINDING)
    for archive in (*folder.glob("*.tgz"), *folder.glob("*.tar.gz")):
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    (binding,) = folder.glob("pysqlite3-*/")
    with tarfile.open(folder / "package" / "deps" / "sqlite3.tar.gz") as opened:
        opened.extractall(binding, filter="data")
    run(sys.executable, "setup.py", "-q", "build_static", "build", cwd=binding)
    (built,) = binding.glob("build/lib*")
    return built


def test_the_service_is_right_on_sqlite_3_34(old_sqlite):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(old_sqlite), "plugins"])}
    version = "from datasette.utils.sqlite import sqlite3; print(sqlite3.sqlite_version)"
    seen = subprocess.run(
        [sys.executable, "-c", version], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert seen.stdout.startswith("3.34."), seen.stderr
    rooms = [f"tests/{room}" for room in ("api", "contract", "dataset", "keys", "pages")]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *rooms],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
