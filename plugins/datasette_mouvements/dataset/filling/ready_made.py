"""The tables that answers come from: lines, days, cells and the positions of each filter."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from itertools import chain

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES

from .. import digest, schema

_NO_TEAM = "filtre not like 'equipe=%'"
# A merge patch leaves out what is null: exactly "fields with no value are left out".
LINE_SQL = (
    "cast(json_patch('{}', json_object("
    + ", ".join(f"'{name}', {name}" for name in FIELD_NAMES)
    + ")) as blob)"
)


def fill_ready_made(db: sqlite3.Connection, first: int) -> str:
    """Make the tables that answers come from, lines only where they are fresh; returns the data's version."""
    fresh = f"rowid in (select n from staged.fresh_{schema.TABLE})"
    db.execute(f"delete from _lignes where rowid >= {first} or {fresh}")
    db.execute(
        f"insert into _lignes select rowid, {LINE_SQL} from {schema.TABLE} where {fresh} order by rowid"
    )
    db.execute("delete from _jours")
    db.execute(
        f"insert into _jours select date_event, min(rowid), max(rowid) from {schema.TABLE}"
        " group by date_event"
    )
    _fill_positions(db, first)
    return digest.of_lines(db)


def _fill_positions(db: sqlite3.Connection, first: int) -> None:
    """Fill `_cellules` and `_positions` from the first rowid on that is fresh; what comes before stays."""
    (low,) = db.execute(f"select min(n) from staged.fresh_{schema.TABLE}").fetchone()
    low = min(low or first, first)
    # Byte 0 is unused: rowids start at 1.
    (stood,) = db.execute("select cellules from _cellules").fetchone() or (bytes(1),)
    cells, found = _positions(db, low)
    db.execute("insert or replace into _cellules values (1, ?)", [stood[:low] + cells])
    changed: dict[str, bytes] = {}
    for name, rowids in db.execute(f"select filtre, rowids from _positions where {_NO_TEAM}"):
        kept = 4 * bisect_left(memoryview(rowids).cast("I"), low)
        more = found.pop(name, array("I"))
        if more or kept < len(rowids):
            changed[name] = rowids[:kept] + more.tobytes()
    changed |= {name: rowids.tobytes() for name, rowids in found.items()}
    db.executemany(
        "insert into _positions values (?, ?) on conflict (filtre) do update set rowids = excluded.rowids",
        changed.items(),
    )
    db.execute(
        f"delete from _positions where not ({_NO_TEAM}) or rowids = x'' and filtre like 'elu=%'"
    )
    for member, transfers in _transfers_away(db).items():
        sql = "select rowids from _positions where filtre = ?"
        (own,) = db.execute(sql, [schema.Filter(member=member).name]).fetchone() or (b"",)
        both = array("I", sorted({*transfers, *memoryview(own).cast("I")}))
        row = schema.Filter(team=member).name, both.tobytes()
        db.execute("insert into _positions values (?, ?)", row)


def _positions(db: sqlite3.Connection, low: int) -> tuple[bytes, dict[str, array[int]]]:
    """Each row's cell, in rowid order, and each filter's rowids but for those of teams, from a rowid on."""
    cells = bytearray()
    by_cell: list[array[int]] = [array("I") for _ in schema.CELLS]
    by_member: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for rowid, chamber, type_, source, member in db.execute(
        f"select rowid, chambre, type, source, elu_id from {schema.TABLE} where rowid >= ? order by 1",
        [low],
    ):
        cell = schema.CELLS[chamber, type_, source]
        cells.append(cell)
        by_cell[cell].append(rowid)
        if member:
            by_member[schema.Filter(member=member).name].append(rowid)
    # Fast, because each part is sorted already.
    found = {
        one.name: array("I", sorted(chain.from_iterable(by_cell[cell] for cell in one.cells)))
        for one in schema.category_filters()
    }
    return bytes(cells), found | by_member


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
