"""Visitors without a key who ask the dearest pages for all they are worth, while a key holder is served.

The key holder asks before, in quiet, and then under siege: what is compared are those two.
"""

from __future__ import annotations

import contextlib
import itertools
import statistics
import threading
import time
from pathlib import Path

from tests.contract import environment
from tests.contract.service import Answer
from tests.processes.server import Load, Server

VISITORS = 12
SLOWER = 10  # times the quiet 99th percentile
TABLE = "/movements/mouvements"
# Each is asked with a number that makes it new, so that no page remembered answers it.
DEAREST = (
    f"{TABLE}?_facet=elu_nom&_facet=collab_nom&_facet=date_event&_size=100&elu_nom__contains=",
    f"{TABLE}?_facet=elu_nom&_facet=elu_id&_facet=elu_groupe&_sort=elu_nom&collab_nom__not=",
    f"{TABLE}?_size=max&_facet=elu_nom&_facet_size=max&a=",
    f"{TABLE}?_q=",
    "/recherche?q=NOM",
    "/flux?elu=",
    "/?a=",
    "/movements?a=",
    "/-/patterns?a=",
    "/documentation?a=",
    "/collaborateurs/nom-",
    "/-/jump?q=",
)
ASKED = ("/v1/mouvements?chambre=senat&limit=20",)


def besiege(
    folder: Path, database: Path, seconds: float, workers: int = 1
) -> tuple[Load, Load, int]:
    """What the key holder met in quiet and under siege, where only a 200 is right; how many pages were asked."""

    def loaded() -> Load:
        return Load(server, ASKED, {"X-API-Key": key}, judge, clients=2)

    with contextlib.closing(Server(database, folder / "internal.sqlite3", workers)) as server:
        key = environment.issue("siege", server.internal, "--quota", 10_000_000)
        for address in DEAREST:  # what a first page costs is no siege
            server.ask(address)
        with loaded() as quiet:
            time.sleep(max(2.0, seconds / 3))
        numbers, stopping = itertools.count(), threading.Event()
        visitors = [
            threading.Thread(target=visit, args=[server, numbers, stopping])
            for _ in range(VISITORS)
        ]
        with loaded() as under:
            for visitor in visitors:
                visitor.start()
            time.sleep(seconds)
        stopping.set()
        for visitor in visitors:
            visitor.join()
    return quiet, under, next(numbers)


def judge(_: str, answer: Answer) -> str:
    return "" if answer.status == 200 else f"{answer.status} {answer.body[:200]!r}"


def visit(server: Server, numbers: itertools.count[int], stopping: threading.Event) -> None:
    """One page after the other on new connections."""
    while not stopping.is_set():
        number = next(numbers)
        with contextlib.suppress(ConnectionError, TimeoutError):
            server.ask(f"{DEAREST[number % len(DEAREST)]}{number}", {"Accept": "text/html"})


def p99(load: Load) -> float:
    return statistics.quantiles(load.seconds, n=100)[98]
