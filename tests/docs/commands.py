"""The commands of a page of documentation, and a machine on which to run them."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from tests.contract.environment import ROOT
from tests.publish.host import Machine

# What a reader runs that changes the machine or reaches a host: each is a stand-in that takes note.
ELSEWHERE = ("sudo", "curl", "pg_dump", "pg_restore", "pip")
ORDINARY = ("date", "mv", "sed", "touch", "openssl")


def blocks(page: Path, *kinds: str) -> list[str]:
    """The blocks of these kinds, `console` and `bash` by default, as what a shell is given."""
    found = re.findall(r"^( *)```(\w+)\n(.*?)^\1```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [
        _typed(textwrap.dedent(text)) if kind == "console" else textwrap.dedent(text)
        for _, kind, text in found
        if kind in (kinds or ("console", "bash"))
    ]


def _typed(text: str) -> str:
    """Lines after a prompt, with their continuations; the rest is what was answered."""
    typed, going_on = [], False
    for line in text.splitlines():
        if line.startswith("$ ") or going_on:
            typed.append(line.removeprefix("$ ") if not going_on else line)
            going_on = line.endswith("\\")
    return "\n".join(typed) + "\n"


class Reader:
    """Someone who follows a page in a fresh copy of the project, from the first command to the last."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.noted = folder / "noted"
        shutil.copytree(ROOT / "docs", self.machine.clone / "docs")
        shutil.copytree(ROOT / "data" / "exemple", self.machine.clone / "data" / "exemple")
        for program in ORDINARY:
            found = shutil.which(program)
            assert found is not None, program
            if not (self.machine.programs / program).exists():
                (self.machine.programs / program).symlink_to(found)
        for program in ELSEWHERE:
            stand_in = self.machine.tools / program
            stand_in.write_text('#!/bin/sh\necho "$(basename "$0") $*" >>"$NOTED"\n')
            stand_in.chmod(0o755)
        # The environment of the clone, which is not active.
        environment = self.machine.clone / ".venv" / "bin"
        environment.mkdir(parents=True)
        (environment / "datasette").symlink_to(self.machine.programs / "datasette")
        (environment / "pip").symlink_to(self.machine.tools / "pip")

    def really(self, program: str, folder: Path) -> None:
        """The program itself instead of its stand-in."""
        (self.machine.tools / program).unlink()
        (self.machine.tools / program).symlink_to(folder / program)

    def follow(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run it as one shell would: each command, stopping at the first that fails."""
        given = {
            "PATH": self.machine.path,
            "HOME": str(self.machine.clone),
            "TOLD": str(self.machine.told),
            "CAPTURED": str(self.machine.captured),
            "NOTED": str(self.noted),
            "FAIL": "-",
        }
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.machine.clone,
            env={**given, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
