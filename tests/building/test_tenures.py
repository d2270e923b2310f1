"""The stays that runs write: what corrections and masks of their movements change in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import FIELD_NAMES, Movement, words
from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, NAME, STAFF


def tenures_of(database: Path, name: str = NAME) -> list[tuple[str, ...]]:
    """When a person's stays began and ended, and the types of the movements that say so."""
    published = Published(database)
    types = {movement.id: movement.type for movement in published.movements()} | {"": ""}
    return sorted(
        (
            t.debut,
            t.debut_apres,
            t.fin,
            t.fin_apres,
            types[t.mouvement_debut],
            types[t.mouvement_fin],
        )
        for t in published.tenures()
        if words(t.collab_nom, t.collab_prenom) == words(name)
    )


def write(folder: Path, *days: tuple[str, lists.Staff]) -> Path:
    for day, staff in days:
        lists.write(folder, "senat", day, staff)
    return folder


def test_who_was_in_the_first_list_began_on_an_unknown_day(database: Path, folder: Path) -> None:
    assert run("build", database, "--lists", folder).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-02", "2026-09-01", "", "depart")]
    assert tenures_of(database, STAFF[8][0]) == [("2026-09-01", "", "", "2026-09-12", "", "")]
    assert len(list(Published(database).tenures())) == sum(map(len, STAFF.values()))
    assert inspect(database) == []


