"""The daily run: fetch, build, journal; what fails stops nothing else, and nothing that stands is lost."""

from __future__ import annotations

import csv
import datetime
import json
import re
from pathlib import Path

import pytest

from datasette_mouvements.building import nights
from datasette_mouvements.building.daily import _of_clock
from datasette_mouvements.building.masks import KEY_FILE
from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import CHAMBERS
from parlement_lists.sources import journal
from parlement_lists.sources.originals import FetchFailed
from tests.contract.environment import command, done
from tests.published import Published, as_csv
from tests.tracking import lists
from tests.tracking.lists import STAFF

from .mornings import Maintainer, holds, rows
from .original_service import movement

DAY = datetime.date(2026, 9, 16)


def test_who_arrives_is_published_and_who_leaves_waits_a_week(maintainer: Maintainer) -> None:
    maintainer.desk.hires("senat", "NOUVELLE")
    maintainer.morning()
    assert maintainer.arrivals() == ["NOUVELLE"]
    maintainer.desk.published["senat"] = rows("senat")
    last = maintainer.mornings(8)
    assert (maintainer.movements("depart"), last.built.report.held) == ([], 1)
    assert maintainer.morning().alarms == []
    assert maintainer.movements("depart") == ["NOUVELLE"]
    assert inspect(maintainer.database) == []


def test_a_second_run_of_a_day_adds_nothing(maintainer: Maintainer) -> None:
    maintainer.desk.hires("senat", "NOUVELLE")
    maintainer.morning()
    before = Published(maintainer.database)
    again = maintainer.morning(0)
    after = Published(maintainer.database)
    told = again.built.report
    assert (again.alarms, told.ignored, told.added, told.withdrawn) == ([], [], 0, 0)
    assert [line.split()[1] for line in again.lines()][:3] == ["unchanged"] * 3
    report = again.as_json()
    assert (report["day"], report["alarms"]) == ("2026-09-15", [])
    assert report["published"] == after.publication["version"]
    assert [list_["status"] for list_ in report["built"]["lists"]][-3:] == ["accepted"] * 3
    assert after.publication["version"] == before.publication["version"]
    assert after.rows("select * from _changements") == before.rows("select * from _changements")
    # A lost file is built again of the same lists.
    maintainer.database.unlink()
    again = maintainer.morning(0)
    assert again.alarms == []
    assert again.remarks == [
        f"{maintainer.database} was not there, though {maintainer.lists / journal.FILE} tells of runs before:"
        " its feeds begin anew"
    ]
    assert maintainer.morning(0).remarks == []
    assert Published(maintainer.database).movements() == before.movements()


@pytest.mark.rule("record-journal")
def test_a_source_that_fails_stops_no_other_and_is_told_each_day(maintainer: Maintainer) -> None:
    maintainer.desk.published["assemblee"] = FetchFailed("liste: no answer")
    maintainer.desk.hires("senat", "NOUVELLE")
    for _ in range(2):
        told = maintainer.morning().alarms
        assert [alarm for alarm in told if alarm.startswith("assemblee: failed")] == told
    assert maintainer.arrivals() == ["NOUVELLE"]
    with (maintainer.lists / journal.FILE).open() as file:
        entries = list(csv.DictReader(file))
    assert [(e["source"], e["resultat"], e["liste"]) for e in entries[-4:]] == [
        ("", "alarme", ""),
        ("assemblee", "echouee", "assemblee"),
        ("europarl", "identique", "europarl/2026-09-16"),
        ("senat", "identique", "senat/2026-09-16"),
    ]
    nights = Published(maintainer.database).rows(
        "select jour, source, chambre, resultat, motif, liste from nuits order by jour, source"
    )
    assert nights[-4:] == [
        ("2026-09-16", "", "", "alarme", "points à voir", ""),
        ("2026-09-16", "assemblee", "assemblee", "echouee", "original non obtenu", ""),
        ("2026-09-16", "europarl", "europarl", "identique", "", "europarl/2026-09-16"),
        ("2026-09-16", "senat", "senat", "identique", "", "senat/2026-09-16"),
    ]


def test_what_git_did_not_take_and_what_is_no_list_is_told(maintainer: Maintainer) -> None:
    maintainer.morning()
    (maintainer.lists / "senat" / "notes.txt").touch()
    (maintainer.lists / ".git" / "index.lock").touch()
    done = maintainer.morning()
    assert ["index.lock" in alarm for alarm in done.alarms] == [True]
    assert done.built.report.ignored == [str(maintainer.lists / "senat" / "notes.txt")]


