"""Conditional requests: whether a client has what would be answered."""

from __future__ import annotations


def matches(given: bytes, tag: bytes) -> bool:
    """Whether the tags `given` (If-None-Match) hold this one, compared weakly (RFC 9110, section 13.1.2).

    An empty tag is of nothing, which not even `*` matches.
    """
    opaque = tag.removeprefix(b"W/")
    return bool(tag) and any(
        one == b"*" or one.removeprefix(b"W/") == opaque
        for one in (candidate.strip() for candidate in given.split(b","))
    )
