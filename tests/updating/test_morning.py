"""The morning run: what fails holds back neither the other chambers nor corrections and masks."""

from __future__ import annotations

import datetime
import json
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating import update
from datasette_mouvements.updating.morning import MorningRun
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.served_file import ServedFile
from parlement_lists.sources import hooks
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.hooks import OriginalRefused
from parlement_lists.tracking.reading.walk import walk
from tests.updating.mornings import MEMBERS, Desk, Maintainer, holds, rows, version

NOTHING_TRACKED = "nothing was tracked: no new list is taken until this is mended"


def test_what_changes_is_published(maintainer):
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.morning()
    # An arrival may answer somebody's absence, which takes a week to be sure of.
    maintainer.mornings(8)
    assert maintainer.arrivals() == ["NEUVE"]
    assert inspect(maintainer.served) == []
    assert maintainer.served.stat().st_mode & 0o777 == 0o644


def test_run_twice_a_day_it_adds_nothing(hired):
    maintainer = hired("NEUVE")
    before = maintainer.served.stat().st_mtime_ns, maintainer.database.read_bytes()
    again = maintainer.morning(0)
    assert (again.published, again.alarms) == ("", [])
    assert (maintainer.served.stat().st_mtime_ns, maintainer.database.read_bytes()) == before


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        (FetchFailed("status 404"), "failed"),
        (KeyError("a fault of the source"), "failed"),
        (OriginalRefused("page 3: two editions"), "refused"),
        (rows("europarl", 20), "refused"),  # under half of the last list
    ],
)
def test_a_source_that_fails_holds_back_neither_another_chamber_nor_a_mask(hired, wrong, status):
    maintainer = hired("NEUVE", "CACHEE")
    assert holds(maintainer.served, "CACHEE")
    maintainer.masks("CACHEE")
    maintainer.desk.published["europarl"] = wrong
    done = maintainer.morning()
    assert [result.status for result in done.fetched] == ["unchanged", "unchanged", status]
    assert len(done.alarms) == 1
    assert done.alarms[0].startswith(f"europarl: {status} ")
    assert not holds(maintainer.served, "CACHEE")
    assert not holds(maintainer.database, "CACHEE")
    assert sorted(maintainer.arrivals()) == ["NEUVE", "masked"]


