"""All that is held under one name, and apart from it, under each near name: what a request for access needs."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from parlement_lists.movement import CHAMBERS, Movement, words
from parlement_lists.sources.downloading.originals import FOLDER, REFUSED
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.correction import is_only_about
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.departed import mark_of
from parlement_lists.tracking.reading import git
from parlement_lists.tracking.reading.lists import ListRefused, Reader
from parlement_lists.tracking.reading.names import misspelling
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.state import TrackingState
from parlement_lists.tracking.tracker import Tracker

from ..continuity import made_with_corrections
from ..published import Published
from ..state_file import StateFile
from .near_names import id_under, quoted
from .pseudonyms import Pseudonyms, is_named

# What is held, by the kind of place: each thing as words for people and programs.
Places = dict[str, list[dict[str, Any]]]


class PersonalFile:
    """What is held under a name, its spellings in the corrections, and each near name.

    `held` has the former, `near` the latter by their words. `unread` says what could not be looked at.
    """

    def __init__(self, name: str, corrections: Corrections | None) -> None:
        self.name = name
        self._given = corrections
        self._corrections = corrections or Corrections()
        spellings = self._corrections.spellings
        self._spellings = {c: spellings({words(name)}, chamber=c) for c in CHAMBERS}
        self.persons = frozenset().union(*self._spellings.values())
        self.held: Places = defaultdict(list)
        self.near: dict[str, Places] = defaultdict(lambda: defaultdict(list))
        self.unread: list[str] = []
        # Internal identifier -> whose it is.
        self._owners: dict[str, str] = {}

    def why(self, person: str) -> str:
        """Why a name is near; "" where it is not."""
        return next(filter(None, (misspelling(own, person) for own in sorted(self.persons))), "")

    def _places(self, chamber: str, person: str) -> Places | None:
        """Where something of a person at a chamber is noted; None for somebody else."""
        if person in self._spellings[chamber]:
            return self.held
        return self.near[person] if person and self.why(person) else None

    def _note(self, person: str, place: str, chamber: str, **what: Any) -> None:
        places = self._places(chamber, person)
        if places is not None:
            said = {"chamber": chamber, **what}
            places[place].append({name: said for name, said in said.items() if said})

    def take(self, database: Path | None, folder: Path | None) -> None:
        """Note all that is held; raises what reading a file, its state, lists and git raises."""
        for given, what in (
            (database, "database and tracking state: give --db"),
            (folder, "lists and originals: give --lists"),
        ):
            if given is None:
                self.unread.append(what)
        if database is not None:
            self._take_database(database)
        if folder is not None:
            self._take_lists(folder)
        self._take_corrections()

    def _take_database(self, database: Path) -> None:
        state_file = StateFile(database)
        pseudonyms = Pseudonyms(state_file.pseudonyms())
        before = Published(database, pseudonyms)
        found = state_file.found(before.token)
        self._corrections.know_movements_by(pseudonyms.internal)
        if self._given is None and made_with_corrections(before, found):
            self.unread.append("corrections that the database was made with: give --corrections")
        state = found or TrackingState()
        for chamber, tracker in state.chambers.items():
            self._take_tracker(chamber, tracker)
        for stay in sorted(before.tenures(), key=lambda stay: stay.debut):
            person = self._owner_of(state.named(stay))
            for id in filter(None, (stay.mouvement_debut, stay.mouvement_fin)):
                self._owners.setdefault(id, person)
            said = {"id": pseudonyms.public(stay.id), "from": stay.debut, "to": stay.fin}
            self._note(person, "stays", **_where(stay), **said)
        for movement in before.movements():
            said = {"id": pseudonyms.public(movement.id), "date": movement.date_event}
            person = self._owner_of(state.named(movement))
            self._note(person, "movements", **_where(movement), **said, type=movement.type)

    def _owner_of(self, one: Movement | Tenure) -> str:
        """Whose a movement or stay is; "" where it has no name and its identifier is not made of this person's."""
        if is_named(one):
            self._owners[one.id] = words(one.collab_nom, one.collab_prenom)
        elif not self._owners.get(one.id):
            names = sorted(self._spellings[one.chambre])
            self._owners[one.id] = next(
                (name for name in names if id_under(one, name) == one.id), ""
            )
        return self._owners[one.id]

    def _take_tracker(self, chamber: str, tracker: Tracker) -> None:
        found = [
            (a.pair, f"missing since {a.evidence.date}") for a in tracker.unsettled.undecided()
        ]
        found += [(a.pair, f"arrived on {a.evidence.date}") for a in tracker.unsettled.waiting()]
        for pair in tracker.last.pairs.values() if tracker.last else ():
            self._owners[tracker.stays.open[pair.key].id] = words(pair.family, pair.given)
        if tracker.last is not None:
            of = f"last list, of {tracker.last.date}"
            found += [(pair, of) for pair in tracker.last.pairs.values()]
        said = [(words(pair.family, pair.given), pair.member, what) for pair, what in found]
        for member, fuller, shorter in tracker.shorter:
            said += [(one, member, f"{shorter} stands for {fuller}") for one in (fuller, shorter)]
        left = tracker.departed.days
        for key in itertools.product(tracker.names, sorted(self._spellings[chamber])):
            if key in tracker.departed:
                said.append((key[1], key[0], f"left on {left[mark_of(key)]}"))
        for person, member, what in said:
            self._note(person, "state", chamber, member=member, what=what)

    def _take_lists(self, folder: Path) -> None:
        reader = Reader()
        days: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        had: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for file in walk([folder]).files:
            try:
                list_ = file.read(reader)
            except ListRefused as error:
                self.unread.append(f"{file.origin}: {error}")
                continue
            found = set()
            for pair in (*list_.pairs.values(), *list_.left_out):
                person = words(pair.family, pair.given)
                if self._places(file.chamber, person) is not None:
                    found.add(person)
                    days[person, file.chamber, pair.member].append(file.date.isoformat())
            had[file.chamber].append((file.date.isoformat(), found))
        for (person, chamber, member), on in days.items():
            ends = {"first": min(on), "last": max(on), "lists": len(on)}
            self._note(person, "lists", chamber, member=member, **ends)
        self._take_originals(folder / FOLDER, had)
        if (folder / ".git").exists():
            gone = git.run(
                *(folder, "log", "--all", "--diff-filter=D", "--name-only", "--format="),
                *("--", *CHAMBERS),
            )
            self.unread += [
                f"{folder}: {name}, in the history of git alone" for name in sorted({*gone.split()})
            ]

    def _take_originals(self, folder: Path, had: Mapping[str, list[tuple[str, set[str]]]]) -> None:
        """Note the originals kept on days on which the list at hand has a name: they are not read themselves."""
        for path in sorted(folder.glob("*/*/*")):
            chamber, day = path.parts[-3], path.parts[-2][:10]
            if path.name.startswith(REFUSED) or chamber not in CHAMBERS:
                self.unread.append(f"{path}: look into it by hand")
                continue
            lists = had.get(chamber, [])
            at = bisect_right(lists, day, key=lambda list_: list_[0])
            for person in sorted(lists[at - 1][1]) if at else ():
                self._note(person, "originals", chamber, file=str(path), date=day)

    def _take_corrections(self) -> None:
        ids = {id for id, person in self._owners.items() if person in self.persons}
        for entry in self._corrections.about(self.persons, ids):
            what = {"line": entry.line, "kind": entry.kind}
            # What it says of somebody else is not this person's to read.
            if is_only_about(entry, self.persons):
                what["says"] = quoted(entry.value)
            self.held["corrections"].append(what)
            if entry.kind == "homonymes":
                self.unread.append(
                    f"line {entry.line} of the corrections says that several people have this name: they are"
                    " not told apart here; look at the member, and add `elus` to the correction"
                )

    def as_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        near = {p: {"why": self.why(p), **found} for p, found in sorted(self.near.items()) if found}
        return {"name": self.name, "held": self.held, "near": near, "unread": self.unread}

    def lines(self) -> Iterator[str]:
        """All of it, for people."""
        yield f"held under {self.name}:" if self.held else f"nothing is held under {self.name}"
        yield from _lines(self.held)
        for person, found in sorted(self.near.items()):
            if found:
                yield f"near, held under {person}: {self.why(person)}"
                yield from _lines(found)
        yield from (f"not read: {what}" for what in self.unread)


def _lines(found: Places) -> Iterator[str]:
    for place, things in found.items():
        for thing in things:
            yield f"  {place}: {', '.join(f'{name} {said}' for name, said in thing.items())}"


def _where(one: Movement | Tenure) -> dict[str, str]:
    where = {"chamber": one.chambre, "member": one.elu_id or one.elu_nom}
    return where | ({} if is_named(one) else {"name": "withheld"})
