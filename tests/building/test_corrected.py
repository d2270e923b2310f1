"""Whole files made with corrections and masks: sound, or refused by a line; no byte says a masked name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from datasette_mouvements.building.masks import KEY_FILE
from datasette_mouvements.dataset.check import inspect
from parlement_lists.tracking.reading import git
from tests.contract.environment import command, done
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF, fingerprint

from .corrections_file import corrections
from .mornings import Maintainer, holds

COMES = "Une BRELANDE"
DAYS = {
    "2026-09-01": STAFF,
    "2026-09-02": AFTER,
    "2026-09-12": {**AFTER, 9: [*AFTER[9], COMES]},
    "2026-09-22": {**AFTER, 8: [*AFTER[8], COMES]},
    "2026-10-02": AFTER,
}
TYPES = ("arrivee", "transfert", "depart")
VALUES = {
    "date_event": ["2026-08-01", "2026-09-15", "2026-10-05"],
    "type": TYPES,
    "collab_nom": ["AUTRE", ""],
    "elu_id": ["99001Z", ""],
    "elu_origine_nom": ["Autre", ""],
    "fonction": ["Cheffe", ""],
    "contexte": ["elu_sortant"],
    "chambre": ["europarl"],
}
OTHER = "the other movement of its stay is with another member or chamber: correct both"
FAULTS = {
    "date_event": ["its stay would end before it begins"],
    "type": ["it begins a stay", "it ends a stay", "elu_origine_nom: only a transfert has one"],
    "elu_id": [OTHER, "its stay is with a member, whose identifier is missing"],
    "elu_origine_nom": ["elu_origine_nom: only a transfert has one"],
    "chambre": [OTHER, "its stay is of another chamber's lists"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists of the Sénat in which one leaves, and one comes, goes to another member and leaves."""
    for day, staff in DAYS.items():
        lists.write(tmp_path / "lists", "senat", day, staff)
    return tmp_path / "lists"


@pytest.fixture
def ids(database: Path, folder: Path) -> dict[str, str]:
    """The movements of who comes, by type, in a file of these lists."""
    done("build", database, "--lists", folder)
    return {m.type: m.id for m in Published(database).movements() if m.collab_nom == "BRELANDE"}


@pytest.mark.rule("record-corrections")
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("field", VALUES)
def test_whatever_is_changed_the_file_is_sound_or_the_line_is_named(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str], type: str, field: str
) -> None:
    for value in VALUES[field]:
        before = database.read_bytes()
        asked = corrections(tmp_path, f"modifier: {{id: {ids[type]}, {field}: '{value}'}}")
        result = command("build", database, "--lists", folder, "--corrections", asked)
        if result.exit_code:
            where, fault = result.stderr.splitlines()[0].split(" modifier: ")
            assert (where, fault in FAULTS[field]) == (f"{asked}: line 1:", True), fault
            assert database.read_bytes() == before
            continue
        assert inspect(database) == []
        (changed,) = (m for m in Published(database).movements() if m.id == ids[type])
        assert (getattr(changed, field), changed.confiance) == (value, "manuel")
        names = {stay.collab_nom for stay in Published(database).tenures()}
        assert field != "collab_nom" or value in names


def test_who_is_with_another_member_from_a_day_on_had_left_by_then(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str]
) -> None:
    asked = corrections(tmp_path, f"modifier: {{id: {ids['transfert']}, date_event: 2026-09-15}}")
    done("build", database, "--lists", folder, "--corrections", asked)
    stays = [stay for stay in Published(database).tenures() if stay.collab_nom == "BRELANDE"]
    assert sorted((stay.debut, stay.fin_apres, stay.fin) for stay in stays) == [
        ("2026-09-12", "2026-09-12", "2026-09-15"),
        ("2026-09-15", "2026-09-22", "2026-10-02"),
    ]


def test_the_member_whom_a_transfer_leaves_is_not_the_corrected_one(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str]
) -> None:
    both = (f"modifier: {{id: {ids[type]}, elu_id: 99001Z}}" for type in ("transfert", "depart"))
    done("build", database, "--lists", folder, "--corrections", corrections(tmp_path, *both))
    stays = [stay for stay in Published(database).tenures() if stay.collab_nom == "BRELANDE"]
    assert sorted((stay.debut, stay.elu_id) for stay in stays) == [
        ("2026-09-12", "99009Z"),
        ("2026-09-22", "99001Z"),
    ]


@pytest.mark.parametrize(("type", "stays"), [("arrivee", 0), ("transfert", 0), ("depart", 1)])
def test_the_group_of_a_stay_is_that_of_its_last_day(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str], type: str, stays: int
) -> None:
    asked = corrections(tmp_path, f"modifier: {{id: {ids[type]}, elu_groupe: AUTRE}}")
    done("build", database, "--lists", folder, "--corrections", asked)
    assert [stay.elu_groupe for stay in Published(database).tenures()].count("AUTRE") == stays


def test_a_stay_of_which_one_movement_is_known_stays_in_its_chamber(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str]
) -> None:
    (other,) = {m.id for m in Published(database).movements()} - {*ids.values()}
    asked = corrections(tmp_path, f"modifier: {{id: {other}, chambre: europarl}}")
    refused = command("build", database, "--lists", folder, "--corrections", asked)
    assert (refused.exit_code, FAULTS["chambre"][1] in refused.stderr) == (1, True)


