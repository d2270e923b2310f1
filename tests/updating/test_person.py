"""What is held under a name, wherever it is, and the register of requests, which names nobody."""

from __future__ import annotations

import datetime
import json
import stat

import pytest

from datasette_mouvements.updating.erasure.requests import PersonRequest
from datasette_mouvements.updating.published import Published
from parlement_lists.sources.downloading.originals import KeptOriginals
from parlement_lists.tracking.reading import git
from tests.contract.environment import command as run
from tests.contract.environment import done
from tests.updating.corrections_file import corrections
from tests.updating.mornings import holds, rows

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
    register = "person", "--db", asked.database
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


def test_a_request_that_is_late_is_said_to_be_so():
    request = PersonRequest("2026-7", "2026-10-01")
    days = (request.due, request.due + datetime.timedelta(12))
    assert [request.line(day).rpartition(": ")[2] for day in days] == [
        "0 days left",
        "12 days late",
    ]


@pytest.mark.parametrize(
    ("said", "why", "status"),
    [
        ([NAME, "--reference", "lettre-verveinac-1"], "must not repeat the name", 2),
        (["--reference", "Zoé VERVEINAC"], "takes letters, digits", 2),
        (["--reference", "verveinac"], "at least one digit", 2),
        ([NAME, "--answered"], "need --reference", 2),
        ([NAME, "--received", "2026-10-01"], "need --reference", 2),
        (["--reference", "2026-9", "--answered"], "no request 2026-9", 1),
    ],
)
def test_what_the_register_does_not_take_is_refused(asked, said, why, status):
    given = "--corrections", asked.corrections
    done = run("person", *said, "--db", asked.database, *given)
    assert (done.exit_code, why in done.stderr) == (status, True), done.output
    assert not asked.database.with_name("movements.demandes.csv").exists()


def test_the_corrections_of_the_database_must_be_given(asked):
    done = run("person", NAME, "--db", asked.database)
    assert (done.exit_code, "was made with corrections" in done.stderr) == (1, True)


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


def test_a_masked_movement_of_another_day_is_found(asked):
    """A correction changed the day, of which its internal identifier is made."""
    (one,) = told(asked, NAME, "--json")["held"]["movements"]
    with asked.corrections.open("a") as file:
        change = f"modifier: {{id: {one['id']}, date_event: 2026-09-14}}"
        file.write(f"- {{date: 2026-10-01, raison: Jour exact, {change}}}\n")
    assert asked.morning().faults == []
    found = told(asked, NAME, "--json")["held"]
    assert [(m["id"], m["date"]) for m in found["movements"]] == [(one["id"], "2026-09-14")]
    assert len(found["stays"]) == 1


@pytest.mark.parametrize(
    "change", ["elu_id: 10007A, elu_nom: Autre", "chambre: europarl, elu_id: 1907"]
)
def test_a_stay_that_is_over_is_found_with_another_member(hired, change):
    """Nothing is left of the member whom its internal identifier is made of."""
    maintainer = hired("VERVEINAC")
    maintainer.desk.published["senat"] = rows("senat")
    maintainer.masks("VERVEINAC")
    maintainer.mornings(9)
    ids = [one["id"] for one in told(maintainer, NAME, "--json")["held"]["movements"]]
    with maintainer.corrections.open("a") as file:
        for id in ids:
            said = f"modifier: {{id: {id}, {change}}}"
            file.write(f"- {{date: 2026-10-01, raison: faute, {said}}}\n")
    assert maintainer.morning().faults == []
    found = told(maintainer, NAME, "--json")["held"]
    assert (len(ids), sorted(m["id"] for m in found["movements"])) == (2, sorted(ids))
    assert len(found["stays"]) == 1


def test_a_masked_movement_of_another_type_is_found(tmp_path):
    said = {
        "chambre": "senat",
        "type": "arrivee",
        "collab_nom": "VERVEINAC",
        "collab_prenom": "Zoé",
    }
    row = {"date_event": "2020-01-01", **said, "source": "archives", "confiance": "fort"}
    (tmp_path / "m.ndjson").write_text(json.dumps(row))
    given = "--corrections", corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    database = tmp_path / "x.db"
    done("build", database, "--movements", tmp_path / "m.ndjson", *given)
    (id,) = Published(database).identifiers()
    corrections(tmp_path, f"masquer: {{nom: {NAME}}}", f"modifier: {{id: {id}, type: depart}}")
    done("build", database, "--movements", tmp_path / "m.ndjson", *given)
    found = json.loads(done("person", NAME, "--db", database, *given, "--json").output)
    assert [one["type"] for one in found["held"]["movements"]] == ["depart"]
