"""The Sénat's PDFs: what is read in them, and everything that is refused by file, page and figure."""

from __future__ import annotations

import datetime
import io

import pypdfium2
import pytest
from pypdfium2 import raw

from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.hooks import MemberRead, Original, OriginalRefused, StaffRow
from parlement_lists.sources.senat import SOURCE, pdf_lines
from parlement_lists.sources.senat.pdf import read_pdf
from parlement_lists.sources.senat.staff_names import family_first
from parlement_lists.tracking.members.known_members import Members

from .senate_files import GENERAL, MANDATES, mandate, odsen, senateurs_json
from .senate_pdf import LEFT, RIGHT, make, of_pairs

EDITION = datetime.date(2026, 11, 20)
NEXT_DAY = datetime.date(2026, 11, 21)
ENDS = ("OLIN", "ONET", "OREL", "OSSE")
FAMILIES = [
    f"{first}{second}{last}" for first in "BDFGLMPRST" for second in "AEIOU" for last in ENDS
]


def staff(index: int, senator: int) -> StaffRow:
    family = FAMILIES[senator]
    civility = ("M.", "Mme")[index % 2]
    name = f"EXEMPLE-{FAMILIES[index // 2]}"
    return StaffRow(
        f"{senator:05d}A", family, "Jeanne", "", civility, name, f"Paul-{family.title()}"
    )


