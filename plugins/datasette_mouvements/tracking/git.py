"""Runs git: it never asks, speaks English, and uses the repository it is given and no other."""

from __future__ import annotations

import os
import re
import resource
import subprocess
from pathlib import Path

_OPTIONS = (
    *("-c", "core.quotepath=off"),
    *("-c", "user.name=datasette-mouvements"),
    *("-c", "user.email=datasette-mouvements@localhost"),
    *("-c", "commit.gpgsign=false"),
    # A server that stops sending is left after half a minute.
    *("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"),
)
# A server that answers 429 or 5xx, one that cannot be reached or found, a transfer that was cut off.
_PASSING = re.compile(
    r"returned error: (429|5\d\d)|Failed to connect|Could ?n.t connect|Could not resolve"
    r"|early EOF|RPC failed|hung up|disconnect|Connection (refused|reset|timed out)"
    r"|Empty reply|Operation too slow"
)


class GitFailed(Exception):
    """A git command failed; the message is the line of it that says why.

    `passing` is whether it was the network or the server, which may be better the next time.
    """

    def __init__(self, reason: str, passing: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing


def run(
    directory: Path, *arguments: str, seconds: float = 60.0, most_bytes: int | None = None
) -> str:
    """What a git command prints; GitFailed when it fails, takes too long, or would write a larger file."""

    def bounded() -> None:
        # What a fetch receives is one file, and git itself knows no limit for it.
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    try:
        done = subprocess.run(
            command(directory, *arguments),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            preexec_fn=bounded,
        )
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git {arguments[0]}: not complete after {seconds:g} s") from None
    except FileNotFoundError:
        raise GitFailed("git is not installed") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace")
        broken_off = most_bytes and re.search("index-pack|unpack-objects", said)
        limit = f" (more than {most_bytes} bytes?)" if broken_off else ""
        passing = bool(_PASSING.search(said)) and not limit
        raise GitFailed(f"git {arguments[0]}: {_why(said)}{limit}", passing)
    return done.stdout.decode("utf-8", "replace")


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
