from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from parlement_lists.tracking.members.known_members import Members, MembersError, Name

MANDATES = """\
chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine
assemblee,PA999001,Élise Une,Une,Élise,Mme,2017-06-21,2022-06-21,fin de législature,x
assemblee,PA999001,Élise Une,Une,Élise,Mme,2022-06-22,,,x
assemblee,PA999002,Bo Deux,Deux,Bo,M.,2022-06-22,2022-08-05,démission,x
assemblee,PA999003,Cy Trois,Trois,Cy,M.,2025-02-03,2025-03-01,,x
"""
GROUPS = """\
chambre,elu_id,groupe,depuis,jusqua,origine
assemblee,PA999001,MAR,2017-07-03,2022-06-21,x
assemblee,PA999001,NI,2022-06-24,2022-06-30,x
assemblee,PA999001,BOR,2022-06-30,,x
assemblee,PA999002,HIR,2022-06-30,2022-08-05,x
assemblee,PA999003,MAR,2025-02-10,2025-03-01,x
senat,99001Z,CED,,2020-09-30,x
"""


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mandats.csv").write_text(MANDATES)
    (tmp_path / "groupes.csv").write_text(GROUPS)
    return tmp_path


@pytest.mark.parametrize(
    ("member", "on", "group"),
    [
        ("PA999001", "2018-01-01", "MAR"),
        ("PA999001", "2022-06-21", "MAR"),
        ("PA999001", "2022-06-22", "BOR"),  # a new assembly, whose groups are formed on 06-30
        ("PA999001", "2022-06-25", "BOR"),
        ("PA999001", "2022-06-30", "BOR"),
        ("PA999001", "2026-01-01", "BOR"),
        ("PA999002", "2022-06-22", "HIR"),
        ("PA999002", "2022-06-21", ""),  # another assembly
        ("PA999003", "2025-02-03", "MAR"),  # some days before it is formed
        ("PA999003", "2025-01-09", ""),  # more than 31 days before
        ("PA999001", "2017-06-21", "MAR"),
        ("PA999001", "2017-06-20", ""),
        ("PA999002", "2022-09-05", "HIR"),  # 31 days after
        ("PA999002", "2022-09-06", ""),
        ("PA999002", "2022-01-01", ""),
        ("PA999009", "2022-07-01", ""),
    ],
)
def test_a_member_has_the_group_of_the_day(folder: Path, member: str, on: str, group: str) -> None:
    assert Members.read(folder).group("assemblee", member, day(on)) == group


@pytest.mark.parametrize(
    ("on", "group", "left"),
    [
        ("2020-09-30", "LR", "LR"),
        ("2023-10-01", "LR", "LR"),
        # The renewal of 2023-10-02 came after the newest day of the file, 2020-12-01.
        ("2023-10-02", "", "LR"),
        ("2023-11-02", "", "LR"),
        ("2023-11-03", "", ""),
    ],
)
def test_past_a_renewal_that_nobody_saw_no_group_is_known(
    folder: Path, on: str, group: str, left: str
) -> None:
    rows = "senat,99002Z,LR,2014-10-01,,x\nsenat,99001Z,SER,2020-12-01,,x\n"
    (folder / "groupes.csv").write_text(f"{GROUPS.splitlines()[0]}\n{rows}")
    members = Members.read(folder)
    assert members.group("senat", "99002Z", day(on)) == group
    assert members.last_group("senat", "99002Z", day(on)) == left


def test_no_membership_outlasts_its_assembly_where_no_mandate_does(folder: Path) -> None:
    rows = [
        "PA999002,SRC,2015-05-18,2022-06-24",  # back after two assemblies
        "PA999002,HIR,2022-06-24,",
        "PA999001,MAR,2018-01-01,",  # re-elected
        "PA999009,MAR,2018-01-01,",  # nothing is known of the mandate
    ]
    members = regrouped(folder, *rows)
    found = {
        member: [span.until for span in members.memberships("assemblee", member)]
        for member in ("PA999001", "PA999002", "PA999009")
    }
    assert found == {
        "PA999001": [None],
        "PA999002": [day("2017-06-20"), day("2022-08-05")],
        "PA999009": [None],
    }


def test_a_first_day_nobody_noted_was_long_ago(folder: Path) -> None:
    assert Members.read(folder).group("senat", "99001Z", day("2015-05-13")) == "CED"


def regrouped(folder: Path, *rows: str) -> Members:
    """The members with some groups in the place of theirs."""
    lines = [f"assemblee,{row},x" for row in rows]
    (folder / "groupes.csv").write_text("\n".join([GROUPS.splitlines()[0], *lines]) + "\n")
    return Members.read(folder)


