from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.tracker import Tracker
from tests.tracking.lists import Staff, list_

A, B, C = "Ada MOREAU", "Bo LENGLET", "Cleo VASSOR"
EVERYONE = {1: [A], 2: [B], 3: [C]}


def movements(
    *days: tuple[str, Staff],
    source: str = "suivi",
    members: Members | None = None,
) -> list[Movement]:
    """The movements between lists of (day, staff), settled at the end."""
    tracker = Tracker("senat", members or Members())
    found: dict[str, Movement] = {}
    for day, staff in days:
        change = tracker.feed(list_("senat", day, staff), source)
        found |= {m.id: m for m in change.added}
    found |= {m.id: m for m in tracker.pending().added}
    return sorted(found.values(), key=lambda m: (m.date_event, m.collab_prenom, m.elu_id, m.type))


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
        source="suivi",
        confiance="bot",
    )
    assert (departure.type, departure.collab_nom, departure.elu_id) == (
        "depart",
        "VASSOR",
        "99003Z",
    )
    assert other.type == "arrivee"


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


def test_two_members_lost_and_one_gained_is_a_doubtful_transfer_and_a_departure() -> None:
    before = {1: [A, B], 2: [A, B], 3: [B]}
    found = movements(("2026-09-01", before), ("2026-09-02", {1: [B], 2: [B], 3: [A, B]}))
    assert [(m.type, m.elu_id, m.confiance) for m in found] == [
        ("depart", "99002Z", "bot"),
        ("transfert", "99003Z", "moyen"),
    ]


def test_one_member_lost_and_two_gained_is_a_doubtful_transfer_and_an_arrival() -> None:
    before, after = {1: [A, B], 2: [B], 3: [C]}, {1: [B], 2: [A, B], 3: [A, C]}
    found = movements(("2026-09-01", before), ("2026-09-02", after))
    assert [(m.type, m.elu_id, m.confiance) for m in found] == [
        ("transfert", "99002Z", "moyen"),
        ("arrivee", "99003Z", "bot"),
    ]


def test_an_arrival_of_another_day_does_not_make_a_transfer_doubtful() -> None:
    days = [
        ("2026-09-01", {1: [A, B], 2: [B], 3: [C]}),
        ("2026-09-02", {1: [B], 2: [A, B], 3: [C]}),
        ("2026-09-03", {1: [B], 2: [A, B], 3: [A, C]}),
    ]
    assert [(m.type, m.elu_id, m.confiance) for m in movements(*days)] == [
        ("transfert", "99002Z", "bot"),
        ("arrivee", "99003Z", "bot"),
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
    assert [m.confiance for m in found] == ["bot", "bot"]


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
        ("Ada", "elu_sortant"),
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
    for source, expected in (("suivi", suivi), ("archives", archives)):
        days = [("2026-09-01", EVERYONE), (day, EVERYONE | {1: [A, "Dan X"]})]
        assert [m.confiance for m in movements(*days, source=source)] == [expected]


def test_the_first_list_after_refused_ones_is_less_sure() -> None:
    tracker = Tracker("senat", Members())
    tracker.feed(list_("senat", "2026-09-01", EVERYONE), "suivi")
    after = list_("senat", "2026-09-03", EVERYONE | {1: [A, "Dan X"]})
    assert [m.confiance for m in tracker.feed(after, "suivi", True).added] == ["moyen"]


def test_a_name_split_another_way_does_not_change_the_key_of_a_member() -> None:
    tracker = Tracker("senat", Members())
    right = list_("senat", "2026-09-01", EVERYONE)
    pairs = {
        key: pair._replace(member_family=pair.member_given, member_given=pair.member_family)
        for key, pair in list_("senat", "2026-09-02", EVERYONE | {1: [A, "Dan X"]}).pairs.items()
    }
    tracker.feed(right, "suivi")
    swapped = right._replace(pairs=pairs, date=right.date.replace(day=2))
    assert [m.elu_cle for m in tracker.feed(swapped, "suivi").added] == ["numero1 elue"]


def same(*names: str) -> Corrections:
    return Corrections([Entry(1, "2026-10-01", "x", "meme_personne", {"noms": list(names)})])


def corrected(
    corrections: Corrections, known: list[tuple[str, Staff]], later: list[tuple[str, Staff]]
) -> list[tuple[str, ...]]:
    """What is told when a correction is made between the lists `known` and those `later`."""
    tracker, found = Tracker("senat", Members()), []
    for day, staff in known:
        found += tracker.feed(list_("senat", day, staff), "suivi").added
    tracker.rename(corrections)
    for day, staff in later:
        found += tracker.feed(corrections.apply(list_("senat", day, staff)), "suivi").added
    return told(found)


def test_who_is_missing_comes_back_under_the_name_a_correction_gives() -> None:
    known = [("2026-09-01", EVERYONE | {1: [A, B]}), ("2026-09-02", EVERYONE | {1: [B]})]
    back = EVERYONE | {1: ["Tout AUTREMENT", B]}
    later = [("2026-09-04", back), ("2026-09-20", back)]
    assert corrected(same(A, "Tout AUTREMENT"), known, later) == []


def test_who_waits_to_be_a_transfer_is_renamed_by_a_correction() -> None:
    moved = {1: [B], 2: [A, B], 3: [C]}
    known = [("2026-09-01", {1: [A, B], 2: [B], 3: [C]}), ("2026-09-02", moved)]
    assert corrected(same("Tout AUTREMENT", A), known, [("2026-09-20", moved)]) == [
        ("2026-09-02", "transfert", "Ada", "99002Z", "Élue NUMÉRO1")
    ]


def test_nobody_moves_from_a_member_to_the_same_member() -> None:
    other = "Tout AUTREMENT"
    moved = {1: [other, B], 2: [B], 3: [C]}
    known = [("2026-09-01", {1: [A, B], 2: [B], 3: [C, other]}), ("2026-09-02", moved)]
    found = corrected(same(A, other), known, [("2026-09-20", moved)])
    assert ("2026-09-02", "transfert", "Tout", "99001Z", "Élue NUMÉRO3") in found


def test_the_arrivals_of_one_person_under_two_names_are_settled_by_day() -> None:
    other = "Tout AUTREMENT"
    before = {1: [A, B], 2: [B], 3: [C, other], 4: [B], 5: [C]}
    first = before | {1: [B], 2: [A, B]}
    second = first | {3: [C], 4: [B, other]}
    third = second | {2: [B], 5: [A, C]}
    known = [(f"2026-09-0{n}", staff) for n, staff in ((1, before), (2, first), (3, second))]
    known += [("2026-09-05", third)]
    later = [("2026-09-11", third), ("2026-09-20", third)]
    found = corrected(same(A, other), known, later)
    assert [(day, type_) for day, type_, *_ in found] == [
        ("2026-09-02", "transfert"),
        ("2026-09-03", "transfert"),
        ("2026-09-05", "transfert"),
    ]


IN_ORDER = """
import sys
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.tracker import Tracker
from tests.tracking.lists import STAFF, list_
names = [f"Une{n} NOUVELLE{n}" for n in "ABCDEFGH"]
tracker = Tracker("senat", Members())
tracker.feed(list_("senat", "2026-09-01", STAFF), "suivi")
sure = tracker.feed(list_("senat", "2026-09-02", {**STAFF, 7: names, 9: names}), "suivi")
print([movement.id for movement in [*sure.added, *tracker.pending().added]])
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