def test_while_an_absence_is_not_decided_the_stay_goes_on(database: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("build", database, "--lists", folder, "--source", "suivi")
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    write(folder, ("2026-09-12", AFTER))
    run("build", database, "--lists", folder, "--source", "suivi")
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    write(folder, ("2026-09-13", AFTER))
    run("build", database, "--lists", folder, "--source", "suivi")
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-05", "2026-09-01", "", "depart")]


def test_who_is_back_in_time_has_one_stay_also_where_a_build_had_settled_it(
    database: Path, tmp_path: Path
) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("build", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-05", "2026-09-01", "", "depart")]
    write(folder, ("2026-09-12", STAFF))
    run("build", database, "--lists", folder, "--source", "suivi")
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-12", "", "")]
    assert inspect(database) == []


def test_a_stay_has_one_row_under_the_latest_name(database: Path, tmp_path: Path) -> None:
    married = {**STAFF, 7: [f"{NAME.split()[0]} BELLANGER", *STAFF[7][1:]]}
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", married))
    run("build", database, "--lists", folder)
    assert tenures_of(database) == []
    (stay,) = tenures_of(database, married[7][0])
    assert stay == ("2026-09-01", "", "", "2026-09-05", "", "")
    assert Published(database).identifiers() == set()


def test_a_transfer_ends_a_stay_and_begins_one(database: Path, tmp_path: Path) -> None:
    moved = {**AFTER, 8: [*STAFF[8], NAME]}
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", moved))
    assert run("build", database, "--lists", folder).exit_code == 0
    assert tenures_of(database) == [
        ("2026-09-01", "", "2026-09-05", "2026-09-01", "", "transfert"),
        ("2026-09-05", "2026-09-01", "", "2026-09-05", "transfert", ""),
    ]
    assert inspect(database) == []


def test_movements_of_a_file_make_no_stays(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    row = Movement(
        "",
        "2020-01-01",
        "senat",
        "arrivee",
        collab_nom="MOREAU",
        elu_id="99001Z",
        source="archives",
    )
    file.write_text(f"{','.join(FIELD_NAMES)}\n{','.join(row)}\n")
    assert run("build", database, "--movements", file).exit_code == 0
    assert list(Published(database).tenures()) == []
    assert inspect(database) == []


def test_a_day_that_a_correction_gives_bounds_the_stay(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    asked = corrections(
        tmp_path, f"modifier: {{id: {id}, date_event: '2026-09-02', fonction: Cheffe}}"
    )
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    (stay,) = (t for t in Published(database).tenures() if t.fin)
    assert (stay.fin, stay.fin_apres, stay.fonction) == ("2026-09-02", "2026-09-02", "Cheffe")
    asked = corrections(tmp_path, f"modifier: {{id: {id}, date_event: '2026-09-01'}}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    (stay,) = (t for t in Published(database).tenures() if t.fin)
    assert (stay.fin, stay.fin_apres) == ("2026-09-01", "2026-09-01")
    assert inspect(database) == []


def test_a_movement_that_is_withdrawn_ends_no_stay(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    asked = corrections(tmp_path, f"retirer: {id}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-02", "2026-09-01", "", "")]
    assert inspect(database) == []


def test_a_list_that_lacks_somebody_by_error_is_refused_and_the_stay_goes_on(
    database: Path, tmp_path: Path
) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("build", database, "--lists", folder)
    assert len(Published(database).identifiers()) == 1
    asked = corrections(tmp_path, "refuser: senat/2026-09-05")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    assert Published(database).identifiers() == set()
    assert inspect(database) == []


def test_a_name_and_a_day_put_right_hold_in_later_runs(database: Path, tmp_path: Path) -> None:
    """The arrival comes from the file, corrected already; the stay is told anew by the lists."""
    folder = write(tmp_path / "lists", ("2026-09-01", AFTER), ("2026-09-04", STAFF))
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    value = f"{{id: {id}, date_event: '2026-09-03', collab_nom: JUSTE}}"
    asked = corrections(tmp_path, f"modifier: {value}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    right = f"{NAME.split()[0]} JUSTE"
    assert tenures_of(database, right) == [
        ("2026-09-03", "2026-09-03", "", "2026-09-04", "arrivee", "")
    ]
    write(folder, ("2026-09-05", STAFF))
    assert (
        run(
            "build", database, "--lists", folder, "--source", "suivi", "--corrections", asked
        ).exit_code
        == 0
    )
    assert tenures_of(database, right) == [
        ("2026-09-03", "2026-09-03", "", "2026-09-05", "arrivee", "")
    ]
    assert tenures_of(database) == []
    assert inspect(database) == []


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("date_event: '2026-08-01'", "its stay would end before it begins"),
        ("elu_id: 99008Z", "the other movement of its stay is with another member or chamber"),
        ("type: arrivee", "it ends a stay"),
    ],
)
def test_a_correction_that_no_stay_can_follow_is_refused_by_its_line(
    database: Path, tmp_path: Path, value: str, what: str
) -> None:
    folder = write(
        tmp_path / "lists", ("2026-09-01", AFTER), ("2026-09-04", STAFF), ("2026-09-20", AFTER)
    )
    run("build", database, "--lists", folder)
    before = database.read_bytes()
    (id,) = (m.id for m in Published(database).movements() if m.type == "depart")
    asked = corrections(tmp_path, f"modifier: {{id: {id}, {value}}}")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, f"line 1: modifier: {what}" in done.stderr) == (1, True)
    assert database.read_bytes() == before


def test_what_is_masked_may_have_its_day_put_right(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    day = f"modifier: {{id: {id}, date_event: '2026-09-01'}}"
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}", day)
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert inspect(database) == []
    assert FAMILY.encode() not in database.read_bytes()


@pytest.mark.parametrize("masked", ["first", "second"])
def test_a_mask_reaches_every_movement_of_a_stay(
    database: Path, tmp_path: Path, masked: str
) -> None:
    """Who arrived under one name and left under another."""
    married = f"{NAME.split()[0]} BELLANGER"
    under = {**STAFF, 7: [married, *STAFF[7][1:]]}
    folder = write(
        tmp_path / "lists",
        *(("2026-09-01", AFTER), ("2026-09-02", STAFF), ("2026-09-05", under)),
        *(("2026-09-06", AFTER), ("2026-09-20", AFTER)),
    )
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME if masked == 'first' else married}}}")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    # The stay goes on under a name that no mask says.
    assert done.exit_code == (masked == "first"), done.output
    for name in (FAMILY, "BELLANGER"):
        assert name.encode() not in database.read_bytes()
    assert inspect(database) == []


def test_archives_with_the_lists_of_the_daily_run_say_since_when(
    database: Path, tmp_path: Path
) -> None:
    """Who came between the archives and the first morning arrived by that morning."""
    daily = write(tmp_path / "daily", ("2026-09-10", STAFF), ("2026-09-11", STAFF))
    run("build", database, "--lists", daily, "--source", "suivi")
    archives = write(tmp_path / "archives", ("2024-06-12", AFTER))
    before = database.read_bytes()
    done = run("build", database, "--lists", archives)
    sentence = "senat: its lists reach to 2026-09-11, and would end on 2024-06-12"
    assert (done.exit_code, sentence in done.stderr) == (1, True)
    assert database.read_bytes() == before
    done = run("build", database, "--lists", archives, "--lists", daily)
    assert done.exit_code == 0
    assert tenures_of(database) == [("2026-09-10", "2024-06-12", "", "2026-09-11", "arrivee", "")]
