"""The whole data set as one ZIP with its licence notice and its description for programs."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from hashlib import blake2s
from typing import BinaryIO

from parlement_lists.meanings import MEANINGS, TRANSFERS_COUNT
from parlement_lists.movement import FIELDS

from ...config import Config
from ...dataset.coverage import NOTE, credits
from ...dataset.schema import BESIDE, TABLE, TENURES, beside_entry
from ...dataset.served import DataVersion
from ..counts import facts
from ..words import french
from . import datapackage, tabular
from .file_cache import STEPS, WaitingClients

CHUNK = 2000  # rows written at a time
# Raise it when the file of the same version changes its form, unless notice or description show the change.
FORM = 6
# What no column can say; the notice and the documentation show it.
NOT_KNOWN = (
    "Une collaboration a commencé entre debut_apres et debut, et fini entre fin_apres et fin : le jour même"
    " n’est connu que s’il y a une liste de la veille.",
    "Sans debut_apres, le jour du début n’est pas connu : le nom est dans la plus ancienne liste qui"
    " dise qui était chez l’élu.",
    "Sans fin, la dernière liste de la chambre a encore le nom, ou il en est absent depuis sept jours au plus."
    " Ce qui a changé depuis cette liste n’est pas connu.",
    "Sept jours d’absence au plus ne terminent pas une collaboration.",
    "Les listes qui répètent les lignes d’un élu dont rien n’a pu être lu n’y datent ni arrivée ni départ.",
    "Une fin ne dit ni sa cause ni où va la personne. Après la fin d’un mandat, un nom peut rester quelque"
    " temps sur les listes.",
    "Les listes n’ont pas d’identifiant de collaborateur : des homonymes ne se distinguent pas.",
    "Chez un élu, un nom remplacé par un autre entre deux listes est tenu pour celui d’une seule personne si les"
    " deux sont presque écrits de même, ou si le prénom et la civilité sont les mêmes. À plus de dix jours, ce"
    " dernier cas ne vaut que pour une femme ou pour des noms de famille"
    " qui ont en commun un mot d’au moins quatre lettres. Les listes ne le confirment pas.",
    "Les listes archivées du Parlement européen sont reconstituées à partir d’intervalles : il n’y en a que"
    " des jours où quelque chose change. Une interruption y est faite de jours sans changement ou de jours"
    " sans liste, qui ne se distinguent pas.",
    "Des mouvements donnés par fichiers ne font pas de collaboration.",
    f"{TRANSFERS_COUNT} Plus elles sont espacées, plus un départ et une arrivée de jours différents s’y lisent"
    " comme un transfert.",
)


def digest(snapshot: DataVersion, config: Config, title: str) -> str:
    """A digest that changes whenever a byte of the file does, because other services may share the folder.

    The same edition and settings give the same bytes, whichever process makes them; `title` is the site's.
    """
    parts = (
        *(snapshot.edition, snapshot.published_at, str(FORM), zlib.ZLIB_RUNTIME_VERSION),
        _notice(snapshot, config, title, 0),
        datapackage.describe(snapshot, config, title, {}).decode(),
    )
    return blake2s("\x1f".join(parts).encode(), digest_size=12).hexdigest()


def write(
    snapshot: DataVersion, config: Config, title: str, file: BinaryIO, wanted: WaitingClients
) -> None:
    """Write the file of this version."""
    changed = datetime.fromisoformat(snapshot.published_at).astimezone(UTC).timetuple()[:6]
    written = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        with closing(facts.connect(snapshot.path)) as db:
            db.set_progress_handler(wanted.gone, STEPS)
            entries = {}
            for table in (TABLE, TENURES):
                entries[f"{table}.csv"] = tabular.write(db, table, CHUNK)
                entries[f"tableur/{table}.csv"] = tabular.write_for_spreadsheets(db, table, CHUNK)
            for table in BESIDE:
                entries[beside_entry(table)] = tabular.write_rows(db, table, CHUNK)
            for entry, pieces in entries.items():
                written[entry] = _fill(archive, _entry(entry, changed), wanted.pieces(pieces))
        notice = _notice(snapshot, config, title, snapshot.stays)
        archive.writestr(_entry(datapackage.NOTICE, changed), notice)
        description = datapackage.describe(snapshot, config, title, written)
        archive.writestr(_entry("datapackage.json", changed), description)


def _notice(snapshot: DataVersion, config: Config, title: str, stays: int) -> str:
    """The notice of ODbL 1.0, section 4.3, what the columns are, and what is not known.

    `stays` is how many there are in this version.
    """
    licence = f"the Open Database License (ODbL): {config.licence_address}"
    if config.own_licence:
        licence = f"this licence: {config.licence}"
    lines = [
        *((NOTE, "") if snapshot.invented else ()),
        title,
        "",
        f"Version des données : {snapshot.version}, publiée le {snapshot.published_at}.",
        f"Mouvements : {snapshot.rows}.",
        f"Collaborations : {stays}.",
        f"Curseur : {snapshot.cursor}.",
        "",
        f"Licence : {config.licence}",
        f"Mention à reproduire : {config.attribution}",
        *(f"Source, {line}" for line in _sources(snapshot)),
        "",
        f"Contains information from {title}, which is made available here under {licence}",
        "",
        "Les colonnes de mouvements :",
        *(f"- {field.name} : {field.label}. {field.description}" for field in FIELDS),
        "",
        "Les colonnes de collaborations (qui travaille avec qui, de quand à quand) :",
        *(
            f"- {field.name} : {field.label}. {field.description}"
            for field in datapackage.TABLES[TENURES]
        ),
        "",
        "Ce qui est connu, et ce qui ne l’est pas :",
        *(f"- {line}" for line in _coverage_lines(snapshot)),
        *(f"- {line}" for line in NOT_KNOWN),
        "",
        f"Les autres fichiers : {', '.join(map(beside_entry, BESIDE))}. Ce sont les tables de la base"
        " qui disent les listes lues, les chiffres des équipes et des groupes, et ce qui est connu des élus et"
        " des homonymes.",
        "datapackage.json décrit ces fichiers pour les programmes (types, valeurs, empreintes).",
        "",
        "Le dossier tableur a les mouvements et les collaborations pour un tableur français (points-virgules, BOM).",
        f"Dans les CSV : {datapackage.APOSTROPHE[0].lower()}{datapackage.APOSTROPHE[1:]}",
        "",
        "Ces données nomment des personnes : leur réutilisation est soumise au règlement"
        " général sur la protection des données.",
    ]
    if config.contact:
        lines += ["", f"Corrections et retraits : {config.contact}"]
    return "\r\n".join(lines) + "\r\n"


def _sources(snapshot: DataVersion) -> Iterator[str]:
    """Whom the lists of each chamber are owed to; nobody where they are invented."""
    for one, last in credits(snapshot.coverage) if not snapshot.invented else ():
        yield (
            f"{MEANINGS[one.chamber]} : {one.publisher} ({one.address}), {one.licence}, jusqu’à la liste"
            f" du {french.plain_day(last)}."
        )


def _coverage_lines(snapshot: DataVersion) -> Iterator[str]:
    """What the lists of each chamber cover, and their holes."""
    for chamber, lists in snapshot.coverage.items():
        if not lists.last:
            yield f"{MEANINGS[chamber]} : pas de liste, donc pas de collaboration."
            continue
        first, last = french.plain_day(lists.first), french.plain_day(lists.last)
        holes = "".join(f" ; {french.gap(hole)}" for hole in lists.holes)
        yield f"{MEANINGS[chamber]} : listes du {first} au {last}{holes}."


def _entry(name: str, changed: tuple[int, ...]) -> zipfile.ZipInfo:
    # Entries have the version's date, so that the same version gives the same file.
    year, month, day, hour, minute, second = changed
    entry = zipfile.ZipInfo(name, (year, month, day, hour, minute, second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _fill(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, pieces: Iterator[bytes]
) -> datapackage.PackageFile:
    digest, size = hashlib.sha256(), 0
    with archive.open(entry, "w") as file:
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return datapackage.PackageFile(size, digest.hexdigest())
