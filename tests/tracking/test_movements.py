"""What changes from one list to the next, as movements: kinds, context, confidence, names."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.members.known_members import Members
from tests.tracking.lists import (
    KEPT,
    STAFF,
    Days,
    Staff,
    data,
    list_,
    movements,
    of_senate,
    told,
    write_members,
)
from tests.tracking.scenarios import PEOPLE, scenarios

A, B, C, D = (PEOPLE[letter] for letter in "ABCD")
EVERYONE = {1: [A], 2: [B], 3: [C]}
GONE = {2: [B], 3: [C]}
MOVED = {1: [D], 2: [A, B], 3: [C]}


SCENARIOS = """
who is back within seven days never left [record-seven-days]
    1: A B C | 2: D B C | 9: A B C
    02 arrivee D 1 | 09 depart D 1 moyen
who is back after eight days left and arrived [record-seven-days]
    1: A B C | 2: D B C | 10: AD B C
    02 arrivee D 1 | 02 depart A 1 | 10 arrivee A 1 moyen
lost here and gained there is a transfer [record-transfer]
    1: A B C | 2: D AB C
    02 arrivee D 1 | 02 transfert A 1>2
a transfer needs no contradicting civilities [record-civilities]
    1: A B C | 2: D aB C
    02 arrivee A 2 | 02 arrivee D 1 | 02 depart A 1
who keeps a member and gains another arrives
    1: AD B C | 2: AD AB C
    02 arrivee A 2
two members lost and one gained is a doubtful transfer and a departure [record-transfer]
    1: AB AB B | 2: B B AB
    02 depart A 2 | 02 transfert A 1>3 moyen
one member lost and two gained is a doubtful transfer and an arrival [record-transfer]
    1: AB B C | 2: B AB AC
    02 arrivee A 3 | 02 transfert A 1>2 moyen
a doubtful transfer is no less than approximate
    1: AB AB B | 12: B B AB
    12 depart A 2 faible | 12 transfert A 1>3 faible
who took another name moves under it
    1: AD B C | 2: MD B C | 3: D MB C
    03 transfert M 1>2
an arrival does not answer a later departure
    1: AB AB C | 2: B AB AC | 4: B B AC
    02 transfert A 1>3 | 04 depart A 2
who is back at one member still left the other
    1: AB AB | 2: B B | 4: AB B
    02 depart A 2
a transfer whose origin was a flicker is an arrival
    1: A B C | 2: D AB C | 4: AD AB C
    02 arrivee A 2 | 02 arrivee D 1
who comes back later still moved at first
    1: A B C | 2: D AB C | 32: AD B C
    02 arrivee D 1 | 02 transfert A 1>2 | 32 transfert A 2>1 faible
who comes back and also arrives elsewhere did not move there
    1: AB AB C | 2: AB B C | 12: AB AB AC
    02 depart A 2 | 12 arrivee A 2 moyen | 12 arrivee A 3 moyen
the staff of a member who is gone leaves with the member [record-left]
    1: AB B C | 2: - AB C
    02 depart B 1 elu_sortant | 02 transfert A 1>2 elu_sortant
a member who is back after some days did not leave
    1: AD B C | 2: - B C | 3: A B C
    02 depart D 1
part of a team may leave three days before the rest of it [record-left-before]
    1: AB B C | 2: B B C | 5: - B C
    02 depart A 1 elu_sortant | 05 depart B 1 elu_sortant
who leaves four days before the rest of the team leaves it [record-left-before]
    1: AB B C | 2: B B C | 6: - B C
    02 depart A 1 | 06 depart B 1 moyen elu_sortant
whatever lists lie between [record-left-before]
    1: AB B C | 2: B B C | 4: B B C | 6: - B C
    02 depart A 1 | 06 depart B 1 elu_sortant
a member who is listed again within 92 days did not leave [record-left-not]
    1: A B C | 2: - B C | 94: D B C
    02 depart A 1 | 94 arrivee D 1 faible
a member who is listed again later left [record-left-not]
    1: A B C | 2: - B C | 95: D B C
    02 depart A 1 elu_sortant | 95 arrivee D 1 faible
who moves from a member who left to a new one has the context of the one left [interface-2-contexte]
    1: A B C - | 2: - B C A
    02 transfert A 1>4 elu_sortant
the first staff of a new member comes with the member [record-new]
    1: A B C - | 2: A B C D | 3: A B C DE
    02 arrivee D 4 elu_entrant | 03 arrivee E 4
