"""A view that does nothing but return the bytes of one file: what a Datasette plugin can do at all.

MOUVEMENTS_FIXED_BODY names the file.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

from datasette import Response, hookimpl


@functools.cache
def body() -> bytes:
    return Path(os.environ["MOUVEMENTS_FIXED_BODY"]).read_bytes()


async def view() -> Any:
    return Response(body(), content_type="application/json")


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[Any]:
    return [(r"^/-/fixed$", view)]
