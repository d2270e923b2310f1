"""Invented staff lists of the Sénat as PDFs, in the layout of the real ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fpdf import FPDF

from parlement_lists.movement import plain
from parlement_lists.sources.originals import StaffRow

ROWS = 38
LINE = 14.9
LEFT, RIGHT, ALPHABETICAL_RIGHT = 138.1, 276.4, 343.9
STAR = "(*) Congé sans solde"


def make(rows: Sequence[StaffRow], edition: date, *, alphabetical: bool = False) -> bytes:
    """The PDF by senator, or by staff, of an edition; every senator of the rows is M.

    A civility that ends in ` *` puts the star of unpaid leave behind the name.
    """
    pairs = [(f"M. {row.elu_nom.upper()} {row.elu_prenom}", _staff(row)) for row in rows]
    if alphabetical:
        pairs = [(staff, senator) for senator, staff in pairs]
    return of_pairs(sorted(pairs, key=lambda pair: (_key(pair[0]), pair)), edition, alphabetical)


def of_pairs(pairs: Sequence[tuple[str, str]], edition: date, alphabetical: bool = False) -> bytes:
    """The PDF of pairs of texts in the order they have, the left column first."""
    pdf = FPDF(unit="pt", format="letter")
    pdf.set_font("helvetica", size=9)
    for start in range(0, max(len(pairs), 1), ROWS):
        _page(pdf, pairs[start : start + ROWS], edition, start // ROWS + 1, alphabetical)
    return bytes(pdf.output())


def _staff(row: StaffRow) -> str:
    star = " *" if row.collab_civilite.endswith("*") else ""
    return f"{row.collab_civilite.removesuffix(' *')} {row.collab_nom} {row.collab_prenom}{star}"


def _key(text: str) -> str:
    family = [word for word in text.split()[1:] if word.isupper() and len(word) > 1]
    return plain(" ".join(family)).replace(" ", "")


def _page(
    pdf: FPDF, pairs: Sequence[tuple[str, str]], edition: date, number: int, alphabetical: bool
) -> None:
    right = ALPHABETICAL_RIGHT if alphabetical else RIGHT
    title = "alphabétique des collaborateurs" if alphabetical else "des collaborateurs par Sénateur"
    headings = ["Employeur", "Nom Collaborateur"]
    pdf.add_page()
    pdf.text(203.7, 72.0, f"Liste {title}")
    pdf.text(44.1, 107.1, "A.G.A.S.")
    for x, heading in zip(
        (LEFT + 45, right + 60), headings[:: -1 if alphabetical else 1], strict=True
    ):
        pdf.text(x, 149.0, heading)
    before = ""
    for row, (one, other) in enumerate(pairs):
        y = 163.9 + row * LINE
        if one != before:
            pdf.text(LEFT, y, one)
        pdf.text(right, y, other)
        before = one
    foot = ((40.4, "Edition du "), (87.7, f"{edition:%d/%m/%Y} "), (304.4, f"{number} "))
    dashes = () if alphabetical else ((296.9, "- "), (315.0, " - "))
    for x, text in (*foot, *dashes, (479.5, STAR)):
        pdf.text(x, 752.0, text)
