"""What changes from one list to the next, as movements: kinds, context, confidence, names, groups."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import List, Reader
from tests.tracking.lists import list_file, movements, rows, text, tracked

A, B, C = "Ada MOREAU", "Bo LENGLET", "Cleo VASSOR"
EVERYONE = {1: [A], 2: [B], 3: [C]}


def told(found: Iterable[Movement]) -> list[tuple[str, ...]]:
    return [(m.date_event, m.type, m.collab_prenom, m.elu_id, m.elu_origine_nom) for m in found]


def test_an_arrival_and_a_departure_have_every_field_the_lists_know() -> None:
    after = {1: [A, B], 2: [B], 3: ["Nino AUTRE"]}
    arrival, departure, other = movements(("2026-09-01", EVERYONE), ("2026-09-02", after))
    assert arrival._replace(id="") == Movement(
        id="",
        date_event="2026-09-02",
        chambre="senat",
        type="arrivee",
        collab_nom="LENGLET",
        collab_prenom="Bo",
        collab_civilite="Mme",
        elu_cle="numero1 elue",
        elu_id="99001Z",
        elu_nom="Élue NUMÉRO1",
        source="archives",
        confiance="fort",
    )
    assert (departure.type, departure.collab_nom, departure.elu_id) == (
        "depart",
        "VASSOR",
        "99003Z",
    )
    assert other.type == "arrivee"


@pytest.mark.rule("record-seven-days")
@pytest.mark.parametrize(
    ("back", "expected"),
    [("2026-09-09", []), ("2026-09-10", ["depart", "arrivee"])],
)
def test_who_is_back_within_seven_days_never_left(back: str, expected: list[str]) -> None:
    days = [("2026-09-01", EVERYONE), ("2026-09-02", {**EVERYONE, 1: ["Dan X"]}), (back, EVERYONE)]
    assert [m.type for m in movements(*days) if m.collab_nom == "MOREAU"] == expected


def test_a_respelling_is_no_movement_and_the_new_spelling_leaves() -> None:
    days = [
        ("2026-09-01", {**EVERYONE, 1: ["Ada MOREAU"]}),
        ("2026-09-02", {**EVERYONE, 1: ["Ada MOREAU-FOREZ"]}),
        ("2026-09-03", {**EVERYONE, 1: ["Dan X"]}),
    ]
    assert ("2026-09-03", "depart", "Ada", "99001Z", "") in told(movements(*days))
    assert len(movements(*days)) == 2


@pytest.mark.rule("record-transfer")
def test_lost_here_and_gained_there_is_a_transfer() -> None:
    found = movements(("2026-09-01", EVERYONE), ("2026-09-02", {1: ["Dan X"], 2: [A, B], 3: [C]}))
    assert told(found)[0] == ("2026-09-02", "transfert", "Ada", "99002Z", "Élue NUMÉRO1")
    assert [m.type for m in found] == ["transfert", "arrivee"]


def test_who_keeps_a_member_and_gains_another_arrives_and_who_loses_one_leaves() -> None:
    shared = {1: [A, "Dan X"], 2: [A, B], 3: [C]}
    gained = movements(("2026-09-01", EVERYONE | {1: [A, "Dan X"]}), ("2026-09-02", shared))
    assert told(gained) == [("2026-09-02", "arrivee", "Ada", "99002Z", "")]
    lost = movements(("2026-09-01", shared), ("2026-09-02", EVERYONE | {1: [A, "Dan X"]}))
    assert told(lost) == [("2026-09-02", "depart", "Ada", "99002Z", "")]


@pytest.mark.rule("record-transfer")
def test_two_members_lost_and_one_gained_is_a_doubtful_transfer_and_a_departure() -> None:
    before = {1: [A, B], 2: [A, B], 3: [B]}
    found = movements(("2026-09-01", before), ("2026-09-02", {1: [B], 2: [B], 3: [A, B]}))
    assert [(m.type, m.elu_id, m.confiance) for m in found] == [
        ("depart", "99002Z", "fort"),
        ("transfert", "99003Z", "moyen"),
    ]


def test_one_member_lost_and_two_gained_is_a_doubtful_transfer_and_an_arrival() -> None:
    before, after = {1: [A, B], 2: [B], 3: [C]}, {1: [B], 2: [A, B], 3: [A, C]}
    found = movements(("2026-09-01", before), ("2026-09-02", after))
    assert [(m.type, m.elu_id, m.confiance) for m in found] == [
        ("transfert", "99002Z", "moyen"),
        ("arrivee", "99003Z", "fort"),
    ]


def test_an_arrival_of_another_day_does_not_make_a_transfer_doubtful() -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [B], 3: [C]}),
        ("2026-09-02", {1: [B], 2: [A, B], 3: [C]}),
        ("2026-09-03", {1: [B], 2: [A, B], 3: [A, C]}),
    ]
    assert [(m.type, m.elu_id, m.confiance) for m in movements(*days)] == [
        ("transfert", "99002Z", "fort"),
        ("arrivee", "99003Z", "fort"),
    ]


def test_an_arrival_does_not_answer_a_later_departure() -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [A, B], 3: [C]}),
        ("2026-09-02", {1: [B], 2: [A, B], 3: [A, C]}),
        ("2026-09-04", {1: [B], 2: [B], 3: [A, C]}),
    ]
    found = movements(*days)
    assert told(found) == [
        ("2026-09-02", "transfert", "Ada", "99003Z", "Élue NUMÉRO1"),
        ("2026-09-04", "depart", "Ada", "99002Z", ""),
    ]
    assert [m.confiance for m in found] == ["fort", "fort"]


def test_who_is_back_at_one_member_still_left_the_other() -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [A, B]}),
        ("2026-09-02", {1: [B], 2: [B]}),
        ("2026-09-04", {1: [A, B], 2: [B]}),
    ]
    assert told(movements(*days)) == [("2026-09-02", "depart", "Ada", "99002Z", "")]


def test_a_transfer_is_doubtful_by_one_level_and_no_more_than_approximate() -> None:
    before, after = {1: [A, B], 2: [A, B], 3: [B]}, {1: [B], 2: [B], 3: [A, B]}
    for day, expected in (("2026-09-05", "faible"), ("2026-09-12", "faible")):
        found = movements(("2026-09-01", before), (day, after))
        assert [m.confiance for m in found if m.type == "transfert"] == [expected]


def test_a_transfer_whose_origin_was_a_flicker_is_an_arrival() -> None:
    days = [
        ("2026-09-01", EVERYONE),
        ("2026-09-02", {1: ["Dan X"], 2: [A, B], 3: [C]}),
        ("2026-09-04", {1: [A, "Dan X"], 2: [A, B], 3: [C]}),
    ]
    assert told(movements(*days)) == [
        ("2026-09-02", "arrivee", "Ada", "99002Z", ""),
        ("2026-09-02", "arrivee", "Dan", "99001Z", ""),
    ]


def test_who_comes_back_later_still_moved_at_first() -> None:
    days = [
        ("2026-09-01", EVERYONE),
        ("2026-09-02", {1: ["Dan X"], 2: [A, B], 3: [C]}),
        ("2026-10-02", {1: [A, "Dan X"], 2: [B], 3: [C]}),
    ]
    assert [(m.type, m.elu_id) for m in movements(*days) if m.collab_prenom == "Ada"] == [
        ("transfert", "99002Z"),
        ("transfert", "99001Z"),
    ]


def test_who_comes_back_and_also_arrives_elsewhere_did_not_move_there() -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [A, B], 3: [C]}),
        ("2026-09-02", {1: [A, B], 2: [B], 3: [C]}),
        ("2026-09-12", {1: [A, B], 2: [A, B], 3: [A, C]}),
    ]
    assert [(m.type, m.elu_id) for m in movements(*days)] == [
        ("depart", "99002Z"),
        ("arrivee", "99002Z"),
        ("arrivee", "99003Z"),
    ]


@pytest.mark.rule("record-left")
def test_the_staff_of_a_member_who_is_gone_leaves_with_the_member() -> None:
    days = [("2026-09-01", {1: [A, B], 2: [B], 3: [C]}), ("2026-09-02", {2: [A, B], 3: [C]})]
    assert [(m.type, m.contexte) for m in movements(*days)] == [
        ("transfert", "elu_sortant"),
        ("depart", "elu_sortant"),
    ]


def test_a_member_who_stays_away_left_the_chamber() -> None:
    gone = {2: [B], 3: [C]}
    days = [("2026-09-01", EVERYONE), ("2026-09-02", gone), ("2026-09-09", gone)]
    assert [m.contexte for m in movements(*days, ("2026-09-10", gone))] == ["elu_sortant"]


def test_a_member_who_is_back_did_not_leave_the_chamber() -> None:
    days = [
        ("2026-09-01", EVERYONE | {1: [A, "Dan X"]}),
        ("2026-09-02", {2: [B], 3: [C]}),
        ("2026-09-03", EVERYONE),
    ]
    assert [(m.collab_prenom, m.contexte) for m in movements(*days)] == [("Dan", "")]


@pytest.mark.rule("record-new")
def test_the_first_staff_of_a_new_member_comes_with_the_member() -> None:
    days = [
        ("2026-09-01", EVERYONE),
        ("2026-09-02", EVERYONE | {4: ["Dan X"]}),
        ("2026-09-03", EVERYONE | {4: ["Dan X", "Eve Y"]}),
    ]
    assert [(m.collab_prenom, m.contexte) for m in movements(*days)] == [
        ("Dan", "elu_entrant"),
        ("Eve", ""),
    ]


@pytest.mark.parametrize(
    ("mandate", "context"), [("2026-09-03", "elu_entrant"), ("2026-09-02", "")]
)
def test_a_member_elected_again_since_the_last_list_that_had_them_is_new(
    tmp_path: Path, mandate: str, context: str
) -> None:
    (tmp_path / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
        f"senat,99001Z,Élise Une,Une,Élise,Mme,{mandate},2027-01-01,,x\n"
    )
    (tmp_path / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua,origine\n")
    days = [
        ("2026-09-02", EVERYONE),
        ("2026-09-03", {2: [B], 3: [C]}),
        ("2026-09-20", EVERYONE | {1: ["Dan X"]}),
    ]
    found = movements(*days, members=Members.read(tmp_path))
    assert [m.contexte for m in found if m.type == "arrivee"] == [context]


def test_a_member_without_staff_for_a_while_is_not_new() -> None:
    days = [
        ("2026-09-01", EVERYONE),
        ("2026-09-02", {2: [B], 3: [C]}),
        ("2026-09-20", EVERYONE | {1: ["Dan X"]}),
    ]
    assert [(m.collab_prenom, m.contexte) for m in movements(*days)] == [
        ("Ada", ""),
        ("Dan", ""),
    ]


@pytest.mark.parametrize(
    ("mandate", "contexts"),
    [
        ("2026-09-01,", ["", "elu_entrant"]),
        ("2026-06-21,", ["", "elu_entrant"]),  # 92 days before the first staff
        ("2026-06-20,", ["", ""]),
        ("2020-10-01,", ["", ""]),
        ("2026-09-01,2026-10-20", ["elu_sortant", "elu_entrant"]),
    ],
)
def test_mandates_veto_a_context_and_give_name_and_group(
    tmp_path: Path, mandate: str, contexts: list[str]
) -> None:
    (tmp_path / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
        f"senat,99004Z,Élise Quatre,Quatre,Élise,Mme,{mandate},,x\n"
        "senat,99009Z,A B,B,A,M.,2026-01-01,2026-12-31,,x\n"
    )
    (tmp_path / "groupes.csv").write_text(
        "chambre,elu_id,groupe,depuis,jusqua,origine\nsenat,99004Z,MAR,2026-09-01,,x\n"
    )
    days = [
        ("2026-09-20", EVERYONE),
        ("2026-09-21", EVERYONE | {4: ["Dan X"]}),
        ("2026-10-20", EVERYONE),
    ]
    found = movements(*days, members=Members.read(tmp_path))
    assert sorted(m.contexte for m in found) == sorted(contexts)
    assert {(m.elu_nom, m.elu_cle, m.elu_groupe) for m in found} == {
        ("Élise Quatre", "quatre elise", "MAR")
    }


@pytest.mark.rule("record-confidence")
@pytest.mark.parametrize(
    ("day", "suivi", "archives"),
    [
        ("2026-09-04", "bot", "fort"),
        ("2026-09-05", "moyen", "moyen"),
        ("2026-09-11", "moyen", "moyen"),
        ("2026-09-12", "faible", "faible"),
    ],
)
def test_confidence_falls_with_the_days_without_a_list(day: str, suivi: str, archives: str) -> None:
    for kind, expected in (("suivi", suivi), ("archives", archives)):
        days = [("2026-09-01", EVERYONE), (day, EVERYONE | {1: [A, "Dan X"]})]
        assert [(m.source, m.confiance) for m in movements(*days, kind=kind)] == [(kind, expected)]


@pytest.mark.rule("record-list-after-refused")
def test_the_first_list_after_refused_ones_is_less_sure() -> None:
    empty = dataclasses.replace(list_file("senat", "2026-09-02", {}), data=lambda: b"x")
    after = list_file("senat", "2026-09-03", EVERYONE | {1: [A, "Dan X"]})
    found = tracked([list_file("senat", "2026-09-01", EVERYONE), empty, after])
    assert [record.status for record in found.report.records] == ["accepted", "refused", "accepted"]
    assert [m.confiance for m in found.movements] == ["moyen"]


def test_a_name_split_another_way_does_not_change_the_key_of_a_member() -> None:
    def swapped() -> List:
        read = list_file("senat", "2026-09-02", EVERYONE | {1: [A, "Dan X"]}).read(Reader())
        pairs = {
            key: pair._replace(member_family=pair.member_given, member_given=pair.member_family)
            for key, pair in read.pairs.items()
        }
        return read._replace(pairs=pairs)

    files = [
        list_file("senat", "2026-09-01", EVERYONE),
        dataclasses.replace(list_file("senat", "2026-09-02", {}), data=swapped),
    ]
    assert [m.elu_cle for m in tracked(files).movements] == ["numero1 elue"]


@pytest.mark.rule("record-held")
def test_of_a_daily_run_a_change_waits_until_a_later_list_decides() -> None:
    before, moved = {1: [A, B], 2: [B], 3: [C]}, {1: [B], 2: [A, B], 3: [C, "Dan X"]}
    days = [("2026-09-01", before), ("2026-09-02", moved)]
    assert told(movements(*days, kind="suivi")) == [("2026-09-02", "arrivee", "Dan", "99003Z", "")]
    waiting = movements(*days, ("2026-09-09", moved), kind="suivi")
    assert len(waiting) == 1
    later = movements(*days, ("2026-09-10", moved), kind="suivi")
    assert told(later)[0] == ("2026-09-02", "transfert", "Ada", "99002Z", "Élue NUMÉRO1")
    found = tracked([list_file("senat", *day) for day in days], kind="suivi")
    assert found.held.total() == 1
    (stay,) = (t for t in found.stays if t.collab_nom == "MOREAU" and t.elu_id == "99001Z")
    assert (stay.fin, stay.mouvement_fin, stay.fin_apres) == ("", "", "2026-09-01")


@pytest.mark.rule("record-civilities")
def test_a_transfer_needs_no_contradicting_civilities() -> None:
    def man() -> List:
        read = list_file("senat", "2026-09-02", {1: ["Dan X"], 2: [A, B], 3: [C]}).read(Reader())
        pairs = {
            key: pair._replace(civility="M.") if pair.family == "MOREAU" else pair
            for key, pair in read.pairs.items()
        }
        return read._replace(pairs=pairs)

    files = [
        list_file("senat", "2026-09-01", EVERYONE),
        dataclasses.replace(list_file("senat", "2026-09-02", {}), data=man),
    ]
    assert sorted(m.type for m in tracked(files).movements) == ["arrivee", "arrivee", "depart"]


def made_twice(*civilities: str) -> ListFile:
    """A list in which one member has two people of one name and these civilities."""
    table = [list(row) for row in rows("assemblee", {1: ["Camille MOREAU"] * 2, 2: [B], 3: [C]})]
    for row, civility in zip(table[1:3], civilities, strict=True):
        row[4] = f"{civility} Camille MOREAU"
    content = text(table)
    return dataclasses.replace(list_file("assemblee", "2026-09-01", {}), data=lambda: content)


@pytest.mark.rule("record-one-name")
def test_a_man_and_a_woman_of_one_name_at_one_member_are_told() -> None:
    assert tracked([made_twice("Mme", "Mme")]).report.records[0].doubles == []
    record = tracked([made_twice("M.", "Mme")]).report.records[0]
    assert record.doubles == ["PA999001: M. Camille MOREAU"]
    assert any(
        "Camille MOREAU" in line for line in tracked([made_twice("M.", "Mme")]).report.lines()
    )


@pytest.mark.rule("record-left-before")
@pytest.mark.parametrize(("rest", "context"), [("2026-09-05", "elu_sortant"), ("2026-09-06", "")])
def test_part_of_a_team_may_leave_before_the_rest_of_it(rest: str, context: str) -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [B], 3: [C]}),
        ("2026-09-02", {1: [B], 2: [B], 3: [C]}),
        (rest, {2: [B], 3: [C]}),
    ]
    assert [(m.collab_prenom, m.contexte) for m in movements(*days)] == [
        ("Ada", context),
        ("Bo", "elu_sortant"),
    ]


@pytest.mark.rule("record-left-not")
@pytest.mark.parametrize(("again", "context"), [("2026-12-03", ""), ("2026-12-04", "elu_sortant")])
def test_a_member_who_is_listed_again_within_weeks_did_not_leave(again: str, context: str) -> None:
    days = [
        ("2026-09-01", EVERYONE),
        ("2026-09-02", {2: [B], 3: [C]}),
        (again, EVERYONE | {1: ["Dan X"]}),
    ]
    assert [m.contexte for m in movements(*days) if m.type == "depart"] == [context]


@pytest.mark.rule("record-mended")
def test_an_exchanged_name_is_mended_by_a_later_list() -> None:
    exchanged = {**EVERYONE, 1: [A, "ROUVEROL dan"]}
    days = [("2026-09-01", EVERYONE), ("2026-09-02", exchanged)]
    later = ("2026-09-03", {**EVERYONE, 1: [A, "Dan ROUVEROL"]})
    (wrong,), (right,) = movements(*days), movements(*days, later)
    assert (wrong.collab_nom, right.collab_nom) == ("DAN", "ROUVEROL")
    assert (right.collab_prenom, right.id) == ("Dan", wrong.id)


IN_ORDER = """
import sys
from tests.tracking.lists import STAFF, list_file, tracked
names = [f"Une{n} NOUVELLE{n}" for n in "ABCDEFGH"]
days = [("2026-09-01", STAFF), ("2026-09-02", {**STAFF, 7: names, 9: names})]
print([m.id for m in tracked([list_file("senat", *day) for day in days]).movements])
"""


def test_two_processes_find_the_movements_in_one_order() -> None:
    """Python gives the words of each process another order."""
    found = [
        subprocess.run(
            [sys.executable, "-c", IN_ORDER],
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert found[0].count(b"mvt_") == 20
