"""One PDF of the Sénat's staff: its edition and its pairs, or the check that it fails."""

from __future__ import annotations

import datetime
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...movement import plain
from ...tracking.reading.names import civility_and_name, family_and_given, is_broken, is_no_name
from ..originals import Original, OriginalRefused

if TYPE_CHECKING:
    from .pdf_text import TextRun

# Points: columns are over 100 apart, and what stands in one differs by less than 1.
SAME_PLACE = 1.0
# Above the first row of a page are its title, the agency's name and the headings.
FIRST_ROW = 4

_CIVILITY = re.compile(r"(?:M\.|Mme|Mlle) ")
_STAFF_HEADINGS = ("Collaborateur", "Nom Collaborateur", "Nom usuel1", "Nomcollaborateur")
_SENATOR_HEADINGS = ("Employeur",)
_FOOT = re.compile(
    r"Edition du ([0-9]{2})/([0-9]{2})/(2[0-9]{3}) (?:- )?([0-9]{1,3})(?: -)?"
    r"( \(\*\) Congé sans solde)?"
)


# The titles of the two PDFs, and what the headings of the left and right columns of each may be.
BY_SENATOR = "Liste des collaborateurs par Sénateur"
ALPHABETICAL = "Liste alphabétique des collaborateurs"
_HEADINGS = {
    BY_SENATOR: (_SENATOR_HEADINGS, _STAFF_HEADINGS),
    ALPHABETICAL: (_STAFF_HEADINGS, _SENATOR_HEADINGS),
}


class Employment(NamedTuple):
    """A row: the pair as the PDF writes it, without the star of unpaid leave (`Mme EXEMPLE Jeanne`), and its place."""

    senator: str
    staff: str
    on_leave: bool
    place: str


class StaffPdf(NamedTuple):
    """What one PDF says: its title, which is that of one of the two, the day of its edition, its rows in order."""

    form: str
    edition: datetime.date
    employments: Sequence[Employment]


class _PdfPage(NamedTuple):
    form: str
    body: Sequence[Sequence[TextRun]]
    edition: datetime.date
    says_leave: bool  # whether the foot says what a star is


def is_pdf(original: Original) -> bool:
    """Whether an original begins as a PDF."""
    return original.body.startswith(b"%PDF-")


def read_pdf(original: Original) -> StaffPdf:
    """The pairs of one PDF; raises OriginalRefused with page and figure for what no edition ever showed.

    No refusal shows a text that may be a staff member's name: a log must not hold one. A name stands in
    the left column on the first of its rows only, and again at the top of a page.
    """
    # Imported here: its library is part of the extra `lists`, and the service does without it.
    from .pdf_text import lines_of

    pages: list[_PdfPage] = []
    employments: list[Employment] = []
    number, before = 0, ""
    try:
        for number, lines in enumerate(lines_of(original), 1):
            pages.append(_page(lines, number))
        first = pages[0]
        for number, page in enumerate(pages, 1):
            _examine_page(page, first, last=number == len(pages))
        number = 1
        # The two commonest left edges, the same on every page.
        edges = Counter(round(run.x, 1) for page in pages for line in page.body for run in line)
        left, right = sorted(edge for edge, _ in edges.most_common(2))
        for number, page in enumerate(pages, 1):
            cells = [
                _cells(line, runs, (left, right)) for line, runs in enumerate(page.body, FIRST_ROW)
            ]
            if not cells[0][0]:
                raise ValueError("begins with a row without a name in the left column")
            # The staff of the other list is sorted by rules that lists do not tell: only the beginning is examined.
            if first.form == BY_SENATOR:
                before = _examine_order([named for named, _ in cells], before)
            name = ""
            for line, (named, beside) in enumerate(cells, FIRST_ROW):
                name = named or name
                senator, staff = (name, beside) if first.form == BY_SENATOR else (beside, name)
                # A star beside a staff member's name is unpaid leave, if the PDF says so.
                on_leave = first.says_leave and "*" in staff
                pair = [" ".join(text.replace("*", " ").split()) for text in (senator, staff)]
                employments.append(
                    Employment(pair[0], pair[1], on_leave, f"page {number}, line {line}")
                )
    except ValueError as error:
        why = f", {error}" if str(error).startswith("line ") else f": {error}"
        raise OriginalRefused(f"{original.name}: page {number}{why}") from None
    return StaffPdf(first.form, first.edition, employments)


