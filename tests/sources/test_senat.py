"""The Sénat's PDFs: what is read in them, and everything that is refused by file, page and figure."""

from __future__ import annotations

import datetime
import re
from itertools import product

import pypdfium2
import pytest

from parlement_lists.sources.originals import Original, OriginalRefused
from parlement_lists.sources.senat import SOURCE, split_family_first
from parlement_lists.sources.senat.pdf import read_pdf
from parlement_lists.tenure import UNPAID

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
    staff,
)
from .senate_lists import known as known
from .senate_pdf import LEFT, RIGHT, of_pairs


def test_both_pdfs_are_read_and_the_list_is_of_the_day_after_the_edition_whenever_received(known):
    members = known()
    orders = ([by_senator(), alphabetical()], [alphabetical(), by_senator()])
    for originals, received in product(orders, (None, NEXT_DAY + datetime.timedelta(3))):
        read = SOURCE.read(originals, members, received)
        assert pairs(read) == PAIRS
        assert (len(read.rows), read.day, read.origin, list(read.remarks)) == (
            *(len(PAIRS), NEXT_DAY, "senat-pdf"),
            [],
        )
    first = next(row for row in read.rows if row.elu_id == "00000A")
    assert (first.elu_nom, first.elu_prenom, first.groupe) == ("Baolin", "Jeanne", "LR")


def test_who_is_on_unpaid_leave_has_a_name_without_the_star(known):
    starred = [ROWS[0]._replace(collab_civilite="M. *"), *ROWS[1:]]
    read = SOURCE.read([by_senator(starred)], known(), None)
    assert pairs(read) == PAIRS
    assert sorted(row.conge for row in read.rows)[-2:] == ["", UNPAID]


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
    assert [each[:2] for each in read.employments] == pairs


def test_a_control_character_in_a_name_is_no_space():
    pdf = of_pairs([("M. ABEL Jeanne", "Mme LE\x0bGOFF Paule")], EDITION)
    with pytest.raises(OriginalRefused, match=r"a\.pdf: page 1: a text that holds a control"):
        read_pdf(Original("a.pdf", pdf))


def cut_out(document):
    document.del_page(1)


def of_the_other_list(document):
    with pypdfium2.PdfDocument(alphabetical().body) as other:
        document.import_pages(other, pages=[1], index=1)
        document.del_page(2)


def on(page, text=None, column=None, row=None, say=None, move=(0, 0)):
    """A change of the texts in a place of a page: they say something else, or are moved."""

    def change(item, shown):
        matrix = item.get_matrix()
        if (
            text in (None, shown)
            and (column is None or abs(matrix.e - column) < 1)
            and (row is None or abs(matrix.f - (628.1 - row * 14.9)) < 2)
        ):
            if say is None:
                item.transform(pypdfium2.PdfMatrix().translate(*move))
            else:
                retext(item, say)

    return of_page(page, change)


OF_DAY, OF_PAGE_1 = "20/11/2026", "page 1 is of 2026-11-20"
TITLE, COLUMNS = "Liste des collaborateurs par Sénateur", "columns begin at 138.1 and 276.4"
TO_LEFT = (LEFT - RIGHT, 0)


def first(page, say):
    return on(page, column=LEFT, row=0, say=say)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut_out, "page 2: numbered 3"),
        (on(2, column=RIGHT, move=(40, 0)), f"page 2, line 4: a name at 316.4, {COLUMNS}"),
        (on(3, text=OF_DAY, say="19/11/2026"), f"page 3: edition of 2026-11-19, {OF_PAGE_1}"),
        (on(1, text=OF_DAY, say="31/11/2026"), "page 1: day .* month"),
        (first(2, " "), "page 2: begins with a row without a name in the left column"),
        (on(2, text=TITLE, say="B"), "page 2: 1 letters where the title"),
        (on(2, text="Employeur", say="Employé"), "page 2: .* where the two headings stand"),
        (on(2, text="2", say="II"), "page 2: 49 letters where edition and number stand"),
        (first(2, "EXEMPLE Jeanne"), "page 2, line 4: 14 letters, not M., Mme"),
        (first(2, "M. ABEL Jeanne"), "page 2, line 4: not in alphabetical order"),
        (first(1, "M. ZOÉ Jeanne"), "page 1, line 7: not in alphabetical order"),
        (first(2, "M. A M. B"), "page 2, line 4: 9 letters, two names in one"),
        (first(2, "M. ZOÃ© Jeanne"), "page 2, line 4: 14 letters, not M., Mme"),
        (on(3, row=2, say=" "), "page 3: rows between 14.9 and 29.8 apart"),
        (on(2, row=37, say=" "), "page 2: 37 rows, 38 on page 1"),
        (on(1, row=37, say=" "), "page 2: 38 rows, 37 on page 1"),
        (of_the_other_list, "page 2: title of the other list"),
        (on(2, column=RIGHT, row=0, move=TO_LEFT), "page 2, line 4: two names in one place"),
        (on(1, column=RIGHT, row=1, move=TO_LEFT), "page 1, line 5: nobody beside the name"),
    ],
)
def test_a_pdf_that_is_not_whole_and_in_order_is_refused_by_page(change, message, known):
    with pytest.raises(OriginalRefused, match=rf"a\.pdf: {message}") as refused:
        SOURCE.read([changed(by_senator(), change)], known(), None)
    # Whoever reads a log must not learn a name, be it one of staff in the senators' column.
    assert not re.search("EXEMPLE|Jeanne|Paul|ABEL|ZO", str(refused.value))


@pytest.mark.parametrize(
    ("other", "remark"),
    [
        # Pairs that only the PDF by senator has.
        (alphabetical(ROWS[2:]), "b.pdf: 2 pairs fewer than a.pdf"),
        (
            alphabetical([staff(140, 3)], datetime.date(2026, 11, 19)),
            "b.pdf: edition of 2026-11-19, a.pdf is of 2026-11-20: pairs are not compared",
        ),
    ],
)
def test_what_the_other_pdf_lacks_is_told(other, remark, known):
    read = SOURCE.read([by_senator(), other], known(), None)
    assert (pairs(read), list(read.remarks)) == (PAIRS, [remark])


def test_a_pair_that_only_the_other_pdf_has_refuses_the_list(known):
    message = r"a\.pdf: 1 pairs of b\.pdf are missing, first that of page 6, line 9"
    with pytest.raises(OriginalRefused, match=message):
        SOURCE.read([by_senator(ROWS[:-1]), alphabetical()], known(), None)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<!DOCTYPE html><title>Erreur</title>", "0 PDFs by senator among x"),
        (b"%PDF-1.4\n", "9 bytes without an end of file"),
        (b"%PDF-1.4\n%%EOF", "not a readable PDF"),
    ],
)
def test_what_is_no_pdf_is_refused(body, message, known):
    with pytest.raises(OriginalRefused, match=message):
        SOURCE.read([Original("x", body)], known(), None)


def test_one_pdf_by_senator_is_needed(known):
    for originals in ([], [alphabetical()], [by_senator(), by_senator()]):
        with pytest.raises(OriginalRefused, match="PDFs by senator among"):
            SOURCE.read(originals, known(), None)
