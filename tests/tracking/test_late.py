"""What lists take away late, or at the very end, has an approximate day, and the group it had in time."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from tests.tracking.lists import Staff, list_file, many, tracked
from tests.tracking.windows import DATA, MISSING, available, known_members, list_files, lists_of

real = pytest.mark.skipif(not DATA.exists(), reason=MISSING)
STAFF = many(60)
NEW = "Une NOUVELLE"


def fewer(count: int) -> dict[int, list[str]]:
    """Some members lose one of their two staff members."""
    return {n: s[1:] if n <= count else s for n, s in STAFF.items()}


def followed(files: list[ListFile], members: Members) -> list[Movement]:
    return tracked(files, members).movements


def senate(*days: tuple[str, Staff], members: Members | None = None) -> list[Movement]:
    return followed([list_file("senat", *day) for day in days], members or Members())


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
    found = senate((before, STAFF), (day, fewer(count)))
    assert sure(found) == {("depart", confidence): count}


def sure(found: list[Movement]) -> dict[tuple[str, str], int]:
    return Counter((m.type, m.confiance) for m in found)


def test_a_later_list_confirms_what_a_renewal_took_away() -> None:
    days = [("2026-10-01", STAFF), ("2026-10-02", fewer(25))]
    found = senate(*days, ("2026-10-03", fewer(26)))
    assert sure(found) == {("depart", "fort"): 26}
    assert sure(senate(*days, ("2026-10-03", STAFF))) == {}


def test_who_arrives_on_that_day_arrives_on_that_day() -> None:
    moved = STAFF[1][0]
    after = fewer(30) | {50: [*STAFF[50], NEW], 51: [*STAFF[51], moved]}
    found = senate(("2026-10-01", STAFF), ("2026-10-02", after))
    assert sure(found) == {
        ("depart", "faible"): 29,
        ("arrivee", "fort"): 1,
        ("transfert", "fort"): 1,
    }


def members(folder: Path, end: str, *groups: str) -> Members:
    """The members files of one whose mandate ended; the group rows are all of the Sénat."""
    (folder / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
        f"senat,99001Z,Élise Une,Une,Élise,Mme,2020-10-01,{end},,x\n"
    )
    rows = "".join(f"senat,{row},x\n" for row in groups)
    (folder / "groupes.csv").write_text(f"chambre,elu_id,groupe,depuis,jusqua,origine\n{rows}")
    return Members.read(folder)


@pytest.mark.rule("record-late")
@pytest.mark.parametrize(("end", "confidence"), [("2026-04-22", "fort"), ("2026-04-21", "faible")])
def test_who_is_taken_away_long_after_the_mandate_left_on_an_approximate_day(
    tmp_path: Path, end: str, confidence: str
) -> None:
    moved = STAFF[1][1]
    after = STAFF | {1: [], 2: [*STAFF[2], moved], 3: [STAFF[3][0], NEW]}
    days = [("2026-05-01", STAFF), ("2026-05-02", after)]
    found = senate(*days, members=members(tmp_path, end))
    assert {(m.type, m.elu_id, m.confiance) for m in found} == {
        ("depart", "99001Z", confidence),
        ("transfert", "99002Z", confidence),
        ("depart", "99003Z", "fort"),
        ("arrivee", "99003Z", "fort"),
    }


@pytest.mark.rule("record-late-named")
def test_a_member_whom_lists_go_on_naming_has_a_mandate(tmp_path: Path) -> None:
    found = senate(
        ("2026-05-01", STAFF),
        ("2026-05-02", STAFF | {1: STAFF[1][1:]}),
        members=members(tmp_path, "2025-09-30"),
    )
    assert sure(found) == {("depart", "fort"): 1}


@pytest.mark.rule("record-group")
def test_who_leaves_a_member_whose_mandate_ended_leaves_the_group_of_its_last_day(
    tmp_path: Path,
) -> None:
    after = STAFF | {1: [], 2: [*STAFF[2], STAFF[1][1]]}
    known = members(
        tmp_path,
        "2026-02-28",
        "99001Z,OLD,2020-10-01,2026-01-31",
        "99001Z,MAR,2026-02-01,2026-02-28",
        "99002Z,BOR,2020-10-01,",
    )
    departure, transfer = senate(("2026-05-01", STAFF), ("2026-05-02", after), members=known)
    assert (departure.contexte, departure.elu_groupe) == ("elu_sortant", "MAR")
    assert (transfer.elu_groupe, transfer.elu_origine_groupe) == ("BOR", "MAR")


def archive(name: str) -> list[ListFile]:
    return lists_of(DATA / "audit" / f"{name}.tar.xz")


@real
def test_the_departures_of_2024_06_12_are_approximate() -> None:
    found = followed(archive("an-derniere-2024"), known_members())
    last = [m for m in found if m.date_event == "2024-06-12"]
    assert Counter(m.confiance for m in last if m.type == "depart") == {"faible": 1173}
    assert {m.confiance for m in found if m.date_event < "2024-06-12"} == {"fort"}


@real
def test_the_departures_of_2018_03_14_are_approximate() -> None:
    found = followed(archive("an-tardif-2018"), known_members())
    that_day = Counter((m.type, m.confiance) for m in found if m.date_event == "2018-03-14")
    # 26 whose member's mandate had ended long before, and 3 of a member of whom no mandate is known.
    assert that_day["depart", "faible"] == 29
    assert {m.confiance for m in found if m.date_event != "2018-03-14"} == {"fort"}


@real
def test_nobody_leaves_a_senator_of_no_group_on_2020_11_02() -> None:
    files = list_files(available()["se-trou-2020"])
    found = followed(files, known_members())
    left = [m for m in found if m.date_event == "2020-11-02" and m.contexte == "elu_sortant"]
    groups = [m.elu_origine_groupe if m.type == "transfert" else m.elu_groupe for m in left]
    assert Counter(m.type for m in left)["depart"] > 150
    assert all(groups)


@real
def test_a_deputy_of_2022_is_in_the_group_that_was_formed() -> None:
    files = list_files(available()["an-legislature-2022"])
    known = known_members()
    formed = datetime.date(2022, 7, 1)
    found = [
        m
        for m in followed(files, known)
        if "2022-06-22" <= m.date_event <= "2022-06-30"
        and m.contexte != "elu_sortant"
        and m.elu_groupe
        and m.type != "depart"  # which has the group of the stay that it ends
    ]
    assert len(found) > 50
    for movement in found:
        assert movement.elu_groupe == known.group("assemblee", movement.elu_id, formed)


def test_a_departure_has_the_group_of_the_stay_that_it_ends_and_each_stay_its_own(
    tmp_path: Path,
) -> None:
    known = members(tmp_path, "", "99001Z,OLD,2020-10-01,2026-05-10", "99001Z,MAR,2026-05-11,")
    one, moved = STAFF[1][0], STAFF | {2: [*STAFF[2], STAFF[1][1]]}
    # One person leaves and comes back, one goes to another member: between lists the group changes.
    days = [
        ("2026-05-01", STAFF),
        ("2026-05-12", moved | {1: []}),
        ("2026-05-22", moved | {1: [one]}),
        ("2026-06-05", moved | {1: []}),
    ]
    result = tracked([list_file("senat", day, staff) for day, staff in days], known)
    told = {
        (m.date_event, m.type): m.elu_origine_groupe or m.elu_groupe
        for m in result.movements
        if m.elu_id == "99001Z" or m.type == "transfert"
    }
    assert told == {
        ("2026-05-12", "depart"): "OLD",
        ("2026-05-12", "transfert"): "OLD",
        ("2026-05-22", "arrivee"): "MAR",
        ("2026-06-05", "depart"): "MAR",
    }
    movements = {m.id: m for m in result.movements}
    stays = [t for t in result.stays if t.elu_id == "99001Z" and t.fin]
    assert sorted(tenure.elu_groupe for tenure in stays) == ["MAR", "OLD", "OLD"]
    for tenure in stays:
        end = movements[tenure.mouvement_fin]
        assert (end.elu_origine_groupe or end.elu_groupe) == tenure.elu_groupe
