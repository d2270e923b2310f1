"""Names withheld before, while and after they are published."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.updating.published import Published
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, NAME, STAFF, fingerprint, member
from tests.updating.corrections_file import corrections


def families(database: Path) -> list[str]:
    return [movement.collab_nom for movement in Published(database).movements()]


def test_a_database_masked_as_it_stands_is_still_tracked(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("track", database, "--lists", folder)
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    assert run("mask", database, "--corrections", asked).exit_code == 0
    lists.write(folder, "senat", "2026-09-20", STAFF)
    forgotten = run("track", database, "--lists", folder)
    assert (forgotten.exit_code, "give --corrections" in forgotten.output) == (1, True)
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output
    assert families(database) == ["", ""]


def test_a_person_whose_departure_is_held_is_masked(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: AFTER[9][1:]})
    asked = corrections(tmp_path, f"masquer: {{nom: {AFTER[9][0]}}}")
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, "1 change held" in done.output) == (0, True)


def test_a_person_in_the_lists_is_masked_before_the_first_movement(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    person = STAFF[9][0]
    asked = corrections(tmp_path, f"masquer: {{nom: {person}}}")
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output
    for day in ("13", "23"):
        lists.write(folder, "senat", f"2026-09-{day}", {**AFTER, 9: STAFF[9][1:]})
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert families(database) == [FAMILY, ""]


def test_a_person_who_stands_nowhere_is_an_error(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    asked = corrections(tmp_path, "masquer: {nom: Zoé Inventée}")
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, "masquer: matches nothing" in done.output) == (1, True)
    assert not database.exists()


def test_a_movement_that_cannot_be_read_is_the_fault_not_the_mask_it_may_be_about(
    database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "movements.ndjson"
    file.write_text('{"date_event": "2026-13-01", "chambre": "senat", "type": "depart"}')
    asked = corrections(tmp_path, "masquer: {nom: Zoé Inventée}")
    done = run("build", database, "--movements", str(file), "--corrections", asked)
    assert (done.exit_code, "matches nothing" in done.output) == (1, False)
    assert "line 1: missing field source" in done.output


def test_a_mask_takes_a_name_out_of_what_says_that_it_is_several_peoples(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    """Also where it is withheld with one member alone: nothing tells then whose name is withheld there."""
    with_both = {n: [*STAFF[n], "Zoé INVENTÉE"] for n in (7, 9)}
    lists.write(folder, "senat", "2026-09-01", {**STAFF, **with_both})
    said = f"homonymes: {{nom: Zoé Inventée, elus: [{member('senat', 9)}]}}"
    asked = corrections(tmp_path, said)
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output
    assert Published(database).homonyms == [("inventee zoe", member("senat", 9), 1)]
    before = database.read_bytes()
    for whose in ("", f", elus: [{member('senat', 9)}]"):
        database.write_bytes(before)
        mask = corrections(tmp_path, said, f"masquer: {{nom: Zoé Inventée{whose}}}")
        assert run("mask", database, "--corrections", mask).exit_code == 0
        assert Published(database).homonyms == []
        assert run("check", database).exit_code == 0


@pytest.mark.parametrize(
    "mask", ["nom: Zoé Inventée", f"empreinte: {fingerprint('Zoé Inventée')}", f"nom: {NAME}"]
)
def test_a_mask_withholds_every_spelling_of_one_person(
    database: Path, folder: Path, tmp_path: Path, mask: str
) -> None:
    same = f"meme_personne: {{noms: [Zoé Inventée, {NAME}]}}"
    asked = corrections(tmp_path, same, f"masquer: {{{mask}}}")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output
    assert families(database) == [""]
    assert FAMILY.encode() not in database.read_bytes()


def test_a_mask_that_matches_in_no_file_is_told_by_its_line_and_the_others_are_applied(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    asked = corrections(tmp_path, "masquer: {nom: Zoé Fictive}", f"masquer: {{nom: {NAME}}}")
    for _ in range(2):
        done = run("mask", database, "--corrections", asked)
        assert done.exit_code == 1
        told = "line 1 (2026-10-01): masquer: matches nothing in any of the files"
        assert f"{asked}: {told}" in done.stderr
        assert "Fictive" not in done.output
    assert families(database) == [""]


def test_a_mask_that_matches_in_one_of_the_files_is_a_warning_for_the_others(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    other, file = tmp_path / "other.db", tmp_path / "other.ndjson"
    file.write_text(
        '{"date_event": "2020-01-01", "chambre": "senat", "type": "depart",'
        ' "source": "archives", "confiance": "fort"}'
    )
    run("build", other, "--movements", file)
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    done = run("mask", other, database, "--corrections", asked)
    assert done.exit_code == 0, done.output
    assert done.stderr.endswith(f"line 1 (2026-10-01): masquer: matches nothing in {other}\n")
    assert families(database) == [""]


def test_a_file_that_cannot_be_masked_is_told_after_those_that_were(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (foreign := tmp_path / "foreign.db").write_bytes(b"not a database")
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    done = run("mask", database, foreign, "--corrections", asked)
    assert (done.exit_code, done.stdout) == (1, f"{database}: 1 movement and 1 stay masked\n")
    assert done.stderr.endswith(
        f"build it again from every list\nRefused: {foreign} is as it was.\n"
    )
    assert families(database) == [""]


def test_a_mask_that_was_widened_is_listed_once(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    other = AFTER[9][0]
    for day in ("13", "23"):
        lists.write(folder, "senat", f"2026-09-{day}", {**AFTER, 9: AFTER[9][1:]})
    run("build", database, "--lists", folder)
    run("mask", database, "--corrections", corrections(tmp_path, f"masquer: {{nom: {NAME}}}"))
    same = f"meme_personne: {{noms: [{NAME}, {other}]}}"
    wider = corrections(tmp_path, f"masquer: {{nom: {NAME}}}", same)
    assert run("mask", database, "--corrections", wider).stdout.endswith(
        "1 movement and 1 stay masked\n"
    )
    assert families(database) == ["", ""]
    assert Published(database).corrections == [("2026-10-01", "masquer", "Demande")]


def test_a_misspelt_mask_of_a_day_and_reason_that_another_has_is_told(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("track", database, "--lists", folder)
    one = f"masquer: {{nom: {NAME}}}"
    asked = corrections(tmp_path, one)
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    asked = corrections(tmp_path, one, "masquer: {nom: Zoé Inventée}")
    for command in ("track", "build"):
        done = run(command, database, "--lists", folder, "--corrections", asked)
        assert (done.exit_code, "line 2: masquer: matches nothing" in done.output) == (1, True)
    asked = corrections(tmp_path, one, f"masquer: {{nom: {AFTER[9][0]}}}")
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output


def test_a_mask_that_a_run_applied_is_no_mistake_once_its_name_is_gone_from_the_lists(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    one = f"masquer: {{nom: {NAME}}}"
    asked = corrections(tmp_path, one)
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    for day in ("01", "02", "12"):
        lists.write(folder, "senat", f"2026-09-{day}", AFTER)
    asked = corrections(tmp_path, one, f"masquer: {{nom: {AFTER[9][0]}}}")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output


def test_masking_again_is_no_mistake(database: Path, folder: Path, tmp_path: Path) -> None:
    run("build", database, "--lists", folder)
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    run("mask", database, "--corrections", asked)
    again = run("mask", database, "--corrections", asked)
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.endswith("0 movements and 0 stays masked\n")


SHORT, LONG = "Ada MOREAU", "Ada MOREAU-FOREZ"


@pytest.mark.parametrize("command", ["build", "track"])
@pytest.mark.parametrize(
    "first", [[SHORT, LONG], [SHORT], [LONG]], ids=["both at once", "shorter first", "fuller first"]
)
def test_a_mask_of_the_shorter_of_two_names_withholds_the_person_in_every_list(
    tmp_path: Path, first: list[str], command: str
) -> None:
    database, folder = tmp_path / "movements.db", tmp_path / "lists"
    asked = corrections(tmp_path, f"masquer: {{nom: {SHORT}}}")
    days = [first, [SHORT, LONG], [LONG], [LONG], []]
    for number, names in enumerate(days):
        lists.write(folder, "senat", f"2026-09-{1 + 9 * number:02}", STAFF | {7: names})
        if command == "build" and number < 1:
            continue
        if number < 1 and first == [LONG]:
            continue  # nobody has the shorter name yet: the mask would match nothing
        done = run(command, database, "--lists", folder, "--corrections", asked)
        assert done.exit_code == 0, done.output
        assert b"FOREZ" not in database.read_bytes()
        assert b"MOREAU" not in database.read_bytes()


def test_a_file_as_it_stands_is_masked_by_the_shorter_of_two_names(tmp_path: Path) -> None:
    database, folder = tmp_path / "movements.db", tmp_path / "lists"
    for day, names in (("01", [SHORT, LONG]), ("11", [LONG])):
        lists.write(folder, "senat", f"2026-09-{day}", STAFF | {7: names})
        assert run("track", database, "--lists", folder).exit_code == 0
    assert b"FOREZ" in database.read_bytes()
    elsewhere = corrections(tmp_path, f"masquer: {{nom: {SHORT}, elus: [99008Z]}}")
    assert run("mask", database, "--corrections", elsewhere).exit_code == 1
    asked = corrections(tmp_path, f"masquer: {{nom: {SHORT}}}")
    done = run("mask", database, "--corrections", asked)
    assert done.exit_code == 0, done.output
    assert b"FOREZ" not in database.read_bytes()
