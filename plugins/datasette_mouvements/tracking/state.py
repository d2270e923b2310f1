"""What later lists need of earlier ones, as text that is kept between runs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from .formats import Pair
from .lists import List
from .members import Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Origin
from .tracker import Tracker

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


def to_json(state: TrackingState) -> str:
    """The state as text; the same state is the same text."""
    found = {
        "version": _VERSION,
        "transfer_days": state.transfer_days,
        "chambers": {name: _tracker(tracker) for name, tracker in sorted(state.chambers.items())},
        "refused": state.refused,
        "followed": sorted(state.followed),
        "matched": sorted(state.matched),
        "corrections": state.corrections,
    }
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


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


def from_json(text: str, members: Members) -> TrackingState:
    """The state of a text; StateError when a version that is not this one's wrote it."""
    found = json.loads(text)
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
