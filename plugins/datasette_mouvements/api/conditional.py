"""Conditional requests: the ETag of an answer, and whether a client has that answer already."""

from __future__ import annotations

import functools
from hashlib import blake2s

from .service import Service


def etag(service: Service, version: str, question: str) -> bytes:
    """The weak ETag of an answer: data version, settings shown in it, and the question in normal form."""
    return _etag(version, service.salt, question)


# Who asks again asks the same.
@functools.lru_cache(maxsize=1024)
def _etag(version: str, salt: str, question: str) -> bytes:
    token = blake2s(question.encode(), digest_size=5).hexdigest()
    return f'W/"{version}-{salt}-{token}"'.encode()


def tag_of(body: bytes) -> bytes:
    """The weak ETag of an answer that depends on no movement."""
    return b'W/"%b"' % blake2s(body, digest_size=10).hexdigest().encode()


def matches(if_none_match: bytes, tag: bytes) -> bool:
    """Whether If-None-Match holds this tag, compared weakly (RFC 9110, section 13.1.2).

    An empty tag stands for no answer: not even `*` matches it.
    """
    if tag and if_none_match == tag:
        return True
    opaque = tag.removeprefix(b"W/")
    candidates = (candidate.strip() for candidate in if_none_match.split(b","))
    return bool(tag) and any(one == b"*" or one.removeprefix(b"W/") == opaque for one in candidates)
