"""Totals and pages from positions are those of plain SQL, for every filter."""

import itertools
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.api.parameters.search_parameters import Search
from datasette_mouvements.api.search import cut_page
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.schema import MOVEMENTS, Filter
from datasette_mouvements.dataset.served.lru import LRUCache
from datasette_mouvements.dataset.served.rows import lines_among, lines_between
from datasette_mouvements.dataset.served.snapshot import NotServable, Snapshot
from datasette_mouvements.dataset.stays.evidence import UNDER_NAME
from datasette_mouvements.pages.explorer.filters import CONDITIONS
from parlement_lists.movement import CHAMBERS, SOURCES, TYPES


@pytest.fixture(scope="module")
def at(built: Path) -> Iterator[SimpleNamespace]:
    """The file open as a small one, whose lines are in a file of their own, as a large one, and by SQL."""
    snapshot, db = Snapshot(built), sqlite3.connect(built)
    large = Snapshot(built, lines_bytes=0)
    yield SimpleNamespace(snapshot=snapshot, large=large, db=db)
    snapshot.close()
    large.close()
    db.close()


def by_sql(db: sqlite3.Connection, search: Search) -> tuple[list[str], int]:
    """The page's identifiers and the total as a plain query gives them."""
    given = [
        (sql, getattr(search, name)) for name, sql in CONDITIONS.items() if getattr(search, name)
    ]
    where = " and ".join(sql for sql, _ in given) or "1"
    values = [value for _, value in given]
    ids = db.execute(
        f"select id from mouvements m where {where} order by date_event desc, rowid desc"
        " limit ? offset ?",
        [*values, search.limit, search.offset],
    ).fetchall()
    (total,) = db.execute(f"select count(*) from mouvements m where {where}", values).fetchone()
    return [id for (id,) in ids], total


def by_positions(at: SimpleNamespace, search: Search) -> tuple[list[str], int]:
    """The same of a snapshot, whose lines are the same bytes wherever they come from."""
    rowids = at.snapshot.known(search.filter())
    rowids = at.snapshot.rowids(search.filter()) if rowids is None else rowids
    page = cut_page(at.snapshot, rowids, search)
    lines, total = cut_page(at.large, rowids, search)
    assert (b"".join(lines), total) == (b"".join(page.lines), page.total)
    return [m["id"] for m in json.loads(b"[%b]" % b"".join(lines))], total


