from __future__ import annotations

import json
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.published import Published, as_csv
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, STAFF, many
from tests.tracking.repository import Repository


def test_build_writes_a_sound_database_and_a_report(database: Path, folder: Path) -> None:
    (folder / "senat" / "2026-09-03.csv").write_bytes(b"")
    lists.write(folder, "senat", "2026-09-04", {n: ["Mxe9lie DUVAL"] for n in STAFF})
    done = run("build", database, "--lists", folder)
    assert done.exit_code == 0, done.output
    assert "refused   senat/2026-09-03: the file is empty" in done.output
    assert "lists     3 accepted, 2 refused" in done.output
    assert inspect(database) == []
    published = Published(database)
    assert [(m.type, m.collab_nom, m.source) for m in published.movements()] == [
        ("depart", FAMILY, "archives")
    ]
    assert [row[0:1] + row[3:6] for row in published.lists.values()] == [
        ("senat/2026-09-01", "acceptee", "", ""),
        ("senat/2026-09-02", "acceptee", "", ""),
        ("senat/2026-09-03", "refusee", "liste vide", "0 octets"),
        ("senat/2026-09-04", "refusee", "lettres perdues", "100,0 %"),
        ("senat/2026-09-12", "acceptee", "", ""),
    ]


def test_the_report_is_json_for_programs(database: Path, folder: Path) -> None:
    found = json.loads(run("build", database, "--lists", folder, "--json").output)
    assert (found["movements"], found["added"], found["held"]) == (1, 1, 0)
    assert [record["status"] for record in found["lists"]] == ["accepted"] * 3


def test_a_run_says_from_when_to_when_it_knows_each_chamber_and_which_days_have_no_list(
    database: Path, folder: Path
) -> None:
    before = "coverage  senat: lists from 2026-09-01 to 2026-09-12\n"
    assert before in run("build", database, "--lists", folder).output
    lists.write(folder, "senat", "2026-09-23", AFTER)
    # The rows of earlier runs are part of it, and a run that finds nothing new says it too.
    for _ in range(2):
        assert (
            "coverage  senat: lists from 2026-09-01 to 2026-09-23, none between 2026-09-12 and"
            " 2026-09-23 (11 days)\n"
        ) in run("build", database, "--lists", folder, "--source", "suivi").output
    found = json.loads(
        run("build", database, "--lists", folder, "--source", "suivi", "--json").output
    )
    hole = {"before": "2026-09-12", "after": "2026-09-23", "days": 11}
    reach = {"first": "2026-09-01", "last": "2026-09-23", "refused_since": ""}
    assert found["coverage"] == {
        "senat": {**reach, "holes": [hole], "number": len(list(folder.rglob("*.csv")))}
    }


