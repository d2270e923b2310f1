"""The whole data set as one ZIP with its licence notice, made once per data version."""

from __future__ import annotations

import asyncio
import os
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from hashlib import blake2s
from pathlib import Path

from ..api.service import ODBL
from ..config import Config
from ..dataset.snapshot import Snapshot
from ..movement import FIELDS
from . import facts, tabular

CHUNK = 2000
# A file of a former version may still be on its way to somebody, but not for this long.
SWEEP_AFTER = 3600.0


def name(version: str) -> str:
    """What the downloaded file is called."""
    return f"mouvements-{version}.zip"


class Archive:
    """The archives of one service, kept in `folder`, which several processes may share."""

    def __init__(self, folder: Path, config: Config) -> None:
        self.folder = folder
        self.config = config
        self.title = ""  # of the site
        self._making: dict[str, asyncio.Task[Path]] = {}

    async def file(self, snapshot: Snapshot) -> Path:
        """The archive of this version, made if it is not there. OSError, sqlite3.Error if it cannot."""
        # The notice changes with the settings; another service may keep its archives here too.
        notice = blake2s(self._licence(snapshot).encode(), digest_size=4).hexdigest()
        path = self.folder / f"archive-{snapshot.edition}-{notice}.zip"
        if path.exists():
            return path
        making = self._making.get(snapshot.edition)
        if making is None or making.done():
            making = asyncio.create_task(asyncio.to_thread(self._make, snapshot, path))
            self._making = {snapshot.edition: making}
        return await asyncio.shield(making)

    def _make(self, snapshot: Snapshot, path: Path) -> Path:
        built = datetime.fromisoformat(snapshot.built_at).astimezone(UTC).timetuple()[:6]
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                with closing(facts.connect(snapshot.path)) as db:
                    for form, suffix in (("csv", "csv"), ("ndjson", "ndjson")):
                        entry = _entry(f"mouvements.{suffix}", built)
                        _fill(archive, entry, tabular.write(db, form, "1", [], CHUNK))
                archive.writestr(_entry("LICENCE.txt", built), self._licence(snapshot))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._sweep(path)
        return path

    def _licence(self, snapshot: Snapshot) -> str:
        """The notice of ODbL 1.0, section 4.3, and what the columns are."""
        lines = [
            self.title,
            "",
            f"Version des données : {snapshot.version}, publiée le {snapshot.built_at}.",
            f"Mouvements : {snapshot.rows}.",
            "",
            f"Licence : {self.config.licence}",
            f"Mention à reproduire : {self.config.attribution}",
            "",
            f"Contains information from {self.title}, which is made available here under the Open"
            f" Database License (ODbL): {ODBL}",
            "",
            "Les colonnes :",
            *(f"- {field.name} : {field.label}. {field.description}" for field in FIELDS),
            "",
            "Dans le CSV, une cellule qui commence par =, +, - ou @ est précédée d’une apostrophe,"
            " pour qu’aucun tableur ne l’exécute comme une formule. Le NDJSON donne les valeurs"
            " telles quelles.",
            "",
            "Ces données nomment des personnes : leur réutilisation est soumise au règlement"
            " général sur la protection des données.",
        ]
        if self.config.contact:
            lines += ["", f"Corrections et retraits : {self.config.contact}"]
        return "\r\n".join(lines) + "\r\n"

    def _sweep(self, kept: Path) -> None:
        """Remove the archives of former versions."""
        for path in self.folder.glob("archive-*"):
            with suppress(OSError):
                if path != kept and path.stat().st_mtime < time.time() - SWEEP_AFTER:
                    path.unlink()


def _entry(name: str, built: tuple[int, ...]) -> zipfile.ZipInfo:
    # Entries carry the version's date, not today's: the same version gives the same file.
    year, month, day, hour, minute, second = built
    entry = zipfile.ZipInfo(name, (year, month, day, hour, minute, second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _fill(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, pieces: Iterator[bytes]) -> None:
    with archive.open(entry, "w") as file:
        for piece in pieces:
            file.write(piece)
