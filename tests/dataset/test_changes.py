"""The feed of changes that each run writes: its numbers, instants and runs, over every kind of file before."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import changes
from datasette_mouvements.dataset.changes import Cursor, CursorGone, parse_cursor
from datasette_mouvements.dataset.input_files import InputRefused
from datasette_mouvements.dataset.schema import MOVEMENTS
from datasette_mouvements.dataset.served import DataVersion
from tests.building.follower import changes_of
from tests.published import write

from .conftest import movement

NOW = datetime(2026, 3, 1, 6, tzinfo=UTC)


def publish(path: Path, ids: Iterable[str], day: int = 0, function: str = "") -> DataVersion:
    """The file built over by movements of these identifiers, so many days after the first."""
    given = [(n, movement(id=f"mvt_{id}", fonction=function)) for n, id in enumerate(ids, 1)]
    write(path, [("given", given)], now=NOW + timedelta(days=day))
    return DataVersion(path)


def told(snapshot: DataVersion, after: int = 0) -> list[tuple[str, bool]]:
    found = changes_of(snapshot, after=after)
    return [(change["id"].removeprefix("mvt_"), "mouvement" in change) for change in found]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "movements.db"


def test_what_a_run_changes_goes_to_the_end_and_the_rest_keeps_its_place(path: Path) -> None:
    first = publish(path, "abc").cursor
    second = publish(path, "bcd")
    assert told(second) == [("b", True), ("c", True), ("a", False), ("d", True)]
    assert told(second, first.seq) == [("a", False), ("d", True)]
    last = publish(path, "abcd")
    assert told(last) == [(id, True) for id in "bcda"]
    # What says something else is published again.
    other = publish(path, "abcd", function="Assistante")
    assert told(other, last.cursor.seq) == [(id, True) for id in "abcd"]


def test_a_run_that_changes_no_movement_leaves_the_feed_as_it_is(path: Path) -> None:
    first = publish(path, "abc")
    again = publish(path, "abc", day=1)
    assert again.cursor == first.cursor
    assert (again.published_at, again.built_at) == (first.published_at, "2026-03-02T06:00:00+00:00")


def test_an_identifier_of_any_characters_is_told_as_it_is(path: Path) -> None:
    ids = ["é’\U0001f3db", 'a"b\\c', "\t\x01\x7f", "<&>"]
    publish(path, ids)
    assert {*told(publish(path, ids[:2]))} == {(id, id in ids[:2]) for id in ids}


def test_instants_do_not_fall_when_the_clock_was_set_back(path: Path) -> None:
    publish(path, "a", day=9)
    snapshot = publish(path, "ab", day=0)
    assert snapshot.published_at == "2026-03-10T06:00:00Z"
    told_at = [change["publie_le"] for change in changes_of(snapshot)]
    assert told_at == [snapshot.published_at] * 2


def test_a_place_that_was_read_in_what_a_restored_file_lost_is_gone(path: Path) -> None:
    """Who read the first page before `b` was withdrawn, and the second one after, never saw it."""
    kept = path.with_suffix(".kept")
    first = publish(path, "abcd").feeds[MOVEMENTS]
    shutil.copyfile(path, kept)
    without = publish(path, "acd")
    assert without.feeds[MOVEMENTS].place(first.at(1)) == 1
    assert told(without, 1) == [("c", True), ("d", True), ("b", False)]
    kept.replace(path)
    restored = DataVersion(path)
    assert restored.feeds[MOVEMENTS].place(first.at(3)) == 3
    with pytest.raises(CursorGone):
        restored.feeds[MOVEMENTS].place(without.feeds[MOVEMENTS].at(3))


def test_a_place_within_a_run_is_found_again_and_in_no_other_file(path: Path) -> None:
    empty = publish(path, "").feeds[MOVEMENTS]
    assert parse_cursor(str(empty.end)) == empty.end
    assert empty.place(empty.end) == 0
    feed = publish(path, "abcdef").feeds[MOVEMENTS]
    again = publish(path, "abcdefg").feeds[MOVEMENTS]
    assert [again.place(feed.at(seq)) for seq in range(7)] == list(range(7))
    assert again.place(empty.end) == 0
    with pytest.raises(CursorGone):
        feed.place(feed.end._replace(seq=7))
    path.unlink()
    with pytest.raises(CursorGone):
        publish(path, "abcdef").feeds[MOVEMENTS].place(feed.end)


ZEROS, OTHERS = "0" * 16, "g" * 16


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "a-1-b", ZEROS, f"{ZEROS}--{ZEROS}", f"{ZEROS}-01-{ZEROS}"),
        *(f"{OTHERS}-1-{ZEROS}", f"{ZEROS}-1-{OTHERS}"),
    ],
)
def test_what_no_feed_wrote_is_no_cursor(text: str) -> None:
    assert parse_cursor(text) is None
    assert parse_cursor(f"{ZEROS}-1-{ZEROS}") == Cursor(ZEROS, 1, ZEROS)


def test_a_page_of_the_feed_is_one_statement(path: Path) -> None:
    snapshot = publish(path, [f"{number:020x}" for number in range(600)])
    asked: list[str] = []
    snapshot.db.set_trace_callback(asked.append)
    found = changes_of(snapshot, after=0, most=500)
    assert (len(found), len(asked)) == (500, 1)


def test_the_file_as_it_is_now_tells_whether_it_has_a_place(path: Path) -> None:
    first = publish(path, "a").cursor
    later = publish(path, "ab").cursor
    assert changes.has_place(path, MOVEMENTS, first)
    assert changes.has_place(path, MOVEMENTS, later)
    assert not changes.has_place(path, MOVEMENTS, later._replace(run="0" * 16))
    assert not changes.has_place(path.with_name("none.db"), MOVEMENTS, first)


def test_a_feed_that_cannot_be_read_is_refused_and_stays(path: Path) -> None:
    publish(path, "ab")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update _changements set publie_le = cast(x'ff32' as text)")
    before = path.read_bytes()
    with pytest.raises(InputRefused, match=r"movements\.db: "):
        publish(path, "abc")
    assert path.read_bytes() == before


def test_a_movement_of_before_that_lost_its_line_and_is_gone_is_withdrawn_once(path: Path) -> None:
    publish(path, "ab")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("delete from _lignes where rowid = 1")
    assert told(publish(path, "b")) == [("b", True), ("a", False)]
