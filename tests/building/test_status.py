"""The exit status of `build` and `track`: 1 where a refused list is the newest of its chamber, 0 where it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER

SE = "data/liste_senateurs_collaborateurs.csv"
ADVICE = "look at it, and accept or refuse it by name in the corrections, or wait for the next"


def test_lists_refused_in_the_middle_are_told_and_the_status_is_0(
    database: Path, folder: Path
) -> None:
    for day in ("03", "04", "05", "06"):
        lists.write(folder, "senat", f"2026-09-{day}", b"")
    done = run("build", database, "--lists", folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "refused   senat/2026-09-06: the file is empty" in done.output
    assert Published(database).lists["senat/2026-09-06"][3] == "refusee"
    again = run("build", database, "--lists", folder)
    assert (again.exit_code, again.stderr) == (0, "")


def test_a_newest_list_that_is_refused_ends_every_run_with_status_1_after_writing(
    database: Path, folder: Path
) -> None:
    lists.write(folder, "assemblee", "2026-10-01", lists.many(30))
    path = lists.write(folder, "senat", "2026-09-13", b"")
    said = (
        "senat: the newest list is refused: senat/2026-09-13: the file is empty"
        f" [{path}]; {ADVICE}\n"
    )
    for _ in range(2):
        done = run("build", database, "--lists", folder)
        assert (done.exit_code, done.stderr) == (1, said)
        assert len(Published(database).identifiers()) == 1
        assert Published(database).lists["senat/2026-09-13"][3] == "refusee"
    lists.write(folder, "senat", "2026-09-14", AFTER)
    done = run("build", database, "--lists", folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert Published(database).lists["senat/2026-09-13"][3] == "refusee"


def test_several_refused_one_after_the_other_are_counted(database: Path, folder: Path) -> None:
    for day in ("05", "15", "16"):
        path = lists.write(folder, "senat", f"2026-09-{day}", b"nothing\n")
    done = run("build", database, "--lists", folder, "--source", "suivi", "--json")
    assert done.exit_code == 1
    assert done.stderr == (
        "senat: the newest list is refused (the last 2 are, from senat/2026-09-15): senat/2026-09-16:"
        f" unknown format, header: nothing [{path}]; {ADVICE}\n"
    )
    assert json.loads(done.stdout)["alarms"] == done.stderr.splitlines()


def test_a_run_that_only_refuses_leaves_the_movements_as_they_are(
    database: Path, folder: Path
) -> None:
    run("build", database, "--lists", folder, "--source", "suivi")
    before = Published(database)
    movements = list(before.movements())
    lists.write(folder, "senat", "2026-09-13", b"")
    assert (
        "refused   senat/2026-09-13"
        in run("build", database, "--lists", folder, "--source", "suivi").output
    )
    after = Published(database)
    assert after.lists["senat/2026-09-13"][3] == "refusee"
    assert after.publication["version"] == before.publication["version"]
    assert list(after.movements()) == movements


@pytest.mark.rule("record-list-by-name")
def test_a_list_that_a_correction_refuses_raises_no_alarm(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    lists.write(folder, "senat", "2026-09-13", b"")
    assert run("build", database, "--lists", folder).exit_code == 1
    lists.write(folder, "senat", "2026-09-14", {**AFTER, 8: []})
    asked = corrections(tmp_path, "refuser: senat/2026-09-13", "refuser: senat/2026-09-14")
    for _ in range(2):
        done = run("build", database, "--lists", folder, "--corrections", asked)
        assert (done.exit_code, done.stderr) == (0, "")
    verbose = run("build", database, "--lists", folder, "--corrections", asked, "--verbose")
    assert "refused   senat/2026-09-14: refused by a correction" in verbose.output


WITH_ANOTHER = {**AFTER, 8: ["Mme Zoé INVENTEE"]}


@pytest.mark.parametrize("between", [[], [b""]], ids=["unchanged", "after one that is empty"])
def test_a_list_that_a_correction_refuses_is_refused_while_it_is_kept_again(
    database: Path, folder: Path, tmp_path: Path, between: list[bytes]
) -> None:
    contents = [WITH_ANOTHER, *between, WITH_ANOTHER, AFTER, WITH_ANOTHER]
    for day, content in enumerate(contents, 13):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    asked = corrections(tmp_path, "refuser: senat/2026-09-13")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    found = [
        Published(database).lists[f"senat/2026-09-{day}"][3]
        for day in range(13, 13 + len(contents))
    ]
    # What comes again after an accepted list is looked at anew.
    assert found == [*["refusee"] * (2 + len(between)), "acceptee", "acceptee"]


def test_an_accepted_content_that_the_name_of_a_day_refuses_is_accepted_on_the_next(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    for day, content in (
        ("13", AFTER),
        ("14T0100", WITH_ANOTHER),
        ("14T0900", AFTER),
        ("15", AFTER),
    ):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    asked = corrections(tmp_path, "refuser: senat/2026-09-14")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert Published(database).lists["senat/2026-09-15"][3] == "acceptee"


def test_what_a_correction_refused_once_raises_an_alarm_where_it_comes_back(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    wrong = {8: AFTER[8]}
    for day, content in (("13", wrong), ("14", AFTER), ("15", wrong), ("16", wrong)):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    asked = corrections(tmp_path, "refuser: senat/2026-09-13")
    done = run("build", database, "--lists", folder, "--source", "suivi", "--corrections", asked)
    assert "senat/2026-09-15, unchanged until senat/2026-09-16: " in done.stderr


def test_an_accepted_list_is_not_named_where_the_same_content_is_refused_on_the_next_day(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    garbled = {member: [f"{people[0]}\ufffd", *people[1:]] for member, people in AFTER.items()}
    for day in ("13", "14"):
        lists.write(folder, "senat", f"2026-09-{day}", garbled)
    asked = corrections(tmp_path, "accepter: senat/2026-09-13")
    said = run("build", database, "--lists", folder, "--corrections", asked).stderr
    assert "senat: the newest list is refused: senat/2026-09-14: " in said


def test_a_list_refused_before_one_that_a_correction_refuses_is_the_newest_still(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    lists.write(folder, "senat", "2026-09-13", b"")
    lists.write(folder, "senat", "2026-09-14", {**AFTER, 8: []})
    asked = corrections(tmp_path, "refuser: senat/2026-09-14")
    done = run("build", database, "--lists", folder, "--source", "suivi", "--corrections", asked)
    assert done.exit_code == 1
    assert "senat: the newest list is refused: senat/2026-09-13" in done.stderr
