"""The text of a PDF with its positions, line by line, as pypdfium2 gives it exactly in 0.1 s."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from ...bounds import PDF_LETTERS, PDF_OBJECTS, PDF_PAGES
from ..source import Original, OriginalRefused
from .pdf_streams import examine_streams

# Points: lines are 15 apart, and what stands on one differs by less than 1.
SAME_LINE = 3.0


class TextRun(NamedTuple):
    """Text that begins at a place, in points from the left and the bottom of its page."""

    x: float
    y: float
    text: str


def lines_of(original: Original) -> Iterator[list[list[TextRun]]]:
    """Each page's lines from top to bottom, each from left to right; raises OriginalRefused."""
    try:
        yield from _pages(original)
    except (pypdfium2.PdfiumError, UnicodeDecodeError) as error:
        raise original.refusal(f"not a readable PDF: {error}") from error


def _pages(original: Original) -> Iterator[list[list[TextRun]]]:
    # pdfium opens what is left of a download that was cut off.
    if b"%%EOF" not in original.body[-1024:]:
        raise original.refusal(f"{len(original.body)} bytes without an end of file")
    examine_streams(original)
    with closing(pypdfium2.PdfDocument(original.body)) as document:
        if not 1 <= len(document) <= PDF_PAGES:
            raise original.refusal(f"{len(document)} pages, over {PDF_PAGES} or none")
        for index in range(len(document)):
            with closing(document[index]) as page:
                yield _lines(f"{original.name}: page {index + 1}", page)


def _lines(place: str, page: pypdfium2.PdfPage) -> list[list[TextRun]]:
    objects = raw.FPDFPage_CountObjects(page)
    if objects > PDF_OBJECTS:
        raise OriginalRefused(f"{place}: {objects} objects, over {PDF_OBJECTS}")
    with closing(page.get_textpage()) as text:
        if text.count_chars() > PDF_LETTERS:
            raise OriginalRefused(f"{place}: {text.count_chars()} letters, over {PDF_LETTERS}")
        items = page.get_objects([raw.FPDF_PAGEOBJ_TEXT], max_depth=1, textpage=text)
        runs = [_run(item) for item in items if isinstance(item, pypdfium2.PdfTextObj)]
    lines: list[list[TextRun]] = []
    for run in sorted((run for run in runs if run.text), key=lambda run: -run.y):
        if not lines or lines[-1][0].y - run.y > SAME_LINE:
            lines.append([])
        lines[-1].append(run)
    return [sorted(line) for line in lines]


def _run(item: pypdfium2.PdfTextObj) -> TextRun:
    matrix = item.get_matrix()
    return TextRun(matrix.e, matrix.f, " ".join(item.extract().split()))
