"""Conditions and ranges of a request for a file: whether it has changed, and which parts to send (RFC 9110)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ...api.replies import header, matches
from ...api.service import Scope
from ...refusal import Refusal

# A request for more parts gets the whole file.
MOST_RANGES = 16
_RANGES = re.compile(r"bytes=([0-9,\- \t]{1,1000})", re.IGNORECASE)
_RANGE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")


class NotSatisfiable(Refusal):
    """No part of a file of `size` bytes is among those asked for (section 15.5.17)."""

    def __init__(self, size: int) -> None:
        super().__init__("range", f"Le fichier a {size} octets ; aucune partie demandée n’y est.")
        self.size = size


def unchanged(scope: Scope, tag: bytes, modified: datetime) -> bool:
    """Whether the client has this very file (sections 13.1.2 and 13.1.3); where it sends a tag, its day is ignored."""
    tags = header(scope, b"if-none-match")
    if tags:
        return matches(tags, tag)
    return _since(header(scope, b"if-modified-since"), modified)


def _since(given: bytes, modified: datetime) -> bool:
    try:
        since = parsedate_to_datetime(given.decode("ascii"))
    except (ValueError, OverflowError):  # also not ASCII, and a year that `datetime` does not have
        return False
    return modified.replace(microsecond=0) <= (since if since.tzinfo else since.replace(tzinfo=UTC))


def ranges(scope: Scope, tag: bytes, size: int) -> str:
    """The parts of a file of `size` bytes to send, as a Range header; "" for the whole file.

    What the grammar does not have (section 14.1.1) is ignored, and so is a condition (If-Range)
    that is not this file's tag: a day is no proof that the bytes are the same. Raises NotSatisfiable.
    """
    condition = header(scope, b"if-range")
    asked = _RANGES.fullmatch(header(scope, b"range").decode("latin-1"))
    if scope["method"] != "GET" or asked is None or (condition and condition != tag):
        return ""
    parts = [part.strip() for part in asked[1].split(",")]
    if len(parts) > MOST_RANGES:
        return ""
    found = []
    for part in parts:
        bounds = _RANGE.fullmatch(part)
        if bounds is None or part == "-":
            return ""
        first, last = bounds[1], bounds[2]
        if not first:
            start, end = max(size - int(last), 0), size - 1
        else:
            start, end = int(first), min(int(last or size), size - 1)
            if last and int(last) < start:
                return ""
        if start < size:
            found.append(f"{start}-{end}")
    if not found:
        raise NotSatisfiable(size)
    return f"bytes={','.join(found)}"