def test_what_is_masked_and_withdrawn_is_withdrawn_under_what_was_published(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str]
) -> None:
    """The correction's reason beside the old identifier would say what became of it."""
    own, mask, gone = ids["arrivee"], f"masquer: {{nom: {COMES}}}", "n’est plus publié"

    def build(path: Path, *lines: str) -> dict[str, str]:
        asked = corrections(tmp_path, *lines)
        done("build", path, "--lists", folder, "--corrections", asked)
        return {id: row[2] for id, row in Published(path).withdrawn.items()}

    first = Path(shutil.copy(database, tmp_path / "first.db"))
    assert build(first, mask, f"retirer: {own}")[own] == "Demande"
    assert build(database, mask)[own] == gone
    (masked,) = (m.id for m in Published(database).movements() if m.type == "arrivee")
    for id in (masked, own):
        reasons = build(database, mask, f"retirer: {id}")
        assert (reasons[own], reasons[masked]) == (gone, "Demande")
    # Of what was never published with its name, no identifier is made of the name.
    other = tmp_path / "other.db"
    assert build(other, mask, f"retirer: {own}") == {masked: "Demande"}
    assert own.encode() not in other.read_bytes()


def test_homonyms_of_a_masked_name_are_not_told(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    for mask in ("", f"masquer: {{nom: {COMES}}}"):
        asked = corrections(tmp_path, f"homonymes: {{nom: {COMES}, elus: [99009Z]}}", mask)
        done("build", database, "--lists", folder, "--corrections", asked)
        assert holds(database, "brelande une") == (not mask)


def test_a_movement_is_added(database: Path, folder: Path, tmp_path: Path) -> None:
    fields = "date_event: 2026-09-30, chambre: senat, type: arrivee, collab_nom: AJOUT, elu_id: 1A"
    asked = corrections(tmp_path, f"ajouter: {{{fields}}}", f"ajouter: {{id: x, {fields}}}")
    done("build", database, "--lists", folder, "--corrections", asked)
    added = [m for m in Published(database).movements() if m.collab_nom == "AJOUT"]
    assert [m.confiance for m in added] == ["manuel"] * 2
    assert ("x" in {m.id for m in added}, inspect(database)) == (True, [])
    asked = corrections(tmp_path, f"ajouter: {{{fields}}}", "masquer: {nom: AJOUT}")
    done("build", database, "--lists", folder, "--corrections", asked)
    assert b"AJOUT" not in database.read_bytes()


@pytest.mark.rule("record-corrections-useless")
@pytest.mark.parametrize(
    "useless",
    [
        *("accepter: senat/2026-09-05", "refuser: senat/2026-09-05"),
        *("accepter: europarl/2026-09-02", "retirer: mvt_x", "modifier: {id: mvt_x, elu_nom: A}"),
        *("meme_personne: {noms: [Zoé Inventée, Zoé Fictive]}", "masquer: {nom: Zoé Fictive}"),
        "homonymes: {nom: Zoé Inventée, elus: [99001Z]}",
        f"masquer: {{nom: {COMES}, elus: [99001Z]}}",
        f"masquer: {{empreinte: {fingerprint('Zoé Fictive')}}}",
        f"deux_personnes: {{noms: [{COMES}, Une BRELANDDE]}}",
    ],
)
def test_a_correction_that_matches_nothing_is_an_error_and_changes_nothing(
    database: Path, folder: Path, tmp_path: Path, ids: dict[str, str], useless: str
) -> None:
    before = database.read_bytes()
    asked = corrections(tmp_path, f"masquer: {{nom: {COMES}}}", useless)
    result = command("build", database, "--lists", folder, "--corrections", asked)
    kind = useless.partition(":")[0]
    if kind == "accepter" and "senat" in useless:
        # A list may have given its place to the same list of a later day.
        assert result.exit_code == 0
        return
    assert result.exit_code == 1
    assert f"{asked}: line 2: {kind}: matches nothing\n" in result.stderr
    assert "Fictive" not in result.output
    assert database.read_bytes() == before


def test_mornings_withhold_a_near_name_and_say_so_until_decided(maintainer: Maintainer) -> None:
    """Neither the journal nor the history of the lists' repository has the key, or the name in question."""
    maintainer.desk.hires("senat", "VERVEINAC")
    maintainer.morning()
    maintainer.masks("VERVEINAC")
    maintainer.desk.hires("assemblee", "VERVEINAT")
    near = [[a for a in maintainer.morning().alarms if "a masked name" in a] for _ in range(2)]
    assert [len(alarms) for alarms in near] == [1, 1]
    assert maintainer.arrivals() == ["masked", "masked"]
    assert not holds(maintainer.database, "VERVEINA")
    assert "VERVEINA" not in (maintainer.lists / "journal.csv").read_text()
    assert KEY_FILE not in git.run(maintainer.lists, "ls-files")
    another = near[-1][0].split("Another person:\n")[1].splitlines()[0]
    with maintainer.corrections.open("a") as file:
        file.write(f"{another}\n")
    assert [a for a in maintainer.morning().alarms if "masked" in a] == []
    assert sorted(maintainer.arrivals()) == ["VERVEINAT", "masked"]
