"""Invented git repositories of lists."""

from __future__ import annotations

import subprocess
from pathlib import Path


class Repository:
    """A git repository of lists, as those who collect them keep one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "master")

    def git(self, *arguments: str, date: str = "", committed: str = "") -> str:
        """What a git command prints; `date` is the author's, and the committer's unless `committed` is given."""
        who = {
            f"GIT_{role}_{what}": "x@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        when = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": committed or date} if date else {}
        return subprocess.run(
            ["git", "-C", self.path, *arguments],
            check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.path), **who, **when},
            capture_output=True,
            text=True,
        ).stdout.strip()

    def commit(self, date: str, files: dict[str, bytes | None], committed: str = "") -> str:
        """Write files (None removes one) and commit them; the commit."""
        for name, data in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                file.unlink()
            else:
                file.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", date=date, committed=committed)
        return self.git("rev-parse", "HEAD")
