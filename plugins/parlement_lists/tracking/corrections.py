"""What a maintainer knows better than the lists do, and what of it matched."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Set
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple, TypeVar

from ..movement import Movement, identifier, words
from ..tenure import Tenure
from .reading.formats import Pair
from .reading.lists import List, Pairs
from .reading.names import misspelling

_PERSON = ("collab_nom", "collab_prenom", "collab_civilite", "conge", "anciens_noms")
# What names a staff member and the elected member they worked for.
Named = TypeVar("Named", Movement, Tenure)


class CorrectionsError(Exception):
    """Corrections that cannot be used: every fault, each with file, line and field."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class Entry(NamedTuple):
    """One correction: its line in the file, when and why it was made, what it says."""

    line: int
    date: str
    reason: str
    kind: str
    value: Any

    @property
    def digest(self) -> str:
        """What tells it from other corrections, wherever it stands in the file."""
        return json.dumps([self.date, self.kind, self.value], sort_keys=True, ensure_ascii=False)


def nameless(item: Named) -> Named:
    """The movement or stay without its person's name; who asks to be withheld is not told to be on leave."""
    return item._replace(**{name: "" for name in _PERSON if name in item._fields})


def covers(entry: Entry, chamber: str, member: str) -> bool:
    """Whether a correction that `chambre` and `elus` may narrow is in force at a member of a chamber."""
    value: Mapping[str, Any] = entry.value
    return value.get("chambre", chamber) == chamber and member in value.get("elus", [member])


def is_about(entry: Entry, persons: Set[str], ids: Container[str]) -> bool:
    """Whether an entry names one of some persons or of their movements' identifiers."""
    value: Any = {"id": entry.value} if isinstance(entry.value, str) else entry.value
    full = " ".join(value.get(name, "") for name in ("collab_nom", "collab_prenom"))
    names = {words(name) for name in (full, value.get("nom", ""), *value.get("noms", ()))}
    prints = {fingerprint(person) for person in persons}
    return value.get("id") in ids or bool(names & persons) or value.get("empreinte") in prints


@functools.lru_cache(maxsize=65_536)
def fingerprint(person: str) -> str:
    """What `masquer: {empreinte: ...}` holds, so that the corrections file need not hold the name."""
    return hashlib.sha256(person.encode()).hexdigest()


