"""The tables that answers come from: lines, days, cells and the positions of each filter."""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import chain

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES

from . import digest, schema

# A merge patch leaves out what is null: exactly "fields with no value are left out".
LINE_SQL = (
    "cast(json_patch('{}', json_object("
    + ", ".join(f"'{name}', {name}" for name in FIELD_NAMES)
    + ")) as blob)"
)


def fill_ready_made(db: sqlite3.Connection) -> str:
    """Make the tables that answers come from, of the movements and stays; returns the data's version."""
    db.execute(f"insert into _lignes select rowid, {LINE_SQL} from {schema.TABLE} order by rowid")
    db.execute(
        f"insert into _jours select date_event, min(rowid), max(rowid) from {schema.TABLE}"
        " group by date_event"
    )
    cells, positions = _positions(db)
    # Byte 0 is unused: rowids start at 1.
    db.execute("insert into _cellules values (1, ?)", [bytes(1) + cells])
    for member, transfers in _transfers_away(db).items():
        own = positions.get(schema.Filter(member=member).name, ())
        positions[schema.Filter(team=member).name] = array("I", sorted({*transfers, *own}))
    rows = ((name, rowids.tobytes()) for name, rowids in positions.items())
    db.executemany("insert into _positions values (?, ?)", rows)
    return digest.of_lines(db)


def _positions(db: sqlite3.Connection) -> tuple[bytes, dict[str, array[int]]]:
    """Each row's cell, in rowid order, and each filter's rowids but for those of teams."""
    cells = bytearray()
    by_cell: list[array[int]] = [array("I") for _ in schema.CELLS]
    by_member: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for rowid, chamber, type_, source, member in db.execute(
        f"select rowid, chambre, type, source, elu_id from {schema.TABLE} order by 1"
    ):
        cell = schema.CELLS[chamber, type_, source]
        cells.append(cell)
        by_cell[cell].append(rowid)
        if member:
            by_member[schema.Filter(member=member).name].append(rowid)
    # Fast, because each part is sorted already.
    by_category = {
        category.name: array(
            "I", sorted(chain.from_iterable(by_cell[cell] for cell in category.cells))
        )
        for category in schema.category_filters()
    }
    return bytes(cells), by_category | by_member


def _transfers_away(db: sqlite3.Connection) -> dict[str, list[int]]:
    """The transfers that leave each member, as stays tell it: a movement has the member's name alone."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for member, rowid in db.execute(
        f"""
        select c.elu_id, m.rowid from {schema.TENURES} c
        join {schema.TABLE} m on m.id = c.mouvement_fin and m.elu_id is not c.elu_id
        where m.type = 'transfert' order by 1, 2
        """
    ):
        found[member].append(rowid)
    return found
