"""`build`: what it makes of lists and files, what it reports, and the status with which it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from datasette_mouvements.building.failures import sentences
from datasette_mouvements.dataset.check import inspect
from parlement_lists.sources import journal
from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.contract.environment import done
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, STAFF


def test_build_writes_a_sound_database_and_a_report(database: Path, folder: Path) -> None:
    (folder / "senat" / "2026-09-03.csv").write_bytes(b"")
    (folder / "senat" / "2026-09-05.csv").mkdir()
    lists.write(folder, "senat", "2026-09-04", {n: ["Mxe9lie DUVAL"] for n in STAFF})
    built = run("build", database, "--lists", folder)
    # Lists refused in the middle are told, and the status is 0.
    assert (built.exit_code, built.stderr) == (0, "")
    assert "refused   senat/2026-09-03: empty: the file is empty" in built.output
    assert "refused   senat/2026-09-05: damaged: Is a directory" in built.output
    assert "lists     3 accepted, 3 refused" in built.output
    # What an earlier report has told is not told again.
    assert "refused   senat" not in done("build", database, "--lists", folder).output
    (folder / "senat" / "2026-09-03.csv").write_bytes(b"elu;collab")
    told = done("build", database, "--lists", folder).output
    assert re.findall("refused   (.*?):", told) == ["senat/2026-09-03"]
    (folder / "senat" / "2026-09-03.csv").write_bytes(b"")
    done("build", database, "--lists", folder)
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
        ("senat/2026-09-05", "refusee", "fichier endommagé", ""),
        ("senat/2026-09-12", "acceptee", "", ""),
    ]
    assert [row[9] for row in published.lists.values()] == [0] * 6  # changes that wait


def test_rows_that_are_left_out_of_an_accepted_list_are_told(tmp_path: Path) -> None:
    staff = {number: [f"Une PERSONNE{number}"] for number in range(1, 201)}
    path = lists.write(tmp_path / "lists", "senat", "2026-09-01", staff)
    path.write_bytes(path.read_bytes() + b"senat,n/a,,,,,PERDUE,Zo\xc3\xa9,\n")
    output = done("build", tmp_path / "x.db", "--lists", tmp_path / "lists").output
    row = "1 row without a member, or not what the header says"
    assert f"left out  senat/2026-09-01: {row}" in output


def test_the_report_is_json_for_programs(database: Path, folder: Path) -> None:
    lists.write(folder, "senat", "2026-09-23", AFTER)
    journal.add(folder, [journal.Line("2026-09-23", "", "reussie")])  # read, and no list
    (folder / "notes.txt").touch()
    (folder / "senat" / "unfinished.part").touch()
    (folder / "elus").mkdir()
    told = json.loads(done("build", database, "--lists", folder, "--json").output)
    assert (told["movements"], told["added"], told["held"]) == (1, 1, 0)
    assert told["database"] == str(database)
    assert told["ignored"] == [str(folder / "elus"), str(folder / "notes.txt")]
    assert [record["status"] for record in told["lists"]] == ["accepted"] * 4


def test_a_newest_list_refused_ends_a_written_run_with_1(database: Path, folder: Path) -> None:
    done("build", database, "--lists", folder, "--source", "suivi")
    version = Published(database).publication["version"]
    lists.write(folder, "senat", "2026-09-13", b"")
    built = run("build", database, "--lists", folder, "--source", "suivi", "--json")
    assert built.exit_code == 1
    assert built.stderr.startswith("senat: the newest list is refused: senat/2026-09-13: the file")
    told = json.loads(built.stdout)
    assert told["alarms"] == built.stderr.splitlines()
    assert Published(database).lists["senat/2026-09-13"][3] == "refusee"
    assert Published(database).publication["version"] == version
    asked = corrections(database.parent, "refuser: senat/2026-09-13")
    assert done("build", database, "--lists", folder, "--corrections", asked).stderr == ""


def test_of_refused_lists_no_file_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what is given is relative
    path = lists.write(Path("lists"), "senat", "2026-09-01", b"elu;collab\n1;2\n")
    built = run("build", "x.db", "--lists", "lists")
    assert built.exit_code == 1
    assert f"{path}: unknown format, header: elu;collab" in built.output
    (tmp_path / "no.yml").write_text("- {date: 2026-09-01, raison: x, retirer: mvt_none}\n")
    lists.write(Path("lists"), "senat", "2026-09-01", STAFF)
    assert run("build", "x.db", "--lists", "lists", "--corrections", "no.yml").exit_code == 1
    assert {entry.name for entry in tmp_path.iterdir()} == {"lists", "no.yml"}
    assert run("build", "x.db", "--lists", "lists").exit_code == 0


def test_what_nobody_foresaw_is_told_without_its_text() -> None:
    """It might name somebody."""
    try:
        raise ValueError("Zoé INVENTÉE")
    except ValueError as error:
        (said,) = sentences(error)
    assert said.startswith("an error that was not foreseen: ValueError")
    assert "INVENTÉE" not in said


def test_a_build_of_nothing_is_wrong_usage() -> None:
    assert run("build", "x.db").exit_code == 2


def test_a_withdrawn_movement_is_listed_with_the_reason_until_it_is_back(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    for said, reason, withdrawn in (
        (f"retirer: {id}", "Erreur de la liste", {id}),
        (f"retirer: {id}", "Dite autrement", {id}),  # what was published stays
        ("", "Erreur de la liste", set()),
    ):
        before = Published(database).identifiers()
        asked = corrections(tmp_path, said, reason=reason)
        told = done("build", database, "--lists", folder, "--corrections", asked).output
        assert f", {len(before & withdrawn)} withdrawn" in told
        published = Published(database)
        assert published.identifiers() == {id} - withdrawn
        assert published.withdrawn == {
            one: (one, "2026-10-01", "Erreur de la liste") for one in withdrawn
        }


def test_invented_people_do_not_take_the_file_of_real_ones(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    """The mark changes the edition, and not the version."""
    done("build", database, "--lists", folder, "--invented")
    invented = Published(database).publication
    assert invented["invente"] == "1"
    done("build", database, "--lists", folder)
    real = Published(database).publication
    assert "invente" not in real
    assert real["version"] == invented["version"]
    assert real["edition"] != invented["edition"]
    before = database.read_bytes()
    empty = tmp_path / "corrections.yml"
    empty.touch()
    # Nor where neither missing corrections nor movements lost would refuse them.
    for options in [], ["--corrections", empty, "--withdraw", "100"]:
        refused = run("build", database, "--lists", folder, "--invented", *options)
        assert refused.exit_code == 1
        assert "holds real people: give invented ones a file of their own" in refused.output
        assert database.read_bytes() == before


def test_the_target_of_a_link_is_built_anew(database: Path, folder: Path) -> None:
    done("build", database, "--lists", folder)
    link = database.with_name("link.db")
    link.symlink_to(database)
    lists.write(folder, "senat", "2026-09-13", AFTER)
    done("build", link, "--lists", folder)
    assert link.is_symlink()
    assert "senat/2026-09-13" in Published(database).lists