"""


@pytest.mark.parametrize(("days", "expected"), scenarios(SCENARIOS))
def test_of_lists_one_after_the_other(days: Days, expected: list[str]) -> None:
    assert told(days) == expected


def test_an_arrival_has_every_field_that_lists_know() -> None:
    (arrival,) = movements(("2026-09-01", EVERYONE), ("2026-09-02", EVERYONE | {1: [A, B]}))
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


def known(folder: Path, mandates: str, groups: str = "") -> Members:
    """The members of these rows: member's number, first day, last day; group, first day, last day."""
    rows = (
        f"senat,9900{number}Z,Élise Quatre,Quatre,Élise,Mme,{days}"
        for number, _, days in (row.partition(",") for row in mandates.split())
    )
    return Members.read(write_members(folder, rows, (f"senat,9900{g}" for g in groups.split())))


@pytest.mark.rule("record-left-not")
@pytest.mark.parametrize(
    ("mandate", "contexts"),
    [
        ("2020-10-01,2026-09-02", ["elu_sortant", ""]),
        ("2020-10-01,2026-09-19", ["elu_sortant", ""]),  # before the list that has the member again
        ("2020-10-01,2026-09-20", ["", ""]),
        ("2020-10-01,2026-12-31", ["", ""]),
        # Elected again since the last list that had them.
        ("2026-09-03,2027-01-01", ["", "elu_entrant"]),
        ("2026-09-02,2027-01-01", ["", ""]),
    ],
)
def test_a_member_who_is_listed_again_left_and_is_new_where_a_mandate_says_so(
    tmp_path: Path, mandate: str, contexts: list[str]
) -> None:
    back = EVERYONE | {1: [D]}
    days = [("2026-09-02", EVERYONE), ("2026-09-03", GONE), ("2026-09-20", back)]
    found = movements(*days, members=known(tmp_path, f"1,{mandate}"))
    assert [m.type for m in found] == ["depart", "arrivee"]
    assert [m.contexte for m in found] == contexts


@pytest.mark.parametrize(
    ("mandate", "contexts"),
    [
        ("2026-09-01,", ["elu_entrant", ""]),
        ("2026-06-21,", ["elu_entrant", ""]),  # 92 days before the first staff
        ("2026-06-20,", ["", ""]),
        ("2026-09-01,2026-10-20", ["elu_entrant", "elu_sortant"]),
    ],
)
def test_mandates_veto_a_context_and_give_name_and_group(
    tmp_path: Path, mandate: str, contexts: list[str]
) -> None:
    days = [("2026-09-20", EVERYONE), ("2026-09-21", EVERYONE | {4: [D]}), ("2026-10-20", EVERYONE)]
    mandates = f"4,{mandate} 9,2026-01-01,2026-12-31"
    found = movements(*days, members=known(tmp_path, mandates, "4Z,MAR,2026-09-01,"))
    assert [m.contexte for m in found] == contexts
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
        days = [("2026-09-01", EVERYONE), (day, EVERYONE | {1: [A, D]})]
        assert [(m.source, m.confiance) for m in movements(*days, kind=kind)] == [(kind, expected)]


@pytest.mark.rule("record-list-after-refused")
def test_the_first_list_after_refused_ones_is_less_sure() -> None:
    after = EVERYONE | {1: [A, D]}
    by_hand = Corrections([Entry(1, "2026-10-01", "x", "refuser", "senat/2026-09-02")])
    for corrections in (Corrections(), by_hand):
        days = ("2026-09-01", EVERYONE), ("2026-09-02", b"x"), ("2026-09-03", after)
        found = of_senate(*days, corrections=corrections)
        statuses = [record.status for record in found.report.records]
        assert statuses == ["accepted", "refused", "accepted"]
        assert [m.confiance for m in found.movements] == ["moyen"]


def test_a_name_split_another_way_does_not_change_the_key_of_a_member() -> None:
    read = list_("senat", "2026-09-02", EVERYONE | {1: [A, D]})
    pairs = {
        key: pair._replace(member_family=pair.member_given, member_given=pair.member_family)
        for key, pair in read.pairs.items()
    }
    swapped = dataclasses.replace(read, pairs=pairs)
    (arrival,) = movements(("2026-09-01", EVERYONE), ("2026-09-02", swapped))
    assert arrival.elu_cle == "numero1 elue"


