"""What a maintainer knows better than the lists do, and what of it matched."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Set
from datetime import date

from ..movement import Movement, identifier, words
from .correction import (
    CorrectionsError,
    Entry,
    Mask,
    covers,
    fingerprint,
    is_about,
)
from .reading.formats import Pair
from .reading.lists import List, Pairs
from .reading.names import misspelling

# An elected member, the words of the fuller name of somebody there and those of a shorter one.
ShorterName = tuple[str, str, str]


class Corrections:
    """The corrections in force.

    `matched` has the digest of each one that was of use: one that matches nothing is an error.
    """

    def __init__(self, entries: Iterable[Entry] = (), file: str = "") -> None:
        self.entries = list(entries)
        self.file = file
        self.matched: set[str] = set()
        self._lists = {e.value: e for e in self.entries if e.kind in ("accepter", "refuser")}
        self._same = {
            (entry.value.get("chambre", ""), words(name)): (words(entry.value["noms"][0]), entry)
            for entry in self._of("meme_personne")
            for name in entry.value["noms"]
        }
        # No word of a list can hold that sign, so nobody else has this key.
        self._homonyms = {
            (words(entry.value["nom"]), member): (
                f"{words(entry.value['nom'])} #{entry.value['elus'][0]}",
                entry,
                number,
            )
            for number, entry in enumerate(self._of("homonymes"), 1)
            for member in entry.value["elus"]
        }
        self._two_people: dict[frozenset[str], list[Entry]] = defaultdict(list)
        for entry in self._of("deux_personnes"):
            prints = {fingerprint(words(name)) for name in entry.value["noms"]}
            prints.add(entry.value.get("empreinte", ""))
            self._two_people[frozenset(prints - {""})].append(entry)
        self._masks = [Mask(entry, *self._masked_names(entry)) for entry in self._of("masquer")]
        # Mask -> the names it was seen to withhold: those of a fingerprint are known by these alone.
        self._seen: dict[str, set[str]] = defaultdict(set)
        # The persons of lists whose fingerprints were compared.
        self._compared: set[str] = set()
        # Chamber, member and the words of a fuller name -> those of the shorter ones within it.
        self._within: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._changes = {e.value["id"]: e for e in self._of("modifier")}
        self._withdrawn = {e.value: e for e in self._of("retirer")}

    @property
    def homonym_members(self) -> set[str]:
        """The members with whom a name is said to be another person than elsewhere."""
        return {member for _, member in self._homonyms}

    def know_movements_by(self, internal: Callable[[str], str]) -> None:
        """Have entries mean the movements whose identifiers `internal` makes of those they have."""
        self._changes = {internal(id): entry for id, entry in self._changes.items()}
        self._withdrawn = {internal(id): entry for id, entry in self._withdrawn.items()}

    def _masked_names(self, mask: Entry) -> tuple[frozenset[str], str]:
        """The names a mask withholds, with every spelling of the same person, and its fingerprint."""
        known = mask.value.get("empreinte", "")
        names = {words(mask.value["nom"])} if "nom" in mask.value else set()
        return self.spellings(names, known), known

    def spellings(self, names: Set[str], known: str = "", chamber: str = "") -> frozenset[str]:
        """Names of one person, and those that corrections join with them or with what has the fingerprint `known`.

        With a chamber, its corrections alone.
        """
        found = set(names)
        for entry in self._of("meme_personne"):
            if chamber and not covers(entry, chamber, ""):
                continue
            spellings = {words(name) for name in entry.value["noms"]}
            if found & spellings or known in map(fingerprint, spellings):
                found |= spellings
        return frozenset(found)

    def about(self, persons: Set[str], ids: Container[str] = ()) -> list[Entry]:
        """The entries that name one of some persons or of their movements' identifiers."""
        return [entry for entry in self.entries if is_about(entry, persons, ids)]

    @property
    def masks(self) -> list[Entry]:
        """The corrections that withhold a name."""
        return self._of("masquer")

    def _of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind == kind]

    def take_verdict(self, name: str) -> str:
        """`accepter`, `refuser` or "" for the list of that name, which has matched then.

        The name of a day is that of all its lists.
        """
        entry = self._lists.get(name) or self._lists.get(name.partition("T")[0])
        if entry is None:
            return ""
        self.matched.add(entry.digest)
        return entry.kind

    def know_days_between(self, chamber: str, before: date, after: date) -> None:
        """Have entries match that accept a list of a day between two lists: the later one may have taken its place."""
        for name, entry in self._lists.items():
            if entry.kind == "accepter" and f"{chamber}/{before}" < name < f"{chamber}/{after}":
                self.matched.add(entry.digest)

    def apply(self, list_: List) -> List:
        """The list as it would read if one person had one spelling, and two persons two names."""
        self._compare(person for _, person in list_.pairs)
        if not self._same and not self._homonyms:
            return list_
        pairs: Pairs = {}
        for (member, person), pair in list_.pairs.items():
            key = self.take_key(list_.chamber, member, person)
            pairs[member, key] = pair if key == person else pair._replace(person=key)
        return list_._replace(pairs=pairs)

    def _compare(self, persons: Iterable[str]) -> None:
        """See which names fingerprints stand for: no later list may have them."""
        masks = [mask for mask in self._masks if mask.fingerprint]
        fresh = set(persons) - self._compared if masks else set()
        self._compared |= fresh
        for person in fresh:
            found = fingerprint(person)
            for mask in masks:
                if mask.fingerprint == found:
                    self._seen[mask.entry.digest].add(person)

    def take_key(self, chamber: str, member: str, person: str) -> str:
        """The key of the person whose name gives the key `person` at a member; what gives it has matched."""
        for key in ((chamber, person), ("", person)):
            if key in self._same:
                person, entry = self._same[key]
                self.matched.add(entry.digest)
        if (person, member) in self._homonyms:
            person, entry, _ = self._homonyms[person, member]
            self.matched.add(entry.digest)
        return person

    def homonym(self, chamber: str, member: str, person: str) -> int:
        """Which of the people who share a name is at a member: the number of the correction that says so, else 0."""
        for key in ((chamber, person), ("", person)):
            person = self._same[key][0] if key in self._same else person
        return self._homonyms[person, member][2] if (person, member) in self._homonyms else 0

    def two_people(self, chamber: str, one: Pair, other: Pair) -> bool:
        """Whether two pairs of a member are said to be two people, however alike; what says it has matched."""
        return any(
            self._are_apart(chamber, one.member, *names)
            for names in (itertools.product(_names(one), _names(other)) if self._two_people else ())
        )

    def _are_apart(self, chamber: str, member: str, one: str, other: str) -> bool:
        prints = frozenset(map(fingerprint, (one, other)))
        said = [e for e in self._two_people.get(prints, ()) if covers(e, chamber, member)]
        self.matched.update(entry.digest for entry in said)
        return bool(said)

    def masked_names(self, chamber: str, member: str) -> Iterator[tuple[Entry, str]]:
        """The masks in force at a member of a chamber, each with each name that it is known to withhold."""
        for mask in self._masks:
            if covers(mask.entry, chamber, member):
                names = sorted(mask.names | self._seen[mask.entry.digest])
                yield from ((mask.entry, name) for name in names)

    def masks_near(self, chamber: str, member: str, person: str) -> list[tuple[Entry, str]]:
        """The masks in force at a member that withhold a name near that of a person, each with that name.

        Not where a correction says that they are two people; it has matched then.
        """
        near: dict[str, tuple[Entry, str]] = {}
        apart = set()
        for mask, name in self.masked_names(chamber, member):
            if misspelling(name, person):
                near.setdefault(mask.digest, (mask, name))
            if self._two_people and self._are_apart(chamber, member, name, person):
                apart.add(mask.digest)
        return [found for digest, found in near.items() if digest not in apart]

    def added(self) -> list[Movement]:
        """The movements that only the corrections know."""
        found = []
        for entry in self._of("ajouter"):
            self.matched.add(entry.digest)
            source = entry.value.get("source", "archives")
            movement = Movement(
                **({"id": "", "source": source, "confiance": "manuel"} | entry.value)
            )
            found.append(movement._replace(id=movement.id or identifier(movement)))
        return found

    def take_withdrawal(self, id: str) -> bool:
        """Whether a correction withdraws a movement, which has matched then."""
        entry = self._withdrawn.get(id)
        if entry is not None:
            self.matched.add(entry.digest)
        return entry is not None

    def take_change(self, id: str) -> Entry | None:
        """The correction that changes a movement, which has matched then."""
        entry = self._changes.get(id)
        if entry is not None:
            self.matched.add(entry.digest)
        return entry

    def change_of(self, id: str) -> Entry | None:
        """The correction that changes a movement, if there is one."""
        return self._changes.get(id)

    def name_of(self, chamber: str, pair: Pair) -> str:
        """What a report calls the person of a pair: the name, unless a mask withholds it, which has matched."""
        if self.masks_of(chamber, pair.member, words(pair.family, pair.given)):
            return "(masked)"
        return " ".join(filter(None, (pair.civility, pair.given, pair.family)))

    def masks_of(self, chamber: str, member: str, person: str) -> list[Entry]:
        """The masks that withhold a person's name at a member, which have matched."""
        names = {person, *self._within.get((chamber, member, person), ())}
        found = [
            mask.entry
            for mask in self._masks
            if any(mask.withholds(name, chamber, member) for name in names)
        ]
        for entry in found:
            self.matched.add(entry.digest)
            self._seen[entry.digest] |= names
        return found

    def know_shorter(self, chamber: str, names: Iterable[ShorterName]) -> None:
        """Have masks of a shorter name withhold the fuller one, under which the person is published."""
        for member, fuller, shorter in names:
            self._within[chamber, member, fuller].add(shorter)

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
        return [(number, *entry.public) for number, entry in enumerate(self.entries, 1)]


def _names(pair: Pair) -> set[str]:
    """The person's key, and the words of the name as the list has it: `meme_personne` may give another key."""
    return {pair.person, words(pair.family, pair.given)}
