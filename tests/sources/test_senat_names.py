"""Senators whom a PDF names: known, unknown, spelled otherwise, or of the same name as another."""

from __future__ import annotations

import pytest

from parlement_lists.sources.originals import (
    FetchFailed,
    MemberRecord,
    Original,
    OriginalRefused,
)
from parlement_lists.sources.senat import SOURCE

from .conftest import Site
from .senate_files import GENERAL, MANDATES, mandate, odsen, senateurs_json
from .senate_lists import NEXT_DAY, PAIRS, ROWS, alphabetical, by_senator, pairs, pairs_of
from .senate_lists import known as known


def many():
    """Rows of 298 senators, and those of them whom members must know beside those of ROWS."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rows = [
        ROWS[0]._replace(elu_id=f"7{i:04d}B", elu_nom=f"NOM{letters[i // 26]}{letters[i % 26]}")
        for i in range(110)
    ]
    return [*ROWS, *rows], [(row.elu_id, row.elu_nom.title(), row.elu_prenom) for row in rows]


UNKNOWN = "no senator is known as BAOLIN Jeanne: left out"
ALONE = "no alphabetical PDF: pairs are not compared"


def test_a_senator_whom_nobody_knows_is_told_and_left_out(known):
    rows, others = many()
    read = SOURCE.read([by_senator(rows)], known(*others, without=["00000A"]), None)
    assert pairs(read) == {each for each in pairs_of(rows) if each[0] != "00000A"}
    assert (read.remarks, read.unknown) == ([ALONE, UNKNOWN], ["BAOLIN Jeanne"])


def test_more_than_one_in_a_hundred_unknown_refuse_the_list(known):
    message = r"a.pdf: 2 of 188 senators are not known, over 1%: BAOLIN Jeanne, BAONET Jeanne$"
    with pytest.raises(OriginalRefused, match=message):
        SOURCE.read([by_senator()], known(without=["00000A", "00001A"]), None)
    many_unknown = [f"{senator:05d}A" for senator in range(25)]
    with pytest.raises(
        OriginalRefused, match=r"25 of 188 .*: (\w+ Jeanne, ){9}\w+ Jeanne and 15 more$"
    ):
        SOURCE.read([by_senator()], known(without=many_unknown), None)


def test_few_senators_are_half_a_list(known):
    for count in (149, 150):
        rows = [row for row in ROWS if row.elu_id < f"{count:05d}A"]
        if count == 150:
            assert pairs(SOURCE.read([by_senator(rows)], known(), None)) == pairs_of(rows)
        else:
            with pytest.raises(OriginalRefused, match=r"a.pdf: 149 senators with staff, under 150"):
                SOURCE.read([by_senator(rows)], known(), None)


def test_rows_without_a_group_are_told(known):
    read = SOURCE.read([by_senator(), alphabetical()], known(ungrouped=["00000A", "00007A"]), None)
    assert read.remarks == ["4 of 196 rows have no group"]


def test_a_name_that_staff_bears_is_not_told(known):
    """What stands in the senators' place may be a staff member's."""
    rows, others = many()
    staff = rows[0]
    rows = [
        *rows,
        staff._replace(elu_id="9", elu_nom=staff.collab_nom, elu_prenom=staff.collab_prenom),
    ]
    read = SOURCE.read([by_senator(rows)], known(*others), None)
    assert read.remarks == [ALONE, "no senator is known as 1 more: left out"]


def test_of_two_senators_of_one_name_the_one_who_sits_is_meant(known):
    before = ("00099B", "Baolin", "Jeanne", "1990-01-01", "1999-01-01")
    now = ("00098B", "Jeanne", "Baolin", "2023-10-02", "")
    too = ("00097B", "Baolin", "Jeanne", "2023-10-02", "")
    seen = ("77777B", "Vu", "Hier", "2023-10-02", "2026-12-31")
    rows, others = many()
    read = SOURCE.read(
        [by_senator(rows)], known(before, now, seen, *others, without=["00000A"]), None
    )
    assert {row.elu_id for row in read.rows} - {row.elu_id for row in rows} == {"00098B"}
    assert (len(read.rows), read.remarks) == (len(rows), [ALONE])
    read = SOURCE.read([by_senator(rows)], known(now, too, seen, *others, without=["00000A"]), None)
    assert (len(read.rows), read.remarks) == (len(rows) - 3, [ALONE, UNKNOWN])


def test_two_names_of_one_senator_are_nobodys(known):
    rows, others = many()
    others = [
        *others,
        *(
            (f"8{i:04d}B", f"Plus{'ABCDEFGHIJ'[i // 10]}{'KLMNOPQRST'[i % 10]}", "Un")
            for i in range(60)
        ),
    ]
    rows = [
        *rows,
        *(
            ROWS[0]._replace(elu_nom=family.upper(), elu_prenom="Un")
            for _, family, _ in others[110:]
        ),
    ]
    rows += [
        ROWS[0]._replace(elu_nom="DEROMEDI", elu_prenom=name) for name in ("Jacky", "Jacqueline")
    ]
    members = known(*others, ("14041T", "Deromedi", "Jacky"))
    read = SOURCE.read([by_senator(rows)], members, None)
    assert "14041T" not in {row.elu_id for row in read.rows}
    assert "DEROMEDI Jacky, DEROMEDI Jacqueline: left out" in read.remarks[1]
    assert len(read.unknown) == 2


@pytest.fixture
def of_lists_day():
    """ODSEN_GENERAL with three senators of ROWS who sit no longer, the first with a day of death."""

    def file(died=""):
        rows = [("00000A", "Baolin", died), ("00001A", "Baonet", ""), ("00002A", "Baorel", "")]
        columns = (*GENERAL, "Date de décès")
        listed = [(id, "M.", name, "Jeanne", "ANCIEN", "", "", day) for id, name, day in rows]
        return Original("general.csv", odsen(columns, listed))

    return file


def test_senators_who_sit_no_longer_are_known_by_the_files_that_name_them(known, of_lists_day):
    members = known(without=["00000A", "00001A", "00002A"])
    read = SOURCE.read([by_senator(), of_lists_day("2026-11-01 00:00:00.0")], members, None)
    assert pairs(read) == PAIRS
    assert {row.elu_nom for row in read.rows if row.elu_id == "00000A"} == {"Baolin"}
    assert "00000A" not in members.names("senat")
    with pytest.raises(OriginalRefused, match=r"3 of .* senators are not known"):
        SOURCE.read([by_senator()], members, None)


def test_a_name_of_the_dead_or_of_a_member_is_no_other_senators(known, of_lists_day):
    rows, others = many()
    died = of_lists_day("1962-05-03 00:00:00.0")
    read = SOURCE.read([by_senator(rows), died], known(*others, without=["00000A"]), None)
    assert read.remarks == [ALONE, UNKNOWN]
    living = of_lists_day()._replace(body=of_lists_day().body.replace(b"00000A", b"00077C"))
    read = SOURCE.read([by_senator(rows), living], known(*others), None)
    assert pairs(read) == pairs_of(rows)


def test_senators_of_the_files_of_sitting_ones_and_of_mandates_are_known(known):
    member = MemberRecord("00000A", "Baolin", "Jeanne", "M.", "UMP")
    told_by_mandates = odsen(MANDATES, [mandate(member, "2008-10-01", "2014-10-01", "Fin")])
    for body in (senateurs_json([member]), told_by_mandates):
        rows, others = many()
        members = known(*others, without=["00000A"])
        read = SOURCE.read([by_senator(rows), Original("x", body)], members, None)
        assert pairs(read) == pairs_of(rows)
    before = odsen(MANDATES, [mandate(member, "2008-10-01", "2014-09-30", "Fin")])
    for body in (before, senateurs_json([member], fill=False)):
        read = SOURCE.read([by_senator(rows), Original("x", body)], members, None)
        assert read.remarks == [ALONE, UNKNOWN]


def test_an_alias_is_known(known):
    rows = [*ROWS, ROWS[0]._replace(elu_nom="DEROMEDI", elu_prenom="Jacqueline")]
    read = SOURCE.read([by_senator(rows)], known(("14041T", "Deromedi", "Jacky")), None)
    named = {(row.elu_id, row.elu_prenom) for row in read.rows}
    assert ("14041T", "Jacky") in named
    assert len(read.rows) == len(rows)


@pytest.fixture
def download(server, downloads):
    """The names of the originals that can be had where these are, by word, and the remarks."""
    site = Site(server, SOURCE, {word: word for word in SOURCE.addresses})

    def names(**answers):
        site.answers = {f"/{word}": body for word, body in answers.items()}
        run = downloads()
        return [original.name for original in site.source.download(run)], run.remarks

    return names


def test_what_cannot_be_had_beside_the_pdf_and_who_sits_is_told(download):
    needed = {"par_senateur": by_senator().body, "senateurs": senateurs_json([])}
    names = ["par-senateur.pdf", "senateurs.json"]
    assert download(**needed) == (
        names,
        [
            "alphabetique.pdf: status 404; pairs are not compared",
            "ODSEN_ELUSEN.csv: status 404; mandates are those known before",
            "ODSEN_HISTOGROUPES.csv: status 404; groups are those known before",
        ],
    )
    page = b"<html>Service indisponible</html>"
    originals, remarks = download(**needed, elus=page, groupes=page)
    assert originals == names
    told = "ODSEN_ELUSEN.csv: begins b'<html>Service indisp', not with %; it is kept as "
    assert remarks[1].startswith(told)
    for word, name in zip(needed, names, strict=True):
        with pytest.raises(FetchFailed, match=f"{name}: status 404"):
            download(**{other: body for other, body in needed.items() if other != word})
    # An error page, and the other PDF.
    for body in (page, alphabetical().body):
        with pytest.raises(FetchFailed, match=r"par-senateur.pdf: (begins|the other list)"):
            download(**needed | {"par_senateur": body})


def test_of_whom_no_dates_are_known_the_group_is_that_of_who_sits(known):
    roster = Original(
        "x", senateurs_json([MemberRecord("00000A", "Baolin", "Jeanne", "M.", "UMP")])
    )
    members = known(ungrouped=["00000A", "00007A"])
    for day, group in ((NEXT_DAY, "LR"), (None, "")):
        rows = SOURCE.read([by_senator(), roster], members, day).rows
        assert {row.groupe for row in rows if row.elu_id == "00000A"} == {group}
