"""install.sh makes a clone a service of the machine: what it writes, what it refuses, what it never replaces."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.environment import ROOT

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.geteuid() != 0, reason="install.sh is run by root"),
]
GIVEN = {
    "MOUVEMENTS_CONTACT": "contact@example.org",
    "MOUVEMENTS_PUBLIC_URL": "https://mouvements.example.org",
}
# What would change this machine: each takes note. A virtual environment is two stand-ins more.
NOTES = '#!/bin/sh\necho "$(basename "$0") $*" >>"$NOTED"\n'
PYTHON = NOTES + (
    'mkdir -p "$3/bin"\nfor name in python pip; do cp "$STAND_IN" "$3/bin/$name"; done\n'
)


class Installer:
    """A clone in which `make morning` was run, a machine without the service, and its administrator."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.root, self.tools = (folder / name for name in ("clone", "root", "tools"))
        self.noted = folder / "noted"
        for made in (self.clone, self.tools, self.root / "etc" / "systemd" / "system"):
            made.mkdir(parents=True)
        for name in ("install.sh", "metadata.yml", "constraints.txt"):
            shutil.copy(ROOT / name, self.clone)
        for name in ("docs/examples", "plugins"):
            shutil.copytree(ROOT / name, self.clone / name)
        for name in ("data/movements.db", "lists/senat/2026-09-01.csv", "var/daily/movements.db"):
            self.write(self.clone / name, "of the clone")
        for name in ("systemctl", "useradd", "chown"):
            self.tool(name, NOTES)
        self.tool("python3", PYTHON)

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def tool(self, name: str, text: str) -> None:
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def installs(self, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"DESTDIR": str(self.root), "NOTED": str(self.noted)}
        given |= {
            "STAND_IN": str(self.tools / "systemctl"),
            "PATH": f"{self.tools}:/usr/bin:/bin",
        }
        return subprocess.run(
            ["./install.sh"],
            cwd=self.clone,
            env=given | environment,
            capture_output=True,
            text=True,
            timeout=60,
            umask=0o077,
        )

    @property
    def home(self) -> Path:
        return self.root / "srv" / "mouvements"

    def notes(self) -> list[str]:
        return self.noted.read_text().splitlines() if self.noted.exists() else []


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    return Installer(tmp_path)


def test_what_was_made_in_the_clone_is_served_by_units_of_a_user_of_its_own(
    installer: Installer,
) -> None:
    installed = installer.installs(**GIVEN)
    assert installed.returncode == 0, installed.stderr
    for name in ("data/movements.db", "lists/senat/2026-09-01.csv", "var/daily/movements.db"):
        assert (installer.home / name).read_text() == "of the clone"
    settings = installer.root / "etc" / "mouvements.env"
    assert settings.stat().st_mode & 0o777 == 0o600
    written = dict(line.split("=", 1) for line in settings.read_text().splitlines())
    assert written.items() >= GIVEN.items()
    assert len(written["DATASETTE_SECRET"]) == 64
    units = {path.name for path in (installer.root / "etc" / "systemd" / "system").iterdir()}
    names = ["mouvements.service", "mouvements-daily.service", "mouvements-daily.timer"]
    assert units == {*names, "mouvements-failed@.service"}
    notes = installer.notes()
    assert any(note.startswith("useradd --system") for note in notes)
    assert any("[deploy,lists]" in note for note in notes)
    assert notes[-1] == "systemctl restart mouvements.service mouvements-daily.timer"


def test_the_service_s_user_can_read_the_code_and_others_not_what_is_kept(
    installer: Installer,
) -> None:
    for path in (installer.clone, *installer.clone.rglob("*")):  # of a user with a closed umask
        path.chmod(0o700 if path.is_dir() or path.suffix == ".sh" else 0o600)
    installer.installs(**GIVEN)
    for path in (installer.home / "plugins").rglob("*"):
        assert path.stat().st_mode & 0o004, path
    for name in ("var", "lists"):
        assert (installer.home / name).stat().st_mode & 0o777 == 0o700
    assert (installer.home / "data" / "movements.db").stat().st_mode & 0o004


def test_an_upgrade_brings_the_code_and_replaces_nothing_that_was_kept(
    installer: Installer,
) -> None:
    installer.installs(**GIVEN)
    settings = (installer.root / "etc" / "mouvements.env").read_text()
    kept = ("data/movements.db", "lists/senat/2026-09-01.csv", "var/daily/movements.db")
    for name in kept:
        installer.write(installer.home / name, "of the service")
    installer.write(installer.clone / "plugins" / "new.py", "")
    assert installer.installs().returncode == 0
    assert [(installer.home / name).read_text() for name in kept] == ["of the service"] * 3
    assert (installer.home / "plugins" / "new.py").exists()
    assert (installer.root / "etc" / "mouvements.env").read_text() == settings


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("MOUVEMENTS_CONTACT", "set MOUVEMENTS_CONTACT"),
        ("MOUVEMENTS_PUBLIC_URL", "set MOUVEMENTS_PUBLIC_URL"),
        ("movements", "no movements yet: make morning"),
    ],
)
def test_what_is_missing_is_told_before_anything_is_changed(
    installer: Installer, missing: str, told: str
) -> None:
    if missing == "movements":
        (installer.clone / "data" / "movements.db").unlink()
    installed = installer.installs(**{name: v for name, v in GIVEN.items() if name != missing})
    assert (installed.returncode, told in installed.stderr) == (1, True)
    assert not installer.home.exists()
    assert installer.notes() == []
