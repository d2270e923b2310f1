"""The Sénat's PDFs: what is read in them, and everything that is refused by file, page and figure."""

from __future__ import annotations

import datetime
import re

import pypdfium2
import pytest

from parlement_lists.sources.originals import Original, OriginalRefused
from parlement_lists.sources.senat import SOURCE, split_family_first
from parlement_lists.sources.senat.pdf import read_pdf

from .senate_lists import (
    EDITION,
    NEXT_DAY,
    PAIRS,
    ROWS,
    alphabetical,
    by_senator,
    changed,
    of_page,
    pairs,
    retext,
    saved,
    staff,
)
from .senate_lists import known as known
from .senate_pdf import LEFT, RIGHT, of_pairs


def test_both_pdfs_are_read_and_the_list_is_of_the_day_after_the_edition(known):
    members = known()
    for originals in ([by_senator(), alphabetical()], [alphabetical(), by_senator()]):
        read = SOURCE.read(originals, members, None)
        assert pairs(read) == PAIRS
        assert (len(read.rows), read.day, read.origin, list(read.remarks)) == (
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
    assert (row.collab_nom, row.collab_prenom) == (family, given) == split_family_first(name)


@pytest.mark.parametrize("under_m", [False, True], ids=["under D", "under M"])
def test_particles_may_be_no_part_of_the_order_of_names(under_m):
    # The Sénat sorts `de` under what follows, `del` not.
    names = ["FAUVE", "de FAVRE", "FEDIER", "LEROY", "LE RUDE", "LESUR", "MASSON"]
    names.insert(6 if under_m else 0, "del MAS")
    pairs = [(f"M. {name} Jeanne", "Mme EXEMPLE Paule") for name in names]
    read = read_pdf(Original("a.pdf", of_pairs(pairs, EDITION)))
    assert [each.pair for each in read.employments] == pairs


def cut_out(document):
    document.del_page(1)


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
    with pytest.raises(OriginalRefused, match=message) as refused:
        SOURCE.read([changed(by_senator(), change)], known(), None)
    # Whoever reads a log must not learn a name, be it one of staff in the senators' column.
    assert not re.search("EXEMPLE|Jeanne|Paul|ABEL|ZO", str(refused.value))


def test_a_date_that_does_not_exist_is_refused(known):
    wrong = changed(by_senator(), of_page(1, say("20/11/2026", "31/11/2026")))
    with pytest.raises(OriginalRefused, match=r"a\.pdf: page 1: .*31/11/2026"):
        SOURCE.read([wrong], known(), None)


def test_pairs_that_only_the_pdf_by_senator_has_are_told(known):
    read = SOURCE.read([by_senator(), alphabetical(ROWS[2:])], known(), None)
    assert pairs(read) == PAIRS
    assert list(read.remarks) == ["b.pdf: 2 pairs fewer than a.pdf"]


def test_another_edition_of_the_other_pdf_is_told(known):
    stale = alphabetical([staff(140, 3)], datetime.date(2026, 11, 19))
    read = SOURCE.read([by_senator(), stale], known(), None)
    assert pairs(read) == PAIRS
    assert list(read.remarks) == [
        "b.pdf: edition of 2026-11-19, a.pdf is of 2026-11-20: pairs are not compared"
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<!DOCTYPE html><title>Erreur</title>", "begins .*no PDF, no file of senators"),
        (b"", "begins b'': no PDF, no file of senators"),
        (b"%PDF-1.4\n", "9 bytes without an end of file"),
        (b"%PDF-1.4\n%%EOF", "not a readable PDF"),
        (b"% Requ\xeate\r\nA,B\r\n", "begins .*no PDF, no file of senators"),
    ],
)
def test_what_is_no_pdf_is_refused(body, message, known):
    with pytest.raises(OriginalRefused, match=f"x: {message}"):
        SOURCE.read([Original("x", body)], known(), None)


def test_one_pdf_by_senator_is_needed(known):
    for originals in ([], [alphabetical()], [by_senator(), by_senator()]):
        with pytest.raises(OriginalRefused, match="PDFs by senator among"):
            SOURCE.read(originals, known(), None)
