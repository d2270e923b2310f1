"""The rows that a run gives, put in their places among those of a file that stay as they are."""

from __future__ import annotations

from collections.abc import Iterable

from datasette.utils.sqlite import sqlite3

from .. import schema

# Rowids follow these columns; of movements that are equal in them, the order in which they came.
_ORDER = {schema.TABLE: "date_event", schema.TENURES: "debut, chambre, id"}
# `same`: given rows that keep the place of the row of their identifier; `fresh`: the rowids of those of
# them that say something else.
_COMPARED = """
    create table staged.same_{table} as select m.rowid as n, m.id from staged.{table} g
    join main.{table} m on m.id = g.id where ({order_g}) is ({order_m});
    create unique index staged.of_same_{table} on same_{table} (id);
    delete from staged.gone_{table} where id in (select id from staged.same_{table});
    insert or ignore into staged.gone_{table} select id from staged.{table}
    where id in (select id from main.{table}) and id not in (select id from staged.same_{table});
    create table staged.fresh_{table} (n integer primary key);
    insert into staged.fresh_{table} select s.n from staged.same_{table} s
    join staged.{table} g on g.id = s.id join main.{table} m on m.rowid = s.n
    where ({columns_g}) is not ({columns_m})
"""
_NEW = "from staged.{table} where id not in (select id from staged.same_{table})"
_FIRST = f"""
    select min(first) from (
      select min(rowid) as first from main.{{table}} where id in (select id from staged.gone_{{table}})
      union all select min(rowid) from main.{{table}}
      where ({{order}}) > (select {{order}} {_NEW} order by {{order}} limit 1)
      union all select coalesce(max(rowid), 0) + 1 from main.{{table}})
"""
_MOVED = f"""
    create table staged.old_{{table}} (n integer primary key, {{columns}});
    insert into staged.old_{{table}} select rowid, {{columns}} from main.{{table}}
    where rowid >= {{first}} or rowid in (select n from staged.fresh_{{table}}) order by rowid;
    update main.{{table}} set ({{columns}}) =
    (select {{columns}} from staged.{{table}} g where g.id = {{table}}.id)
    where rowid in (select n from staged.fresh_{{table}});
    create table staged.moved_{{table}} as select {{columns}} from main.{{table}}
    where rowid >= {{first}} and id not in (select id from staged.gone_{{table}}) order by rowid;
    delete from main.{{table}} where rowid >= {{first}};
    insert into main.{{table}} ({{columns}}) select {{columns}} from (
      select {{columns}}, 0 as new, rowid as n from staged.moved_{{table}}
      union all select {{columns}}, 1, n {_NEW})
    order by {{order}}, new, n;
    insert or ignore into staged.fresh_{{table}} select rowid from main.{{table}} where rowid >= {{first}}
"""


def stage(db: sqlite3.Connection, table: str, gone: Iterable[str], more: str = "") -> None:
    """Make room for what is given of movements or stays, with `more` columns; `gone` are identifiers that go."""
    columns = ", ".join(column.name for column in schema.columns(table))
    db.execute(f"create table staged.{table} (n integer primary key, {columns}{more})")
    db.execute(f"create index staged.of_{table} on {table} (id)")
    db.execute(f"create table staged.gone_{table} (id text primary key) without rowid")
    rows = ((id,) for id in gone)
    db.executemany(f"insert or ignore into staged.gone_{table} values (?)", rows)


def merge(db: sqlite3.Connection, table: str) -> int:
    """Put what is staged in its place: a row that keeps it is changed there, all that come after another are written again.

    Returns the first rowid that is new, or another row's now. `staged.fresh_TABLE` has all such rowids and
    those of rows that changed in their place, `staged.old_TABLE` the rows that had these rowids.
    """
    columns = [column.name for column in schema.columns(table)]
    order = _ORDER[table].split(", ")
    names = {"table": table}
    for name, of in (("columns", columns), ("order", order)):
        names[name] = ", ".join(of)
        names |= {f"{name}_{one}": ", ".join(f"{one}.{n}" for n in of) for one in "gm"}
    db.executescript(_COMPARED.format(**names))
    (first,) = db.execute(_FIRST.format(**names)).fetchone()
    db.executescript(_MOVED.format(**names, first=first))
    return int(first)
