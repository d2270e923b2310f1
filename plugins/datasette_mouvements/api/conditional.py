"""Conditional requests: whether a client has what would be answered."""

from __future__ import annotations

from collections.abc import Iterable


def matches(headers: Iterable[tuple[bytes, bytes]], tag: bytes) -> bool:
    """Whether If-None-Match holds the weak tag, compared weakly (RFC 9110, section 13.1.2).

    An empty tag is of nothing, which not even `*` matches.
    """
    if tag:
        for name, value in headers:
            if name == b"if-none-match":
                for candidate in value.split(b","):
                    candidate = candidate.strip()
                    if candidate == b"*" or candidate.removeprefix(b"W/") == tag[2:]:
                        return True
    return False
