"""A small PDF that unpacks to much is refused before a library unpacks it."""

from __future__ import annotations

import re
import zlib

import pytest

from parlement_lists.bounds import PDF_BYTES, PDF_STREAM_BYTES, PDF_STREAMS
from parlement_lists.sources.originals import Original, OriginalRefused
from parlement_lists.sources.senat.pdf import read_pdf

FLATE = b"/Filter /FlateDecode"


def stream(data: bytes, entries: bytes = FLATE, line: bytes = b"\n") -> bytes:
    return b"<</Length %d %s>>\nstream%s%s\nendstream" % (len(data), entries, line, data)


def pdf(*streams: bytes, contents: bytes = b"4 0 R", page: bytes = b"", root: bytes = b"") -> bytes:
    """A PDF of one page whose first stream is its content."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % root,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %s%s>>" % (contents, page),
        *streams,
    ]
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
    return body + head + trailer


def operators(size: int) -> bytes:
    return (b"0 0 m 1 1 l S\n" * (size // 14 + 1))[:size]


MANY = zlib.compress(operators(20_000_000))
SMALL = zlib.compress(operators(100))
HALF = zlib.compress(operators(PDF_STREAM_BYTES))
HOSTILE = {
    "operators": (pdf(stream(MANY)), "a stream of over 500000 bytes"),
    "twice": (
        pdf(stream(zlib.compress(MANY), b"/Filter [/FlateDecode /FlateDecode]")),
        "packed otherwise than once",
    ),
    "twice, escaped": (
        pdf(stream(zlib.compress(MANY), b"/F#69lter [/FlateDecode /FlateDecode]")),
        "packed otherwise than once",
    ),
    "elsewhere": (pdf(stream(MANY, b"/Filter 5 0 R"), b"[/FlateDecode]"), "packed otherwise"),
    "another filter": (pdf(stream(SMALL, b"/Filter /LZWDecode")), "packed otherwise"),
    "in all": (pdf(*[stream(HALF)] * (PDF_BYTES // PDF_STREAM_BYTES + 1)), "4000000 bytes in all"),
    "many": (pdf(*[stream(SMALL)] * (PDF_STREAMS + 1)), "over 500 streams"),
    "repeated": (pdf(stream(HALF), contents=b"[%s]" % (b"4 0 R " * 99)), "contents of several"),
    "a form": (pdf(stream(HALF), stream(SMALL, FLATE + b"/Subtype/Form")), "a form"),
    "a form, escaped": (pdf(stream(SMALL, FLATE + b"/Subtype/#46orm ")), "a form"),
    "encrypted": (pdf(stream(SMALL), root=b"/Encrypt 9 0 R"), "an encrypted file"),
    "parameters": (pdf(stream(SMALL, FLATE + b"/DecodeParms<<>>")), "parameters of a filter"),
    "no line": (pdf(stream(MANY, line=b" \n")), "does not begin on its own line"),
    "damaged": (pdf(stream(b"\x78\x9c" + b"\xff" * 99)), "cannot be unpacked"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_pdf_that_unpacks_to_much_is_refused(name: str) -> None:
    body, reason = HOSTILE[name]
    with pytest.raises(OriginalRefused, match=re.escape(reason)):
        read_pdf(Original("par-senateur.pdf", body))
