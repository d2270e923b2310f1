"""What the server may write to its log: never a key, a person's name or a query string."""

from __future__ import annotations

import json
import logging
import re
import time
from datetime import UTC, datetime
from typing import Any

from datasette import handle_exception

from . import addresses

# The loggers of uvicorn: of requests, and of connections.
LOGGERS = ("uvicorn.access", "uvicorn.error")
# Addresses are logged up to one of these, which name nobody; whatever follows is cut.
_ADDRESSES = (
    *(
        addresses.SEARCH,
        addresses.CHANGES,
        addresses.QUOTA,
        addresses.DESCRIPTION,
        "/v1",
        "/mouvements",
        addresses.DOCUMENTATION,
    ),
    *("/elus", "/collaborateurs", "/flux", "/-/mouvements/etat"),
    *(addresses.KEY_PAGE, "/-/static", "/-"),
)
LOGGED_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# The loggers of this package: of its messages, and of one line of JSON for each answer.
MESSAGES = "datasette_mouvements"
REQUESTS = f"{MESSAGES}.requests"


class PathOnly(logging.Filter):
    """Cuts the addresses in a record down to the part that is the same for everybody."""

    def __init__(self, *known: str) -> None:
        super().__init__()
        self._known = re.compile(r"/(?:(?:{})(?=[/?]|$))?".format("|".join(map(re.escape, known))))

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                self._cut(value) if isinstance(value, str) and value.startswith("/") else value
                for value in record.args
            )
        return True

    def _cut(self, address: str) -> str:
        found = self._known.match(address)
        kept = found[0] if found else "/"
        return kept if kept == address.partition("?")[0] else kept.rstrip("/") + "/…"


def keep_private(database: str, prefix: str) -> None:
    """Make uvicorn's and Datasette's logs private in this process, for a service at `prefix`."""
    # With `rich`, Datasette prints the variables of every frame of every error: the headers sent,
    # keys included, and nothing else is answered for the seconds that it takes.
    handle_exception.rich = None
    names = [*(address[1:] for address in _ADDRESSES), database]
    known = [f"{prefix}/{name}".lstrip("/") for name in names] + (names if prefix else [])
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for old in [f for f in logger.filters if isinstance(f, PathOnly)]:
            logger.removeFilter(old)
        logger.addFilter(PathOnly(*known))


class _Line(logging.Formatter):
    """Messages with their instant and weight; request lines as they are."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage() if record.name == REQUESTS else super().format(record)


def set_up(requests: bool) -> None:
    """Write what the service says, and its request lines if asked, to standard error.

    Where logging was set up already, messages go where that leads them.
    """
    logger = logging.getLogger(MESSAGES)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(_Line())
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
