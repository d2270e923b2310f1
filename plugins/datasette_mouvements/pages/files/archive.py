"""The file of everything: a ZIP of tables as CSV, with its licence notice and its description for programs."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, is_date

from ...api.answers import described
from ...config import Config
from ...dataset.connections import connect_read_only
from ...dataset.coverage import MARK, NOTE, credits
from ...dataset.schema import BESIDE, DAYS, STAYS, TABLE, TENURES, beside_entry, columns
from ...dataset.served import DataVersion
from ...dataset.stays import RETURN_DAYS, RETURN_OF
from ...fields import LINE_FIELDS, MOVEMENT_FIELDS, Field
from ..core.tables import TABLES
from ..site import Site

NOTICE = "LICENCE.txt"
APOSTROPHE = (
    "Une cellule qui commence par =, +, - ou @ est précédée d’une apostrophe, pour qu’aucun tableur ne"
    " l’exécute comme une formule."
)
# What movements have here after the fields of the interface, with its SQL: of stays, so no copy keeps it.
LINKS = {
    Field(
        "elu_origine_id",
        "Identifiant de l’élu quitté",
        "Identifiant de l’élu qu’un transfert quitte, si une collaboration le dit.",
        "99098Z",
    ): "case m.type when 'transfert' then ended.elu_id end",
    Field(
        RETURN_DAYS,
        "Jours de l’absence",
        "D’une arrivée qui est un retour, et du départ auquel elle répond : jours écoulés du jour de fin de la"
        " collaboration à la liste du retour auprès du même élu.",
        "12",
    ): "coalesce(returned.days, answered.days)",
}
FIELDS = {TABLE: (*MOVEMENT_FIELDS, *LINKS), TENURES: LINE_FIELDS}
_TYPES = {"text": "string", "integer": "integer", "real": "number"}
_REFERENCES = [
    {"fields": [column], "reference": {"resource": f"{TABLE}-csv", "fields": ["id"]}}
    for column in ("mouvement_debut", "mouvement_fin")
]
# SQLite makes an index of `of` only where its type is declared. Two stays may return to one, of which the first
# answers it.
_MOVEMENTS = f"""
    with returned(id, of, days) as (
      select c.id, cast(json_extract(line, '$.{RETURN_OF}') as text),
        json_extract(line, '$.{RETURN_DAYS}')
      from (select rowid, cast(json as text) as line from {STAYS.lines}) l
      join {TENURES} c on c.rowid = l.rowid where instr(line, '"{RETURN_OF}"')),
    answered(of, days) as (select of, min(days) from returned group by of)
    select {", ".join((*(f"m.{name}" for name in FIELD_NAMES), *LINKS.values()))}
    from {TABLE} m
    left join {TENURES} ended on ended.mouvement_fin = m.id
    left join {TENURES} begun on begun.mouvement_debut = m.id
    left join returned on returned.id = begun.id
    left join answered on answered.of = ended.id
    order by m.rowid desc
"""
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A spreadsheet may split a cell at any of these separators, and reads full-width signs as plain ones.
_FORMULA_AFTER = re.compile(r"(^|[;,|:\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")


async def notice(site: Site, version: DataVersion) -> str:
    """The text of the licence notice of a version."""
    template = site.datasette.get_jinja_environment().get_template("mouvements/LICENCE.txt")
    text: str = await template.render_async(
        version=version,
        note=NOTE,
        credits=[] if version.invented else credits(version.coverage),
        fields=FIELDS,
        others=[beside_entry(table) for table in BESIDE],
        apostrophe=APOSTROPHE,
    )
    return text.strip().replace("\n", "\r\n") + "\r\n"


def write(version: DataVersion, config: Config, title: str, text: str, path: Path) -> str:
    """Write the file of a version, `text` is its notice; its digest (SHA-256) comes back.

    The same edition and settings give the same bytes. Raises OSError, sqlite3.Error, and leaves no file then.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            _write_zip(version, config, title, text, file)
            file.seek(0)
            return hashlib.file_digest(file, "sha256").hexdigest()
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _write_zip(version: DataVersion, config: Config, title: str, text: str, file: BinaryIO) -> None:
    # Entries have the day of the data.
    changed = datetime.fromisoformat(version.published_at).astimezone(UTC).timetuple()[:6]
    with (
        zipfile.ZipFile(file, "w") as archive,
        closing(connect_read_only(version.path, immutable=True)) as db,
    ):

        def entry(name: str) -> zipfile.ZipInfo:
            info = zipfile.ZipInfo(name, changed)
            info.compress_type = zipfile.ZIP_DEFLATED
            return info

        resources = []
        for table in (TABLE, TENURES, *BESIDE):
            name = beside_entry(table)
            _write(archive, entry(name), table_rows(db, table), harmless, "utf-8")
            with archive.open(name) as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
            resources.append(_resource(table, archive.getinfo(name).file_size, digest))
        for table in (TABLE, TENURES):
            # A French spreadsheet splits at semicolons, but never within quotes, and wants a BOM.
            _write(
                archive,
                entry(f"tableur/{table}.csv"),
                table_rows(db, table),
                harmless_wherever_cut,
                "utf-8-sig",
                delimiter=";",
                quoting=csv.QUOTE_ALL,
            )
        archive.writestr(entry(NOTICE), text)
        description = _describe(version, config, title, resources)
        archive.writestr(entry("datapackage.json"), description)