class Corrections:
    """The corrections in force.

    `matched` has the digest of each one that was of use: one that matches nothing is an error.
    """

    def __init__(self, entries: Iterable[Entry] = (), file: str = "") -> None:
        self.entries = list(entries)
        self.file = file
        self.matched: set[str] = set()
        self.masks = self._of("masquer")
        self._lists = {e.value: e for e in self.entries if e.kind in ("accepter", "refuser")}
        self._changes = {e.value["id"]: e for e in self._of("modifier")}
        self._withdrawn = {e.value: e for e in self._of("retirer")}
        self._same = {
            (entry.value.get("chambre", ""), words(name)): (words(entry.value["noms"][0]), entry)
            for entry in self._of("meme_personne")
            for name in entry.value["noms"]
        }
        self._homonyms = {
            (words(entry.value["nom"]), member): (number, entry)
            for number, entry in enumerate(self._of("homonymes"), 1)
            for member in entry.value["elus"]
        }
        self._two_people: dict[frozenset[str], list[Entry]] = defaultdict(list)
        for entry in self._of("deux_personnes"):
            prints = {fingerprint(words(name)) for name in entry.value["noms"]}
            prints.add(entry.value.get("empreinte", ""))
            self._two_people[frozenset(prints - {""})].append(entry)
        # Each mask -> the names that it withholds; those of a fingerprint are known once they were seen.
        self._masked = {
            mask.digest: self.spellings(
                {words(mask.value["nom"])} if "nom" in mask.value else (),
                mask.value.get("empreinte", ""),
            )
            for mask in self.masks
        }
        # Chamber, member and the words of a fuller name -> those of the shorter ones within it.
        self._within: dict[tuple[str, str, str], set[str]] = defaultdict(set)

    def _of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind == kind]

    def spellings(self, names: Iterable[str], known: str = "", chamber: str = "") -> set[str]:
        """Names of one person, and those that corrections join with them or with what has the fingerprint `known`.

        With a chamber, its corrections alone.
        """
        spellings = set(names)
        for entry in self._of("meme_personne"):
            joined = {words(name) for name in entry.value["noms"]}
            same = bool(spellings & joined) or known in map(fingerprint, joined)
            if same and (not chamber or covers(entry, chamber, "")):
                spellings |= joined
        return spellings

    def take_verdict(self, name: str) -> str:
        """`accepter`, `refuser` or "" for the list of that name, which has matched then.

        The name of a day is that of all its lists.
        """
        entry = self._lists.get(name) or self._lists.get(name.partition("T")[0])
        return self._take(entry).kind if entry is not None else ""

    def _take(self, entry: Entry) -> Entry:
        self.matched.add(entry.digest)
        return entry

    def know_days_between(self, chamber: str, before: date, after: date) -> None:
        """Have entries match that accept a list of a day between two lists: the later one may have taken its place."""
        for name, entry in self._lists.items():
            if entry.kind == "accepter" and f"{chamber}/{before}" < name < f"{chamber}/{after}":
                self._take(entry)

    def apply(self, list_: List) -> List:
        """The list as it would read if one person had one spelling, and two persons two names."""
        if not self._same and not self._homonyms:
            return list_
        pairs: Pairs = {}
        for (member, person), pair in list_.pairs.items():
            key = self.take_key(list_.chamber, member, person)
            pairs[member, key] = pair if key == person else pair._replace(person=key)
        return replace(list_, pairs=pairs)

    def take_key(self, chamber: str, member: str, person: str) -> str:
        """The key of the person whose name gives the key `person` at a member; what gives it has matched."""
        person = self._spelling(chamber, person)
        if (person, member) not in self._homonyms:
            return person
        _, entry = self._homonyms[person, member]
        # No word of a list can hold that sign, so nobody else has this key.
        return f"{person} #{self._take(entry).value['elus'][0]}"

    def homonym(self, chamber: str, member: str, person: str) -> int:
        """Which of the people who share a name is at a member: the number of the correction that says so, else 0."""
        number, _ = self._homonyms.get((self._spelling(chamber, person), member), (0, None))
        return number

    def _spelling(self, chamber: str, person: str) -> str:
        """The words of the first spelling of a person; the correction that has it has matched."""
        for key in ((chamber, person), ("", person)):
            if key in self._same:
                person, entry = self._same[key]
                self._take(entry)
        return person

    def two_people(self, chamber: str, one: Pair, other: Pair) -> bool:
        """Whether two pairs of a member are said to be two people, however alike; what says it has matched."""
        # The key, and the name as the list has it: `meme_personne` may give another key.
        names = ({pair.person, words(pair.family, pair.given)} for pair in (one, other))
        return any(
            self._are_apart(chamber, one.member, *both) for both in itertools.product(*names)
        )

    def _are_apart(self, chamber: str, member: str, person: str, other: str) -> bool:
        if not self._two_people:
            return False
        prints = frozenset(map(fingerprint, (person, other)))
        entries = [e for e in self._two_people.get(prints, ()) if covers(e, chamber, member)]
        return bool([self._take(entry) for entry in entries])

    def know_shorter(self, chamber: str, shorter: Pair, fuller: Pair) -> None:
        """Have masks of a shorter name withhold the fuller one, under which the person is published."""
        published = chamber, fuller.member, words(fuller.family, fuller.given)
        self._within[published].add(words(shorter.family, shorter.given))

    def name_of(self, chamber: str, pair: Pair) -> str:
        """What a report calls the person of a pair: the name, unless a mask withholds it, which has matched."""
        if self.masks_of(chamber, pair.member, words(pair.family, pair.given)):
            return "(masked)"
        return " ".join(filter(None, (pair.civility, pair.given, pair.family)))

    def masks_of(self, chamber: str, member: str, person: str) -> list[Entry]:
        """The masks that withhold a person's name at a member, which have matched."""
        if not self.masks:
            return []
        names = {person, *self._within.get((chamber, member, person), ())} - {""}
        prints = set(map(fingerprint, names))
        masks = [
            mask
            for mask in self.masks
            if (names & self._masked[mask.digest] or mask.value.get("empreinte") in prints)
            and covers(mask, chamber, member)
        ]
        for mask in masks:
            self._masked[self._take(mask).digest] |= names
        return masks

    def masks_near(self, chamber: str, member: str, person: str) -> list[tuple[Entry, str, bool]]:
        """The masks in force at a member that withhold a name near that of a person, each with that name.

        Last, whether a correction says that they are two people; it has matched then.
        """
        return [
            (mask, name, self._are_apart(chamber, member, name, person))
            for mask in self.masks
            for name in sorted(self._masked[mask.digest])
            if misspelling(name, person) and covers(mask, chamber, member)
        ]

    def know_movements_by(self, internal: Callable[[str], str]) -> None:
        """Have entries mean the movements whose identifiers `internal` makes of those they have."""
        self._changes = {internal(id): entry for id, entry in self._changes.items()}
        self._withdrawn = {internal(id): entry for id, entry in self._withdrawn.items()}

    def added(self) -> list[Movement]:
        """The movements that only the corrections know."""
        movements = []
        for entry in self._of("ajouter"):
            value = {"id": "", "source": "archives"} | self._take(entry).value
            movement = Movement(**value, confiance="manuel")
            movements.append(movement._replace(id=movement.id or identifier(movement)))
        return movements

    def take_withdrawal(self, id: str) -> bool:
        """Whether a correction withdraws a movement, which has matched then."""
        return id in self._withdrawn and bool(self._take(self._withdrawn[id]))

    def take_change(self, id: str) -> Entry | None:
        """The correction that changes a movement, which has matched then."""
        return self._take(self._changes[id]) if id in self._changes else None

    def change_of(self, id: str) -> Entry | None:
        """The correction that changes a movement, if there is one."""
        return self._changes.get(id)

    def withdrawals(self) -> list[tuple[str, str, str]]:
        """(identifier, date, reason) of each movement a correction withdraws."""
        return [(id, entry.date, entry.reason) for id, entry in self._withdrawn.items()]

    def check_matched(self) -> None:
        """Raises CorrectionsError for those that matched nothing."""
        faults = [
            f"{self.file}: line {entry.line}: {entry.kind}: matches nothing"
            for entry in self.entries
            if entry.digest not in self.matched
        ]
        if faults:
            raise CorrectionsError(faults)

    def rows(self) -> list[tuple[int, str, str, str]]:
        """(number, date, kind, reason) of each, for the public table: nothing of what was masked."""
        return [(n, e.date, e.kind, e.reason) for n, e in enumerate(self.entries, 1)]
