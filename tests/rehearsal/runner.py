"""`python -m tests.rehearsal.runner FOLDER`: morning runs in one process, one for each order that comes in.

A pause takes no time. An order may end the process at one of the moments at which a run touches the world.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from datasette_mouvements.updating.failures import FAILURES
from datasette_mouvements.updating.morning import MorningRun
from datasette_mouvements.updating.nights.nights_command import nights_of
from parlement_lists.movement import PARIS
from parlement_lists.sources.fetcher import Fetcher, FetchPlan
from parlement_lists.sources.registry import choose
from tests.tracking.disk import files_up_to

from .folders import Folders

SECONDS = 1.0  # of an original
HOLD_LIMIT = 250
TOLD_NIGHTS = 12
_MOMENTS = {
    *("open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "subprocess.Popen"),
    *("sqlite3.connect", "socket.connect", "socket.getaddrinfo"),
}


class Fuse:
    """Counts the moments of a run; at one of them it ends the process as a power cut would."""

    def __init__(self) -> None:
        self.blows_at = 0
        self.count = itertools.count(1)
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: object) -> None:
        if event in _MOMENTS and next(self.count) == self.blows_at:
            os.kill(os.getpid(), signal.SIGKILL)


def run(folders: Folders, order: dict[str, Any], fuse: Fuse) -> dict[str, Any]:
    """The report of one morning, with the moments it had and what the ledger tells of the last nights."""
    now = datetime.datetime.fromisoformat(order["now"])

    def start() -> FetchPlan:
        chosen = [
            replace(s, addresses={w: a._replace(seconds=SECONDS) for w, a in s.addresses.items()})
            for s in choose((), folders.sources)
        ]
        return FetchPlan(
            Fetcher(folders.lists, "rehearsal", lambda: now, lambda seconds: None), chosen
        )

    paths = folders.database, folders.served, folders.corrections
    morning = MorningRun(folders.lists, start, *paths, HOLD_LIMIT, lambda: now)
    with ExitStack() as small:
        if order["room"]:
            small.enter_context(files_up_to(order["room"]))
        fuse.count, fuse.blows_at = itertools.count(1), order["kill"]
        report = morning.morning().as_json()
        report["moments"] = next(fuse.count)
        fuse.blows_at = 0
    report["nights"] = []
    with suppress(*FAILURES):
        told = nights_of(folders.database, now.astimezone(PARIS).date(), TOLD_NIGHTS)
        report["nights"] = [(n.jour, n.source, n.resultat, n.motif, n.mesure) for n, _ in told]
    return report


def main() -> None:
    folders, fuse = Folders(Path(sys.argv[1])), Fuse()
    for line in sys.stdin:
        print(json.dumps(run(folders, json.loads(line), fuse)), flush=True)


if __name__ == "__main__":
    main()
