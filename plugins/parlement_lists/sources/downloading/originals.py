"""Originals as received, compressed, for some days: what a list was made of can be looked at, and read again."""

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
# Before the name of one that was refused.
REFUSED = "refuse-"
# A run's folder begins with its day.
_RUN = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9]{4}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class KeptOriginals:
    """A folder of SOURCE/DAYThhmm/NAME.gz: one folder a run that received something new."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep_refused(self, source: str, received: datetime.datetime, name: str, body: bytes) -> str:
        """Keep what came and is not used, beside the run's originals; returns its path as `keep` does."""
        return self.keep(source, received, f"{REFUSED}{name}", body)

    def keep(self, source: str, received: datetime.datetime, name: str, body: bytes) -> str:
        """Keep what was received, in Paris time; returns its path below the folder.

        ValueError for a name that is no plain file name.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of an original")
        path = f"{source}/{received:%Y-%m-%dT%H%M}/{name}.gz"
        # The time within would make two files of one content differ.
        write_whole(self.folder / path, gzip.compress(body, mtime=0))
        return path

    def body(self, path: str, sha256: str) -> bytes | None:
        """What was kept under a path, None where it is gone or is not what was kept."""
        try:
            body = gzip.decompress(read_bytes(self.folder / path, follow=False))
        except (OSError, EOFError, zlib.error, ValueError):  # ValueError: no path at all
            return None
        return body if digest(body) == sha256 else None

    def forget(self, before: datetime.date, but: set[str]) -> None:
        """Remove what was received before a day, except some paths: those that are compared with next."""
        kept = {Path(path) for path in but}
        for run in sorted(self.folder.glob("*/*")):
            found = _RUN.fullmatch(run.name)
            if found is None or found[1] >= before.isoformat() or run.is_symlink():
                continue
            files = [path for path in run.iterdir() if path.relative_to(self.folder) not in kept]
            if len(files) == sum(1 for _ in run.iterdir()):
                shutil.rmtree(run)
            for path in files:
                path.unlink(missing_ok=True)


def digest(body: bytes) -> str:
    """What names an original's content."""
    return hashlib.sha256(body).hexdigest()
