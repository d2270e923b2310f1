"""The git history of the lists: what git cannot do is told in its words, and the lists go on without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...regular_file import write_whole
from ...tracking.reading import git


class History:
    """The history in a folder's own `.git`, and in no repository above it.

    `fault` is what git says of it, "" if nothing is wrong; nothing is committed after a fault.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.fault = ""
        self._own = directory / ".git"
        self._usable = False

    def prepare(self, excluded: Sequence[str]) -> None:
        """Make a missing history, and note what is not part of it."""
        self.fault, self._usable = "", True
        try:
            if not self._own.exists():
                git.run(self.directory, "init", "--quiet")
            top = git.run(self.directory, "rev-parse", "--show-toplevel").rstrip("\n")
            if Path(top).resolve() != self.directory.resolve():
                raise git.GitFailed(f"git would use the repository of {top}")
            if git.run(self.directory, "for-each-ref", "--count=1"):
                # Reads every tree: a damaged one would be told on days with a change only.
                git.run(self.directory, "ls-tree", "-r", "--name-only", "HEAD")
            exclude = git.run(self.directory, "rev-parse", "--git-path", "info/exclude")
            _exclude(self.directory / exclude.rstrip("\n"), excluded)
        except (git.GitFailed, OSError) as error:
            self._give_up(error)

    def commit(self, message: str, folder: str) -> None:
        """Commit the changes of a folder or file, if there are any."""
        if not self._usable:
            return
        try:
            git.run(self.directory, "add", "--", folder)
            if git.run(self.directory, "diff", "--cached", "--name-only", "--", folder):
                git.run(self.directory, "commit", "--quiet", "-m", message, "--", folder)
        except git.GitFailed as error:
            self._give_up(error)

    def push(self) -> None:
        """Push what is committed to the first remote, where one is set; a remote that does not take it is told."""
        remotes = (self._ask("remote") or "").split()
        if not remotes or not self._ask("for-each-ref", "--count=1"):
            return
        try:
            git.run(self.directory, "push", "--quiet", remotes[0], "HEAD")
        except git.GitFailed as error:
            self.fault = f"{self._own}: {error}: lists are committed here, and not at {remotes[0]}"

    def committed(self, folder: str) -> list[str] | None:
        """The files of a folder that have been committed, in order; None where that is not known."""
        listed = self._ask("ls-files", "-z", "--", folder)
        return None if listed is None else sorted(filter(None, listed.split("\0")))

    def text(self, path: str) -> str | None:
        """A file as it was committed last; None where that is not known."""
        known = self._ask("for-each-ref", "--count=1") and self._ask(
            "ls-tree", "--name-only", "HEAD", "--", path
        )
        return self._ask("show", f"HEAD:{path}") if known else None

    def _ask(self, *arguments: str) -> str | None:
        if not self._usable:
            return None
        try:
            return git.run(self.directory, *arguments)
        except git.GitFailed as error:
            self._give_up(error)
            return None

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        self.fault = f"{self._own}: {error}: lists are kept without a history until it is mended"


def _exclude(exclude: Path, excluded: Iterable[str]) -> None:
    lines = exclude.read_text(encoding="utf-8").splitlines() if exclude.exists() else []
    missing = [line for line in excluded if line not in lines]
    if missing:
        write_whole(exclude, "\n".join([*lines, *missing, ""]).encode())
