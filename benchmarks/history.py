"""A service that publishes invented days, as real ones are: late additions, withdrawals, names withheld."""

from __future__ import annotations

import csv
import datetime
import io
import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stdout
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx2
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.cli import mouvements

from .invented import COLUMNS, DAYS, FIRST_DAY, rows
from .servers import free_port, running

QUOTA = 1_000_000
# What happens on a day of publication: movements of the day, of weeks before, withdrawn, and names withheld.
NEW, LATE, WITHDRAWN, MASKED = 12, 4, 5, 2
PUBLISHED_WITHIN = 20.0
_DAY, _SURNAME, _NAME = (COLUMNS.index(c) for c in ("date_event", "collab_nom", "collab_prenom"))


class Movement(NamedTuple):
    """What a copy is judged by: a movement's identifier, and the name it gives, "" for none."""

    id: str
    name: str


class State(NamedTuple):
    """What one day publishes: movements as rows of COLUMNS, and the names withheld so far."""

    day: datetime.date
    rows: list[list[str]]
    withheld: tuple[str, ...]


def states(movements: int, days: int, seed: int) -> list[State]:
    """The first state, of `movements`, and one for each day after it; the same ones for the same seed."""
    random = Random(seed)
    made = [list(row) for row in rows(movements + days * (NEW + LATE))]
    current, coming = made[:movements], iter(made[movements:])
    withheld: list[str] = []
    day = FIRST_DAY + datetime.timedelta(days=DAYS)
    found = [State(day, list(current), ())]
    for _ in range(days):
        day += datetime.timedelta(days=1)
        kept = [row for row in current if name_of(row) not in withheld]
        withheld += [name_of(row) for row in random.sample(kept, MASKED)]
        kept = [row for row in kept if name_of(row) not in withheld]
        gone = [tuple(row) for row in random.sample(kept, WITHDRAWN)]
        current = [row for row in current if tuple(row) not in gone]
        for number in range(NEW + LATE):
            row = next(coming)
            before = 0 if number < NEW else random.randint(5, 60)
            row[_DAY] = (day - datetime.timedelta(days=before)).isoformat()
            current.append(row)
        found.append(State(day, list(current), tuple(withheld)))
    return found


def name_of(row: list[str]) -> str:
    """The staff member's name in a row of COLUMNS."""
    return f"{row[_NAME]} {row[_SURNAME]}"


class Publisher:
    """The file that a running service publishes, and the keys of those who copy it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "movements.db"
        self.internal = folder / "internal.sqlite3"
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def serving(self, first: State) -> Iterator[None]:
        """Serve the first state until the block ends."""
        self._build(first)
        self.port = free_port()
        command = [sys.executable, "-m", "datasette", "mouvements", "serve", "--db"]
        command += [str(self.database)]
        command += ["--internal", str(self.internal), "--port", str(self.port)]
        environment = {"DATASETTE_SECRET": "of this measurement alone"}
        with running(command, self.port, "/v1/openapi.json", environment=environment, pinned=False):
            yield

    def new_key(self, account: str) -> str:
        """A key whose quota nothing here exhausts."""
        options = ("--internal", self.internal, "--quota", QUOTA, "--json")
        return str(json.loads(_done("keys", "create", account, *options))["key"])

    def publish(self, state: State, key: str) -> None:
        """Build a state over the file, and wait until the service answers from it."""
        before = self._version(key)
        self._build(state)
        deadline = time.monotonic() + PUBLISHED_WITHIN
        while self._version(key) == before:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not served after {PUBLISHED_WITHIN:.0f} s")
            time.sleep(0.05)

    def movements(self) -> list[Movement]:
        """What is published now, read from the file."""
        return movements_of(self.database)

    def charged(self, key: str) -> int:
        """The requests that the key was charged; asking is free."""
        return int(self._quota(key).json()["utilise"])

    def _version(self, key: str) -> str:
        return str(self._quota(key).headers["Mouvements-Version"])

    def _quota(self, key: str) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.get(f"{self.address}/v1/quota", headers=headers).raise_for_status()

    def _build(self, state: State) -> None:
        source, corrections = self.folder / "mouvements.csv", self.folder / "corrections.yml"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *state.rows])
        masks = [
            {"date": "2026-10-03", "raison": f"Demande {number}", "masquer": {"nom": name}}
            for number, name in enumerate(state.withheld)
        ]
        corrections.write_text(json.dumps(masks))  # which is YAML, too
        _done("build", self.database, "--movements", source, "--corrections", corrections)


def _done(*arguments: object) -> str:
    """What a command of the package prints, run in this process; SystemExit if it fails."""
    with redirect_stdout(io.StringIO()) as told:
        status = mouvements.main([str(one) for one in arguments], standalone_mode=False)
    if status:
        raise SystemExit(f"{arguments[0]}: {told.getvalue()}")
    return told.getvalue()


def movements_of(database: Path) -> list[Movement]:
    """The movements of a file, whoever made it."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as db:
        found = db.execute("select id, collab_prenom, collab_nom from mouvements").fetchall()
    return [Movement(id, _full(name, surname)) for id, name, surname in found]


def movement_of(answered: dict[str, str]) -> Movement:
    """A movement as an answer gives it."""
    name = _full(answered.get("collab_prenom"), answered.get("collab_nom"))
    return Movement(answered["id"], name)


def _full(name: str | None, surname: str | None) -> str:
    return f"{name or ''} {surname or ''}".strip()
