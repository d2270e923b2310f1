"""Two ceilings: an ASGI application that sends the bytes and headers of one recorded answer; Datasette alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

# A list of pairs, and the file of the body beside it.
RECORDED = Path(os.environ.get("MOUVEMENTS_FIXED_BODY", ""))
HEADERS: list[tuple[bytes, bytes]] = []
BODY: list[bytes] = []


async def bare(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    if scope["path"] == "/ready":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        return
    if not BODY:
        pairs = json.loads(RECORDED.with_suffix(".headers").read_text())
        HEADERS.extend((name.encode(), value.encode()) for name, value in pairs)
        BODY.append(RECORDED.read_bytes())
    await send({"type": "http.response.start", "status": 200, "headers": list(HEADERS)})
    await send({"type": "http.response.body", "body": BODY[0]})


def datasette() -> Any:
    """Datasette with the fixed routes and nothing else, as uvicorn serves it."""
    from datasette.app import Datasette

    fixed = Path(__file__).parent / "fixed"
    return Datasette([os.environ["MOUVEMENTS_BENCH_DB"]], plugins_dir=str(fixed)).app()
