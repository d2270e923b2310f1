"""Senators whom a PDF names: known, unknown, spelled otherwise, or of the same name as another."""

from __future__ import annotations

import pytest

from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import FetchFailed, MemberRecord, Original, OriginalRefused
from parlement_lists.sources.senat import SOURCE

from .conftest import Site
from .senate_files import senateurs_json
from .senate_lists import EDITION, NEXT_DAY, PAIRS, ROWS, alphabetical, by_senator, pairs, pairs_of
from .senate_lists import known as known

UNKNOWN = "no senator is known as BAOLIN Jeanne: left out"
ALONE = "no alphabetical PDF: pairs are not compared"
# With so many other senators one who is not known refuses no list.
MANY = [
    *ROWS,
    *(
        ROWS[0]._replace(elu_id=f"7{i:04d}B", elu_nom=f"NOM{chr(65 + i // 26)}{chr(65 + i % 26)}")
        for i in range(170)
    ),
]
BOTH = [*ROWS, *(row._replace(collab_prenom="Autre") for row in ROWS)]
OTHERS = [(row.elu_id, row.elu_nom.title(), row.elu_prenom) for row in MANY[len(ROWS) :]]


@pytest.fixture
def read(known):
    """Reads the PDF by senator of rows, of which members know the senators but those `without`."""

    def one(rows=MANY, others=(), without=()):
        return SOURCE.read([by_senator(rows)], known(*OTHERS, *others, without=without), None)

    return one


def test_a_senator_whom_nobody_knows_is_told_and_left_out(read):
    list_ = read(without=["00000A"])
    assert pairs(list_) == {each for each in pairs_of(MANY) if each[0] != "00000A"}
    assert (list_.remarks, list_.unknown) == ([ALONE, UNKNOWN], ["BAOLIN Jeanne"])


@pytest.mark.parametrize(
    ("rows", "unknown", "message"),
    [
        # Of the senators, however many rows each has.
        (BOTH, 2, "2 of 188 senators are not known, over 1%: BAOLIN Jeanne, BAONET Jeanne$"),
        (ROWS, 25, r"25 of 188 .*: (\w+ Jeanne, ){9}\w+ Jeanne and 15 more$"),
        # Few senators are half a list.
        ([row for row in ROWS if row.elu_id < "00149A"], 0, "149 senators with staff, under 150"),
    ],
)
def test_a_list_of_too_few_senators_that_are_known_is_refused(read, rows, unknown, message):
    with pytest.raises(OriginalRefused, match=rf"a\.pdf: {message}"):
        read(rows, without=[f"{senator:05d}A" for senator in range(unknown)])
    enough = [row for row in ROWS if row.elu_id < "00150A"]
    assert pairs(read(enough)) == pairs_of(enough)


def test_rows_without_a_group_are_told(known):
    read = SOURCE.read([by_senator(), alphabetical()], known(ungrouped=["00000A", "00007A"]), None)
    assert read.remarks == ["4 of 196 rows have no group"]


def test_a_name_that_staff_bears_is_not_told(read):
    """What stands in the senators' place may be a staff member's."""
    staff = ROWS[0]
    names = {"elu_nom": staff.collab_nom, "elu_prenom": staff.collab_prenom}
    list_ = read([*MANY, staff._replace(elu_id="9", **names)])
    assert list_.remarks == [ALONE, "no senator is known as 1 more: left out"]


def test_of_two_senators_of_one_name_the_one_who_sits_is_meant(read):
    before = ("00099B", "Baolin", "Jeanne", "1990-01-01", "1999-01-01")
    now = ("00098B", "Jeanne", "Baolin", "2023-10-02", "")
    too = ("00097B", "Baolin", "Jeanne", "2023-10-02", "")
    seen = ("77777B", "Vu", "Hier", "2023-10-02", "2026-12-31")
    list_ = read(others=[before, now, seen], without=["00000A"])
    assert {row.elu_id for row in list_.rows} - {row.elu_id for row in MANY} == {"00098B"}
    assert (len(list_.rows), list_.remarks) == (len(MANY), [ALONE])
    list_ = read(others=[now, too, seen], without=["00000A"])
    assert (len(list_.rows), list_.remarks) == (len(MANY) - 3, [ALONE, UNKNOWN])


def test_two_names_of_one_senator_are_nobodys_and_an_alias_alone_is_known(read):
    first, alias = (
        ROWS[0]._replace(elu_nom="DEROMEDI", elu_prenom=name) for name in ("Jacky", "Jacqueline")
    )
    known = [("14041T", "Deromedi", "Jacky")]
    list_ = read([*MANY, first, alias], others=known)
    assert pairs(list_) == pairs_of(MANY)
    assert "DEROMEDI Jacky, DEROMEDI Jacqueline: left out" in list_.remarks[1]
    assert len(list_.unknown) == 2
    list_ = read([*MANY, alias], others=known)
    assert ("14041T", "Jacky") in {(row.elu_id, row.elu_prenom) for row in list_.rows}
    assert len(list_.rows) == len(MANY) + 1


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


def test_who_sits_is_known_by_name_and_group_where_no_dates_are(known, tmp_path):
    known(ungrouped=["00000A", "00007A"], without=["00000A"])
    sitting = [MemberRecord("00000A", "Baolin", "Jeanne", "M.", "UMP")]
    roster = [Original("x", senateurs_json(sitting))]
    for day in (EDITION, NEXT_DAY):
        members = combine(tmp_path, "senat", SOURCE.members(roster, day), day)
        list_ = SOURCE.read([by_senator(), *roster], members, day)
        assert pairs(list_) == PAIRS
        assert {row.groupe for row in list_.rows if row.elu_id == "00000A"} == {"LR"}
        assert list_.remarks == [ALONE, "1 of 196 rows have no group"]