@pytest.mark.parametrize(
    ("last", "formed", "group"),
    [
        ("2022-07-23", "2022-07-23", "BOR"),  # 31 days after the renewal
        ("2022-07-24", "2022-07-24", "NI"),
        (
            "2022-06-29",
            "2022-06-30",
            "BOR",
        ),  # the group of the senators of 2020 ends on the day before
    ],
)
def test_before_the_groups_are_formed_a_member_has_the_first_one(
    folder: Path, last: str, formed: str, group: str
) -> None:
    members = regrouped(folder, f"PA999001,NI,2022-06-24,{last}", f"PA999001,BOR,{formed},")
    assert members.group("assemblee", "PA999001", day("2022-06-27")) == group


def test_who_has_no_group_when_they_are_formed_or_later_has_none_before(folder: Path) -> None:
    members = regrouped(
        folder,
        "PA999001,NI,2022-06-24,2022-07-10",
        "PA999001,HIR,2022-07-10,",
        "PA999002,BOR,2022-06-30,2023-02-01",
        "PA999002,NI,2023-02-01,2023-02-08",
        "PA999002,MAR,2023-02-08,",
    )
    assert members.group("assemblee", "PA999001", day("2022-06-23")) == "NI"
    assert members.group("assemblee", "PA999001", day("2022-07-09")) == "NI"
    assert members.group("assemblee", "PA999002", day("2022-06-25")) == "BOR"
    assert members.group("assemblee", "PA999002", day("2023-02-05")) == "NI"


def test_one_who_changes_group_after_a_renewal_does_not_form_them(folder: Path) -> None:
    rows = [f"PA99{n},MAR,2020-01-01," for n in range(8)]
    change = ("PA999001,MAR,2020-01-01,2022-07-03", "PA999001,BOR,2022-07-03,")
    for more, group in ((["PA998,MAR,2020-01-01,"], "MAR"), ([], "BOR")):
        members = regrouped(folder, *rows, *more, *change)
        assert members.group("assemblee", "PA999001", day("2022-07-01")) == group


@pytest.mark.parametrize(
    ("on", "ended", "group"),
    [
        ("2022-08-05", None, "HIR"),  # the last day
        ("2022-08-06", "2022-08-05", "HIR"),
        ("2024-01-01", "2022-08-05", "HIR"),
        ("2022-06-21", None, ""),  # before the first mandate
    ],
)
def test_the_last_group_is_that_of_the_day_the_mandate_ended(
    folder: Path, on: str, ended: str | None, group: str
) -> None:
    members = Members.read(folder)
    assert members.mandate_end("assemblee", "PA999002", day(on)) == (ended and day(ended))
    assert members.last_group("assemblee", "PA999002", day(on)) == group


def test_who_sits_again_or_is_not_known_has_no_mandate_that_ended(folder: Path) -> None:
    with (folder / "mandats.csv").open("a") as file:
        file.write("assemblee,PA999002,Bo Deux,Deux,Bo,M.,2023-01-01,2023-06-30,,x\n")
    members = Members.read(folder)
    ends = {
        "2022-12-31": "2022-08-05",
        "2023-01-01": None,
        "2023-06-30": None,
        "2023-07-01": "2023-06-30",
    }
    for on, end in ends.items():
        assert members.mandate_end("assemblee", "PA999002", day(on)) == (end and day(end))
    for member in (
        "PA999001",
        "PA999009",
    ):  # whose two mandates are one stay, the last open; unknown
        assert members.mandate_end("assemblee", member, day("2026-01-01")) is None
    assert members.last_group("assemblee", "PA999001", day("2026-01-01")) == "BOR"


def test_mandates_that_follow_one_another_are_one_stay(folder: Path) -> None:
    members = Members.read(folder)
    assert members.sits_since("assemblee", "PA999001", day("2022-07-01")) == day("2017-06-21")
    assert members.stays("assemblee", "PA999001", day("2022-06-21"))
    assert members.sits_since("assemblee", "PA999002", day("2022-09-01")) is None
    assert not members.stays("assemblee", "PA999002", day("2022-07-20"))


@pytest.mark.parametrize(
    ("again", "since"), [("2022-09-05", "2022-06-22"), ("2022-09-06", "2022-09-06")]
)
def test_mandates_31_days_apart_are_one_stay(folder: Path, again: str, since: str) -> None:
    with (folder / "mandats.csv").open("a") as file:
        file.write(f"assemblee,PA999002,Bo Deux,Deux,Bo,M.,{again},2023-01-01,,x\n")
    found = Members.read(folder).sits_since("assemblee", "PA999002", day("2022-10-01"))
    assert found == day(since)


