"""What later lists need of earlier ones, as text that is kept between runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from .corrections import Corrections
from .departed import DepartedPairs
from .formats import Pair
from .lists import List
from .members import Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Evidence
from .tracker import Tracker

_VERSION = 1


class StateError(Exception):
    """The state cannot be used with the database; the message says what to do."""


@dataclass
class TrackingState:
    """The tracking so far."""

    transfer_days: int = 0
    # Each chamber that has an accepted list.
    chambers: dict[str, Tracker] = field(default_factory=dict)
    # Each chamber -> the names of the lists refused since the last accepted one.
    refused: dict[str, list[str]] = field(default_factory=dict)
    # Lists the daily run took: a rebuild from the same lists still calls them `suivi`.
    followed: set[str] = field(default_factory=set)
    # The digests of corrections that have matched, in this run or an earlier one.
    matched: set[str] = field(default_factory=set)
    # The digests of all corrections the last run was given (see `Corrections.digests`).
    corrections: str = ""

    def note(self, corrections: Corrections) -> None:
        """Note the corrections of a run that ended well: every one of them has matched."""
        self.corrections = corrections.digests
        self.matched = {entry.digest for entry in corrections.entries}


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


# The keys are those of the first version, whatever the code has come to call these things since.
_ABSENCE = {
    "gone": "member_gone",
    "decided": "decided",
    "published": "departure",
    "used": "answered",
    "closed": "ended",
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
        "absences": [
            _pair(a) | {key: getattr(a, name) for key, name in _ABSENCE.items()} for a in absences
        ],
        "arrivals": [_pair(a) | {"new_member": a.new_member} for a in tracker.unsettled.waiting()],
        "gone": tracker.gone_members,
        "names": tracker.names,
        "departed": tracker.departed.days,
        "past": tracker.replaced.days,
    }


def _pair(seen: Absence | Arrival) -> dict[str, Any]:
    day, source, level = seen.evidence
    return {"pair": seen.pair, "origin": [day.isoformat(), source, level]}


def from_json(text: str, members: Members) -> TrackingState:
    """The state of a text; StateError when a version that is not this one's wrote it."""
    found = json.loads(text)
    if found["version"] != _VERSION:
        raise StateError(
            f"tracking state of version {found['version']}, this one reads {_VERSION}: move it away"
            " and build again from every list"
        )
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
    present = dict.fromkeys([member for member, _ in pairs])
    day = date.fromisoformat(found["date"])
    tracker.last = List(
        chamber, day, found["name"], pairs, present, len(pairs), 0, 0, found["digest"]
    )
    for raw in found["absences"]:
        known = {name: raw[key] for key, name in _ABSENCE.items()}
        absence = Absence(*_pair_from(raw), **known)
        tracker.unsettled.absences[absence.pair.person].append(absence)
    for raw in found["arrivals"]:
        arrival = Arrival(*_pair_from(raw), raw["new_member"])
        tracker.unsettled.arrivals[arrival.pair.person].append(arrival)
    tracker.gone_members = found["gone"]
    tracker.names = {member: Name._make(name) for member, name in found["names"].items()}
    tracker.replaced = ReplacedLists(found.get("past"))
    tracker.departed = DepartedPairs(found.get("departed"))
    return tracker


def _pair_from(raw: dict[str, Any]) -> tuple[Pair, Evidence]:
    day, source, level = raw["origin"]
    return Pair._make(raw["pair"]), Evidence(date.fromisoformat(day), source, level)
