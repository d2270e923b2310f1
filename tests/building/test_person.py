"""What is held under a name, wherever it is."""

from __future__ import annotations

import datetime
import json

import pytest

from parlement_lists.sources.downloading.originals import KeptOriginals
from parlement_lists.tracking.reading import git
from tests.building.mornings import holds
from tests.contract.environment import command as run

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
        "state": [here],
        "lists": [here],
        "originals": [("senat", None)],
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
    assert (near, places.pop("why")) == ("verveinat zoe", "one letter differs")
    assert set(places) == {"movements", "stays", "state", "lists", "originals"}
    assert {one["member"] for one in places["movements"] + places["lists"]} == {"PA1"}
    assert "verveinac zoe" in told(asked, "Zoé VERVEINAT", "--json")["near"]
    text = told(asked, NAME)
    assert "near, held under verveinat zoe: one letter differs" in text


def test_the_entry_that_is_printed_withholds_the_name(hired):
    maintainer = hired("VERVEINAC")
    *_, entry = told(maintainer, NAME).splitlines()
    maintainer.corrections.write_text(entry + "\n")
    maintainer.morning()
    assert not holds(maintainer.served, "VERVEINAC")


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


def test_a_database_with_masks_is_read_without_its_corrections_and_says_what_is_lacking(asked):
    done = run("person", NAME, "--db", asked.database, "--lists", asked.lists, "--json")
    found = json.loads(done.output)
    assert done.exit_code == 0
    assert {one["name"] for one in found["held"]["movements"]} == {"withheld"}
    assert found["held"]["lists"]
    assert found["unread"] == ["corrections that the database was made with: give --corrections"]


@pytest.mark.parametrize("place", ["--db", "--lists"])
def test_what_was_not_given_is_said_to_be_unread(asked, place):
    path = asked.database if place == "--db" else asked.lists
    done = run("person", NAME, place, path, "--corrections", asked.corrections, "--json")
    missing = "--lists" if place == "--db" else "--db"
    assert [said.endswith(f"give {missing}") for said in json.loads(done.output)["unread"]] == [
        True
    ]


def test_corrections_that_name_another_person_are_not_repeated(asked):
    with asked.corrections.open("a") as file:
        file.write(
            "- {date: 2026-10-01, raison: x, deux_personnes: {noms: [Zoé VERVEINAC, Zoé VERVEINAT]}}\n"
            "- {date: 2026-10-01, raison: y, homonymes: {nom: Zoé VERVEINAT, elus: [PA1]}}\n"
        )
    found = told(asked, "Zoé VERVEINAT", "--json")
    assert [(one["line"], one["kind"], "says" in one) for one in found["held"]["corrections"]] == [
        (2, "deux_personnes", False),
        (3, "homonymes", True),
    ]
    assert "not told apart" in found["unread"][-1]
    assert {place for near in found["near"].values() for place in near} <= {
        *("why", "movements", "stays", "state", "lists", "originals")
    }


def test_a_spelling_of_another_chamber_is_nobody_s_here(asked):
    with asked.corrections.open("a") as file:
        file.write(
            "- {date: 2026-10-01, raison: x, meme_personne: {noms: [Zoé VERVEINAC, Paul CLAIRAC],"
            " chambre: assemblee}}\n"
        )
    found = {
        (one["chamber"], one["member"]) for one in told(asked, NAME, "--json")["held"]["lists"]
    }
    assert found == {("senat", "10001A"), ("assemblee", "PA2")}
