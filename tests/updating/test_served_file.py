"""Nothing behind what is served takes its place: readers would lose it, and copies of it too."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.input_files import InputRefused
from datasette_mouvements.updating import update
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.served_file import ServedFile
from parlement_lists.tracking.corrections_file import read
from parlement_lists.tracking.reading.walk import walk
from tests.updating.mornings import version

STATE = "movements.suivi.sqlite3"


def test_a_database_that_is_behind_what_is_served_is_not_published(hired, tmp_path):
    maintainer, copies = keep(hired("NEUVE"), tmp_path)
    served = maintainer.served.read_bytes()
    for _ in range(2):
        shutil.copy(copies / "movements.db", maintainer.database)
        done = maintainer.morning()
        said = "\n".join(done.alarms)
        assert (
            f"{maintainer.served} is not replaced, because {maintainer.database} is behind" in said
        )
        assert done.published is None
        assert set(maintainer.arrivals()) == {"NEUVE", "AUTRE"}
    # The table of nights alone is another.
    assert Published(maintainer.served).publication == lineage(served, tmp_path)


def keep(maintainer, tmp_path):
    """Keep the database and its state, then live for some mornings."""
    copies = tmp_path / "copies"
    shutil.copytree(maintainer.database.parent, copies)
    maintainer.desk.hires("assemblee", "AUTRE")
    maintainer.mornings(9)
    assert set(maintainer.arrivals()) == {"NEUVE", "AUTRE"}
    return maintainer, copies


def lineage(body, tmp_path):
    path = tmp_path / "before.db"
    path.write_bytes(body)
    return Published(path).publication


def test_restoring_both_files_mends_it(hired, tmp_path):
    maintainer = hired("NEUVE")
    maintainer, copies = keep(maintainer, tmp_path)
    last = tmp_path / "last"
    shutil.copytree(maintainer.database.parent, last)
    shutil.copy(copies / "movements.db", maintainer.database)
    assert maintainer.morning().published is None
    for name in ("movements.db", STATE):
        shutil.copy(last / name, maintainer.database.parent)
    assert maintainer.morning().faults == []


def test_what_stands_in_the_way_can_be_moved_away(hired, tmp_path):
    maintainer, copies = keep(hired("NEUVE"), tmp_path)
    for name in ("movements.db", STATE):
        shutil.copy(copies / name, maintainer.database.parent)
    done = maintainer.morning()
    assert "move the served file away" in "\n".join(done.alarms)
    assert done.published is None
    maintainer.served.rename(tmp_path / "away.db")
    done = maintainer.morning()
    assert done.published == version(maintainer.served)
    assert maintainer.morning().faults == []


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("senat/2026-09-14", "senat: its first list is of 2026-09-15, not of 2026-09-14"),
        ("senat/2026-10-02", "senat: its last list is of 2026-09-15, not of 2026-10-02"),
        ("europarl", "europarl: its first list is of no day, not of 2026-09-14"),
        ("nothing", ""),
    ],
)
def test_a_database_made_anew_of_fewer_lists_is_behind(hired, tmp_path, left_out, said):
    maintainer, _ = keep(hired("NEUVE"), tmp_path)
    lists = [f for f in walk([maintainer.lists]).files if not f.name.startswith(left_out)]
    anew = tmp_path / "anew.db"
    update.build(anew, update.Inputs(source="suivi", lists=lists), maintainer.now)
    refused = []
    try:
        ServedFile(maintainer.served, anew).refuse_older()
    except InputRefused as error:
        refused = error.lines()
    assert len(refused) == bool(said)
    assert said in "".join(refused)


def test_a_chamber_whose_first_list_is_refused_by_name_is_published_again(hired):
    maintainer = hired("NEUVE")
    maintainer.desk.hires("senat", "AUTRE")
    maintainer.mornings(9)
    first = min((maintainer.lists / "senat").glob("*.csv")).stem
    maintainer.corrections.write_text(
        f"- {{date: 2026-09-15, raison: faux, refuser: senat/{first}}}\n"
    )
    corrections = read(maintainer.corrections)
    lists = walk([maintainer.lists]).files
    inputs = update.Inputs(source="suivi", lists=lists, corrections=corrections)
    update.build(maintainer.database, inputs, maintainer.now)
    done = maintainer.morning()
    assert done.alarms == []
    assert done.published == version(maintainer.served)


def test_invented_people_never_take_the_place_of_real_ones(maintainer, tmp_path):
    maintainer.mornings(3)
    other = tmp_path / "other" / "movements.db"
    other.parent.mkdir()
    lists = walk([maintainer.lists]).files
    update.build(other, update.Inputs(source="suivi", lists=lists, invented=True), maintainer.now)
    with pytest.raises(InputRefused, match="its people are invented"):
        ServedFile(maintainer.served, other).refuse_older()


@pytest.mark.parametrize(("schema", "version"), [("99", "a newer"), ("6", "an older")])
def test_a_served_file_of_another_version_is_not_replaced(maintainer, schema, version):
    """Nobody can compare what it holds; an older one may be all that is left of ten years."""
    maintainer.mornings(2)
    with closing(sqlite3.connect(maintainer.served)) as db, db:
        db.execute("update _publication set valeur = ? where cle = 'schema'", [schema])
        if schema == "6":
            db.execute("drop table nuits")
    served = maintainer.served.read_bytes()
    done = maintainer.morning()
    assert f"made by {version} version" in "".join(done.alarms)
    assert (done.published, maintainer.served.read_bytes()) == (None, served)


def test_a_damaged_served_file_is_replaced(maintainer):
    maintainer.mornings(2)
    maintainer.served.write_bytes(b"x" * 5000)
    assert maintainer.morning().published is not None
