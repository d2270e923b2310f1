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

    def git(self, *arguments: str, date: str = "") -> None:
        who = {
            f"GIT_{role}_{what}": "x@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        when = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        subprocess.run(
            ["git", "-C", self.path, *arguments],
            check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.path), **who, **when},
            capture_output=True,
        )

    def commit(self, date: str, files: dict[str, bytes | None]) -> None:
        for name, data in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                file.unlink()
            else:
                file.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", date=date)