# Four senators with three of staff and 184 with one: five full pages and six rows.
ROWS = [staff(index, index // 3 if index < 12 else index - 8) for index in range(196)]


def pairs_of(rows):
    return {(row.elu_id, row.collab_civilite, row.collab_nom, row.collab_prenom) for row in rows}


PAIRS = pairs_of(ROWS)


@pytest.fixture
def known(tmp_path):
    """Makes the members of names: (matricule, family, given), with a mandate since a day."""

    def members(*others, without=(), ungrouped=()):
        names = {(row.elu_id, row.elu_nom.title(), row.elu_prenom, "", "") for row in ROWS}
        names = {each for each in names if each[0] not in without}
        names |= {(*other, "", "")[:5] for other in others}
        lines = [
            f"senat,{id},{given} {family},{family},{given},M.,{since},{until}"
            for id, family, given, since, until in sorted(names)
        ]
        header = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
        (tmp_path / "mandats.csv").write_text("\n".join([header, *lines]))
        groups = ["chambre,elu_id,groupe,depuis,jusqua"]
        groups += [f"senat,{each[0]},LR,2023-10-02," for each in names if each[0] not in ungrouped]
        (tmp_path / "groupes.csv").write_text("\n".join(groups))
        # Who was watched since the renewal of 2026 has the group that the rows say.
        (tmp_path / "vus.csv").write_text(f"chambre,jour\nsenat,{EDITION}\n")
        return Members.read(tmp_path)

    return members


def by_senator(rows=ROWS, edition=EDITION):
    return Original("a.pdf", make(rows, edition))


def alphabetical(rows=ROWS, edition=EDITION):
    return Original("b.pdf", make(rows, edition, alphabetical=True))


def pairs(read):
    return pairs_of(read.rows)


def saved(document):
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def changed(original, change):
    """The PDF after `change(document)`."""
    with pypdfium2.PdfDocument(original.body) as document:
        change(document)
        return original._replace(body=saved(document))


def runs(page):
    text = page.get_textpage()
    return [(item, item.extract().strip()) for item in page.get_objects([1], textpage=text)]


def of_page(number, change):
    """A change of each text of one page: `change(item, text)`."""

    def whole(document):
        page = document[number - 1]
        for item, text in runs(page):
            change(item, text)
        page.gen_content()

    return whole


def retext(item, text):
    encoded = (text + "\x00").encode("utf-16-le")
    buffer = (raw.FPDF_WCHAR * (len(encoded) // 2)).from_buffer_copy(encoded)
    raw.FPDFText_SetText(item, buffer)


def test_both_pdfs_are_read_and_the_list_is_of_the_day_after_the_edition(known):
    members = known()
    for originals in ([by_senator(), alphabetical()], [alphabetical(), by_senator()]):
        read = SOURCE.read(originals, members, None)
        assert pairs(read) == PAIRS
        assert (len(read.rows), read.day, read.origin, list(read.told)) == (
            *(len(PAIRS), NEXT_DAY, "senat-pdf"),
            [],
        )
    first = next(row for row in read.rows if row.elu_id == "00000A")
    assert (first.elu_nom, first.elu_prenom, first.groupe) == ("Baolin", "Jeanne", "LR")


def test_who_is_on_unpaid_leave_has_a_name_without_the_star(known):
    starred = [ROWS[0]._replace(collab_civilite="M. *"), *ROWS[1:]]
    assert pairs(SOURCE.read([by_senator(starred)], known(), None)) == PAIRS


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("EXEMPLE Jeanne", "EXEMPLE", "Jeanne"),
        ("de EXEMPLE Jeanne Zoé", "DE EXEMPLE", "Jeanne Zoé"),
        ("MODÈLE de la EXEMPLE Jeanne", "MODÈLE DE LA EXEMPLE", "Jeanne"),
        ("MODÈLE - EXEMPLE Jeanne-Zoé", "MODÈLE - EXEMPLE", "Jeanne-Zoé"),
        ("MODÈLE D EXEMPLE Jeanne", "MODÈLE D EXEMPLE", "Jeanne"),
        ("EXEMPLE Jeanne B.", "EXEMPLE", "Jeanne B."),
        ("JEANNE EXEMPLE", "EXEMPLE", "Jeanne"),
        ("Jeanne Exemple", "EXEMPLE", "Jeanne"),
    ],
)
def test_the_family_name_goes_on_to_the_last_word_in_capitals(name, family, given, known):
    listed = [ROWS[0]._replace(collab_nom=name, collab_prenom=""), *ROWS[1:]]
    read = SOURCE.read([by_senator(listed)], known(), None)
    row = next(row for row in read.rows if row.elu_id == "00000A" and "Baolin" not in str(row[5:]))
    assert (row.collab_nom, row.collab_prenom) == (family, given) == family_first(name)


@pytest.mark.parametrize("under_m", [False, True], ids=["under D", "under M"])
def test_particles_may_be_no_part_of_the_order_of_names(under_m):
    # The Sénat sorts `de` under what follows, `del` not.
    names = ["FAUVE", "de FAVRE", "FEDIER", "LEROY", "LE RUDE", "LESUR", "MASSON"]
    names.insert(6 if under_m else 0, "del MAS")
    pairs = [(f"M. {name} Jeanne", "Mme EXEMPLE Paule") for name in names]
    read = read_pdf(Original("a.pdf", of_pairs(pairs, EDITION)))
    assert [tuple(each) for each in read.employments] == pairs


def cut_out(document):
    document.del_page(1)


def cut_off(document):
    document.del_page(len(document) - 1)


def exchanged(document):
    with pypdfium2.PdfDocument(saved(document)) as other:
        document.del_page(2)
        document.import_pages(other, pages=[2], index=1)


def shift(by):
    def move(item, text):
        if abs(item.get_matrix().e - RIGHT) < 1:
            item.transform(pypdfium2.PdfMatrix().translate(by, 0))

    return move


def another_edition(item, text):
    if "/" in text:
        retext(item, "19/11/2026")


def bare(item, text):
    if abs(item.get_matrix().e - LEFT) < 1 and item.get_matrix().f > 620:
        retext(item, " ")


def say(before, after):
    return lambda item, text: retext(item, after) if text == before else None


def first_left(after):
    def change(item, text):
        if abs(item.get_matrix().e - LEFT) < 1 and item.get_matrix().f > 620:
            retext(item, after)

    return change


def lower(item, text):
    if abs(item.get_matrix().f - 628) < 2:
        item.transform(pypdfium2.PdfMatrix().translate(0, -9))


def without_row(row):
    def change(item, text):
        if abs(item.get_matrix().f - (628.1 - row * 14.9)) < 2:
            retext(item, " ")

    return change


def of_the_other_list(document):
    with pypdfium2.PdfDocument(alphabetical().body) as other:
        document.import_pages(other, pages=[1], index=1)
        document.del_page(2)


def left_heading(by):
    def change(item, text):
        if text == "Employeur":
            item.transform(pypdfium2.PdfMatrix().translate(by, 0))

    return change


def first_staff(by):
    def change(item, text):
        if abs(item.get_matrix().e - RIGHT) < 1 and item.get_matrix().f > 620:
            item.transform(pypdfium2.PdfMatrix().translate(by, 0))

    return change


def continued_staff(item, text):
    if abs(item.get_matrix().f - (628.1 - 14.9)) < 2:
        item.transform(pypdfium2.PdfMatrix().translate(LEFT - item.get_matrix().e, 0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut_out, "a.pdf: page 2: numbered 3"),
        (exchanged, "a.pdf: page 2: numbered 3"),
        (
            of_page(2, shift(40)),
            "a.pdf: page 2, line 4: a name at 316.4, columns begin at 138.1 and 276.4",
        ),
        (
            of_page(3, shift(RIGHT - LEFT - 10)),
            "a.pdf: page 3, line 4: a name at 404.7, columns begin at",
        ),
        (
            of_page(3, another_edition),
            "a.pdf: page 3: edition of 2026-11-19, page 1 is of 2026-11-20",
        ),
        (of_page(2, bare), "a.pdf: page 2: begins with a row without a name in the left column"),
        (of_page(2, say("Employeur", "Employé")), "a.pdf: page 2: .* where the two headings stand"),
        (of_page(2, say("A.G.A.S.", "B")), "a.pdf: page 2: .* where A.G.A.S. stands"),
        (of_page(2, say("2", "II")), "a.pdf: page 2: 49 letters where edition and number stand"),
        (
            of_page(2, first_left("EXEMPLE Jeanne")),
            "a.pdf: page 2, line 4: 14 letters, not M., Mme",
        ),
        (
            of_page(2, first_left("M. ABEL Jeanne")),
            "a.pdf: page 2, line 4: not in alphabetical order",
        ),
        (
            of_page(1, first_left("M. ZOÉ Jeanne")),
            "a.pdf: page 1, line 7: not in alphabetical order",
        ),
        (of_page(2, first_left("M. A M. B")), "a.pdf: page 2, line 4: 9 letters, two names in one"),
        (of_page(2, lower), "a.pdf: page 2: row 1 at 619.1, on page 1 at 628.1"),
        (of_page(2, without_row(10)), "a.pdf: page 2: row 11 at"),
        (of_page(1, without_row(10)), "a.pdf: page 1: rows between 14.9 and 29.8 apart"),
        (of_page(2, without_row(37)), "a.pdf: page 2: 37 rows, 38 on page 1"),
        (of_the_other_list, "a.pdf: page 2: title of the other list"),
        (of_page(2, left_heading(-60)), "a.pdf: page 2: headings at 123.1 and 336.4, columns at"),
        (of_page(2, first_staff(LEFT - RIGHT)), "a.pdf: page 2, line 4: two names in one place"),
        (of_page(1, continued_staff), "a.pdf: page 1, line 5: nobody beside the name"),
        (
            of_page(2, first_left("M. ZOÃ© Jeanne")),
            "a.pdf: page 2, line 4: 14 letters, not M., Mme",
        ),
    ],
)
def test_a_pdf_that_is_not_whole_and_in_order_is_refused_by_page(change, message, known):
    with pytest.raises(OriginalRefused, match=message):
        SOURCE.read([changed(by_senator(), change)], known(), None)


def test_a_date_that_does_not_exist_is_refused(known):
    wrong = changed(by_senator(), of_page(1, say("20/11/2026", "31/11/2026")))
    with pytest.raises(OriginalRefused, match=r"a\.pdf: page 1: .*31/11/2026"):
        SOURCE.read([wrong], known(), None)


def test_no_refusal_names_staff(known):
    """Of whatever is wrong with a page: whoever reads a log must not learn a name."""
    members, both = known(), [by_senator(), alphabetical()]
    staff = {word for row in ROWS for word in (row.collab_nom, row.collab_prenom)}
    changes = (
        *(shift(by) for by in (40, LEFT - RIGHT, 3)),
        *(without_row(row) for row in (0, 10, 37)),
        *(first_staff(by) for by in (LEFT - RIGHT, 50)),
        *(say(text, "") for text in ("Edition du", "A.G.A.S.", "Employeur", "Nom Collaborateur")),
        *(say(f"{row.collab_civilite} {row.collab_nom} {row.collab_prenom}", f"M. {ROWS[99].collab_nom} x") for row in ROWS[38:40]),
        *(first_left(f"M. {row.collab_nom} {row.collab_prenom}") for row in (ROWS[0], ROWS[90])),
        *(first_left(f"M. {ROWS[5].collab_nom} {end}") for end in ("", "= 1", "M. x")),
    )  # fmt: skip
    refused = 0
    for change in changes:
        for number in (2, 6):
            for which in (0, 1):
                originals = list(both)
                originals[which] = changed(both[which], of_page(number, change))
                for given in (originals, originals[:1]):
                    try:
                        said = " ".join(SOURCE.read(given, members, None).told)
                    except OriginalRefused as error:
                        said, refused = str(error), refused + 1
                    assert [word for word in staff if word in said] == []
    assert refused > 50


def test_the_last_page_cut_out_is_found_by_the_other_pdf(known):
    cut = changed(by_senator(), cut_off)
    with pytest.raises(
        OriginalRefused, match=r"a.pdf: 6 pairs of b.pdf are missing, first that of page"
    ):
        SOURCE.read([cut, alphabetical()], known(), None)


def test_pairs_that_only_the_pdf_by_senator_has_are_told(known):
    read = SOURCE.read([by_senator(), alphabetical(ROWS[2:])], known(), None)
    assert pairs(read) == PAIRS
    assert list(read.told) == ["b.pdf: 2 pairs fewer than a.pdf"]


def test_another_edition_of_the_other_pdf_is_told(known):
    stale = alphabetical([staff(140, 3)], datetime.date(2026, 11, 19))
    read = SOURCE.read([by_senator(), stale], known(), None)
    assert pairs(read) == PAIRS
    assert list(read.told) == [
        "b.pdf: edition of 2026-11-19, a.pdf is of 2026-11-20: pairs are not compared"
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<!DOCTYPE html><title>Erreur</title>", "begins .*no PDF, no file of senators"),
        (b"", "begins b'': no PDF, no file of senators"),
        (b"%PDF-1.4\n", "9 bytes without an end of file"),
        (b"%PDF-1.4\n%%EOF", "not a readable PDF"),
        (b"% Requ\xeate\r\nA,B\r\n", "columns of no file of senators"),
    ],
)
def test_what_is_no_pdf_is_refused(body, message, known):
    with pytest.raises(OriginalRefused, match=f"x: {message}"):
        SOURCE.read([Original("x", body)], known(), None)