def test_a_list_that_the_guard_refuses_is_a_night_refused(maintainer: Maintainer) -> None:
    short = rows("senat")
    maintainer.desk.published["senat"] = short[: len(short) * 3 // 4]
    done = maintainer.morning()
    assert [alarm for alarm in done.alarms if "the newest list is refused" in alarm]
    assert Published(maintainer.database).rows(
        "select resultat, motif from nuits where source = 'senat' and jour = '2026-09-15'"
    ) == [("refusee", "trop d’élus disparus")]
    maintainer.desk.published["senat"] = short
    assert maintainer.morning().alarms == []


def test_an_erasure_does_not_wait_for_a_fetch(maintainer: Maintainer) -> None:
    maintainer.desk.hires("senat", "NOUVELLE")
    maintainer.morning()
    for chamber in maintainer.desk.published:
        maintainer.desk.published[chamber] = FetchFailed("liste: no answer")
    maintainer.masks("NOUVELLE")
    done = maintainer.morning()
    assert (done.built is not None, [r.partition(":")[0] for r in done.remarks]) == (
        True,
        [str(maintainer.lists / KEY_FILE)],
    )
    assert [line for line in done.lines() if "a new private key is made" in line] == done.remarks
    assert maintainer.morning().remarks == []
    assert maintainer.arrivals() == ["masked"]
    assert not holds(maintainer.database, "NOUVELLE")


def test_corrections_that_cannot_be_used_publish_nothing(maintainer: Maintainer) -> None:
    before = maintainer.database.read_bytes()
    maintainer.desk.hires("senat", "NOUVELLE")
    maintainer.corrections.write_text("- {date: 2026-10-01, raison: x, retirer: mvt_none}\n")
    done = maintainer.morning()
    assert done.built is None
    assert any("corrections.yml" in alarm and "line 1" in alarm for alarm in done.alarms)
    assert maintainer.database.read_bytes() == before
    assert journal.read(maintainer.lists)[-4].resultat == "alarme"
    maintainer.corrections.write_text("")
    assert maintainer.morning().alarms == []
    assert maintainer.arrivals() == ["NOUVELLE"]


def test_a_clock_ahead_is_told_the_same_morning_with_the_whole_cure(maintainer: Maintainer) -> None:
    maintainer.mornings(2)
    maintainer.desk.hires("senat", "AVANCE")
    maintainer.now += datetime.timedelta(365)
    first = maintainer.morning().alarms
    maintainer.now -= datetime.timedelta(365)
    right = maintainer.morning().alarms
    lists = ", ".join(
        f"the list {chamber}/2027-09-17" for chamber in sorted(maintainer.desk.published)
    )
    cure = f"if it was ahead, set it right, take {lists}, the lines of 2027-09-17 in journal.csv away, and run again"
    clock = "look at the clock of this machine:"
    assert first == [f"{clock} the run before was on 2026-09-16, 366 days ago; {cure}"]
    assert f"{clock} a run or a list is of a day to come; {cure}" in right
    for path in maintainer.lists.glob("*/2027-*.csv"):
        path.unlink()
    path = maintainer.lists / journal.FILE
    kept = [line for line in path.read_text().splitlines() if not line.startswith("2027-")]
    path.write_text("\n".join(kept))
    maintainer.desk.hires("senat", "NOUVELLE")
    assert maintainer.morning(0).alarms == []
    assert sorted(maintainer.arrivals()) == ["AVANCE", "NOUVELLE"]


@pytest.mark.parametrize(
    ("ahead", "status", "is_told"),
    [(2, "acceptee", False), (3, "acceptee", True), (3, "refusee", False)],
)
def test_a_list_of_a_day_to_come_shows_a_clock_ahead(
    ahead: int, status: str, is_told: bool
) -> None:
    day = DAY + datetime.timedelta(ahead)
    assert bool(_of_clock([], [(f"senat/{day}", "senat", str(day), status)], DAY)) == is_told


def test_a_list_that_is_gone_from_the_folder_is_told_that_morning(maintainer: Maintainer) -> None:
    maintainer.morning()
    maintainer.desk.hires("senat", "NOUVELLE")
    maintainer.morning()
    maintainer.desk.hires("senat", "AUTRE")
    refused = maintainer.lists / "senat" / "2026-09-01.csv"
    refused.write_bytes(lists.data("senat", {}))
    assert maintainer.morning().alarms == []
    (maintainer.lists / "senat" / "2026-09-16.csv").unlink()
    refused.unlink()  # nothing was made of it
    [alarm] = maintainer.morning().alarms
    assert "changed since they were published: senat/2026-09-16: put back" in alarm
    outcomes = [night[3] for night in Published(maintainer.database).nights if not night[1]]
    assert outcomes[-1] == "alarme"
    assert maintainer.morning().alarms == []
    maintainer.desk.hires("senat", "ENCORE")
    maintainer.morning(0)
    [second] = (maintainer.lists / "senat").glob("*T*.csv")
    second.unlink()
    maintainer.desk.published["senat"] = FetchFailed("liste: no answer")
    assert f"published: senat/{second.stem}: put back" in maintainer.morning(0).alarms[-1]


def test_real_people_take_the_place_of_invented_ones(tmp_path: Path) -> None:
    maintainer = Maintainer(tmp_path)
    folder = tmp_path / "sample"
    lists.write(folder, "senat", "2026-09-01", STAFF)
    done("build", maintainer.database, "--lists", folder, "--invented")
    morning = maintainer.morning()
    assert "held invented people" in morning.remarks[0]
    assert "invente" not in Published(maintainer.database).publication
    assert Published(maintainer.database.with_suffix(".invented.db")).publication["invente"]


def test_invented_people_whom_the_lists_of_the_folder_name_stay(tmp_path: Path) -> None:
    maintainer = Maintainer(tmp_path)
    lists.write(maintainer.lists, "senat", "2026-09-01", STAFF)
    lists.write(maintainer.lists, "senat", "2026-08-31", {})  # refused
    done("build", maintainer.database, "--lists", maintainer.lists, "--invented")
    (maintainer.lists / "senat" / "2026-08-31.csv").unlink()
    assert [remark for remark in maintainer.morning().remarks if "invented" in remark] == []
    assert Published(maintainer.database).publication["invente"]


def test_a_file_with_movements_of_files_is_not_built_without_them(maintainer: Maintainer) -> None:
    path = maintainer.folder / "m.csv"
    path.write_bytes(as_csv(movement(1)._asdict()))
    given = ("--lists", maintainer.lists, "--source", "suivi", "--movements", path)
    done("build", maintainer.database, *given, "--corrections", maintainer.corrections)
    before = maintainer.database.read_bytes()
    morning = maintainer.morning()
    (alarm,) = morning.alarms
    assert (
        "1 of its 1 movements would be withdrawn, and this run may withdraw 0: some are of files"
        in alarm
    )
    assert alarm.endswith("--withdraw 1")
    assert maintainer.database.read_bytes() == before
    assert maintainer.morning(withdraw=1).alarms == []
    assert maintainer.morning().alarms == []


def test_results_holes_and_the_run_itself_are_told_the_newest_day_first(tmp_path):
    entries = [
        ("2026-09-14", "senat", "nouvelle", "", "", "senat/2026-09-14"),
        ("2026-09-14", "", "reussie"),
        ("2026-09-16", "senat", "echouee", journal.CAUSES["unreachable"], "", "senat"),
    ]
    journal.add(tmp_path, [journal.Line(*entry) for entry in entries])
    rows = nights.latest(nights.nights_of([tmp_path], []), DAY, 30)
    lines = [nights._line(nights._as_json(night)) for night in rows]
    assert [re.split(r"  +", line)[0] for line in lines] == [
        *("2026-09-16", "2026-09-15", "2026-09-15", "2026-09-14", "2026-09-14"),
    ]
    assert lines[0].split()[1:3] == ["senat", "failed"]
    assert [line.split()[1:3] for line in lines[1:3]] == [["run", "silent"], ["senat", "silent"]]
    assert [line.split()[1:] for line in lines[3:]] == [["run", "ok"], ["senat", "ok"]]


def test_the_nights_of_a_file_are_told_and_another_file_is_refused(maintainer, tmp_path):
    told = json.loads(done("nights", maintainer.database, "--days", 365, "--json").output)
    assert told["days"] == 365
    assert {(night["chamber"], night["list"]) for night in told["nights"]} == {
        *((chamber, None) for chamber in (None, *CHAMBERS)),
        *((chamber, f"{chamber}/2026-09-14") for chamber in CHAMBERS),
    }
    assert "2026-09-14  senat" in done("nights", maintainer.database, "--days", 365).output
    (tmp_path / "x").write_text("x")
    assert command("nights", tmp_path / "x").exit_code == 1