def test_every_filter_gives_what_sql_gives(at: SimpleNamespace) -> None:
    """Each filter with each first day, beside a last day that is another one for the next filter."""
    days = [d for (d,) in at.db.execute("select distinct date_event from mouvements order by 1")]
    edges = ("", days[0], days[len(days) // 3], "2025-05-05", days[-1], "1999-01-01", "2050-01-01")
    filters = list(itertools.product(("", *CHAMBERS), ("", *TYPES), ("", *SOURCES)))
    assert len(filters) > len(edges)
    for number, categories in enumerate(filters):
        for place, depuis in enumerate(edges):
            jusqua = edges[(place + number) % len(edges)]
            for limit, offset in ((1, 0), (7, 5), (500, 0), (100, 10**6)):
                search = Search(*categories, depuis, jusqua, limit=limit, offset=offset)
                assert by_positions(at, search) == by_sql(at.db, search)


def test_every_member_gives_what_sql_gives(at: SimpleNamespace) -> None:
    members = [e for (e,) in at.db.execute("select distinct elu_id from mouvements")]
    assert len(members) > 10
    for elu, type_ in itertools.product([*members, "nobody"], ("", *TYPES)):
        search = Search(type=type_, elu=elu, limit=3)
        assert by_positions(at, search) == by_sql(at.db, search)


def test_a_member_with_many_rows_is_left_to_a_thread(built: Path) -> None:
    snapshot = Snapshot(built, short=0)
    asked = Filter(member=json.loads(bytes(*snapshot.lines(range(1, 2))))["elu_id"])
    assert snapshot.known(asked) is None
    found = snapshot.rowids(asked)
    assert len(found) > 0
    assert snapshot.known(asked) is None  # what a thread has read is kept by the event loop
    snapshot.keep(asked, found)
    assert snapshot.known(asked) is found
    snapshot.close()


def test_a_member_with_few_enough_rows_is_found_at_once(at: SimpleNamespace, built: Path) -> None:
    member, count = at.db.execute(
        "select elu_id, count(*) from mouvements group by elu_id order by 2 desc limit 1"
    ).fetchone()
    assert count > 1
    for short, found in ((count, True), (count - 1, False)):
        with closing(Snapshot(built, short=short)) as snapshot:
            assert (snapshot.known(Filter(member=member)) is not None) == found


def test_lines_are_in_a_file_up_to_so_many_bytes(at: SimpleNamespace, built: Path) -> None:
    (size,) = at.db.execute("select sum(length(cast(json as blob))) from _lignes").fetchone()
    size += at.snapshot.rows  # a comma behind each
    for most in (size, size - 1):
        with closing(Snapshot(built, lines_bytes=most)) as snapshot:
            assert (snapshot.line_file is not None) == (most == size)


def test_more_positions_than_movements_are_a_fault_of_the_file(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.execute("update _positions set rowids = zeroblob(400000) where filtre = 'senat||'")
        db.commit()
    with closing(Snapshot(database)) as snapshot, pytest.raises(NotServable, match="positions"):
        snapshot.rowids(Filter("senat"))


def test_a_page_is_found_by_rowid_and_not_by_a_scan(at: SimpleNamespace) -> None:
    plans = [
        " ".join(str(row[3]) for row in at.db.execute(f"explain query plan {sql}", values))
        for sql, values in (
            (lines_between(MOVEMENTS), (1, 9)),
            (lines_among(MOVEMENTS), ("[3, 2]",)),
            (UNDER_NAME, ("un nom", "senat", "1Z", "2025-01-01")),
        )
    ]
    assert all("SEARCH" in plan and "INTEGER PRIMARY KEY" in plan for plan in plans)
    assert not any("SCAN _lignes" in plan or "SCAN l " in plan for plan in plans)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("drop table _lignes", "no table _lignes"),
        (
            "drop table _noms; update _publication set valeur = '4' where cle = 'schema'",
            "version 4",
        ),
        ("update _publication set valeur = '0' where cle = 'schema'", "schema version 0"),
        ("delete from _lignes where rowid = (select max(rowid) from _lignes)", "do not count"),
        ("update _cellules set cellules = x'00'", "do not count"),
        ("update _jours set premier = 'x'", "not a readable movements database"),
        ("update _jours set premier = -1", "not a readable movements database"),
        ("update _cellules set cellules = 7", "not a readable movements database"),
        ("delete from _cellules", "not a readable movements database"),
        ("delete from _publication where cle = 'mouvements'", "not a readable movements database"),
        ("update _publication set valeur = 'x' where cle = 'mouvements'", "not a readable"),
    ],
)
def test_a_file_that_cannot_be_served_says_why(database: Path, sql: str, why: str) -> None:
    db = sqlite3.connect(database)
    db.executescript(sql)
    db.close()
    with pytest.raises(NotServable, match=why):
        Snapshot(database)


SPOILED = {
    "two filters' positions are swapped": "update _positions set filtre = 'x' where filtre = 'senat||';"
    " update _positions set filtre = 'senat||' where filtre = 'europarl||';"
    " update _positions set filtre = 'europarl||' where filtre = 'x'",
    "a day begins later": "update _jours set premier = premier + 1 where premier = 1",
    "a cell is another": "update _cellules set cellules ="
    " cast(x'00' || x'05' || substr(cellules, 3) as blob)",
    "a stay's line is another": "insert into _lignes_collaborations values (1, x'7b7d')",
    "a line is another": "update _lignes set json = replace(json, 'senat', 'Senat')",
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_tables_that_are_not_of_one_build_are_noticed(database: Path, spoiled: str) -> None:
    with closing(Snapshot(database)) as good:
        assert good.sound() == ""
    with closing(sqlite3.connect(database)) as db:
        db.executescript(SPOILED[spoiled])
    with closing(Snapshot(database)) as snapshot:
        assert snapshot.sound() == "its tables are not of one build"
    version = "the data's version is not that of its movements"
    positions = "the positions are not those that were built"
    assert {version, positions} & set(inspect(database)) == {
        version if spoiled.startswith("a line") else positions
    }


def test_what_may_pass_while_the_file_stays_as_it_is_is_not_its_fault(database: Path) -> None:
    snapshot = Snapshot(database)
    database.unlink()
    with pytest.raises(OSError, match="unable to open"):
        Snapshot(database)
    with pytest.raises(OSError, match="unable to open"):
        snapshot.sound()
    snapshot.close()


def test_what_is_kept_stays_within_its_weight_and_forgets_the_longest_unused() -> None:
    kept: LRUCache[str, str] = LRUCache(10)
    for key in "abc":
        kept.put(key, key, 4)
    assert (kept.get("a"), kept.get("c"), kept.weight) == (None, "c", 8)
    kept.get("b")
    kept.put("d", "d", 4)
    assert (kept.get("b"), kept.get("c")) == ("b", None)
    kept.put("e", "too heavy", 11)
    assert kept.get("e") is None
    kept.put("f", "just fits", 2)
    kept.put("f", "is there already", 2)
    assert [kept.get(key) for key in "bdf"] == ["b", "d", "just fits"]
    assert kept.weight == 10