def _page(lines: Sequence[Sequence[TextRun]], number: int) -> _PdfPage:
    """A page of this number; raises ValueError unless every line is what it should be."""
    texts = [" ".join(run.text for run in line) for line in lines]
    form, _, headings = [*texts, "", "", ""][:3]
    if form not in _HEADINGS:
        raise ValueError(f"{len(form)} letters where the title of a staff list stands")
    sides = [run.text for run in lines[2]] if len(lines) > 2 else []
    if len(sides) != 2 or any(
        text not in side for text, side in zip(sides, _HEADINGS[form], strict=True)
    ):
        raise ValueError(f"{len(headings)} letters where the two headings stand")
    foot = _FOOT.fullmatch(texts[-1])
    if foot is None:
        raise ValueError(f"{len(texts[-1])} letters where edition and number stand")
    day, month, year, written = map(int, foot.groups()[:4])
    edition = datetime.date(year, month, day)
    if written != number:
        raise ValueError(f"numbered {written}: not complete, or not in order")
    body = lines[FIRST_ROW - 1 : -1]
    for line, runs in enumerate(body, FIRST_ROW):
        for run in runs:
            where = f"line {line}: {len(run.text)} letters"
            name = civility_and_name(run.text)[1]
            if not _CIVILITY.match(run.text) or is_no_name(name) or is_broken(name):
                raise ValueError(f"{where}, not M., Mme or Mlle and a name")
            if _CIVILITY.search(name):
                raise ValueError(f"{where}, two names in one")
    return _PdfPage(form, body, edition, says_leave=foot[5] is not None)


def _examine_page(page: _PdfPage, first: _PdfPage, last: bool) -> None:
    """Raises ValueError unless a page is of the first one's list, edition and form.

    Rows stand at equal distances and fill every page but the last: so it is in 1,350 pages of 2015 to 2023. A row
    that is missing leaves a gap.
    """
    if page.form != first.form:
        raise ValueError(f"title of the other list, {page.form!r}")
    if page.edition != first.edition:
        raise ValueError(f"edition of {page.edition}, page 1 is of {first.edition}")
    heights = [line[0].y for line in page.body]
    gaps = [above - below for above, below in itertools.pairwise(heights)]
    if gaps and max(gaps) - min(gaps) > SAME_PLACE:
        raise ValueError(f"rows between {min(gaps):.1f} and {max(gaps):.1f} apart")
    rows, full = len(page.body), len(first.body)
    if rows == 0 or rows > full or (rows < full and not last):
        raise ValueError(f"{rows} rows, {full} on page 1")


def _cells(number: int, line: Sequence[TextRun], columns: tuple[float, float]) -> list[str]:
    """The texts of the left and the right column, "" where the left one goes on; raises ValueError."""
    cells = ["", ""]
    for run in line:
        column = min((0, 1), key=lambda side: abs(run.x - columns[side]))
        if abs(run.x - columns[column]) > SAME_PLACE:
            where = f"at {run.x:.1f}, columns begin at {columns[0]} and {columns[1]}"
            raise ValueError(f"line {number}: a name {where}")
        if cells[column]:
            raise ValueError(f"line {number}: two names in one place, at {run.x:.1f}")
        cells[column] = run.text
    if not cells[1]:
        raise ValueError(f"line {number}: nobody beside the name at {line[0].x:.1f}")
    return cells


def _examine_order(names: Sequence[str], before: str) -> str:
    """The key of a page's last senator; given names are in no order. Raises ValueError.

    The Sénat may sort a family name under its particle or not: `de MARCO` under M, `del PICCHIA` under D.
    """
    for line, text in enumerate(names, FIRST_ROW):
        if not text:
            continue
        name = civility_and_name(text)[1]
        family = family_and_given(name, "", "")[0]
        particle = "".join(itertools.takewhile(str.islower, name.split()))
        keys = [plain(key).replace(" ", "") for key in (family, particle + family)]
        if max(keys) < before:
            raise ValueError(f"line {line}: not in alphabetical order")
        before = min(key for key in keys if key >= before)
    return before
