"""The linters and generators of others, pinned, installed for a session from npm and PyPI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

# The newest that Node.js 20 runs, and the newest TypeScript that openapi-typescript takes.
NPM = (
    "@stoplight/spectral-cli@6.16.3",
    "@redocly/cli@2.77.0",
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "@hey-api/openapi-ts@0.95.0",
    "typescript@5.9.3",
)
PYPI = ("openapi-python-client==0.29.1", "mypy==2.4.1")
# Nothing is told to their makers, nor asked of them.
_ALONE = {
    "REDOCLY_TELEMETRY": "off",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "NO_COLOR": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
_NPM_ONCE = ("--fetch-retries=0", "--fetch-timeout=20000")


class Tools:
    """A folder of installed commands."""

    def __init__(self, commands: Path) -> None:
        self.commands = commands

    def run(self, name: str, *arguments: object, cwd: Path) -> str:
        """What a command writes, which must succeed."""
        done = run([str(self.commands / name), *map(str, arguments)], cwd, self._environment())
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def _environment(self) -> dict[str, str]:
        # Generators call the formatters that they find there.
        return {"PATH": os.pathsep.join((str(self.commands), os.environ["PATH"]))}


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command that ends within two minutes, without this process's PYTHONPATH."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command,
        cwd=cwd,
        env={**inherited, **_ALONE, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def from_npm(folder: Path) -> Tools:
    """The tools of npm; skips where its registry cannot be reached, fails where npm is missing."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("npm is missing: install Node.js and npm", pytrace=False)
    asked = run([npm, "view", "typescript", "name", *_NPM_ONCE], folder)
    if asked.returncode:
        pytest.skip("npm's registry cannot be reached")
    quiet = ("--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    done = run([npm, "install", *quiet, "--prefix", str(folder), *NPM], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return Tools(folder / "node_modules" / ".bin")


def from_pypi(folder: Path) -> Tools:
    """The tools of PyPI in an environment of their own; skips where it cannot be reached."""
    asked = run([sys.executable, "-m", "pip", "index", "--retries=0", "versions", "pip"], folder)
    if asked.returncode:
        pytest.skip("PyPI cannot be reached")
    venv.create(folder, symlinks=True, with_pip=True)
    commands = folder / "bin"
    done = run([str(commands / "python"), "-m", "pip", "install", "--quiet", *PYPI], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return Tools(commands)
