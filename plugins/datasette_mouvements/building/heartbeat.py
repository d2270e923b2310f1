"""The heartbeat: a monitor is asked after each run, so that it misses the run that did not come."""

from __future__ import annotations

import http.client
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

SECONDS = 10.0
FAIL = "/fail"


def beat(address: str, good: bool, seconds: float = SECONDS) -> str:
    """Ask the monitor at an address, with FAIL after its path where the run was bad; "" if it answered.

    Else a sentence, which does not repeat the address: it is a secret of the maintainer's.
    """
    try:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return "heartbeat: its address is not one of http or https"
        path = parts.path if good else parts.path.rstrip("/") + FAIL
        asked = Request(parts._replace(path=path).geturl(), headers={"User-Agent": "mouvements"})
        with urlopen(asked, timeout=seconds):
            return ""
    except (URLError, OSError, http.client.HTTPException, ValueError) as error:
        status = getattr(error, "code", "")
        return f"heartbeat: the monitor did not take it ({status or type(error).__name__})"
