"""A maintainer's machine with stand-ins for the hosts' tools, and what they were given."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.contract.environment import ROOT
from tests.contract.service import OverHttp

TOOLS = {"fly": "flyctl", "cloudrun": "gcloud", "heroku": "heroku", "docker": "docker"}
# All that publish.sh may find. Never a system folder: it may hold a host's real tool, which would deploy.
PROGRAMS = (
    *("bash", "sh", "env", "dirname", "basename", "cat", "cp", "rm", "mkdir", "mktemp", "ls"),
    *("chmod", "tar", "git", "head", "od", "tr", "sed", "mv"),
)
STORE = "postgresql://mouvements:s3cret@db.example.org/mouvements"

# What the real tools would print, as far as Datasette's publishers read it. $FAIL makes one fail.
# $TOLD gets their arguments, then what they read from files and from standard input.
_STAND_IN = """#!/bin/sh
asked="$(basename "$0") $*"
echo "$asked" >>"$TOLD"
for word in "$@"; do case "$word" in *settings.json) cat "${word#@}" >>"$TOLD" ;; esac; done
case "$asked" in
  $FAIL) echo "stand-in: refused" >&2; exit 7 ;;
esac
case "$asked" in
  "flyctl auth token --json") echo '{"token": "t"}' ;;
  "flyctl volumes list"*) echo '[]' ;;
  "flyctl status"* | "gcloud run services describe"* | "heroku apps:info"*) exit ${NEW_APP:-0} ;;
  "flyctl secrets import"* | "curl "*) cat >>"$TOLD" ;;
  "heroku auth:token") echo t0ken ;;
  "heroku config:get DATABASE_URL "*) echo "$DATABASE_URL" ;;
  "gcloud config get-value project") echo project ;;
  "heroku plugins") echo heroku-builds ;;
  "heroku apps:list --json") echo '[{"name": "essai"}, {"name": "mouvements"}]' ;;
  "flyctl deploy"* | "gcloud builds submit"* | "docker build"* | "heroku builds:create"*)
    rm -rf "$CAPTURED" && cp -rL . "$CAPTURED" ;;
esac
"""


class Machine:
    """A copy of the project, its tools first on PATH, and nothing of the developer's environment."""

    def __init__(self, folder: Path, tools: bool = True) -> None:
        self.clone = folder / "clone"
        self.captured = folder / "captured"
        self.told = folder / "told"
        self.clone.mkdir()
        for name in ("publish.sh", "metadata.yml", "constraints.txt"):
            shutil.copy(ROOT / name, self.clone / name)
        shutil.copytree(ROOT / "plugins", self.clone / "plugins")
        # What a working copy gathers, and no image should.
        (self.clone / "plugins" / "datasette_mouvements.egg-info").mkdir(exist_ok=True)
        cache = self.clone / "plugins" / "datasette_mouvements" / "__pycache__"
        cache.mkdir(exist_ok=True)
        (cache / "config.cpython-311.pyc").write_bytes(b"stale")
        self.tools = folder / "tools"
        self.tools.mkdir()
        for tool in (*TOOLS.values(), "curl") if tools else ():
            (self.tools / tool).write_text(_STAND_IN)
            (self.tools / tool).chmod(0o755)
        self.programs = folder / "programs"
        self.programs.mkdir()
        for program in PROGRAMS:
            found = shutil.which(program)
            assert found is not None, program
            (self.programs / program).symlink_to(found)
        # What PATH has may be a script of a version manager, which needs a PATH of its own.
        (self.programs / "python3").symlink_to(sys.executable)
        # A script, not a link: a virtual environment is recognised by where its programs lie.
        datasette = self.programs / "datasette"
        datasette.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m datasette "$@"\n')
        datasette.chmod(0o755)

    @property
    def path(self) -> str:
        """The tools, then the programs; no real tool of a host can be reached through it."""
        path = os.pathsep.join([str(self.tools), str(self.programs)])
        for tool in (*TOOLS.values(), "fly", "curl"):
            found = shutil.which(tool, path=path)
            assert found is None or Path(found).parent == self.tools, found
        return path

    def publish(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """`./publish.sh ARGUMENTS`, with this environment and no other."""
        given = {"TOLD": str(self.told), "CAPTURED": str(self.captured), "FAIL": "-"}
        return subprocess.run(
            ["./publish.sh", *map(str, arguments)],
            cwd=self.clone,
            env={"PATH": self.path, "HOME": str(self.clone), **given, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def was_told(self) -> list[str]:
        return self.told.read_text().splitlines() if self.told.exists() else []

    def arguments(self) -> list[str]:
        """Of every tool that was run: what everybody on the machine could read."""
        return [line for line in self.was_told() if line.split()[0] in (*TOOLS.values(), "curl")]

    def host_was_told(self, name: str) -> list[str]:
        """The values that the host was given for a setting: as lines of a file, or as JSON."""
        found = re.findall(rf'^{name}=(.*)$|"{name}": "([^"]*)"', "\n".join(self.was_told()), re.M)
        return [line or value for line, value in found]

    def deployed(self) -> bool:
        return self.captured.exists()


class Published:
    """The folder that a host was sent, and its own start line with this environment's programs."""

    def __init__(self, machine: Machine, volume: Path) -> None:
        self.context, self.volume, self.path = machine.captured, volume, machine.path
        if (self.context / "Procfile").exists():
            self.given: dict[str, str] = {}
            self.line = (self.context / "Procfile").read_text().removeprefix("web: ")
        else:
            text = (self.context / "Dockerfile").read_text()
            self.given = dict(re.findall(r"^ENV (\w+) '(.*)'$", text, re.M))
            self.line = re.findall(r"^CMD (.*)$", text, re.M)[-1]
        if self.line.startswith("["):
            self.line = json.loads(self.line)[2]
        (self.context / "inspect-data.json").write_text("{}")  # what the image's build leaves

    def serve(self, **given: str) -> OverHttp:
        line = self.line.replace("--host 0.0.0.0", "--host 127.0.0.1")
        line = line.replace("/data/", f"{self.volume}/")
        line = line.replace("datasette serve", "exec datasette serve", 1)
        names = [f"{name}={value}" for name, value in {**self.given, **given}.items()]
        # Not the package that is installed here: the one that was sent.
        names.append(f"PYTHONPATH={self.context / 'plugins'}")
        start = ["env", "-i", f"PATH={self.path}{os.pathsep}/bin", *names]
        command = [*start, "/bin/bash", "-c", f"PORT=$0; {line}"]
        return OverHttp("published", command, self.context.with_name("service"), self.context)
