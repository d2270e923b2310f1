"""One PDF of the Sénat's staff: its edition and its pairs, or the check that it fails."""

from __future__ import annotations

import datetime
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...movement import plain
from ...tracking.reading.names import civility_and_name, family_and_given, is_broken, is_no_name
from ..originals import Original, OriginalRefused

if TYPE_CHECKING:
    from .pdf_text import TextRun

MAGIC = b"%PDF-"
# Points: columns are over 100 apart, and what stands in one differs by less than 1.
SAME_PLACE = 1.0
# Above the first row of a page are its title, the agency's name and the headings.
FIRST_ROW = 4

_CIVILITY = re.compile(r"(?:M\.|Mme|Mlle) ")
_STAFF_HEADINGS = ("Collaborateur", "Nom Collaborateur", "Nom usuel1", "Nomcollaborateur")
_SENATOR_HEADINGS = ("Employeur",)
_AGENCY = "A.G.A.S."
_FOOT = re.compile(
    r"Edition du ([0-9]{2})/([0-9]{2})/(2[0-9]{3}) (?:- )?([0-9]{1,3})(?: -)?"
    r"( \(\*\) Congé sans solde)?"
)


class PdfForm(NamedTuple):
    """One of the two PDFs: its title, and what the headings of its left and right columns may be."""

    title: str
    left: Sequence[str]
    right: Sequence[str]


BY_SENATOR = PdfForm("Liste des collaborateurs par Sénateur", _SENATOR_HEADINGS, _STAFF_HEADINGS)
ALPHABETICAL = PdfForm("Liste alphabétique des collaborateurs", _STAFF_HEADINGS, _SENATOR_HEADINGS)


class Employment(NamedTuple):
    """A row: the pair as the PDF writes it, without the star of unpaid leave (`Mme EXEMPLE Jeanne`), and its place."""

    senator: str
    staff: str
    on_leave: bool
    place: str

    @property
    def pair(self) -> tuple[str, str]:
        """The two names."""
        return self.senator, self.staff


class StaffPdf(NamedTuple):
    """What one PDF says: which of the two it is, the day of its edition, its rows in order."""

    form: PdfForm
    edition: datetime.date
    employments: Sequence[Employment]


class _PdfPage(NamedTuple):
    place: str
    form: PdfForm
    headings: tuple[TextRun, TextRun]
    body: Sequence[Sequence[TextRun]]
    edition: datetime.date
    number: int
    says_leave: bool  # whether the foot says what a star is


def read_pdf(original: Original) -> StaffPdf:
    """The pairs of one PDF; raises OriginalRefused with page and figure for what no edition ever showed.

    No refusal shows a text that may be a staff member's name: a log must not hold one. A name stands in
    the left column on the first of its rows only, and again at the top of a page.
    """
    # Imported here: its library is part of the extra `lists`, and the service does without it.
    from .pdf_text import lines_of

    pages = [
        _page(f"{original.name}: page {number}", lines)
        for number, lines in enumerate(lines_of(original), 1)
    ]
    first = pages[0]
    for index, page in enumerate(pages, 1):
        if page.form is not first.form:
            raise OriginalRefused(f"{page.place}: title of the other list, {page.form.title!r}")
        if page.edition != first.edition:
            editions = f"edition of {page.edition}, page 1 is of {first.edition}"
            raise OriginalRefused(f"{page.place}: {editions}")
        if page.number != index:
            raise OriginalRefused(
                f"{page.place}: numbered {page.number}: not complete, or not in order"
            )
        _examine_rows(page, first, last=index == len(pages))
    columns = _columns(pages)
    employments: list[Employment] = []
    before = ""
    for page in pages:
        rows = [
            _row(f"{page.place}, line {number}", line, columns)
            for number, line in enumerate(page.body, FIRST_ROW)
        ]
        before = _examine_order(page, rows, before)
        employments += _employments(page, rows, first.says_leave)
    return StaffPdf(first.form, first.edition, employments)


def _page(place: str, lines: Sequence[Sequence[TextRun]]) -> _PdfPage:
    """A page of which every line is what it should be."""
    texts = [" ".join(run.text for run in line) for line in lines]
    form = next((f for f in (BY_SENATOR, ALPHABETICAL) if texts[:1] == [f.title]), None)
    if form is None:
        raise OriginalRefused(f"{place}: {_size(texts[:1])} where the title of a staff list stands")
    if texts[1:2] != [_AGENCY]:
        raise OriginalRefused(f"{place}: {_size(texts[1:2])} where {_AGENCY} stands")
    headings = lines[2] if len(lines) > 2 else ()
    if len(headings) != 2 or not _are_headings([run.text for run in headings], form):
        raise OriginalRefused(f"{place}: {_size(texts[2:3])} where the two headings stand")
    foot = _FOOT.fullmatch(texts[-1])
    if foot is None:
        raise OriginalRefused(f"{place}: {_size(texts[-1:])} where edition and number stand")
    day, month, year, number = map(int, foot.groups()[:4])
    try:
        edition = datetime.date(year, month, day)
    except ValueError as error:
        raise OriginalRefused(f"{place}: {foot[0]!r}: {error}") from error
    body = lines[FIRST_ROW - 1 : -1]
    for line, runs in enumerate(body, FIRST_ROW):
        for run in runs:
            _examine_name(f"{place}, line {line}", run.text)
    both = (headings[0], headings[1])
    return _PdfPage(place, form, both, body, edition, number, says_leave=foot[5] is not None)


