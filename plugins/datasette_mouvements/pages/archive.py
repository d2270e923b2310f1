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

from ..api.service import ODBL, Service
from ..dataset.schema import TENURES
from ..dataset.snapshot import Snapshot
from ..movement import FIELDS, MEANINGS
from ..tenure import FIELDS as STAY_FIELDS
from . import facts, french, tabular

CHUNK = 2000
# What no column can say, here and in the documentation.
NOT_KNOWN = (
    "Une collaboration a commencé entre debut_apres et debut, et fini entre fin_apres et fin : le jour même"
    " n’est connu que s’il y a une liste de la veille.",
    "Sans debut_apres, le jour du début n’est pas connu : le nom est dans la plus ancienne liste de la"
    " chambre.",
    "Sans fin, la dernière liste de la chambre a encore le nom, ou il en est absent depuis sept jours au plus."
    " Ce qui a changé depuis cette liste n’est pas connu.",
    "Sept jours d’absence au plus ne terminent pas une collaboration.",
    "Une fin ne dit ni sa cause ni où va la personne. Après la fin d’un mandat, un nom peut rester quelque"
    " temps sur les listes.",
    "Les listes n’ont pas d’identifiant de collaborateur : des homonymes ne se distinguent pas.",
    "Un nom remplacé par un autre le même jour, chez le même élu, même prénom et même civilité, est tenu pour"
    " celui d’une seule personne ; les listes ne le confirment pas.",
    "Les listes archivées du Parlement européen sont reconstituées à partir d’intervalles : il n’y en a que"
    " des jours où quelque chose change. Une interruption y est faite de jours sans changement ou de jours"
    " sans liste, qui ne se distinguent pas.",
    "Des mouvements donnés par fichiers ne font pas de collaboration.",
)
# A file of a former version may still be on its way to somebody, but not for this long.
SWEEP_AFTER = 3600.0


def name(version: str) -> str:
    """What the downloaded file is called."""
    return f"mouvements-{version}.zip"


class Archive:
    """The archives of one service, kept in a folder that several processes may share."""

    def __init__(self, service: Service) -> None:
        self.folder = service.live.folder
        self.service = service
        self.title = ""  # of the site
        self._making: dict[str, asyncio.Task[Path]] = {}

    async def file(self, snapshot: Snapshot) -> Path:
        """The archive of this version, made if it is not there. OSError, sqlite3.Error if it cannot."""
        # The notice changes with the settings; another service may keep its archives here too.
        notice = blake2s(self._licence(snapshot, 0).encode(), digest_size=4).hexdigest()
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
                    (stays,) = db.execute(f"select count(*) from {TENURES}").fetchone()
                    for form in ("csv", "ndjson"):
                        entry = _entry(f"mouvements.{form}", built)
                        _fill(archive, entry, tabular.write(db, form, "1", [], CHUNK))
                        entry = _entry(f"collaborations.{form}", built)
                        _fill(archive, entry, tabular.write_stays(db, form, CHUNK))
                archive.writestr(_entry("LICENCE.txt", built), self._licence(snapshot, stays))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._sweep(path)
        return path

    def _licence(self, snapshot: Snapshot, stays: int) -> str:
        """The notice of ODbL 1.0, section 4.3, what the columns are, and what is not known.

        `stays` is how many there are in this version.
        """
        lines = [
            self.title,
            "",
            f"Version des données : {snapshot.version}, publiée le {snapshot.built_at}.",
            f"Mouvements : {snapshot.rows}.",
            f"Collaborations : {stays}.",
            "",
            f"Licence : {self.service.config.licence}",
            f"Mention à reproduire : {self.service.config.attribution}",
            "",
            f"Contains information from {self.title}, which is made available here under the Open"
            f" Database License (ODbL): {ODBL}",
            "",
            "Les colonnes de mouvements :",
            *(f"- {field.name} : {field.label}. {field.description}" for field in FIELDS),
            "",
            "Les colonnes de collaborations (qui travaille avec qui, de quand à quand) :",
            *(f"- {field.name} : {field.label}. {field.description}" for field in STAY_FIELDS),
            "",
            "Ce qui est connu, et ce qui ne l’est pas :",
            *(f"- {line}" for line in _known(snapshot)),
            *(f"- {line}" for line in NOT_KNOWN),
            "",
            "Dans le CSV, une cellule qui commence par =, +, - ou @ est précédée d’une apostrophe,"
            " pour qu’aucun tableur ne l’exécute comme une formule. Le NDJSON donne les valeurs"
            " telles quelles.",
            "",
            "Ces données nomment des personnes : leur réutilisation est soumise au règlement"
            " général sur la protection des données.",
        ]
        if self.service.config.contact:
            lines += ["", f"Corrections et retraits : {self.service.config.contact}"]
        return "\r\n".join(lines) + "\r\n"

    def _sweep(self, kept: Path) -> None:
        """Remove the archives of former versions."""
        for path in self.folder.glob("archive-*"):
            with suppress(OSError):
                if path != kept and path.stat().st_mtime < time.time() - SWEEP_AFTER:
                    path.unlink()


def _known(snapshot: Snapshot) -> Iterator[str]:
    """What the lists of each chamber cover, and their holes."""
    for chamber, known in snapshot.coverage.items():
        if not known.last:
            yield f"{MEANINGS[chamber]} : pas de liste, donc pas de collaboration."
            continue
        first, last = french.day(known.first), french.day(known.last)
        holes = "".join(f" ; {french.gap(hole)}" for hole in known.holes)
        yield f"{MEANINGS[chamber]} : listes du {first} au {last}{holes}."


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
