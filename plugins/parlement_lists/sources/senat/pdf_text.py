"""The text of a PDF with its positions, line by line, as pypdfium2 gives it exactly in 0.1 s.

What a PDF unpacks to is examined first, because the library unpacks without limits.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from ...bounds import (
    PDF_BYTES,
    PDF_LETTERS,
    PDF_OBJECTS,
    PDF_PAGES,
    PDF_STREAM_BYTES,
    PDF_STREAMS,
)
from ...csv_rows import one_line
from ..originals import Original, OriginalRefused

# Points: lines are 15 apart, and what stands on one differs by less than 1.
SAME_LINE = 3.0
_STREAM = re.compile(rb"(?<!end)stream(\r?\n)?")
_FLATE = re.compile(rb"/Filter\s*(?:/FlateDecode|\[\s*/FlateDecode\s*\])(?=[\s/>])")


class TextRun(NamedTuple):
    """Text that begins at a place, in points from the left and the bottom of its page."""

    x: float
    y: float
    text: str


def lines_of(original: Original) -> Iterator[list[list[TextRun]]]:
    """Each page's lines from top to bottom, each from left to right; raises OriginalRefused."""
    # pdfium opens what is left of a download that was cut off.
    if b"%%EOF" not in original.body[-1024:]:
        raise original.refusal(f"{len(original.body)} bytes without an end of file")
    examine_streams(original)
    try:
        with closing(pypdfium2.PdfDocument(original.body)) as document:
            if not 1 <= len(document) <= PDF_PAGES:
                raise original.refusal(f"{len(document)} pages, over {PDF_PAGES} or none")
            for index in range(len(document)):
                with closing(document[index]) as page:
                    yield _lines(f"{original.name}: page {index + 1}", page)
    except (pypdfium2.PdfiumError, UnicodeDecodeError) as error:
        raise original.refusal(f"not a readable PDF: {error}") from error


def _lines(place: str, page: pypdfium2.PdfPage) -> list[list[TextRun]]:
    objects = raw.FPDFPage_CountObjects(page)
    if objects > PDF_OBJECTS:
        raise OriginalRefused(f"{place}: {objects} objects, over {PDF_OBJECTS}")
    runs = []
    with closing(page.get_textpage()) as text:
        if text.count_chars() > PDF_LETTERS:
            raise OriginalRefused(f"{place}: {text.count_chars()} letters, over {PDF_LETTERS}")
        for item in page.get_objects([raw.FPDF_PAGEOBJ_TEXT], max_depth=1, textpage=text):
            if isinstance(item, pypdfium2.PdfTextObj):
                matrix, extracted = item.get_matrix(), item.extract()
                try:
                    words = one_line(extracted)
                except ValueError as error:
                    raise OriginalRefused(f"{place}: a text that {error}") from None
                runs += [TextRun(matrix.e, matrix.f, words)] if words else []
    lines: list[list[TextRun]] = []
    for run in sorted(runs, key=lambda run: -run.y):
        if not lines or lines[-1][0].y - run.y > SAME_LINE:
            lines.append([])
        lines[-1].append(run)
    return [sorted(line) for line in lines]


def _spelled(name: bytes) -> bytes:
    """A pattern of a name as PDF may write it: any of its letters as # and its number."""
    return b"/" + b"".join(b"(?:%c|#(?i:%02x))" % (letter, letter) for letter in name)


_FILTER = re.compile(_spelled(b"Filter"))
# A page made of several streams, or of forms that call each other, may repeat one without end.
_REPEATING = {
    "an encrypted file": re.compile(_spelled(b"Encrypt")),
    "a form": re.compile(_spelled(b"Form") + rb"(?=[\s/>])"),
    "contents of several streams": re.compile(
        _spelled(b"Contents") + rb"(?!\s+[0-9]+\s+[0-9]+\s+R)"
    ),
    "parameters of a filter": re.compile(_spelled(b"DecodeParms")),
}


def examine_streams(original: Original) -> None:
    """Raises OriginalRefused, with the figure, for a PDF that could take more memory than a real one.

    Names are looked for everywhere, not in the dictionaries alone: which bytes are one depends on
    tables that may say anything.
    """
    for what, pattern in _REPEATING.items():
        if pattern.search(original.body):
            raise original.refusal(f"{what}, which no staff list has")
    for match in _FILTER.finditer(original.body):
        if not _FLATE.match(original.body, match.start()):
            raise original.refusal(
                f"byte {match.start()}: a stream packed otherwise than once, by deflate"
            )
    total = 0
    for number, match in enumerate(_STREAM.finditer(original.body), 1):
        if number > PDF_STREAMS:
            raise original.refusal(f"over {PDF_STREAMS} streams")
        where = f"{original.name}: byte {match.start()}"
        if not match[1]:
            raise OriginalRefused(f"{where}: a stream that does not begin on its own line")
        total += _unpacked(where, memoryview(original.body)[match.end() :])
        if total > PDF_BYTES:
            raise OriginalRefused(f"{where}: streams of over {PDF_BYTES} bytes in all, unpacked")


def _unpacked(where: str, data: memoryview) -> int:
    """The bytes that a stream unpacks to; 0 where it is not packed: it is as long as it is."""
    first = bytes(data[:2])
    if len(first) < 2 or first[0] & 15 != 8 or int.from_bytes(first, "big") % 31:
        return 0
    try:
        size = len(zlib.decompressobj().decompress(data, PDF_STREAM_BYTES + 1))
    except zlib.error as error:
        raise OriginalRefused(f"{where}: a stream that cannot be unpacked: {error}") from error
    if size > PDF_STREAM_BYTES:
        raise OriginalRefused(f"{where}: a stream of over {PDF_STREAM_BYTES} bytes, unpacked")
    return size
