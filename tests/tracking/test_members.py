"""What members files say: mandates, groups of each day under the names of their time, renewals."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path

import pytest

from parlement_lists.regular_file import FilesError
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.spans import Span, merged

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


def regrouped(folder: Path, rows: Iterable[str], chamber: str = "assemblee") -> Members:
    """The members with some groups in the place of theirs."""
    lines = [f"{chamber},{row},x" for row in rows]
    (folder / "groupes.csv").write_text("\n".join([GROUPS.splitlines()[0], *lines]) + "\n")
    return Members.read(folder)


def with_mandate(folder: Path, *rows: str) -> Members:
    """The members with some mandates more."""
    with (folder / "mandats.csv").open("a") as file:
        file.writelines(f"assemblee,{row}\n" for row in rows)
    return Members.read(folder)


@pytest.mark.rule("record-group")
@pytest.mark.parametrize(
    ("member", "on", "group"),
    [
        ("PA999001", "2022-06-21", "MAR"),
        ("PA999001", "2022-06-22", "BOR"),  # a new assembly, whose groups are formed on 06-30
        ("PA999002", "2022-06-22", "HIR"),
        ("PA999002", "2022-06-21", ""),  # another assembly
        ("PA999003", "2025-02-03", "MAR"),  # some days before it is formed
        ("PA999003", "2025-01-09", ""),  # more than 31 days before
        ("PA999001", "2017-06-20", ""),
        ("PA999002", "2022-09-05", "HIR"),  # 31 days after
        ("PA999002", "2022-09-06", ""),
        ("PA999009", "2022-07-01", ""),
    ],
)
def test_a_member_has_the_group_of_the_day(folder: Path, member: str, on: str, group: str) -> None:
    members = Members.read(folder)
    assert members.group("assemblee", member, day(on)) == group
    # A first day that nobody noted was long ago.
    assert members.group("senat", "99001Z", day("2015-05-13")) == "CED"


@pytest.mark.parametrize(
    ("on", "group", "left"),
    [
        ("2023-10-01", "LR", "LR"),
        # The renewal of 2023-10-02 came after the newest day of the file, 2020-12-01.
        ("2023-10-02", "", "LR"),
        ("2023-11-02", "", "LR"),
        ("2023-11-03", "", ""),
    ],
)
def test_an_unseen_renewal_hides_the_group(folder: Path, on: str, group: str, left: str) -> None:
    members = regrouped(folder, ["99002Z,LR,2014-10-01,", "99001Z,SER,2020-12-01,"], "senat")
    assert members.group("senat", "99002Z", day(on)) == group
    assert members.last_group("senat", "99002Z", day(on)) == left


# Eight deputies of MAR beside one who leaves it after the renewal.
EIGHT = [f"PA99{n},MAR,2020-01-01," for n in range(8)]
LEAVES_MAR = ["PA999001,MAR,2020-01-01,2022-07-03", "PA999001,BOR,2022-07-03,"]


@pytest.mark.parametrize(
    ("rows", "on", "group"),
    [
        (["PA999001,NI,2022-06-24,2022-07-23", "PA999001,BOR,2022-07-23,"], "2022-06-27", "BOR"),
        # 32 days after the renewal.
        (["PA999001,NI,2022-06-24,2022-07-24", "PA999001,BOR,2022-07-24,"], "2022-06-27", "NI"),
        # The last day is the one before.
        (["PA999001,NI,2022-06-24,2022-06-29", "PA999001,BOR,2022-06-30,"], "2022-06-27", "BOR"),
        # Who has no group when they are formed has none before, nor who is in none for some days later.
        (
            [
                "PA999001,NI,2022-06-24,2022-07-10",
                "PA999001,HIR,2022-07-10,",
                "PA2,BOR,2022-06-30,",
            ],
            "2022-06-23",
            "NI",
        ),
        (["PA999001,BOR,2022-06-30,2023-02-01", "PA999001,NI,2023-02-01,"], "2022-06-25", "BOR"),
        (
            ["PA999001,BOR,2022-06-30,2023-02-01", "PA999001,NI,2023-02-01,2023-02-08"],
            "2023-02-05",
            "NI",
        ),
        # Who changes group after a renewal does not form them.
        ([*EIGHT, "PA998,MAR,2020-01-01,", *LEAVES_MAR], "2022-07-01", "MAR"),
        ([*EIGHT, *LEAVES_MAR], "2022-07-01", "BOR"),
    ],
)
def test_before_the_groups_are_formed_a_member_has_the_first_one(
    folder: Path, rows: list[str], on: str, group: str
) -> None:
    assert regrouped(folder, rows).group("assemblee", "PA999001", day(on)) == group


@pytest.mark.parametrize(
    ("row", "until"),
    [
        ("PA999001,MAR,2018-01-01,", None),  # re-elected
        ("PA999009,MAR,2018-01-01,", None),  # nothing is known of the mandate
        ("PA999002,HIR,2022-06-24,", "2022-08-05"),  # left open: ended with the last mandate
        ("PA999002,SRC,2015-05-18,2022-06-24", "2017-06-20"),  # back after two assemblies
        # An end that was noted when the next groups were formed is that of the assembly.
        ("PA999001,MAR,2020-01-01,2022-07-23", "2022-06-21"),
        ("PA999001,MAR,2020-01-01,2022-07-24", "2022-07-24"),  # the same group again
        ("PA999001,MAR,2022-06-22,2022-07-01", "2022-07-01"),
        ("PA999001,MAR,2022-06-30,2024-06-09", "2024-06-09"),  # a dissolution is no new assembly
    ],
)
def test_no_group_outlasts_assembly_or_mandate(folder: Path, row: str, until: str | None) -> None:
    [found] = regrouped(folder, [row]).memberships("assemblee", row.partition(",")[0])
    assert found.until == (until and day(until))


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("LR", "LR 2011-10-01 2021-01-01"),
        ("UMP", "UMP 2011-10-01 2015-06-01; LR 2015-06-02 2021-01-01"),
        ("UC", "UC 2011-10-01 2012-09-30; UDI-UC 2012-10-01 2017-10-01; UC 2017-10-02 2021-01-01"),
        ("SOC", "SOC 2011-10-01 2017-10-01; SOCR 2017-10-02 2020-09-30; SER 2020-10-01 2021-01-01"),
    ],
)
def test_a_senator_s_group_has_the_name_of_its_time(folder: Path, code: str, names: str) -> None:
    members = regrouped(folder, [f"99001Z,{code},2011-10-01,2021-01-01"], "senat")
    spans = members.memberships("senat", "99001Z")
    assert "; ".join(f"{span.value} {span.since} {span.until}" for span in spans) == names
    for span in spans:
        for on in (span.since, span.until):
            assert on
            assert members.group("senat", "99001Z", on) == span.value


@pytest.mark.rule("record-members")
def test_the_last_group_of_a_european_member_says_nothing_of_earlier_years(folder: Path) -> None:
    rows = [
        "1,Renew,2019-07-02,,parltrack",
        "2,ID,2019-07-02,2022-07-28,parltrack",
        "3,EPP,,2023-01-01,x",
        "4,EPP,2019-07-02,,x",
    ]
    lines = [GROUPS.splitlines()[0], *(f"europarl,{row}" for row in rows)]
    (folder / "groupes.csv").write_text("\n".join(lines) + "\n")
    members = Members.read(folder)
    days = ("2019-09-01", "2022-06-26", "2022-06-27", "2022-08-28", "2022-08-29", "2023-01-01")
    found = {n: [members.group("europarl", n, day(on)) for on in days] for n in "1234"}
    assert found == {
        "1": ["", "", "", "", "", "Renew"],
        "2": ["", "", "ID", "ID", "", ""],
        "3": ["", "", "", "", "", "EPP"],
        "4": ["EPP"] * 6,
    }


@pytest.mark.parametrize(
    ("on", "ended", "group"),
    [
        ("2022-08-05", None, "HIR"),  # the last day
        ("2022-08-06", "2022-08-05", "HIR"),
        ("2023-01-01", None, ""),  # sits again
        ("2023-07-01", "2023-06-30", ""),
        ("2022-06-21", None, ""),  # before the first mandate
    ],
)
def test_the_last_group_is_that_of_the_day_the_mandate_ended(
    folder: Path, on: str, ended: str | None, group: str
) -> None:
    members = with_mandate(folder, "PA999002,Bo Deux,Deux,Bo,M.,2023-01-01,2023-06-30,,x")
    assert members.mandate_end("assemblee", "PA999002", day(on)) == (ended and day(ended))
    assert members.last_group("assemblee", "PA999002", day(on)) == group
    # Who has two mandates that are one stay, the last open; who is unknown.
    for member in ("PA999001", "PA999009"):
        assert members.mandate_end("assemblee", member, day("2026-01-01")) is None


@pytest.mark.parametrize(
    ("member", "on", "since"),
    [
        ("PA999001", "2022-07-01", "2017-06-21"),  # mandates that follow one another are one stay
        ("PA999002", "2022-05-22", "2022-06-22"),  # 31 days before it
        ("PA999002", "2022-05-21", None),
        ("PA999002", "2022-08-05", "2022-06-22"),
        ("PA999002", "2022-08-06", None),
        ("PA999008", "2022-10-01", "2022-06-22"),  # a mandate 31 days after another
        ("PA999009", "2022-10-01", "2022-09-06"),
    ],
)
def test_a_member_sits_since_the_first_of_mandates_at_most_31_days_apart(
    folder: Path, member: str, on: str, since: str | None
) -> None:
    rows = [
        f"PA99900{n},A B,B,A,M.,{days},,x"
        for n, again in ((8, "2022-09-05"), (9, "2022-09-06"))
        for days in ("2022-06-22,2022-08-05", f"{again},2023-01-01")
    ]
    members = with_mandate(folder, *rows)
    assert members.sits_since("assemblee", member, day(on)) == (since and day(since))


def test_mandates_that_are_one_stay_end_with_the_last_of_them() -> None:
    first, *between, last = map(day, ("2022-06-22", "2022-08-05", "2022-09-05", "2023-01-01"))
    assert merged([Span(between[1], last), Span(first, between[0])]) == [Span(first, last)]


@pytest.mark.rule("record-members")
@pytest.mark.parametrize(
    ("member", "on", "stays"),
    [
        ("PA999002", "2022-07-05", True),  # sits 31 days later
        ("PA999002", "2022-07-06", False),
        ("PA999002", "2022-06-22", True),
        ("PA999002", "2022-06-21", False),
        ("PA999001", "2022-06-21", True),
        # An open mandate vouches for days up to the newest one of its own source.
        ("PA999001", "2025-01-25", True),
        ("PA999001", "2025-02-10", False),
    ],
)
def test_who_sits_31_days_later_stays(folder: Path, member: str, on: str, stays: bool) -> None:
    assert Members.read(folder).stays("assemblee", member, day(on)) == stays
    members = with_mandate(folder, "PA999009,A B,B,A,M.,2025-09-01,,,autre")
    assert members.stays("assemblee", member, day(on)) == stays


def test_where_members_are_read_each_day_an_open_mandate_goes_on_to_that_day(folder: Path) -> None:
    members = Members.read(folder, {"assemblee": day("2026-10-10")})
    for on, goes_on in (("2026-10-10", True), ("2026-10-11", False)):
        since = members.sits_since("assemblee", "PA999001", day(on))
        assert since == (day("2017-06-21") if goes_on else None)
        assert members.stays("assemblee", "PA999001", day(on)) == goes_on
    # One whose mandate ended within those days left, and was not there before it began.
    assert not members.stays("assemblee", "PA999002", day("2022-07-20"))
    assert not members.stays("assemblee", "PA999001", day("2017-06-20"))


def test_names_and_colours_of_groups_are_read_where_they_are_kept(folder: Path) -> None:
    members = Members.read(folder)
    assert members.group_names["senat", "LR"] == "Les Républicains"  # shipped
    assert ("assemblee", "LR") not in members.group_names
    rows = "assemblee,BOR,Groupe Boréal,#0A1b2C\nassemblee,NI,Non,\nsenat,LR,Autre nom,\n"
    (folder / "noms_groupes.csv").write_text(f"chambre,groupe,nom,couleur\n{rows}")
    members = Members.read(folder)
    assert members.group_names["assemblee", "BOR"] == "Groupe Boréal"
    assert members.group_names["senat", "LR"] == "Autre nom"
    assert members.group_colours == {("assemblee", "BOR"): "#0a1b2c"}


@pytest.mark.parametrize(
    ("begun", "before", "sat", "renewed"),
    [
        (20, 1, 0, True),
        (19, 1, 0, False),
        (20, 0, 0, False),
        (20, 400, 0, True),
        (20, 1, 80, False),
    ],
)
def test_a_day_on_which_many_mandates_begin_is_a_renewal(
    folder: Path, begun: int, before: int, sat: int, renewed: bool
) -> None:
    """Many of those open on that day, whoever sat `before`; in a file that begins on that day, all do."""
    (folder / "mandats.csv").write_text(
        MANDATES.splitlines()[0]
        + "".join(f"\nassemblee,PA{n},A B,B,A,M.,2031-06-11,,,x" for n in range(begun))
        + "".join(f"\nassemblee,PB{n},A B,B,A,M.,2030-06-11,2031-06-10,,x" for n in range(before))
        + "".join(f"\nassemblee,PC{n},A B,B,A,M.,2030-06-11,,,x" for n in range(sat))
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
        ("mandats.csv", ",,x\n", ",,x,y\n", "mandats.csv: line 3: 11 values under 10 columns"),
        ("groupes.csv", "2020-09-30,x\n", "2020", "line 7: the last line does not end"),
        ("noms_groupes.csv", "nom", "libelle", "noms_groupes.csv: line 1: no column nom"),
        *(
            ("noms_groupes.csv", "A,A,", f"A,A,{colour}", f"line 2: couleur: '{colour}' is not a")
            for colour in ("#fff", "#00112g", " #0a1b2c")
        ),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_field(
    folder: Path, file: str, old: str, new: str, said: str
) -> None:
    (folder / "noms_groupes.csv").write_text("chambre,groupe,nom,couleur\nsenat,A,A,\n")
    path = folder / file
    path.write_bytes(path.read_text().replace(old, new, 1).encode(errors="surrogateescape"))
    with pytest.raises(FilesError, match=said.replace("'", ".")):
        Members.read(folder)


def test_a_folder_without_a_file_is_refused(folder: Path) -> None:
    (folder / "groupes.csv").unlink()
    with pytest.raises(FilesError, match=r"groupes\.csv"):
        Members.read(folder)
