"""Runs git: it never asks, speaks English, and uses the repository it is given and no other."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

_SETTINGS = (
    "core.quotepath=off",
    "user.name=datasette-mouvements",
    "user.email=datasette-mouvements@localhost",
    "commit.gpgsign=false",
    # A user's own configuration may leave the first commit out of a history.
    "log.showRoot=true",
)


class GitFailed(Exception):
    """A git command failed; the message is the line of it that says why."""


def run(directory: Path, *arguments: str, seconds: float = 60.0, grace: float = 5.0) -> str:
    """What a git command prints; GitFailed when it fails or takes too long.

    A git that is asked to end has `grace` seconds to remove its locks: with one left the next one refuses.
    """
    name = next(word for word in arguments if not word.startswith("-"))
    try:
        process = subprocess.Popen(
            command(directory, *arguments),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError:
        raise GitFailed("git is not installed") from None
    with process:
        try:
            printed, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(grace)
            process.kill()
            raise GitFailed(f"git {name}: not complete after {seconds:g} s") from None
    if process.returncode:
        # After the reason may come advice, or a list of what else may be wrong.
        lines = (errors.strip() or printed.strip() or b"failed").decode("utf-8", "replace")
        why = [line for line in lines.splitlines() if line.startswith("fatal: ")]
        raise GitFailed(f"git {name}: {[*why, lines.splitlines()[-1]][0]}")
    return printed.decode("utf-8", "replace")


def command(directory: Path, *arguments: str) -> list[str]:
    """The command line, for whoever talks to a process of git's that goes on; see `environment`."""
    options = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", "-C", str(directory), *options, *arguments]


def environment() -> dict[str, str]:
    """The environment of every git command."""
    # GIT_DIR and its kin, set by a hook or a wrapper, would make -C point elsewhere.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return own | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
