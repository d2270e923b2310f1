"""What the description cannot say of its parameters, for the requests generated from it."""

from __future__ import annotations

import re
from typing import Any

import schemathesis

# Parameters that no request has both of.
_APART = (("equipe", "elu"), ("present", "le"))
_CURSOR = re.compile(r"[0-9a-z-]{1,80}")


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, **_: Any) -> None:
    """Put both bounds in order, take a cursor that there is, drop one of two that go apart: OpenAPI has no words for it."""
    query: dict[str, Any] = case.query or {}
    bounds = query.get("depuis"), query.get("jusqua")
    if all(isinstance(bound, str) for bound in bounds):
        query["depuis"], query["jusqua"] = sorted(bounds)
    for one, other in _APART:
        if one in query and other in query:
            del query[other]
    part = (case.headers or {}).get("Range")
    # The file may be shorter than the part.
    if part and not str(part).startswith("bytes=0-"):
        case.headers.pop("Range")
    cursor = query.get("curseur")
    if isinstance(cursor, str) and _CURSOR.fullmatch(cursor):
        query["curseur"] = "maintenant"
