"""The git history of the lists: what cannot be committed is told, and the lists go on without it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...regular_file import write_whole
from ...tracking.reading import git

# What git writes: of a branch that is checked out; of a folder that is not its user's.
_CHECKOUT, _OF_ANOTHER = "checkout: moving from ", "dubious ownership"
# The folder that git takes for the repository's, the paths of two files, the algorithm of digests: a line each.
_ASKED = (
    *("--show-toplevel", "--git-path", "index"),
    *("--git-path", "info/exclude", "--show-object-format"),
)


class History:
    """The history in a folder's own `.git`, and in no repository above it.

    `fault` says what is wrong with it and what to do, "" if nothing is; nothing is committed after a fault.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.fault = ""
        self._own = directory / ".git"
        self._usable = False

    def prepare(self, excluded: Sequence[str], was_used: bool) -> None:
        """Make a missing history or index, and remove the locks of a killed run; nobody else may use git meanwhile.

        `was_used` if a run was here before: then a history that is missing was lost.
        """
        self.fault, self._usable = "", True
        for lock in [*self._own.glob("*.lock"), *self._own.glob("refs/**/*.lock")]:
            lock.unlink(missing_ok=True)
        lost = was_used and not self._own.exists()
        try:
            if not self._own.is_file():
                self._mend_head()
            asked = git.run(self.directory, "rev-parse", *_ASKED)
            top, index, exclude, digest = asked.rstrip("\n").rsplit("\n", 3)
            self._look_whose(Path(top))
            if self._has_commits():
                self._look_at_branch()
                # Reads every tree: a damaged one would be told on days with a change only.
                git.run(self.directory, "ls-tree", "-r", "--name-only", "HEAD")
            self._mend_index(self.directory / index, digest)
            _exclude(self.directory / exclude, excluded)
        except (git.GitFailed, OSError) as error:
            self._give_up(error)
        if lost and not self.fault:
            self.fault = (
                f"{self._own} was gone, and a new history of the lists begins: to have the old one,"
                " put a copy of it in the place of the new one"
            )

    def commit(self, message: str, folder: str, *paths: str) -> None:
        """Commit the changes of a folder, if there are any, with some files."""
        if not self._usable:
            return
        try:
            git.run(self.directory, "add", "--", folder, *paths)
            if git.run(self.directory, "diff", "--cached", "--name-only", "--", folder):
                git.run(self.directory, "commit", "--quiet", "-m", message, "--", folder, *paths)
        except git.GitFailed as error:
            self._give_up(error)

    def committed(self, folder: str) -> list[str] | None:
        """The files of a folder that have been committed, in order; None where that is not known."""
        listed = self._ask("ls-files", "-z", "--", folder)
        return None if listed is None else sorted(filter(None, listed.split("\0")))

    def text(self, path: str) -> str | None:
        """A file as it was committed last; None where that is not known."""
        known = self._has_commits() and self._ask("ls-tree", "--name-only", "HEAD", "--", path)
        return self._ask("show", f"HEAD:{path}") if known else None

    def _has_commits(self) -> bool:
        return bool(self._moves()) or bool(self._ask("for-each-ref", "--count=1"))

    def _moves(self) -> list[str]:
        """What moved HEAD, the last one last; git shows no branch whose file was emptied."""
        log = self._own / "logs" / "HEAD"
        return log.read_text("utf-8", "replace").splitlines() if log.exists() else []

    def _ask(self, *arguments: str) -> str | None:
        if not self._usable:
            return None
        try:
            return git.run(self.directory, *arguments)
        except git.GitFailed as error:
            self._give_up(error)
            return None

    def _mend_head(self) -> None:
        """Make the repository, or its HEAD where a power cut emptied it: git would ignore this `.git`."""
        head = self._own / "HEAD"
        if head.exists() and head.stat().st_size:
            return
        head.unlink(missing_ok=True)
        git.run(self.directory, "init", "--quiet")
        newest_first = "for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/heads"
        branches = git.run(self.directory, *newest_first).split()
        # The branch that was checked out last, where there was more than one.
        moves = [line.rpartition(" to ")[2] for line in self._moves() if _CHECKOUT in line]
        last = f"refs/heads/{moves[-1]}" if moves else ""
        if last in branches:
            branches.insert(0, last)
        if branches:
            git.run(self.directory, "symbolic-ref", "HEAD", branches[0])

    def _mend_index(self, index: Path, algorithm: str) -> None:
        """Make the index of the last commit, if there is one, where the digest at its end is not that of its content.

        Git does not look at the digest: it may take the rest of an index that was cut for files of the history.
        """
        held = index.read_bytes() if index.exists() else b""
        # An older git, which knows of no other algorithm, says the option back.
        is_sha256 = algorithm == "sha256"
        digest = hashlib.new("sha256" if is_sha256 else "sha1", usedforsecurity=False)
        digest.update(held[: -digest.digest_size])
        if held[-digest.digest_size :] != digest.digest():
            index.unlink(missing_ok=True)
            if self._has_commits():
                git.run(self.directory, "read-tree", "HEAD")

    def _look_at_branch(self) -> None:
        """Raises GitFailed where HEAD leads to no commit: the next one would begin a history beside the old one."""
        try:
            git.run(self.directory, "rev-parse", "--verify", "--quiet", "HEAD")
        except git.GitFailed:
            raise git.GitFailed("its branch is damaged: it names no commit") from None

    def _look_whose(self, top: Path) -> None:
        """Raises GitFailed where git would use another repository than the folder's own."""
        if top.resolve() != self.directory.resolve():
            raise git.GitFailed(f"git would use the repository of {top}")

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        if _OF_ANOTHER in str(error):
            self.fault = (
                f"{self._own} belongs to another user, and git does not use it: lists are kept without a"
                f" history. Give it to this one: chown -R {os.getuid()} {self.directory}"
            )
            return
        if not shutil.which("git"):
            self.fault = "git is not installed: lists are kept without a history until it is"
            return
        self.fault = (
            f"{self._own} cannot be used ({error}): lists are kept without a history. Mend it, put a"
            " copy of it in its place, or move it away: the next run begins a new one"
        )


def _exclude(exclude: Path, excluded: Iterable[str]) -> None:
    lines = exclude.read_text(encoding="utf-8").splitlines() if exclude.exists() else []
    missing = [line for line in excluded if line not in lines]
    if missing:
        write_whole(exclude, "\n".join([*lines, *missing, ""]).encode())
