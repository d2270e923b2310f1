"""What later lists need of earlier ones, kept in a private file beside the published database.

The file holds names, so it is never served. It and the database change together: the new state is
written first, under a token that the new database carries; a run that ends between the two leaves
the old database with the old state, which is still there.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .formats import Pair
from .lists import List
from .members import Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Origin
from .tracker import Tracker

# The published database's `_publication` row that names the state it belongs to.
TOKEN = "suivi"
_VERSION = 1


class StateError(Exception):
    """The state cannot be used with the database; the message says what to do."""


@dataclass
class TrackingState:
    """The tracking so far: settings, each chamber's tracker, what was refused since, what matched."""

    transfer_days: int = 0
    chambers: dict[str, Tracker] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    # Lists the daily run took: a rebuild from the same lists still calls them `suivi`.
    followed: set[str] = field(default_factory=set)
    matched: set[str] = field(default_factory=set)
    corrections: str = ""


def path_beside(database: Path) -> Path:
    return database.with_name(f"{database.stem}.suivi.sqlite3")


class StateFile:
    """The states in the file beside a database; one for the database as it is, one while it changes."""

    def __init__(self, database: Path) -> None:
        self.path = path_beside(database)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps a second run out for as long as this one lasts; the end of the process frees it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise StateError(f"{self.path}: another run is at work on this database") from error
        finally:
            os.close(handle)

    def load(self, token: str, members: Members, anew: bool = False) -> TrackingState | None:
        """The state of the database that carries `token`; None when tracking never began.

        With `anew`, None too where the state of the database is lost: nothing goes on from it.
        Raises StateError when the file and the database do not belong together.
        """
        try:
            with closing(self._open()) as db:
                found = db.execute("select etat from etats where jeton = ?", [token]).fetchone()
                (kept,) = db.execute("select count(*) from etats where garde").fetchone()
        except sqlite3.DatabaseError as error:
            raise StateError(f"{self.path}: not a tracking state: {error}") from error
        if found:
            return _from_json(json.loads(found[0]), members)
        # A state that no database ever carried is what is left of a first run that was killed.
        if kept:
            raise StateError(
                f"{self.path}: does not belong to the database beside it; restore the two together,"
                " or remove this file and build again"
            )
        if token and not anew:
            raise StateError(
                f"{self.path}: what the database was tracked with is missing;"
                " restore the two together, or build again"
            )
        return None

    def prepare(self, state: TrackingState) -> str:
        """Write the state down beside the current one; returns the token the database must carry."""
        text = json.dumps(_to_json(state), ensure_ascii=False, separators=(",", ":"))
        token = hashlib.sha256(text.encode()).hexdigest()[:20]
        with closing(self._open()) as db, db:
            db.execute("insert or ignore into etats values (?, ?, 0)", [token, text])
        return token

    def keep(self, token: str) -> None:
        """Forget every state but the one of `token`: the one the database carries now."""
        with closing(self._open()) as db, db:
            db.execute("delete from etats where jeton <> ?", [token])
            db.execute("update etats set garde = 1")

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path)
        db.execute("pragma secure_delete = on")
        db.execute(
            "create table if not exists etats (jeton text primary key not null, etat text not null,"
            " garde integer not null)"
        )
        return db


def _to_json(state: TrackingState) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "transfer_days": state.transfer_days,
        "chambers": {name: _tracker(tracker) for name, tracker in sorted(state.chambers.items())},
        "refused": state.refused,
        "followed": sorted(state.followed),
        "matched": sorted(state.matched),
        "corrections": state.corrections,
    }


def _tracker(tracker: Tracker) -> dict[str, Any]:
    last = tracker.last
    assert last is not None
    absences = [a for found in tracker.unsettled.absences.values() for a in found]
    return {
        "date": last.date.isoformat(),
        "name": last.name,
        "digest": last.digest,
        "pairs": list(last.pairs.values()),
        "absences": [{**asdict(a), "pair": a.pair, "origin": _origin(a.origin)} for a in absences],
        "arrivals": [
            {"pair": a.pair, "origin": _origin(a.origin), "new_member": a.new_member}
            for a in tracker.unsettled.waiting()
        ],
        "gone": tracker.gone,
        "names": tracker.names,
        "past": tracker.replaced.days,
    }


def _origin(origin: Origin) -> list[Any]:
    return [origin.date.isoformat(), origin.source, origin.level]


def _from_json(found: dict[str, Any], members: Members) -> TrackingState:
    if found["version"] != _VERSION:
        raise StateError(f"tracking state of version {found['version']}: build again")
    days = found["transfer_days"]
    return TrackingState(
        days,
        {name: _tracker_from(name, t, members, days) for name, t in found["chambers"].items()},
        found["refused"],
        set(found["followed"]),
        set(found["matched"]),
        found["corrections"],
    )


def _tracker_from(chamber: str, found: dict[str, Any], members: Members, days: int) -> Tracker:
    tracker = Tracker(chamber, members, days)
    pairs = {pair.key: pair for pair in map(Pair._make, found["pairs"])}
    present = dict.fromkeys([elu for elu, _ in pairs])
    day = date.fromisoformat(found["date"])
    tracker.last = List(
        chamber, day, found["name"], pairs, present, len(pairs), 0, 0, found["digest"]
    )
    for raw in found["absences"]:
        absence = Absence(
            **{**raw, "pair": Pair._make(raw["pair"]), "origin": _made(raw["origin"])}
        )
        tracker.unsettled.absences[absence.pair.person].append(absence)
    for raw in found["arrivals"]:
        arrival = Arrival(Pair._make(raw["pair"]), _made(raw["origin"]), raw["new_member"])
        tracker.unsettled.arrivals[arrival.pair.person].append(arrival)
    tracker.gone = found["gone"]
    tracker.names = {elu: Name._make(name) for elu, name in found["names"].items()}
    tracker.replaced = ReplacedLists(found.get("past"))
    return tracker


def _made(origin: list[Any]) -> Origin:
    return Origin(date.fromisoformat(origin[0]), origin[1], origin[2])
