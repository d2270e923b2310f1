"""An invented list of the Sénat as both of its PDFs have it, and changes of their pages."""

from __future__ import annotations

import datetime
import io

import pypdfium2
import pytest
from pypdfium2 import raw

from parlement_lists.sources.originals import Original, StaffRow
from parlement_lists.tracking.members.known_members import Members
from tests.tracking.lists import write_members

from .senate_pdf import make

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
        mandates = [
            f"senat,{id},{given} {family},{family},{given},M.,{since},{until}"
            for id, family, given, since, until in sorted(names)
        ]
        groups = [f"senat,{each[0]},LR,2023-10-02," for each in names if each[0] not in ungrouped]
        write_members(tmp_path, mandates, groups)
        # Who was read since the renewal of 2026 has the group that the rows say.
        return Members.read(tmp_path, {"senat": EDITION})

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