def test_one_pdf_by_senator_is_needed(known):
    for originals in ([], [alphabetical()], [by_senator(), by_senator()]):
        with pytest.raises(OriginalRefused, match="PDFs by senator among"):
            SOURCE.read(originals, known(), None)


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("MOST_PAGES", "a.pdf: 6 pages, over 3 or none"),
        ("MOST_OBJECTS", "a.pdf: page 1: .* objects, over 3"),
        ("MOST_CHARACTERS", "a.pdf: page 1: .* letters, over 3"),
    ],
)
def test_a_pdf_is_read_within_bounds(bound, message, known, monkeypatch):
    monkeypatch.setattr(pdf_lines, bound, 3)
    with pytest.raises(OriginalRefused, match=message):
        SOURCE.read([by_senator()], known(), None)


def test_a_pdf_cut_off_anywhere_is_refused(known):
    members, whole = known(), by_senator()
    for size in range(0, len(whole.body) - 8, 997):
        with pytest.raises(OriginalRefused):
            SOURCE.read([whole._replace(body=whole.body[:size])], members, None)


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
    assert (read.told, read.carried) == ([ALONE, UNKNOWN], [])


def test_staff_does_not_leave_a_senator_who_is_spelled_otherwise(known):
    rows, others = many()
    rows = [*rows, ROWS[0]._replace(elu_id="00001B", elu_nom="BAOLIN", elu_prenom="Zoé")]
    listed = ("00001B", "Baolin", "Zoé")
    members = known(*others, listed, ("00000A", "Baolin-Exemple", "Jeanne"), without=["00000A"])
    read = SOURCE.read([by_senator(rows)], members, None)
    assert (read.told, read.carried) == ([ALONE, UNKNOWN], ["00000A"])


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
    assert read.told == ["4 of 196 rows have no group"]