def test_a_mandate_is_of_those_who_appear_31_days_before_it(folder: Path) -> None:
    members = Members.read(folder)
    assert members.sits_since("assemblee", "PA999002", day("2022-05-22")) == day("2022-06-22")
    assert members.sits_since("assemblee", "PA999002", day("2022-05-21")) is None
    assert members.sits_since("assemblee", "PA999002", day("2022-08-05")) == day("2022-06-22")
    assert members.sits_since("assemblee", "PA999002", day("2022-08-06")) is None


def test_who_sits_31_days_later_stayed(folder: Path) -> None:
    members = Members.read(folder)
    assert members.stays("assemblee", "PA999002", day("2022-07-05"))
    assert not members.stays("assemblee", "PA999002", day("2022-07-06"))
    assert members.stays("assemblee", "PA999002", day("2022-06-22"))
    assert not members.stays("assemblee", "PA999002", day("2022-06-21"))


def test_an_open_mandate_is_believed_to_the_newest_day_in_the_files(folder: Path) -> None:
    members = Members.read(folder)
    assert members.stays("assemblee", "PA999001", day("2025-01-25"))
    assert not members.stays("assemblee", "PA999001", day("2025-02-10"))


@pytest.mark.rule("record-members")
def test_an_open_mandate_vouches_for_days_only_up_to_the_newest_day_of_its_own_source(
    folder: Path,
) -> None:
    with (folder / "mandats.csv").open("a") as file:
        file.write("assemblee,PA999009,A B,B,A,M.,2025-09-01,,,autre\n")
    members = Members.read(folder)
    assert not members.stays("assemblee", "PA999001", day("2025-02-10"))
    assert members.stays("assemblee", "PA999001", day("2025-01-25"))


def watched(folder: Path, text: str) -> Members:
    return Members.read(folder, {"assemblee": day(text)})


def test_where_members_are_watched_an_open_mandate_goes_on_to_that_day(folder: Path) -> None:
    assert Members.read(folder).sits_since("assemblee", "PA999001", day("2026-10-10")) is None
    members = watched(folder, "2026-10-10")
    assert members.sits_since("assemblee", "PA999001", day("2026-10-10")) == day("2017-06-21")
    assert members.sits_since("assemblee", "PA999001", day("2026-10-11")) is None


def test_who_was_still_seen_when_the_staff_had_gone_stays(folder: Path) -> None:
    members = watched(folder, "2026-10-10")
    assert members.stays("assemblee", "PA999001", day("2026-10-10"))
    assert not members.stays("assemblee", "PA999001", day("2026-10-11"))
    # One whose mandate ended within those days left, and was not there before it began.
    assert not members.stays("assemblee", "PA999002", day("2022-07-20"))
    assert not members.stays("assemblee", "PA999001", day("2017-06-20"))


def test_full_names_of_groups_are_read_where_they_are_kept(folder: Path) -> None:
    assert ("assemblee", "BOR") not in Members.read(folder).group_names
    (folder / "noms_groupes.csv").write_text("chambre,groupe,nom\nassemblee,BOR,Groupe Boréal\n")
    members = Members.read(folder)
    assert members.group_names.get(("assemblee", "BOR")) == "Groupe Boréal"
    assert ("senat", "BOR") not in members.group_names


def test_the_colour_of_a_group_is_read_where_it_is_kept(folder: Path) -> None:
    names = "chambre,groupe,nom,couleur\nassemblee,BOR,Groupe Boréal,#0A1b2C\nassemblee,NI,Non,\n"
    (folder / "noms_groupes.csv").write_text(names)
    members = Members.read(folder)
    assert members.group_colours.get(("assemblee", "BOR")) == "#0a1b2c"
    assert members.group_colours.keys() == {("assemblee", "BOR")}


@pytest.mark.parametrize("colour", ["red", "#fff", "#00112g", "0a1b2c", "#0a1b2c;", " #0a1b2c"])
def test_what_is_no_colour_is_refused_by_line_and_field(folder: Path, colour: str) -> None:
    names = f"chambre,groupe,nom,couleur\nsenat,A,A,\nassemblee,BOR,Groupe Boréal,{colour}\n"
    (folder / "noms_groupes.csv").write_text(names)
    with pytest.raises(MembersError) as refused:
        Members.read(folder)
    assert f"noms_groupes.csv: line 3: couleur: {colour!r} is not a colour" in str(refused.value)