@pytest.mark.rule("record-held")
def test_of_a_daily_run_a_change_waits_until_a_later_list_decides() -> None:
    before, moved = {1: [A, B], 2: [B], 3: [C]}, {1: [B], 2: [A, B], 3: [C, D]}
    days = [("2026-09-01", before), ("2026-09-02", moved)]
    assert [m.type for m in movements(*days, kind="suivi")] == ["arrivee"]
    assert len(movements(*days, ("2026-09-09", moved), kind="suivi")) == 1
    later = movements(*days, ("2026-09-10", moved), kind="suivi")
    assert (later[0].type, later[0].date_event) == ("transfert", "2026-09-02")
    found = of_senate(*days, kind="suivi")
    assert found.held.total() == 1
    stays = {stay.elu_id: stay for stay in found.stays if stay.collab_nom == "MOREAU"}
    left, come = stays["99001Z"], stays["99002Z"]
    assert (left.fin, left.mouvement_fin, left.fin_apres) == ("", "", "2026-09-01")
    assert (come.debut, come.mouvement_debut, come.debut_apres) == ("2026-09-02", "", "2026-09-01")


@pytest.mark.rule("record-mended")
def test_an_exchanged_name_is_mended_by_a_later_list() -> None:
    days = [("2026-09-01", EVERYONE), ("2026-09-02", {**EVERYONE, 1: [A, "ROUVEROL dan"]})]
    later = ("2026-09-03", {**EVERYONE, 1: [A, "Dan ROUVEROL"]})
    (wrong,), (right,) = movements(*days), movements(*days, later)
    assert (wrong.collab_nom, right.collab_nom) == ("DAN", "ROUVEROL")
    assert (right.collab_prenom, right.id) == ("Dan", wrong.id)
    # A name to which a word comes is longer, not exchanged: the arrival keeps its own.
    renamed = ("2026-09-03", {**EVERYONE, 1: [A, "Dan ROUVEROL-NOUGAT"]})
    assert {m.collab_nom for m in movements(*days, renamed) if m.id == wrong.id} == {"DAN"}


NEW = "Une NOUVELLE"


def fewer(count: int) -> dict[int, list[str]]:
    """Some members lose one of their two staff members."""
    return {n: s[1:] if n <= count else s for n, s in STAFF.items()}


def sure(*days: tuple[str, Staff], members: Members | None = None) -> list[tuple[str, str, int]]:
    """How many movements of each type and confidence."""
    found = [(m.type, m.confiance) for m in movements(*days, members=members)]
    return sorted((*kind, found.count(kind)) for kind in set(found))


# 2026-10-01 is a renewal of the Sénat.
@pytest.mark.rule("record-emptied")
@pytest.mark.parametrize(
    ("before", "day", "count", "confidence"),
    [
        ("2026-10-01", "2026-10-02", 25, "faible"),
        ("2026-10-01", "2026-10-02", 24, "fort"),  # just a fifth
        ("2026-10-30", "2026-10-31", 25, "faible"),
        ("2026-10-31", "2026-11-01", 25, "fort"),  # 31 days after the renewal
    ],
)
def test_a_last_list_that_a_renewal_half_empties_has_departures_of_an_approximate_day(
    before: str, day: str, count: int, confidence: str
) -> None:
    assert sure((before, STAFF), (day, fewer(count))) == [("depart", confidence, count)]


def test_a_later_list_confirms_what_a_renewal_took_away() -> None:
    days = [("2026-10-01", STAFF), ("2026-10-02", fewer(25))]
    assert sure(*days, ("2026-10-03", fewer(26))) == [("depart", "fort", 26)]
    assert sure(*days, ("2026-10-03", STAFF)) == []


def test_who_arrives_on_that_day_arrives_on_that_day() -> None:
    after = fewer(30) | {50: [*STAFF[50], NEW], 51: [*STAFF[51], STAFF[1][0]]}
    assert sure(("2026-10-01", STAFF), ("2026-10-02", after)) == [
        ("arrivee", "fort", 1),
        ("depart", "faible", 29),
        ("transfert", "fort", 1),
    ]


@pytest.mark.rule("record-late")
@pytest.mark.parametrize(("end", "confidence"), [("2026-04-22", "fort"), ("2026-04-21", "faible")])
def test_who_is_taken_away_long_after_the_mandate_left_on_an_approximate_day(
    tmp_path: Path, end: str, confidence: str
) -> None:
    after = STAFF | {1: [], 2: [*STAFF[2], STAFF[1][1]], 3: [STAFF[3][0], NEW]}
    members = known(tmp_path, f"1,2020-10-01,{end}")
    found = movements(("2026-05-01", STAFF), ("2026-05-02", after), members=members)
    assert {(m.type, m.elu_id, m.confiance) for m in found} == {
        ("depart", "99001Z", confidence),
        ("transfert", "99002Z", confidence),
        ("depart", "99003Z", "fort"),
        ("arrivee", "99003Z", "fort"),
    }


