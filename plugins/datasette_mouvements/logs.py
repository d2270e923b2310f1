"""What the server may write to its log: no key, no person's name, no query string."""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime
from typing import Any

from datasette import handle_exception

LOGGED_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# The loggers of this package: for messages, and for one line of JSON an answer.
MESSAGES = "datasette_mouvements"
REQUESTS = f"{MESSAGES}.requests"


def keep_private() -> None:
    """Make uvicorn's and Datasette's logs private in this process: an address may hold a name."""
    # With `rich`, Datasette prints the variables of each frame of an error: keys in headers too. And for
    # the seconds that it takes nothing else is answered.
    handle_exception.rich = None
    for name in ("uvicorn.access", "uvicorn.error"):
        logging.getLogger(name).addFilter(tells_of_no_request)


def tells_of_no_request(record: logging.LogRecord) -> bool:
    """False for a line of uvicorn about a request: who asks, then the address."""
    _, *addresses = record.args or ("",)
    return not any(str(address).startswith("/") for address in addresses)


class _LogFormatter(logging.Formatter):
    """Messages with their instant and level; request lines as they are."""

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage() if record.name == REQUESTS else super().format(record)


def set_up(requests: bool) -> None:
    """Write messages, and request lines if `requests`, to standard error.

    Where logging is configured already, messages go where it sends them.
    """
    logger = logging.getLogger(MESSAGES)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        form = "%(asctime)s.%(msecs)03d+00:00 %(levelname)s %(message)s"
        formatter = _LogFormatter(form, "%Y-%m-%dT%H:%M:%S")
        formatter.converter = time.gmtime
        handler.setFormatter(formatter)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    if requests:
        logging.getLogger(REQUESTS).setLevel(logging.INFO)


def log_request(scope: dict[str, Any], status: int, key: int | None, began: float) -> None:
    """One line for one answer: `key` is a key's number, `began` what time.perf_counter said before it."""
    line = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": scope["method"] if scope["method"] in LOGGED_METHODS else "other",
        "status": status,
        "key": key,
        "ms": round((time.perf_counter() - began) * 1000, 2),
    }
    logging.getLogger(REQUESTS).info("%s", json.dumps(line))