def test_a_name_that_staff_bears_is_not_told(known):
    """What stands in the senators' place may be a staff member's."""
    rows, others = many()
    staff = rows[0]
    rows = [
        *rows,
        staff._replace(elu_id="9", elu_nom=staff.collab_nom, elu_prenom=staff.collab_prenom),
    ]
    read = SOURCE.read([by_senator(rows)], known(*others), None)
    assert read.told == [ALONE, "no senator is known as 1 more: left out"]


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
    assert (len(read.rows), read.told) == (len(rows), [ALONE])
    read = SOURCE.read([by_senator(rows)], known(now, too, seen, *others, without=["00000A"]), None)
    assert (len(read.rows), read.told) == (len(rows) - 3, [ALONE, UNKNOWN])
    # Nobody can tell which of them is meant: what was known of both stands.
    assert read.carried == ["00097B", "00098B"]


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
    assert "DEROMEDI Jacky, DEROMEDI Jacqueline: left out" in read.told[1]
    assert read.carried == ["14041T"]


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
    assert read.told == [ALONE, UNKNOWN]
    living = of_lists_day()._replace(body=of_lists_day().body.replace(b"00000A", b"00077C"))
    read = SOURCE.read([by_senator(rows), living], known(*others), None)
    assert pairs(read) == pairs_of(rows)