def test_lists_and_movement_files_make_one_database(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "m.csv"
    movement = {"date_event": "2020-01-01", "chambre": "senat", "type": "depart"}
    file.write_bytes(as_csv(movement | {"source": "archives", "confiance": "manuel"}))
    assert run("build", database, "--lists", folder, "--movements", file).exit_code == 0
    assert len(Published(database).identifiers()) == 2


def test_a_git_history_gives_what_its_lists_give(database: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    file = "data/liste_senateurs_collaborateurs.csv"
    for day, content in (("01", STAFF), ("02", AFTER), ("03", AFTER), ("12", AFTER)):
        repository.commit(
            f"2026-09-{day}T03:15:00+02:00",
            {file: lists.data("senat", content), "data/day.txt": day.encode()},
        )
    done = run("build", database, "--git", repository.path)
    assert done.exit_code == 0, done.output
    assert "lists     2 accepted, 0 refused" in done.output
    assert [(m.date_event, m.type) for m in Published(database).movements()] == [
        ("2026-09-02", "depart")
    ]


def test_a_refused_run_changes_nothing(database: Path, folder: Path, tmp_path: Path) -> None:
    run("build", database, "--lists", folder, "--source", "suivi")
    before = database.read_bytes()
    lists.write(folder, "senat", "2026-09-20", many(60))
    wrong = corrections(tmp_path, "refuser: senat/2020-01-01")
    done = run("build", database, "--lists", folder, "--source", "suivi", "--corrections", wrong)
    assert done.exit_code == 1
    assert f"{wrong}: line 1: refuser: matches nothing" in done.output
    assert "nothing was changed" in done.output
    assert database.read_bytes() == before
    assert run("build", database, "--lists", folder, "--source", "suivi").exit_code == 0


def test_only_refused_lists_are_a_refused_run(database: Path, tmp_path: Path) -> None:
    path = lists.write(tmp_path / "lists", "senat", "2026-09-01", b"elu;collab\n1;2\n")
    for command in ("build",):
        done = run(command, database, "--lists", tmp_path / "lists")
        assert done.exit_code == 1
        assert f"{path}: unknown format, header: elu;collab" in done.output
        assert not database.exists()


def test_a_build_that_accepts_no_list_of_a_chamber_that_had_some_changes_nothing(
    database: Path, folder: Path
) -> None:
    lists.write(folder, "assemblee", "2026-09-01", lists.many(30))
    path = lists.write(folder, "europarl", "2026-09-01", b"")
    assert (
        "europarl: the newest list is refused" in run("build", database, "--lists", folder).stderr
    )
    path.unlink()
    before = database.read_bytes()
    spoiled = [lists.write(folder, "senat", f"2026-09-{day}", b"") for day in ("01", "02", "12")]
    done = run("build", database, "--lists", folder)
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        *(f"{path}: the file is empty" for path in spoiled),
        "senat: no list is accepted any more, and there were some",
        "Refused: nothing was changed.",
    ]
    assert database.read_bytes() == before
    # To give none of them is a decision, which is to be said.
    for path in spoiled:
        path.unlink()
    assert run("build", database, "--lists", folder, "--withdraw", 0).exit_code == 1
    assert database.read_bytes() == before
    assert run("build", database, "--lists", folder, "--withdraw", 1).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "x.db"),
        ("build", "x.db", "--lists", "/nowhere"),
        ("build", "x.db", "--lists", ".", "--source", "daily"),
    ],
)
def test_wrong_usage_ends_with_status_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_withdrawn_movement_is_listed_with_the_reason(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder, "--source", "suivi")
    (id,) = Published(database).identifiers()
    asked = corrections(tmp_path, f"retirer: {id}", reason="Erreur de la liste")
    for _ in range(2):
        done = run(
            "build", database, "--lists", folder, "--source", "suivi", "--corrections", asked
        )
        assert done.exit_code == 0, done.output
    published = Published(database)
    assert published.identifiers() == set()
    assert list(published.withdrawn.values()) == [(id, "2026-10-01", "Erreur de la liste")]
    database.unlink()
    run("build", database, "--lists", folder, "--corrections", asked)
    assert set(Published(database).withdrawn) == {id}


def test_a_movement_that_is_back_is_no_longer_listed_as_withdrawn(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    for said, withdrawn in ((f"retirer: {id}", {id}), ("", set())):
        asked = corrections(tmp_path, said)
        run("build", database, "--lists", folder, "--corrections", asked)
        assert set(Published(database).withdrawn) == withdrawn
        assert Published(database).identifiers() == {id} - withdrawn


def test_a_refused_list_is_taken_once_a_correction_accepts_it(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    lists.write(folder, "senat", "2026-09-13", {n: s for n, s in AFTER.items() if n < 40})
    lists.write(folder, "assemblee", "2026-09-13", lists.many(30))
    assert (
        "refused   senat/2026-09-13"
        in run("build", database, "--lists", folder, "--source", "suivi").output
    )
    assert Published(database).lists["senat/2026-09-13"][3] == "refusee"
    asked = corrections(tmp_path, "accepter: senat/2026-09-13", reason="Élections partielles")
    done = run(
        "build", database, "--lists", folder, "--source", "suivi", "--corrections", asked, "-v"
    )
    assert done.exit_code == 0
    assert "accepted  senat/2026-09-13" in done.output
    assert Published(database).lists["senat/2026-09-13"][3] != "refusee"


def test_a_list_that_cannot_be_opened_is_refused(database: Path, folder: Path) -> None:
    (folder / "senat" / "2026-09-03.csv").mkdir()
    done = run("build", database, "--lists", folder)
    assert done.exit_code == 0
    assert "refused   senat/2026-09-03: Is a directory" in done.output