def test_in_a_list_that_drops_teams_late_nobody_s_day_is_known(tmp_path: Path) -> None:
    """Also of the team of a member of whom no mandate is known."""
    members = known(tmp_path, "1,2020-10-01,2026-02-01 2,2020-10-01,2026-02-01 4,2020-10-01,")
    after = STAFF | {1: [], 2: [], 3: [], 4: STAFF[4][1:]}
    assert sure(("2026-05-01", STAFF), ("2026-05-02", after), members=members) == [
        ("depart", "faible", 6),
        ("depart", "fort", 1),
    ]


@pytest.mark.rule("record-late-named")
def test_a_member_whom_lists_go_on_naming_has_a_mandate(tmp_path: Path) -> None:
    days = [("2026-05-01", STAFF), ("2026-05-02", STAFF | {1: STAFF[1][1:]})]
    assert sure(*days, members=known(tmp_path, "1,2020-10-01,2025-09-30")) == [
        ("depart", "fort", 1)
    ]


@pytest.mark.rule("record-group")
def test_who_leaves_after_a_mandate_leaves_the_group_of_its_last_day(tmp_path: Path) -> None:
    after = STAFF | {1: [], 2: [*STAFF[2], STAFF[1][1]]}
    groups = "1Z,OLD,2020-10-01,2026-01-31 1Z,MAR,2026-02-01,2026-02-28 2Z,BOR,2020-10-01,"
    members = known(tmp_path, "1,2020-10-01,2026-02-28", groups)
    found = movements(("2026-05-01", STAFF), ("2026-05-02", after), members=members)
    assert {(m.type, m.contexte, m.elu_groupe, m.elu_origine_groupe) for m in found} == {
        ("depart", "elu_sortant", "MAR", ""),
        ("transfert", "elu_sortant", "BOR", "MAR"),
    }


@pytest.mark.rule("record-group")
def test_a_departure_has_the_group_of_the_stay_it_ends_and_each_its_own(tmp_path: Path) -> None:
    members = known(tmp_path, "1,2020-10-01,", "1Z,OLD,2020-10-01,2026-05-10 1Z,MAR,2026-05-11,")
    moved = STAFF | {2: [*STAFF[2], STAFF[1][1]]}
    # One person leaves and comes back, one goes to another member: between lists the group changes.
    days = [
        ("2026-05-01", STAFF),
        ("2026-05-12", moved | {1: []}),
        ("2026-05-22", moved | {1: STAFF[1][:1]}),
        ("2026-06-05", moved | {1: []}),
    ]
    result = of_senate(*days, members=members)
    by_id = {m.id: m.elu_origine_groupe or m.elu_groupe for m in result.movements}
    stays = [stay for stay in result.stays if stay.elu_id == "99001Z"]
    assert sorted((stay.fin, stay.elu_groupe) for stay in stays) == [
        ("2026-05-12", "OLD"),
        ("2026-05-12", "OLD"),
        ("2026-06-05", "MAR"),
    ]
    assert all(by_id[stay.mouvement_fin] == stay.elu_groupe for stay in stays)


@pytest.mark.rule("record-group")
def test_the_group_that_lists_give_comes_before_that_of_the_members_file(tmp_path: Path) -> None:
    members = known(
        tmp_path,
        "1,2020-10-01, 2,2020-10-01,",
        "1Z,OLD,2020-10-01,2027-01-01 2Z,OLD,2020-10-01,2027-01-01",
    )
    first, second = (
        data("senat", staff, KEPT) for staff in ({1: [A, B], 2: [C]}, {1: [B], 2: [A]})
    )
    found = of_senate(("2026-09-01", first), ("2026-09-02", second), members=members)
    assert {(m.type, m.elu_groupe, m.elu_origine_groupe) for m in found.movements} == {
        ("transfert", "GRA", "GRA"),
        ("depart", "GRA", ""),
    }
    assert {stay.elu_groupe for stay in found.stays} == {"GRA"}


IN_ORDER = """
from tests.tracking.lists import STAFF, of_senate
names = [f"Une{n} NOUVELLE{n}" for n in "ABCDEFGH"]
days = [("2026-09-01", STAFF), ("2026-09-02", {**STAFF, 7: names, 9: names})]
print([m.id for m in of_senate(*days).movements])
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