def test_a_group_left_open_ends_with_the_last_mandate(folder: Path) -> None:
    (folder / "mandats.csv").write_text(
        MANDATES.splitlines()[0]
        + "\nsenat,99001Z,A B,B,A,M.,2014-10-01,2020-09-30,,x"
        + "\nsenat,99002Z,A B,B,A,M.,2014-10-01,2017-09-30,,x"
        + "\nsenat,99002Z,A B,B,A,M.,2020-10-01,,,x\n"
    )
    (folder / "groupes.csv").write_text(
        GROUPS.splitlines()[0] + "".join(f"\nsenat,9900{n}Z,LR,2014-10-01,,x" for n in "123") + "\n"
    )
    members = Members.read(folder)
    ends = [members.memberships("senat", f"9900{n}Z")[0].until for n in "123"]
    # Of whom no mandate is known, nothing is known to have ended.
    assert ends == [day("2020-09-30"), None, None]


@pytest.mark.parametrize(
    ("since", "until", "ends"),
    [
        ("2020-01-01", "2022-06-24", "2022-06-21"),
        ("2020-01-01", "2022-07-23", "2022-06-21"),
        ("2020-01-01", "2022-07-24", "2022-07-24"),  # the same group again
        ("2022-06-22", "2022-07-01", "2022-07-01"),
        ("2022-06-30", "2024-06-09", "2024-06-09"),  # a dissolution is no new assembly
    ],
)
def test_a_group_whose_end_was_noted_when_the_next_was_formed_ended_with_the_assembly(
    folder: Path, since: str, until: str, ends: str
) -> None:
    members = regrouped(folder, f"PA999001,MAR,{since},{until}")
    [found] = members.memberships("assemblee", "PA999001")
    assert found.until == day(ends)


@pytest.mark.parametrize(
    ("begun", "before", "renewed"), [(20, True, True), (19, True, False), (20, False, False)]
)
def test_a_day_on_which_many_mandates_begin_is_a_renewal(
    folder: Path, begun: int, before: bool, renewed: bool
) -> None:
    """In a file that begins on that day, all do."""
    (folder / "mandats.csv").write_text(
        MANDATES.splitlines()[0]
        + "".join(f"\nassemblee,PA{n},A B,B,A,M.,2031-06-11,,,x" for n in range(begun))
        + "\nassemblee,PA98,A B,B,A,M.,2030-06-11,2031-06-10,,x" * before
        + "\nassemblee,PA99,A B,B,A,M.,2031-09-01,,,x\n"
    )
    renewals = Members.read(folder).renewals("assemblee")
    assert (day("2031-06-11") in renewals) == renewed
    assert day("2031-09-01") not in renewals
    assert day("2031-06-11") not in Members().renewals("assemblee")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("mandats.csv", "debut", "du", "mandats.csv: line 1: no column debut"),
        ("mandats.csv", "2022-08-05", "2022-13-05", "mandats.csv: line 4: fin: '2022-13-05'"),
        ("groupes.csv", "senat", "sénat", "groupes.csv: line 7: chambre: 'sénat'"),
        ("groupes.csv", "2022-06-24", "24/6/22", "groupes.csv: line 3: depuis: '24/6/22'"),
        ("mandats.csv", "Élise", "\udce9lise", "mandats.csv"),
        ("groupes.csv", None, None, "groupes.csv"),
        ("mandats.csv", "Élise Une", "Élise\x0bUne", "mandats.csv: line 2: nom_complet: "),
        ("mandats.csv", ",,x\n", ",,x,y\n", "mandats.csv: line 3: 11 values under 10 columns"),
        (
            "groupes.csv",
            "2020-09-30,x\n",
            "2020",
            "groupes.csv: line 7: the last line does not end",
        ),
        ("noms_groupes.csv", "nom", "libelle", "noms_groupes.csv: line 1: no column nom"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_field(
    folder: Path, file: str, old: str | None, new: str, said: str
) -> None:
    (folder / "noms_groupes.csv").write_text("chambre,groupe,nom\n")
    path = folder / file
    if old is None:
        path.unlink()
    else:
        path.write_bytes(path.read_text().replace(old, new, 1).encode(errors="surrogateescape"))
    with pytest.raises(MembersError, match=said.replace("'", ".")):
        Members.read(folder)


def test_names_may_be_added_for_those_who_are_not_known(folder: Path) -> None:
    known = Members.read(folder)
    other, first = Name("Zoé Autre", "Autre", "Zoé"), known.name("assemblee", "PA999001")
    also = known.also_named("assemblee", {"PA999001": other, "PA999009": other})
    assert also.name("assemblee", "PA999001") == first
    assert also.name("assemblee", "PA999009") == other
    assert also.name("senat", "PA999009") is None
    assert also.group("assemblee", "PA999001", day("2026-01-01")) == "BOR"
    assert also.mandates("assemblee", "PA999009") == []
    assert known.name("assemblee", "PA999009") is None
