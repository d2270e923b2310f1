"""What later lists need of earlier ones, as text that is kept between runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ..movement import Movement
from ..tenure import Tenure
from .correction import Named
from .corrections import Corrections
from .departed import DepartedPairs
from .members.known_members import Members, Name
from .reading.formats import Pair
from .reading.lists import List
from .settle import Absence, Arrival, Evidence
from .stays import Stay, Stays
from .tracker import Tracker

_VERSION = 2


class StateError(Exception):
    """The state cannot be used with the database; the message says what to do."""


@dataclass
class TrackingState:
    """The tracking so far."""

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
    # Movements and stays published without their name because it is near a masked one: identifier -> fields.
    undecided: dict[str, list[str]] = field(default_factory=dict)
    # The masks that these are near, by their digests: the name that each withholds.
    near_to: dict[str, str] = field(default_factory=dict)

    # The version of the package that wrote the database; "" where it is not known.
    package: str = ""

    def named(self, one: Named) -> Named:
        """A movement or stay, with its name if that is only withheld until somebody decides."""
        found = self.undecided.get(one.id)
        return one if found is None else type(one)(*found)

    def withheld(self) -> Iterator[Movement | Tenure]:
        """Those that are withheld until somebody decides, with their names."""
        for id, fields in self.undecided.items():
            yield Tenure(*fields) if id.startswith("col_") else Movement(*fields)

    def note(self, corrections: Corrections) -> None:
        """Note the corrections of a run that ended well: every one of them has matched."""
        self.corrections = corrections.digests
        self.matched = {entry.digest for entry in corrections.entries}


def to_json(state: TrackingState) -> str:
    """The state as text; the same state is the same text."""
    found = {
        "version": _VERSION,
        "chambers": {name: _tracker(tracker) for name, tracker in sorted(state.chambers.items())},
        "refused": state.refused,
        "followed": sorted(state.followed),
        "matched": sorted(state.matched),
        "corrections": state.corrections,
        **({"undecided": state.undecided} if state.undecided else {}),
        **({"near_to": state.near_to} if state.near_to else {}),
        **({"package": state.package} if state.package else {}),
    }
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _tracker(tracker: Tracker) -> dict[str, Any]:
    last = tracker.last
    assert last is not None
    absences = [a for found in tracker.unsettled.absences.values() for a in found]
    open_ = tracker.stays.open
    unread = {member: day and day.isoformat() for member, day in tracker.unread.items()}
    return {
        "date": last.date.isoformat(),
        "name": last.name,
        "digest": last.digest,
        "source": last.source,
        "pairs": [_pair(tracker, pair, open_[key]) for key, pair in last.pairs.items()],
        "absences": [
            _change(tracker, a) | {"gone": a.member_gone, "last_seen": a.last_seen}
            for a in absences
        ],
        "arrivals": [
            _change(tracker, a) | {"new_member": a.new_member} for a in tracker.unsettled.waiting()
        ],
        "gone": tracker.gone_members,
        **({"unread": unread} if unread else {}),
        "names": tracker.names,
        **({"shorter": sorted(tracker.shorter)} if tracker.shorter else {}),
        "departed": tracker.departed.days,
    }


def _change(tracker: Tracker, seen: Absence | Arrival) -> dict[str, Any]:
    day, source, level = seen.evidence
    pair = _pair(tracker, seen.pair, seen.stay)
    return {"pair": pair, "origin": [day.isoformat(), source, level]}


def _pair(tracker: Tracker, pair: Pair, stay: Stay) -> list[Any]:
    """A pair, its leave if there is one, its stay and the movement that began it."""
    said = pair if pair.leave else pair[:-1]
    return [*said, *stay, tracker.stays.arrivals.get(stay.id, "")]


def from_json(text: str, members: Members) -> TrackingState:
    """The state of a text; raises StateError when it cannot be read, or another version wrote it."""
    try:
        return _state(json.loads(text), members)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise StateError(
            f"the tracking state cannot be read ({type(error).__name__}): restore it and the database"
            " together, or remove it and build again from every list"
        ) from error


def tell_shorter(text: str, corrections: Corrections) -> None:
    """Tell corrections the shorter names of those whom the lists of a state wrote two ways; raises as `from_json`."""
    for chamber, tracker in from_json(text, Members()).chambers.items():
        corrections.know_shorter(chamber, tracker.shorter)


def _state(found: dict[str, Any], members: Members) -> TrackingState:
    if found["version"] != _VERSION:
        raise StateError(
            f"tracking state of version {found['version']}, this one reads {_VERSION}: use the"
            " version that wrote it, or move it away and build again from every list"
        )
    state = TrackingState(
        refused=found["refused"],
        followed=set(found["followed"]),
        matched=set(found["matched"]),
        corrections=found["corrections"],
        undecided=found.get("undecided", {}),
        near_to=found.get("near_to", {}),
        package=found.get("package", ""),
    )
    for chamber, raw in found["chambers"].items():
        state.chambers[chamber] = _tracker_from(chamber, raw, members)
    return state


def _tracker_from(chamber: str, found: dict[str, Any], members: Members) -> Tracker:
    tracker = Tracker(chamber, members)
    pairs = {}
    for raw in found["pairs"]:
        pair, stay = _pair_from(raw, tracker.stays)
        pairs[pair.key] = pair
        tracker.stays.open[pair.key] = stay
    present = dict.fromkeys([member for member, _ in pairs])
    day = date.fromisoformat(found["date"])
    tracker.last = List(
        *(chamber, day, found["name"], pairs, present, len(pairs), 0, 0, found["digest"]),
        source=found["source"],
    )
    for raw in found["absences"]:
        pair, stay = _pair_from(raw["pair"], tracker.stays)
        absence = Absence(pair, _evidence_from(raw), raw["gone"], stay, raw["last_seen"])
        tracker.unsettled.absences[pair.person].append(absence)
    for raw in found["arrivals"]:
        pair, stay = _pair_from(raw["pair"], tracker.stays)
        arrival = Arrival(pair, _evidence_from(raw), raw["new_member"], stay)
        tracker.unsettled.arrivals[pair.person].append(arrival)
    tracker.gone_members = found["gone"]
    unread = found.get("unread", {})
    tracker.unread = {m: day and date.fromisoformat(day) for m, day in unread.items()}
    tracker.names = {member: Name._make(name) for member, name in found["names"].items()}
    tracker.shorter = {(member, fuller, name) for member, fuller, name in found.get("shorter", ())}
    tracker.departed = DepartedPairs(found["departed"])
    return tracker


def _pair_from(raw: list[Any], stays: Stays) -> tuple[Pair, Stay]:
    """A pair and its stay; the movement that began it is noted."""
    width = -len(Stay._fields) - 1
    *stay, arrival = raw[width:]
    found = Stay._make(stay)
    if arrival:
        stays.arrivals[found.id] = arrival
    return Pair(*raw[:width]), found


def _evidence_from(raw: dict[str, Any]) -> Evidence:
    day, source, level = raw["origin"]
    # Versions before 3 dated some absences later than by the first list without the pair, whose day is `since`.
    return Evidence(date.fromisoformat(raw.get("since", day)), source, level)