def _are_headings(texts: Sequence[str], form: PdfForm) -> bool:
    return texts[0] in form.left and texts[1] in form.right


def _size(texts: Sequence[str]) -> str:
    return f"{sum(map(len, texts))} letters"


def _examine_name(place: str, text: str) -> None:
    name = civility_and_name(text)[1]
    if not _CIVILITY.match(text) or is_no_name(name) or is_broken(name):
        raise OriginalRefused(f"{place}: {len(text)} letters, not M., Mme or Mlle and a name")
    if _CIVILITY.search(name):
        raise OriginalRefused(f"{place}: {len(text)} letters, two names in one")


def _examine_rows(page: _PdfPage, first: _PdfPage, last: bool) -> None:
    """Rows stand at the same heights on every page, and fill every page but the last.

    So it is in 1,350 pages of 2015 to 2023; a row that is missing leaves a gap.
    """
    for row, (line, expected) in enumerate(zip(page.body, first.body, strict=False), 1):
        if abs(line[0].y - expected[0].y) > SAME_PLACE:
            heights = f"at {line[0].y:.1f}, on page 1 at {expected[0].y:.1f}"
            raise OriginalRefused(f"{page.place}: row {row} {heights}")
    gaps = [above[0].y - below[0].y for above, below in itertools.pairwise(page.body)]
    if gaps and max(gaps) - min(gaps) > SAME_PLACE:
        raise OriginalRefused(
            f"{page.place}: rows between {min(gaps):.1f} and {max(gaps):.1f} apart"
        )
    rows, full = len(page.body), len(first.body)
    if rows == 0 or rows > full or (rows < full and not last):
        raise OriginalRefused(f"{page.place}: {rows} rows, {full} on page 1")


def _columns(pages: Sequence[_PdfPage]) -> tuple[float, float]:
    """Where the two columns begin: the two commonest left edges, the same on every page."""
    edges = Counter(round(run.x, 1) for page in pages for line in page.body for run in line)
    if len(edges) < 2:
        raise OriginalRefused(f"{pages[0].place}: {len(edges)} column, not two")
    left, right = sorted(edge for edge, _ in edges.most_common(2))
    for page in pages:
        one, other = (heading.x for heading in page.headings)
        if not left <= one < right <= other:
            raise OriginalRefused(
                f"{page.place}: headings at {one:.1f} and {other:.1f}, columns at {left} and {right}"
            )
    return left, right


def _row(place: str, line: Sequence[TextRun], columns: tuple[float, float]) -> tuple[str, str]:
    """The texts of the left and the right column, "" where the left one goes on."""
    cells = ["", ""]
    for run in line:
        column = min((0, 1), key=lambda side: abs(run.x - columns[side]))
        if abs(run.x - columns[column]) > SAME_PLACE:
            where = f"at {run.x:.1f}, columns begin at {columns[0]} and {columns[1]}"
            raise OriginalRefused(f"{place}: a name {where}")
        if cells[column]:
            raise OriginalRefused(f"{place}: two names in one place, at {run.x:.1f}")
        cells[column] = run.text
    if not cells[1]:
        raise OriginalRefused(f"{place}: nobody beside the name at {line[0].x:.1f}")
    return cells[0], cells[1]


def _examine_order(page: _PdfPage, rows: Sequence[tuple[str, str]], before: str) -> str:
    """The key of a page's last senator; given names are in no order.

    The staff of the other list is sorted by rules that lists do not tell: only the beginning is examined.
    """
    if not rows[0][0]:
        raise OriginalRefused(f"{page.place}: begins with a row without a name in the left column")
    for line, (name, _) in enumerate(rows, FIRST_ROW):
        if not name or page.form is not BY_SENATOR:
            continue
        keys = [key for key in _sort_keys(name) if key >= before]
        if not keys:
            raise OriginalRefused(f"{page.place}, line {line}: not in alphabetical order")
        before = min(keys)
    return before


def _sort_keys(text: str) -> tuple[str, str]:
    """The family name as the Sénat may sort it, in one word: `de MARCO` under M, `del PICCHIA` under D."""
    name = civility_and_name(text)[1]
    family = family_and_given(name, "", "")[0]
    particle = "".join(itertools.takewhile(str.islower, name.split()))
    return plain(family).replace(" ", ""), plain(particle + family).replace(" ", "")


def _employments(
    page: _PdfPage, rows: Sequence[tuple[str, str]], says_leave: bool
) -> Iterator[Employment]:
    """The rows of a page; a star beside a staff member's name is unpaid leave, if the PDF says so."""
    name = ""
    for line, (left, right) in enumerate(rows, FIRST_ROW):
        name = left or name
        senator, staff = (name, right) if page.form is BY_SENATOR else (right, name)
        yield Employment(
            senator=_without_star(senator),
            staff=_without_star(staff),
            on_leave=says_leave and "*" in staff,
            place=f"page {page.number}, line {line}",
        )


def _without_star(text: str) -> str:
    return " ".join(text.replace("*", " ").split())