def _describe(
    version: DataVersion, config: Config, title: str, resources: Sequence[Mapping[str, Any]]
) -> bytes:
    """`datapackage.json`: a Data Package with Table Schemas (datapackage.org, 2.0)."""
    sources = [
        {
            "title": credit.publisher,
            "path": credit.address,
            "chambre": credit.chamber,
            "licence": credit.licence,
            "jusqua": last,
        }
        for credit, last in ([] if version.invented else credits(version.coverage))
    ]
    # The profile wants a name of the licence register or a path; the default licence alone has a name there.
    licence = {"path": config.licence_address or NOTICE, "title": config.licence}
    if not config.own_licence:
        licence = {"name": "ODbL-1.0", **licence}
    descriptor = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "mouvements-collaborateurs-parlementaires",
        "title": f"{MARK} – {title}" if version.invented else title,
        "description": f"Les colonnes, la licence et ce qui n’est pas connu : {NOTICE}.",
        **({"homepage": config.public_url} if config.public_url else {}),
        "version": version.version,
        "edition": version.edition,
        "curseur": str(version.cursor),
        "created": version.published_at,
        "licenses": [licence],
        "attribution": config.attribution,
        "temporal": {chamber: described(lists) for chamber, lists in version.coverage.items()},
        **({"sources": sources} if sources else {}),
        "resources": resources,
    }
    return json.dumps(descriptor, ensure_ascii=False, indent=1).encode() + b"\n"


def _resource(table: str, size: int, digest: str) -> dict[str, Any]:
    path = beside_entry(table)
    return {
        "name": path.replace(".", "-"),
        "path": path,
        **({"title": TABLES[table][0]} if table in TABLES else {}),
        "description": APOSTROPHE,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{digest}",
        "type": "table",
        # Readers of the first version of Data Package look for it.
        "profile": "tabular-data-resource",
        "schema": schema(table),
    }


def schema(table: str) -> dict[str, Any]:
    """The Table Schema of a table's CSV."""
    if table in FIELDS:
        fields = [_field(field) for field in FIELDS[table]]
        keys: dict[str, Any] = {"primaryKey": ["id"]}
        if table == TENURES:
            keys["foreignKeys"] = _REFERENCES
        return {"fields": fields, "missingValues": [""], **keys}
    fields = [
        {"name": column.name, "type": "date" if column.name in DAYS else _TYPES[column.kind]}
        for column in columns(table)
    ]
    return {"fields": fields, "missingValues": [""]}


def _field(field: Field) -> dict[str, Any]:
    constraints: dict[str, Any] = {}
    if field.required:
        constraints["required"] = True
    if field.name == "id":
        constraints["unique"] = True
    if values := [value for value in field.values if value]:
        constraints["enum"] = values
    kind = "integer" if field.example.isdigit() else "string"
    return {
        "name": field.name,
        "type": "date" if is_date(field.example) else kind,
        "title": field.label,
        "description": field.description,
        "example": field.example,
        **({"constraints": constraints} if constraints else {}),
    }


def table_rows(db: sqlite3.Connection, table: str) -> Iterator[Sequence[Any]]:
    """The names of a table's columns, then its rows: of movements and stays the newest first."""
    if table == TABLE:
        yield [field.name for field in FIELDS[TABLE]]
        yield from db.execute(_MOVEMENTS)
    elif table == TENURES:
        names = [field.name for field in FIELDS[TENURES]]
        yield names
        for (line,) in db.execute(f"select json from {STAYS.lines} order by rowid desc"):
            stay = json.loads(line)
            yield [stay.get(name) for name in names]
    else:
        rows = db.execute(f"select * from {table} order by rowid")
        yield [name for name, *_ in rows.description]
        yield from rows


def _write(
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    rows: Iterable[Sequence[Any]],
    safe: Callable[[str], str],
    encoding: str,
    **form: Any,
) -> None:
    with (
        archive.open(entry, "w") as content,
        io.TextIOWrapper(content, encoding, newline="", write_through=True) as text,
    ):
        writer = csv.writer(text, **form)
        for row in rows:
            # Several identifiers are one cell.
            cells = (" ".join(value) if isinstance(value, list) else value for value in row)
            writer.writerow("" if cell is None else safe(str(cell)) for cell in cells)


def harmless(cell: str) -> str:
    """The cell as a spreadsheet may open it: never a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def harmless_wherever_cut(cell: str) -> str:
    """The cell as any spreadsheet may open it: no part is a formula, whatever separator it splits at."""
    return _FORMULA_AFTER.sub(r"\1\2'", cell)
