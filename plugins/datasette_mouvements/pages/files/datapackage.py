"""The description of the file of all data for programs: a Data Package with Table Schemas (datapackage.org, 2.0)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from parlement_lists import movement
from parlement_lists.movement import Field, is_date

from ...api.answers import described
from ...config import Config
from ...dataset.coverage import MARK, credits
from ...dataset.schema import BESIDE, DAYS, TABLE, TENURES, beside_entry, columns
from ...dataset.served import DataVersion
from ...dataset.stays.lines import LINE_FIELDS
from ..counts.stay_links import MOVEMENT_LINK_FIELDS

# The file with the licence notice.
NOTICE = "LICENCE.txt"
NAME = "mouvements-collaborateurs-parlementaires"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
APOSTROPHE = (
    "Une cellule qui commence par =, +, - ou @ est précédée d’une apostrophe, pour qu’aucun tableur ne"
    " l’exécute comme une formule."
)
TABLES: dict[str, tuple[Field, ...]] = {
    TABLE: (*movement.FIELDS, *MOVEMENT_LINK_FIELDS),
    TENURES: LINE_FIELDS,
}
_TITLES = {
    TABLE: "Mouvements, du plus récent au plus ancien",
    TENURES: "Collaborations (qui travaille avec qui, de quand à quand), la dernière commencée d’abord",
    "listes": "Listes lues, acceptées ou refusées, avec leur empreinte",
    "mandats": "Mandats connus des élus",
    "equipes": "Équipes à la dernière liste de la chambre, et qui est parti en douze mois",
    "groupes": "Groupes à la même date, et qui est parti en douze mois",
    "elus": "Noms des élus, et l’adresse de leur page à la HATVP (hatvp) si une source la dit",
    "noms_groupes": "Noms et couleurs des groupes",
    "appartenances": "Groupes des élus, de quand à quand",
    "homonymes": "Noms de plusieurs personnes, selon les corrections",
}
_TYPES = {"text": "string", "integer": "integer", "real": "number"}
# Columns that hold the identifier of a row of another table.
_REFERENCES = {TENURES: {"mouvement_debut": TABLE, "mouvement_fin": TABLE}}


class PackageFile(NamedTuple):
    """One file of the archive as it was written."""

    size: int
    sha256: str


def describe(
    snapshot: DataVersion, config: Config, title: str, written: Mapping[str, PackageFile]
) -> bytes:
    """The descriptor, `datapackage.json`; `written` are the described files by name."""
    sources = [] if snapshot.invented else list(_sources(snapshot))
    descriptor = {
        "$schema": PROFILE,
        "name": NAME,
        "title": f"{MARK} – {title}" if snapshot.invented else title,
        "description": f"Les colonnes, la licence et ce qui n’est pas connu : {NOTICE}.",
        **({"homepage": config.public_url} if config.public_url else {}),
        "version": snapshot.version,
        "edition": snapshot.edition,
        "curseur": str(snapshot.cursor),
        "created": snapshot.published_at,
        "licenses": [_licence(config)],
        "attribution": config.attribution,
        "temporal": {name: described(lists) for name, lists in snapshot.coverage.items()},
        **({"sources": sources} if sources else {}),
        "resources": [_resource(name, file) for name, file in written.items() if "/" not in name],
    }
    return json.dumps(descriptor, ensure_ascii=False, indent=1).encode() + b"\n"


def _licence(config: Config) -> dict[str, str]:
    """The licence of the settings; only the default one is known to have a name in the licence register."""
    address = config.licence_address
    return {
        **({} if config.own_licence else {"name": "ODbL-1.0"}),
        # The profile wants a name of the register or a path.
        "path": address or NOTICE,
        "title": config.licence,
    }


def _sources(snapshot: DataVersion) -> Iterator[dict[str, str]]:
    for credit, last in credits(snapshot.coverage):
        yield {
            "title": credit.publisher,
            "path": credit.address,
            "chambre": credit.chamber,
            "licence": credit.licence,
            "jusqua": last,
        }


def _resource(path: str, file: PackageFile) -> dict[str, Any]:
    table = path.removesuffix(".csv")
    return {
        "name": f"{table}-csv",
        "path": path,
        "title": _TITLES[table],
        "description": APOSTROPHE,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
        "type": "table",
        # Readers of the first version of Data Package look for it.
        "profile": "tabular-data-resource",
        "schema": schema(table),
    }


def schema(table: str) -> dict[str, Any]:
    """The Table Schema of a table's CSV."""
    if table not in TABLES:
        names = {beside_entry(name): name for name in BESIDE}
        return {
            "fields": [
                {
                    "name": column.name,
                    "type": "date" if column.name in DAYS else _TYPES[column.kind],
                }
                for column in columns(names[f"{table}.csv"])
            ],
            "missingValues": [""],
        }
    references = _REFERENCES.get(table, {})
    return {
        "fields": [_field(field) for field in TABLES[table]],
        "missingValues": [""],
        "primaryKey": ["id"],
        **({"foreignKeys": _foreign_keys(references)} if references else {}),
    }


def _field(field: Field) -> dict[str, Any]:
    constraints: dict[str, Any] = {}
    if field.required:
        constraints["required"] = True
    if field.name == "id":
        constraints["unique"] = True
    values: Sequence[str] = [value for value in field.values if value]
    if values:
        constraints["enum"] = values
    return {
        "name": field.name,
        "type": type_of(field),
        "title": field.label,
        "description": field.description,
        "example": field.example,
        **({"constraints": constraints} if constraints else {}),
    }


def type_of(field: Field) -> str:
    """The type of a field's values, as its example has it."""
    if is_date(field.example):
        return "date"
    return "integer" if field.example.isdigit() else "string"


def _foreign_keys(references: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"fields": [column], "reference": {"resource": f"{table}-csv", "fields": ["id"]}}
        for column, table in references.items()
    ]