def test_a_list_that_tracking_refuses_holds_back_neither(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    maintainer.desk.hires("assemblee", "NEUVE")
    # A quarter of the members are gone, and no renewal is known.
    maintainer.desk.published["europarl"] = rows("europarl", 45)
    done = maintainer.morning()
    assert [result.status for result in done.fetched] == ["new", "unchanged", "new"]
    assert len(done.alarms) == 1
    assert "europarl: the newest list is refused" in done.alarms[0]
    assert not holds(maintainer.served, "CACHEE")
    done = maintainer.mornings(9)
    assert sorted(maintainer.arrivals()) == ["NEUVE", "masked"]
    assert (
        "europarl: the newest list is refused"
        in done.matters["suivi/europarl/refusee/trop d’élus disparus"]
    )


def test_a_correction_that_matches_nothing_holds_no_mask_back(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    with maintainer.corrections.open("a") as file:
        file.write("- {date: 2026-09-14, raison: x, retirer: mvt_00000000000000000000}\n")
    done = maintainer.morning()
    assert done.tracked is None
    assert done.alarms[1:] == [NOTHING_TRACKED]
    assert "retirer" in done.alarms[0]
    assert not holds(maintainer.served, "CACHEE")
    assert done.published == ""


def test_a_lost_state_holds_no_mask_back(hired):
    maintainer = hired("CACHEE")
    maintainer.database.with_name("movements.suivi.sqlite3").unlink()
    maintainer.masks("CACHEE")
    done = maintainer.morning()
    assert done.alarms[1:] == [NOTHING_TRACKED]
    assert "is missing" in done.alarms[0]
    assert not holds(maintainer.served, "CACHEE")


def test_without_the_packages_of_its_sources_a_run_masks_and_does_nothing_else(maintainer):
    maintainer.desk.hires("senat", "CACHEE")
    maintainer.mornings(2)
    maintainer.masks("CACHEE")

    def start():
        raise hooks.PackagesMissing("senat needs pypdfium2")

    maintainer.run.start = start
    done = maintainer.morning()
    assert (done.alarms, done.tracked, done.published) == (["senat needs pypdfium2"], None, None)
    assert maintainer.arrivals() == ["masked"]


def test_a_database_that_is_not_sound_is_not_published_and_the_served_one_is_masked(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    maintainer.run.check = lambda path: ["a row is wrong"]
    done = maintainer.morning()
    assert done.alarms == [f"{maintainer.database}: a row is wrong"]
    assert done.published is None
    assert not holds(maintainer.served, "CACHEE")
    assert maintainer.arrivals() == ["masked"]


class Moon(Exception):
    """What nobody foresaw; its text may name somebody."""


@pytest.mark.parametrize("error", [Moon("CACHEE"), MemoryError(), sqlite3.IntegrityError("CACHEE")])
@pytest.mark.parametrize("step", ["start", "check"])
def test_whatever_fails_a_mask_is_applied(hired, step, error):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")

    def fails(*path):
        raise error

    setattr(maintainer.run, step, fails)
    done = maintainer.morning()
    assert f"not foreseen: {type(error).__name__} in tests.updating.test_morning" in done.alarms[0]
    assert "CACHEE" not in str(done.as_json())
    assert not holds(maintainer.served, "CACHEE")
    assert done.masked == {str(maintainer.database): 2, str(maintainer.served): 2}


def test_a_state_that_cannot_be_read_is_told(hired):
    maintainer = hired("NEUVE", "CACHEE")
    maintainer.masks("CACHEE")
    state = maintainer.database.with_name("movements.suivi.sqlite3")
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("update etats set etat = 'not json'")
    alarm, nothing = maintainer.morning().alarms
    assert nothing == NOTHING_TRACKED
    assert "the tracking state cannot be read" in alarm
    assert not holds(maintainer.served, "CACHEE")


def test_a_mask_beside_a_faulty_correction_is_applied_and_nothing_is_published(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    with maintainer.corrections.open("a") as file:
        file.write("- {date: 2026-09-14, raison: x, accepter: nonsense}\n")
    maintainer.desk.hires("senat", "NEUVE")
    done = maintainer.morning()
    assert done.tracked is None
    assert done.published is None
    assert len(done.alarms) == 1
    assert not holds(maintainer.served, "CACHEE")


def test_a_reason_that_names_somebody_masks_nobody(hired):
    """The reason is published with the mask."""
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    text = maintainer.corrections.read_text().replace("demandé", "CACHEE Zoé le demande")
    maintainer.corrections.write_text(text)
    done = maintainer.morning()
    assert "must not repeat the name" in done.alarms[0]
    assert not holds(maintainer.served, "le demande")


def test_a_served_link_leads_to_what_is_replaced(hired, tmp_path):
    maintainer = hired("CACHEE")
    target = tmp_path / "elsewhere.db"
    maintainer.served.rename(target)
    maintainer.served.symlink_to(target)
    maintainer.run.served = ServedFile(maintainer.served.resolve(), maintainer.database)
    maintainer.masks("CACHEE")
    assert maintainer.morning().published
    assert maintainer.served.is_symlink()
    assert not holds(target, "CACHEE")


def test_a_served_file_that_is_damaged_is_replaced(maintainer):
    with maintainer.served.open("r+b") as file:
        file.seek(-4096, 2)
        file.write(bytes(4096))
    assert inspect(maintainer.served) != []
    maintainer.morning(0)
    assert inspect(maintainer.served) == []


def test_a_database_that_is_lost_is_not_begun_anew_over_what_is_served(hired):
    maintainer = hired("CACHEE")
    before = maintainer.arrivals()
    for path in maintainer.database.parent.iterdir():
        path.unlink()
    done = maintainer.morning()
    assert done.alarms[0].startswith(f"{maintainer.database} is not there, and {maintainer.served}")
    assert maintainer.arrivals() == before
    maintainer.masks("CACHEE")
    maintainer.morning()
    assert maintainer.arrivals() == ["masked"]
    maintainer.served.unlink()
    maintainer.corrections.write_text("")
    # Only of the list, which is the same since the first day.
    (told,) = maintainer.morning().alarms
    assert told.startswith("senat: the list has not changed for 11 days, since 2026-09-15")
    assert maintainer.served.exists()


def test_who_is_missing_from_the_newest_list_of_a_first_run_may_be_back(hired):
    maintainer = hired("ABSENTE")
    for path in [*maintainer.database.parent.iterdir(), maintainer.served]:
        path.unlink()
    present = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = present[:-1]
    done = maintainer.morning()
    assert (done.alarms, done.tracked.report.held) == ([], 1)
    assert [(t.collab_nom, t.fin) for t in stays(maintainer, "ABSENTE")] == [("ABSENTE", "")]
    maintainer.desk.published["senat"] = present
    assert maintainer.morning().tracked.report.held == 0
    with closing(sqlite3.connect(maintainer.served)) as db:
        assert db.execute("select type, collab_nom from mouvements").fetchall() == [
            ("arrivee", "ABSENTE")
        ]


def stays(maintainer, person):
    return [stay for stay in Published(maintainer.served).tenures() if stay.collab_nom == person]


def test_a_mask_of_what_is_served_is_not_undone_by_a_database_without_it(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    log = maintainer.database.with_name("movements.db-wal")
    log.write_bytes(b"x")
    done = maintainer.morning()
    assert holds(maintainer.database, "CACHEE")
    assert not holds(maintainer.served, "CACHEE")
    assert done.published is None
    another = f"{log}: another program writes to the database; close it first"
    assert done.alarms == [another, NOTHING_TRACKED]


def test_a_database_that_is_a_link_leaves_no_name_behind(hired, tmp_path):
    maintainer = hired("CACHEE")
    target = tmp_path / "real" / "movements.db"
    maintainer.database.parent.rename(target.parent)
    maintainer.database.parent.mkdir()
    maintainer.database.symlink_to(target)
    paths = maintainer.database, maintainer.served, maintainer.corrections
    maintainer.run = MorningRun(
        maintainer.lists, maintainer.start, *paths, 250, lambda: maintainer.now
    )
    assert holds(target, "CACHEE")
    maintainer.masks("CACHEE")
    maintainer.morning()
    assert not holds(target, "CACHEE")


def test_two_runs_at_once_are_one(maintainer):
    before = maintainer.served.read_bytes()
    maintainer.desk.hires("senat", "NEUVE")
    with maintainer.run._locked():
        done = maintainer.morning()
    assert done.alarms == [f"{maintainer.database}: another daily run is at work on it"]
    assert (done.fetched, maintainer.served.read_bytes()) == ([], before)


def test_corrections_that_cannot_be_read_publish_nothing(maintainer):
    before = Published(maintainer.served).publication
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.corrections.write_text("- nonsense\n")
    done = maintainer.morning()
    assert [result.status for result in done.fetched] == ["unchanged", "new", "unchanged"]
    assert done.alarms[1:] == [f"{maintainer.corrections}: no mask of it was applied"]
    assert Published(maintainer.served).publication == before
    maintainer.corrections.write_text("")
    maintainer.mornings(9)
    assert maintainer.arrivals() == ["NEUVE"]


def test_a_package_that_is_broken_holds_back_no_chamber(maintainer):
    maintainer.desk.hires("senat", "NEUVE")
    usual = maintainer.run.start
    maintainer.run.start = lambda: usual()._replace(broken=["package moon: no module"])
    done = maintainer.morning()
    assert done.alarms == ["package moon: no module"]
    maintainer.mornings(9)
    assert maintainer.arrivals() == ["NEUVE"]


def test_before_any_list_nothing_is_published(tmp_path):
    maintainer = Maintainer(tmp_path)
    for chamber in MEMBERS:
        maintainer.desk.published[chamber] = FetchFailed("status 404")
    done = maintainer.morning()
    assert done.published is None
    assert not maintainer.served.exists()
    assert not maintainer.database.exists()
    assert len(done.alarms) > 3
    maintainer.desk.published = Desk().published
    assert maintainer.morning().alarms == []
    assert maintainer.served.exists()


@pytest.mark.parametrize("dies_in", ["fetch", "publish"])
def test_a_run_that_dies_is_gone_on_with(maintainer, dies_in):
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.mornings(8)
    published, check = maintainer.desk.published["europarl"], maintainer.run.check

    def dies(path):
        raise KeyboardInterrupt

    if dies_in == "fetch":
        maintainer.desk.published["europarl"] = KeyboardInterrupt()
    else:
        maintainer.run.check = dies
    with pytest.raises(KeyboardInterrupt):
        maintainer.morning()
    maintainer.desk.published["europarl"], maintainer.run.check = published, check
    done = maintainer.morning(0)
    assert done.alarms == []
    assert maintainer.arrivals() == ["NEUVE"]


def test_what_a_killed_copy_left_is_swept(hired):
    maintainer = hired("CACHEE")
    left = maintainer.served.with_name(".movements.db.build-abc")
    left.write_text("half")
    maintainer.masks("CACHEE")
    assert maintainer.morning().published
    assert sorted(path.name for path in maintainer.served.parent.iterdir()) == ["movements.db"]


def test_members_that_cannot_be_read_hold_no_mask_back(hired):
    maintainer = hired("CACHEE")
    maintainer.masks("CACHEE")
    folder = maintainer.run.lists / "elus"
    folder.mkdir(exist_ok=True)
    (folder / "mandats.csv").write_text("nothing\n")
    done = maintainer.morning()
    assert done.alarms
    assert not holds(maintainer.served, "CACHEE")


def test_the_report_says_what_was_done(maintainer):
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.desk.published["europarl"] = FetchFailed("status 404")
    done = maintainer.morning()
    lines = list(done.lines())
    assert lines[0].startswith("assemblee: unchanged ")
    assert lines[1].startswith("senat: new ")
    assert done.alarms == ["europarl: failed status 404"]
    told = json.loads(json.dumps(done.as_json()))
    assert told["day"] == "2026-09-15"
    assert [one["status"] for one in told["fetched"]] == ["unchanged", "new", "failed"]
    assert told["alarms"] == done.alarms
    assert told["published"] == version(maintainer.served)


def test_a_build_of_the_same_lists_gives_the_same(hired, tmp_path):
    maintainer = hired("NEUVE")

    again = tmp_path / "again.db"
    inputs = update.Inputs(source="suivi", lists=walk([maintainer.run.lists]).files)
    update.build(again, inputs, maintainer.now)
    assert version(again) == version(maintainer.served)


def test_what_a_clock_ahead_left_is_built_again_by_hand(maintainer):
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.morning(365)
    ahead = f"{maintainer.now:%Y-%m-%d}"
    maintainer.now -= datetime.timedelta(365)
    done = maintainer.morning(1)
    assert f"the last list taken is of {ahead}, a day to come" in "\n".join(done.alarms)
    for path in maintainer.lists.glob(f"*/{ahead}.csv"):
        path.unlink()
    inputs = update.Inputs(source="suivi", lists=walk([maintainer.lists]).files)
    update.build(maintainer.database, inputs, maintainer.now)
    # An arrival may answer somebody's absence, which takes a week to be sure of.
    assert maintainer.mornings(8).faults == []
    assert maintainer.arrivals() == ["NEUVE"]
    assert max(Published(maintainer.served).lists) < f"senat/{ahead}"
