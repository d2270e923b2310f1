"""Runs git: it never asks, speaks English, and uses the repository it is given and no other."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_OPTIONS = (
    *("-c", "core.quotepath=off"),
    *("-c", "user.name=datasette-mouvements"),
    *("-c", "user.email=datasette-mouvements@localhost"),
    *("-c", "commit.gpgsign=false"),
    # A user's own configuration may leave the first commit out of a history.
    *("-c", "log.showRoot=true"),
)


class GitFailed(Exception):
    """A git command failed; the message is the line of it that says why."""


def run(directory: Path, *arguments: str, seconds: float = 60.0, grace: float = 5.0) -> str:
    """What a git command prints; GitFailed when it fails or takes too long.

    A git that is asked to end has `grace` seconds to remove its locks.
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
            raise GitFailed(f"git {name}: not complete after {seconds:g} s") from None
        finally:
            _end(process, grace)
    if process.returncode:
        said = (errors.strip() or printed.strip()).decode("utf-8", "replace")
        raise GitFailed(f"git {name}: {_why(said)}")
    return printed.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """End a git that is still at work; one that is killed leaves its locks, and the next one refuses."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            process.kill()


def command(directory: Path, *arguments: str) -> list[str]:
    """The command line, for whoever talks to a process of git's that goes on; see `environment`."""
    return ["git", "-C", str(directory), *_OPTIONS, *arguments]


def environment() -> dict[str, str]:
    """The environment of every git command."""
    # GIT_DIR and its kin, set by a hook or a wrapper, would make -C point elsewhere.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return own | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def _why(said: str) -> str:
    """The reason among what git said; after it may come advice, or a list of what else may be wrong."""
    lines = said.splitlines() or ["failed"]
    return next((line for line in lines if line.startswith("fatal: ")), lines[-1])
