"""The description of the file of everything for programs: a Data Package with Table Schemas (datapackage.org, 2.0)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from parlement_lists.movement import is_date

from ...api.answers import described
from ...config import Config
from ...dataset.coverage import MARK, credits
from ...dataset.schema import BESIDE, DAYS, TABLE, TENURES, beside_entry, columns
from ...dataset.served import DataVersion
from ...dataset.stays import MOVEMENT_LINK_FIELDS
from ...fields import LINE_FIELDS, MOVEMENT_FIELDS, Field
from ..core.tables import TABLES

NOTICE = "LICENCE.txt"
APOSTROPHE = (
    "Une cellule qui commence par =, +, - ou @ est précédée d’une apostrophe, pour qu’aucun tableur ne"
    " l’exécute comme une formule."
)
FIELDS = {TABLE: (*MOVEMENT_FIELDS, *MOVEMENT_LINK_FIELDS), TENURES: LINE_FIELDS}
_TYPES = {"text": "string", "integer": "integer", "real": "number"}
_REFERENCES = [
    {"fields": [column], "reference": {"resource": f"{TABLE}-csv", "fields": ["id"]}}
    for column in ("mouvement_debut", "mouvement_fin")
]


def describe(
    version: DataVersion, config: Config, title: str, files: Iterable[Mapping[str, Any]]
) -> bytes:
    """The descriptor, `datapackage.json`; `files` say of each CSV `path`, `bytes` and `hash`."""
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
        "resources": [_resource(file) for file in files],
    }
    return json.dumps(descriptor, ensure_ascii=False, indent=1).encode() + b"\n"


def _resource(file: Mapping[str, Any]) -> dict[str, Any]:
    table = file["path"].removesuffix(".csv")
    return {
        "name": f"{table}-csv",
        "path": file["path"],
        **({"title": TABLES[table][0]} if table in TABLES else {}),
        "description": APOSTROPHE,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": file["bytes"],
        "hash": file["hash"],
        "type": "table",
        # Readers of the first version of Data Package look for it.
        "profile": "tabular-data-resource",
        "schema": schema(table),
    }


def schema(table: str) -> dict[str, Any]:
    """The Table Schema of a table's CSV, by the name of that."""
    if table in FIELDS:
        fields = [_field(field) for field in FIELDS[table]]
        keys: dict[str, Any] = {"primaryKey": ["id"]}
        if table == TENURES:
            keys["foreignKeys"] = _REFERENCES
        return {"fields": fields, "missingValues": [""], **keys}
    name = next(name for name in BESIDE if beside_entry(name) == f"{table}.csv")
    fields = [
        {"name": column.name, "type": "date" if column.name in DAYS else _TYPES[column.kind]}
        for column in columns(name)
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
