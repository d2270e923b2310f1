"""Originals, kept compressed for some days, so that a list can be checked and read again."""

from __future__ import annotations

import datetime
import gzip
import hashlib
import re
import shutil
import zlib
from pathlib import Path

from ...regular_file import read_bytes, write_whole

FOLDER = "originaux"
# The prefix of the name of an original that was refused.
REFUSED = "refuse-"
# A run's folder begins with its day.
_RUN = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9]{4}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class KeptOriginals:
    """A folder of SOURCE/DAYThhmm/NAME.gz: a run that receives something new has a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, source: str, received: datetime.datetime, name: str, body: bytes) -> str:
        """Keep an original received at a moment in Paris time; returns its path below the folder.

        ValueError for a name that is no plain file name.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of an original")
        path = f"{source}/{received:%Y-%m-%dT%H%M}/{name}.gz"
        # With a time in it, two files of the same content would differ.
        write_whole(self.folder / path, gzip.compress(body, mtime=0))
        return path

    def body(self, path: str, sha256: str) -> bytes | None:
        """The original kept under a path, None if it is gone or was changed."""
        try:
            body = gzip.decompress(read_bytes(self.folder / path, follow=False))
        except (OSError, EOFError, zlib.error, ValueError):  # ValueError: it cannot be a path
            return None
        return body if digest(body) == sha256 else None

    def forget(self, before: datetime.date, but: set[str]) -> None:
        """Remove originals received before a day, but not some paths: the next run compares with these."""
        kept = {Path(path) for path in but}
        for run in sorted(self.folder.glob("*/*")):
            name = _RUN.fullmatch(run.name)
            if name is None or name[1] >= before.isoformat() or run.is_symlink():
                continue
            files = [path for path in run.iterdir() if path.relative_to(self.folder) not in kept]
            if len(files) == sum(1 for _ in run.iterdir()):
                shutil.rmtree(run)
            for path in files:
                path.unlink(missing_ok=True)


def digest(body: bytes) -> str:
    """The SHA-256 of an original's content."""
    return hashlib.sha256(body).hexdigest()
