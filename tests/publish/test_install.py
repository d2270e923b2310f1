"""install.sh makes a clone a service of the machine: what it writes, what it refuses, what it never replaces."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import INVENTED
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
# The service answers once it was started, unless it is mute; whatever else is asked of Python is done.
PYTHON = """#!/bin/sh
case "$*" in
  *mouvements/etat*) [ -z "$MUTE" ] && { [ -n "$TAKEN" ] || grep -q "systemctl restart" "$NOTED"; } ;;
  "-m venv "*)
    echo "python3 $*" >>"$NOTED" && mkdir -p "$3/bin"
    for name in python pip; do cp "$STAND_IN" "$3/bin/$name"; done ;;
  *) exec "$PYTHON" "$@" ;;
esac
"""
SERVED = "data/movements.db"
KEPT = ("lists/senat/2026-09-01.csv", "archive/.git/HEAD")
# What is in a clone and none of the service's business.
OTHER = (".env", "lists.zip", "var/internal.sqlite3", "var/served/movements-1.snapshot", "tests/x")


def movements(path: Path, **rows: str) -> None:
    """A movements file, as far as it is read here: what it says of itself."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("create table _publication (cle text, valeur text)")
        db.executemany("insert into _publication values (?, ?)", rows.items())


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
        for name in (*KEPT, *OTHER):
            self.write(self.clone / name, "of the clone")
        movements(self.clone / SERVED, of="the clone")
        for name in ("systemctl", "useradd", "chown", "journalctl", "sleep"):
            self.tool(name, NOTES)
        self.tool("python3", PYTHON)

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def tool(self, name: str, text: str) -> None:
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def installs(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"DESTDIR": str(self.root), "NOTED": str(self.noted)}
        given |= {
            "STAND_IN": str(self.tools / "systemctl"),
            "PYTHON": sys.executable,
            "PATH": f"{self.tools}:/usr/bin:/bin",
        }
        return subprocess.run(
            ["./install.sh", *arguments],
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
    installer.write(installer.clone / "plugins" / "__pycache__" / "old.pyc", "")
    installed = installer.installs(**GIVEN)
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout.startswith("Serving at ")
    assert publication(installer.home / SERVED) == {"of": "the clone"}
    for name in KEPT:
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
    copied = {str(path.relative_to(installer.home)) for path in installer.home.rglob("*")}
    assert [name for name in (*OTHER, "plugins/__pycache__") if name in copied] == []
    assert [name for name in copied if name.endswith(".part")] == []


@pytest.mark.parametrize("mode", [0o077, 0o000], ids=["closed", "open"])
def test_the_service_s_user_can_read_the_code_and_others_not_what_is_kept(
    installer: Installer, mode: int
) -> None:
    for path in (installer.clone, *installer.clone.rglob("*")):  # of a user with this umask
        path.chmod((0o777 if path.is_dir() or path.suffix == ".sh" else 0o666) & ~mode)
    installer.installs(**GIVEN)
    for path in (installer.home / "plugins").rglob("*"):
        assert path.stat().st_mode & 0o004, path
    kept = [installer.home / name for name in ("lists", "var")]
    for path in [*kept, *(one for folder in kept for one in folder.rglob("*"))]:
        assert path.stat().st_mode & 0o077 == 0, path
    assert (installer.home / SERVED).stat().st_mode & 0o777 == 0o644


def test_an_upgrade_brings_the_code_and_replaces_nothing_that_was_kept(
    installer: Installer,
) -> None:
    installer.write(installer.clone / "plugins" / "gone.py", "")
    installer.installs(**GIVEN)
    settings = (installer.root / "etc" / "mouvements.env").read_text()
    movements(installer.home / SERVED, of="the service")
    for name in KEPT:
        installer.write(installer.home / name, "of the service")
    (installer.clone / "plugins" / "gone.py").unlink()
    installer.write(installer.clone / "plugins" / "new.py", "")
    before = len(installer.notes())
    upgraded = installer.installs(MOUVEMENTS_CONTACT="other@example.org")
    assert (upgraded.returncode, upgraded.stderr) == (0, "")
    assert "/etc/mouvements.env stays as it is" in upgraded.stdout
    assert publication(installer.home / SERVED) == {"of": "the service"}
    assert {(installer.home / name).read_text() for name in KEPT} == {"of the service"}
    assert (installer.home / "plugins" / "new.py").exists()
    assert not (installer.home / "plugins" / "gone.py").exists()
    assert (installer.root / "etc" / "mouvements.env").read_text() == settings
    # Nothing runs over code that is half replaced, and what is kept is not given to its user again.
    notes = installer.notes()[before:]
    assert notes[0] == (
        "systemctl stop mouvements-daily.timer mouvements-daily.service mouvements.service"
    )
    assert [note for note in notes if note.startswith("chown -R")] == []


def test_a_run_that_failed_half_way_is_gone_on_with(installer: Installer) -> None:
    installer.tool("cp", '#!/bin/sh\n/bin/cp "$@"\ncase "$*" in *daily*) exit 1 ;; esac\n')
    assert installer.installs(**GIVEN).returncode == 1
    assert not (installer.home / "var" / "daily").exists()
    (installer.tools / "cp").unlink()
    # A first environment without pip is made again, too.
    installer.write(installer.home / ".venv" / "bin" / "python", "")
    (installer.home / ".venv" / "bin" / "python").chmod(0o755)
    assert installer.installs(**GIVEN).returncode == 0
    for name in KEPT:
        assert (installer.home / name).read_text() == "of the clone"


def test_invented_people_are_not_installed_and_give_their_place_to_real_ones(
    installer: Installer,
) -> None:
    movements(installer.clone / SERVED, **{INVENTED: "1"})
    refused = installer.installs(**GIVEN)
    assert (refused.returncode, "invented people: make morning" in refused.stderr) == (1, True)
    assert not installer.home.exists()
    movements(installer.home / SERVED, **{INVENTED: "1"})
    assert installer.installs(**GIVEN).returncode == 1
    assert INVENTED in publication(installer.home / SERVED)
    movements(installer.clone / SERVED, of="the clone")
    assert installer.installs(**GIVEN).returncode == 0
    assert publication(installer.home / SERVED) == {"of": "the clone"}


def test_a_service_that_does_not_answer_is_told_with_its_log(installer: Installer) -> None:
    installed = installer.installs(**GIVEN, MUTE="yes")
    assert (installed.returncode, installed.stdout) == (1, "")
    assert "the service does not answer" in installed.stderr
    notes = installer.notes()
    assert notes[-1].startswith("journalctl --unit=mouvements.service")
    assert notes.count("sleep 1") == 30


def test_an_option_that_there_is_not_changes_nothing(installer: Installer) -> None:
    installed = installer.installs("--dry-run", **GIVEN)
    assert (installed.returncode, "unknown option --dry-run" in installed.stderr) == (2, True)
    assert not installer.home.exists()
    assert installer.installs("--help").returncode == 0


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("MOUVEMENTS_CONTACT", "set MOUVEMENTS_CONTACT"),
        ("MOUVEMENTS_PUBLIC_URL", "set MOUVEMENTS_PUBLIC_URL"),
        (SERVED, "no movements yet: make morning"),
        ("port", "http://127.0.0.1:8001 answers already"),
        ("root", "run it with sudo"),
        ("venv", "apt-get install python3-venv"),
    ],
)
def test_what_is_missing_is_told_before_anything_is_changed(
    installer: Installer, missing: str, told: str
) -> None:
    (installer.clone / missing).unlink(missing_ok=True)
    given = {name: v for name, v in GIVEN.items() if name != missing}
    if missing == "port":
        given["TAKEN"] = "yes"
    elif missing == "root":
        installer.tool("id", "#!/bin/sh\necho 1000\n")
    elif missing == "venv":
        installer.tool("python3", "#!/bin/sh\nexit 1\n")
    installed = installer.installs(**given)
    assert (installed.returncode, told in installed.stderr) == (1, True)
    assert not installer.home.exists()
    assert installer.notes() == []


def test_it_is_run_in_a_clone_elsewhere(installer: Installer) -> None:
    elsewhere, installer.clone = installer.clone, installer.home
    shutil.copytree(elsewhere, installer.clone)
    installed = installer.installs(**GIVEN)
    said = f"run it in a clone elsewhere: it copies to {installer.home}\n"
    assert (installed.returncode, installed.stderr.endswith(said)) == (1, True)


def test_an_upgrade_that_failed_says_that_the_service_is_stopped_and_is_run_again(
    installer: Installer,
) -> None:
    installer.installs(**GIVEN)
    installer.tool("tar", "#!/bin/sh\nexit 1\n")
    failed = installer.installs()
    said = "the service is stopped: mend what is said above, and run it again\n"
    assert (failed.returncode, failed.stderr.endswith(said)) == (1, True)
    (installer.tools / "tar").unlink()
    assert installer.installs().returncode == 0
    assert installer.notes()[-1].startswith("systemctl restart mouvements.service")
