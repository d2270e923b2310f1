"""Limits on what a PDF unpacks to, examined before a library unpacks it without limits."""

from __future__ import annotations

import re
import zlib

from ...bounds import PDF_BYTES, PDF_STREAM_BYTES, PDF_STREAMS
from ..source import Original, OriginalRefused

_STREAM = re.compile(rb"(?<!end)stream(\r?\n)?")
_FLATE = re.compile(rb"/Filter\s*(?:/FlateDecode|\[\s*/FlateDecode\s*\])(?=[\s/>])")


def _spelled(name: bytes) -> bytes:
    """A pattern of a name as PDF may write it: any of its letters as # and its number."""
    return b"/" + b"".join(b"(?:%c|#(?i:%02x))" % (letter, letter) for letter in name)


_FILTER = re.compile(_spelled(b"Filter"))
# A page made of several streams, or of forms that call each other, may repeat one without end.
_REPEATING = {
    "an encrypted file": re.compile(_spelled(b"Encrypt")),
    "a form": re.compile(rb"/(?:F|#46)(?:o|#6[fF])(?:r|#72)(?:m|#6[dD])(?=[\s/>])"),
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
    for found in _FILTER.finditer(original.body):
        if not _FLATE.match(original.body, found.start()):
            raise original.refusal(
                f"byte {found.start()}: a stream packed otherwise than once, by deflate"
            )
    total = 0
    for number, found in enumerate(_STREAM.finditer(original.body), 1):
        if number > PDF_STREAMS:
            raise original.refusal(f"over {PDF_STREAMS} streams")
        where = f"{original.name}: byte {found.start()}"
        if not found[1]:
            raise OriginalRefused(f"{where}: a stream that does not begin on its own line")
        total += _unpacked(where, memoryview(original.body)[found.end() :])
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
