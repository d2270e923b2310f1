"""What is held under a name, wherever it is, and the register of requests, which names nobody."""

from __future__ import annotations

import datetime
import json
import stat

import pytest

from datasette_mouvements.updating.erasure.requests import PersonRequest
from parlement_lists.sources.downloading.originals import KeptOriginals
from parlement_lists.tracking.reading import git
from tests.contract.environment import command as run
from tests.updating.mornings import holds

NAME = "Zoé Verveinac"


@pytest.fixture
def asked(hired):
    """Eleven mornings on: one person is masked, a near one is withheld and an original of each chamber is kept."""
    maintainer = hired("VERVEINAC")
    maintainer.masks("VERVEINAC")
    maintainer.desk.hires("assemblee", "VERVEINAT")
    maintainer.mornings(2)
    kept = KeptOriginals(maintainer.lists / "originaux")
    for chamber in ("assemblee", "senat"):
        kept.keep(chamber, maintainer.now, "liste.csv", b"of today")
        kept.keep(chamber, maintainer.now - datetime.timedelta(30), "liste.csv", b"before")
    return maintainer


def told(maintainer, name, *options):
    places = "--db", maintainer.database, "--lists", maintainer.lists
    done = run("person", name, *places, "--corrections", maintainer.corrections, *options)
    assert done.exit_code == 0, done.output
    return json.loads(done.output) if "--json" in options else done.output


def test_all_that_is_held_is_found_though_the_file_has_no_name(asked):
    found = told(asked, NAME, "--json")
    held = {
        place: [(one.get("chamber"), one.get("member")) for one in things]
        for place, things in found["held"].items()
    }
    here = ("senat", "10001A")
    assert held == {
        "movements": [here],
        "stays": [here],
        # The list of the last morning; the matter of the near name in the book of nights, and the night that told it.
        "state": [here, (None, None), (None, None)],
        "lists": [here],
        "originals": [(None, None)],
        "corrections": [(None, None)],
    }
    assert {one["name"] for place in ("movements", "stays") for one in found["held"][place]} == {
        "withheld"
    }
    ((lists,), (original,)) = found["held"]["lists"], found["held"]["originals"]
    assert (lists["first"], lists["last"], lists["lists"]) == ("2026-09-15", "2026-09-25", 2)
    assert original["file"].endswith(
        f"senat/{asked.now + datetime.timedelta(hours=2):%Y-%m-%d}T0400/liste.csv.gz"
    )
    assert (found["held"]["corrections"][0]["line"], found["unread"]) == (1, [])


def test_a_near_name_stands_apart_with_the_reason(asked):
    found = told(asked, NAME, "--json")
    ((near, places),) = found["near"].items()
    assert (near, places.pop("why")) == ("verveinat zoe", "one word differs by little")
    assert set(places) == {"movements", "stays", "state", "lists", "originals"}
    assert {one["member"] for one in places["movements"] + places["lists"]} == {"PA1"}
    assert "verveinac zoe" in told(asked, "Zoé VERVEINAT", "--json")["near"]
    text = told(asked, NAME)
    assert "near, held under verveinat zoe: one word differs by little" in text


def test_the_entry_that_is_printed_withholds_the_name(hired):
    maintainer = hired("VERVEINAC")
    *_, entry = told(maintainer, NAME).splitlines()
    maintainer.corrections.write_text(entry + "\n")
    maintainer.morning()
    assert not holds(maintainer.served, "VERVEINAC")


def test_who_came_back_is_told_so(asked):
    asked.desk.published["senat"] = asked.desk.published["senat"][:-1]
    asked.mornings(9)
    asked.desk.hires("senat", "VERVEINAC")
    asked.mornings(9)
    first, second = told(asked, NAME, "--json")["held"]["stays"]
    assert ("returned_after" in first, second["returned_after"]) == (False, first["from"])


def test_what_cannot_be_looked_into_is_said(asked):
    kept = KeptOriginals(asked.lists / "originaux")
    kept.keep("senat", asked.now, "refuse-liste.csv", b"torn")
    lost = asked.lists / "senat" / "2026-09-15.csv"
    lost.unlink()
    (asked.lists / "europarl" / "2026-09-20.csv").write_text("torn")
    git.run(asked.lists, "commit", "--quiet", "-am", "less")
    unread = told(asked, NAME, "--json")["unread"]
    assert [said.partition(": ")[0].rpartition("/")[2] for said in unread[:2]] == [
        "2026-09-20.csv",
        "refuse-liste.csv.gz",
    ]
    assert unread[2:] == [f"{asked.lists}: senat/2026-09-15.csv, in the history of git alone"]


def test_nothing_is_held_under_a_name_that_nobody_has(asked):
    assert told(asked, "Personne Inconnue").startswith("nothing is held under Personne Inconnue\n")


@pytest.mark.parametrize(
    ("received", "due"),
    [("2026-11-24", "2026-12-24"), ("2026-12-31", "2027-01-31"), ("2027-01-31", "2027-02-28")],
)
def test_a_request_is_due_a_month_later_or_on_the_last_day_of_that_month(received, due):
    request = PersonRequest("r", received)
    assert str(request.due) == due
    assert request.days_left(request.due) == 0
    assert request.days_left(request.due + datetime.timedelta(1)) == -1


def test_the_register_has_references_and_days_and_is_its_owner_s_alone(asked):
    for reference, day in (("2026-8", "2026-10-02"), ("2026-7", "2026-10-01")):
        told(asked, NAME, "--reference", reference, "--received", day)
    register = "person", "--db", asked.database, "--register"
    path = asked.database.with_name("movements.demandes.csv")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not holds(path, "erveinac")
    lines = run(*register).output.splitlines()
    assert [line.partition(", ans")[0] for line in lines] == [
        "2026-7: received 2026-10-01",
        "2026-8: received 2026-10-02",
    ]
    assert "answer by 2026-11-01" in lines[0]
    # Asked again, the day of its receipt stays; once it is answered no day is left.
    told(asked, NAME, "--reference", "2026-7")
    assert run(*register).output.splitlines() == lines
    assert (
        run("person", "--db", asked.database, "--reference", "2026-7", "--answered").exit_code == 0
    )
    first, second = json.loads(run(*register, "--json").output)["requests"]
    assert (first["received"], first["days_left"]) == ("2026-10-01", None)
    assert second["due"] == "2026-11-02"
    path.write_text("torn\nx\n")
    done = run(*register)
    assert (done.exit_code, "not a register of requests" in done.stderr) == (1, True)


def test_a_reference_must_not_say_the_name(asked):
    done = run("person", NAME, "--db", asked.database, "--reference", "lettre-verveinac")
    assert (done.exit_code, "must not repeat the name" in done.stderr) == (2, True)
