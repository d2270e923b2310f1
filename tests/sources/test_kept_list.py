"""What is kept is what was read: every pair once, in an order of its own, or a refusal that names the row."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.sources.kept_list import to_csv
from parlement_lists.sources.originals import OriginalRefused, StaffRow
from parlement_lists.tenure import UNPAID
from parlement_lists.tracking.guard import examine
from parlement_lists.tracking.reading.formats import KEPT_COLUMNS
from parlement_lists.tracking.reading.lists import read_list

DAY = datetime.date(2026, 9, 1)
ROW = StaffRow("14263U", "Exemple", "Jeanne", "GEST", "Mme", "LE GOFF", "Maëlle", "")


def read(data: bytes, chamber: str = "senat") -> list[StaffRow]:
    list_ = read_list(data, chamber, DAY)
    return [
        StaffRow(
            *(pair.member, pair.member_family, pair.member_given, pair.group, pair.civility),
            *(pair.family, pair.given, pair.role, pair.leave),
        )
        for pair in (*list_.pairs.values(), *list_.doubles)
    ]


def test_the_file_is_as_documented() -> None:
    other = ROW._replace(collab_nom="Dupont", collab_prenom="Paul", fonction='dit "P", cadre')
    away = ROW._replace(collab_nom="ZÈLE", conge=UNPAID)
    assert to_csv("senat", [ROW, other]).decode() == (
        "chambre,elu_id,elu_nom,elu_prenom,groupe,collab_civilite,collab_nom,collab_prenom,fonction\n"
        'senat,14263U,Exemple,Jeanne,GEST,Mme,DUPONT,Paul,"dit ""P"", cadre"\n'
        "senat,14263U,Exemple,Jeanne,GEST,Mme,LE GOFF,Maëlle,\n"
    )
    assert to_csv("senat", [ROW, away]).decode() == (
        "chambre,elu_id,elu_nom,elu_prenom,groupe,collab_civilite,collab_nom,collab_prenom,fonction,conge\n"
        "senat,14263U,Exemple,Jeanne,GEST,Mme,LE GOFF,Maëlle,,\n"
        "senat,14263U,Exemple,Jeanne,GEST,Mme,ZÈLE,Maëlle,,sans solde\n"
    )
    assert to_csv("europarl", []).decode() == ",".join(KEPT_COLUMNS) + "\n"


def test_what_is_read_is_what_was_written() -> None:
    """In an order of its own, in which rows that stay keep theirs."""
    rows = [
        ROW,
        ROW._replace(collab_civilite="", collab_nom="O'É “L”", fonction='x "y", z', conge=UNPAID),
        ROW._replace(elu_nom="", elu_prenom="", groupe="a, b", collab_nom="ŒUF-Lo ß.".upper()),
        ROW._replace(elu_id="000346", collab_nom="ÇA", collab_prenom=""),
        ROW._replace(elu_id="1111R3", collab_civilite="M."),
    ]
    data = to_csv("senat", rows)
    found = read(data)
    assert sorted(found) == sorted(rows)
    assert to_csv("senat", found) == to_csv("senat", rows[::-1]) == data
    for number in range(len(rows)):
        assert read(to_csv("senat", rows[:number] + rows[number + 1 :])) == [
            row for row in found if row != rows[number]
        ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"collab_civilite": "Mme"}, {"collab_civilite": "", "fonction": "A"}),
        ({"fonction": "Z"}, {"fonction": ""}),
        ({"fonction": "Accredited assistants"}, {"fonction": "Local assistants"}),
    ],
)
def test_of_rows_of_one_pair_the_same_is_kept(one: dict[str, str], other: dict[str, str]) -> None:
    rows = [ROW._replace(**one), ROW._replace(**other)]
    assert read(to_csv("senat", rows)) == read(to_csv("senat", rows[::-1])) == [rows[0]]


@pytest.mark.rule("record-one-name")
def test_a_man_and_a_woman_of_one_name_are_two_rows_and_read_as_one_and_a_double() -> None:
    man, nobody = (ROW._replace(collab_civilite=civility) for civility in ("M.", ""))
    body = to_csv("senat", [ROW, nobody, man, ROW])
    assert [line.split(",")[5] for line in body.decode().splitlines()[1:]] == ["M.", "Mme"]
    list_ = read_list(body, "senat", DAY)
    examine(list_, None)
    assert [pair.civility for pair in (*list_.pairs.values(), *list_.doubles)] == ["Mme", "M."]


@pytest.mark.parametrize("nothing", ["\u00ad", "\u200b"])
def test_what_shows_nothing_is_no_part_of_a_name(nothing: str) -> None:
    row = ROW._replace(elu_nom=f"Exem{nothing}ple", collab_nom=f"LE GO{nothing}FF{nothing}")
    assert to_csv("senat", [row]) == to_csv("senat", [ROW])
    with pytest.raises(OriginalRefused, match="are no name"):
        to_csv("senat", [ROW._replace(collab_nom=nothing)])


def test_a_name_is_written_in_one_way() -> None:
    row = ROW._replace(collab_nom="le\xa0 Goff", collab_prenom="Mae\u0308lle")
    assert to_csv("senat", [row]) == to_csv("senat", [ROW])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("collab_nom", "LE\nGOFF", "control character or a line end"),
        ("elu_nom", "Exem\u2028ple", "line end"),
        ("fonction", "a\u202eb", "fonction holds a mark of direction"),
        ("groupe", "\ud800", "control character"),
        ("collab_nom", "", "are no name"),
        ("collab_nom", "...", "are no name"),
        ("collab_prenom", "N/A", "are no name"),
        ("collab_civilite", "Dr", "collab_civilite is not one of M., Mme"),
        ("elu_id", "14263u", "not an identifier of senat"),
        ("elu_id", "PA1234", "not an identifier of senat"),
    ],
)
def test_a_row_that_could_not_be_read_again_is_refused(field: str, value: str, said: str) -> None:
    row = ROW._replace(**{"collab_prenom": "" if value == "..." else "Maëlle", field: value})
    with pytest.raises(OriginalRefused, match=said) as refused:
        to_csv("senat", [ROW, row])
    assert str(refused.value).startswith(f"member {row.elu_id}")


@pytest.mark.parametrize(
    ("members", "staff", "said"),
    [
        (1, 201, "member 10000A: 201 staff of one member in a list, more than 200"),
        (101, 200, "the list: 20,200 rows of a list, more than 20,000"),
    ],
)
def test_a_list_that_no_build_reads_is_not_kept(members: int, staff: int, said: str) -> None:
    names = [f"X{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(staff)]
    rows = [
        ROW._replace(elu_id=f"{10_000 + member}A", collab_nom=name)
        for member in range(members)
        for name in names
    ]
    with pytest.raises(OriginalRefused) as refused:
        to_csv("senat", rows)
    assert str(refused.value) == said
    assert to_csv("senat", rows[:200])