def test_senators_of_the_files_of_sitting_ones_and_of_mandates_are_known(known):
    member = MemberRead("00000A", "Baolin", "Jeanne", "M.", "UMP")
    told_by_mandates = odsen(MANDATES, [mandate(member, "2008-10-01", "2014-10-01", "Fin")])
    for body in (senateurs_json([member]), told_by_mandates):
        rows, others = many()
        members = known(*others, without=["00000A"])
        read = SOURCE.read([by_senator(rows), Original("x", body)], members, None)
        assert pairs(read) == pairs_of(rows)
    before = odsen(MANDATES, [mandate(member, "2008-10-01", "2014-09-30", "Fin")])
    for body in (before, senateurs_json([member], fill=False)):
        read = SOURCE.read([by_senator(rows), Original("x", body)], members, None)
        assert read.told == [ALONE, UNKNOWN]


def test_an_alias_is_known(known):
    rows = [*ROWS, ROWS[0]._replace(elu_nom="DEROMEDI", elu_prenom="Jacqueline")]
    read = SOURCE.read([by_senator(rows)], known(("14041T", "Deromedi", "Jacky")), None)
    named = {(row.elu_id, row.elu_prenom) for row in read.rows}
    assert ("14041T", "Jacky") in named
    assert len(read.rows) == len(rows)


class Run:
    """Downloads of originals at hand; who asks for another fails."""

    day = datetime.date(2026, 11, 21)

    def __init__(self, **bodies):
        self.bodies = bodies
        self.told = []
        self.memory = {}

    def get(self, address, examine=None, attempts=1):
        (word,) = [word for word, known in SOURCE.addresses.items() if known == address]
        if word not in self.bodies:
            raise FetchFailed("not there")
        original = Original(address.name, self.bodies[word])
        try:
            examine(original)
        except OriginalRefused as error:
            raise FetchFailed(str(error)) from error
        return original

    def tell(self, sentence):
        self.told.append(sentence)


def test_what_cannot_be_had_beside_the_pdf_by_senator_is_told():
    run = Run(par_senateur=by_senator().body)
    assert [original.name for original in SOURCE.download(run)] == ["par-senateur.pdf"]
    assert run.told == [
        "senateurs.json: not there; ODSEN_GENERAL.csv in its place",
        "ODSEN_GENERAL.csv: not there; senators are those known before",
        "alphabetique.pdf: not there",
        "ODSEN_ELUSEN.csv: not there; mandates are watched",
        "ODSEN_HISTOGROUPES.csv: not there; groups are watched",
    ]


def test_an_error_page_is_not_taken_for_an_original():
    page = b"<html>Service indisponible</html>"
    roster = senateurs_json([MemberRead("00000A", "Baolin", "Jeanne", "M.", "UMP")])
    run = Run(par_senateur=by_senator().body, senateurs=roster, elus=page, groupes=page)
    assert [original.name for original in SOURCE.download(run)] == [
        "par-senateur.pdf",
        "senateurs.json",
    ]
    assert (
        "ODSEN_ELUSEN.csv: ODSEN_ELUSEN.csv: begins b'<html>Service indisp', not with %"
        in run.told[1]
    )
    for body in (page, alphabetical().body):
        with pytest.raises(FetchFailed, match=r"par-senateur.pdf: "):
            SOURCE.download(Run(par_senateur=body))
