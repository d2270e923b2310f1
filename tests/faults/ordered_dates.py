"""What the description cannot say of its parameters, for the requests generated from it."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.hook
def map_query(context: schemathesis.HookContext, query: dict[str, Any]) -> dict[str, Any]:
    """Put both bounds in order: OpenAPI has no way to relate one parameter to another."""
    bounds = (query or {}).get("depuis"), (query or {}).get("jusqua")
    if all(isinstance(bound, str) for bound in bounds):
        query["depuis"], query["jusqua"] = sorted(bounds)
    return query
