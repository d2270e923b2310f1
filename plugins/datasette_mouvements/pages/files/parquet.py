"""All movements, or all stays, as one Parquet file; it needs pyarrow (the extra `parquet`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import date
from functools import cache
from hashlib import blake2s
from importlib import metadata
from importlib.util import find_spec
from itertools import islice
from typing import Any, BinaryIO

from parlement_lists.movement import Field

from ... import addresses
from ...dataset.schema import TABLE, TENURES
from ...dataset.served.snapshot import Snapshot
from ...dataset.stays.lines import NEXT
from ...refusal import Refusal
from ..counts import facts
from . import datapackage, tabular
from .file_cache import STEPS, WaitingClients

CHUNK = 2000  # rows read at a time
KIND = "application/vnd.apache.parquet"
# Raise it when the file of the same edition changes its form.
FORM = "1"
TITLES = {
    addresses.MOVEMENTS_PARQUET: "Tous les mouvements (Parquet)",
    addresses.STAYS_PARQUET: "Toutes les collaborations (Parquet)",
}
TABLES = {addresses.MOVEMENTS_PARQUET: TABLE, addresses.STAYS_PARQUET: TENURES}
ABSENT = (
    "Ce service n’écrit pas de Parquet : pyarrow n’y est pas installé. Qui le tient peut installer"
    " « datasette-mouvements[parquet] ». Le fichier entier"
    f" ({addresses.WHOLE_FILE}) a les mêmes lignes en CSV et en NDJSON. Rien n’est compté."
)


def version() -> str:
    """The version of pyarrow, without loading it; "" where it is not installed."""
    return _installed() if find_spec("pyarrow") else ""


@cache
def _installed() -> str:
    return metadata.version("pyarrow")


def digest(snapshot: Snapshot, table: str, notes: dict[str, str]) -> str:
    """What changes whenever a byte of the file does; Refusal where it cannot be written."""
    if not version():
        raise Refusal("not_offered", ABSENT)
    columns = json.dumps(datapackage.schema(table))
    parts = (FORM, version(), table, snapshot.edition, columns, *notes.values())
    return blake2s("\x1f".join(parts).encode(), digest_size=12).hexdigest()


def write(
    snapshot: Snapshot,
    table: str,
    notes: dict[str, str],
    file: BinaryIO,
    wanted: WaitingClients,
) -> None:
    """Write the file; it tells the `notes` of itself, as key and value."""
    # It takes a third of a second, and its place in memory, where nobody may ask for a file.
    import pyarrow
    from pyarrow import parquet

    fields = datapackage.TABLES[table]
    types = [_arrow_type(pyarrow, field) for field in fields]
    schema = pyarrow.schema(
        [
            pyarrow.field(field.name, type_, not field.required, {"description": field.description})
            for field, type_ in zip(fields, types, strict=True)
        ],
        notes,
    )
    batches = []
    with closing(facts.connect(snapshot.path)) as db:
        db.set_progress_handler(wanted.gone, STEPS)
        rows = iter(tabular.movement_rows(db) if table == TABLE else tabular.stay_rows(db))
        while some := list(islice(rows, CHUNK)):
            columns = [
                list(map(_reader(field), values))
                for field, values in zip(fields, zip(*some, strict=True), strict=True)
            ]
            arrays = [pyarrow.array(*pair) for pair in zip(columns, types, strict=True)]
            batches.append(pyarrow.record_batch(arrays, schema=schema))
    whole = pyarrow.Table.from_batches(batches, schema)
    # One row group: a reader of some columns reads each in one piece.
    parquet.write_table(whole, file, compression="zstd", row_group_size=max(whole.num_rows, 1))


def _arrow_type(pyarrow: Any, field: Field) -> Any:
    if field.name == NEXT:  # several identifiers, which a CSV has in one cell
        return pyarrow.list_(pyarrow.string())
    types = {"date": pyarrow.date32, "integer": pyarrow.int32, "string": pyarrow.string}
    return types[datapackage.type_of(field)]()


def _reader(field: Field) -> Callable[[Any], Any]:
    """What makes of a value, or of None, that of the column's type."""
    if datapackage.type_of(field) == "date":
        return lambda text: date.fromisoformat(text) if text else None
    return lambda value: value
