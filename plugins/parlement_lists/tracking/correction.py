"""One correction: what it says, of whom, and whose name a mask withholds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping, Sequence, Set
from typing import Any, NamedTuple, TypeVar

from ..movement import Movement, words
from ..tenure import Tenure

_PERSON = ("collab_nom", "collab_prenom", "collab_civilite", "conge", "anciens_noms")
# What names a staff member and the elected member they worked for.
Named = TypeVar("Named", Movement, Tenure)


# The date, kind and reason of a correction, as the public table has them.
PublicRow = tuple[str, str, str]


class CorrectionsError(Exception):
    """Corrections that cannot be used: every fault, each with file, line and field.

    `masks` are those among them that are sound: an erasure does not wait for what others say.
    """

    def __init__(self, faults: list[str], masks: Sequence[Entry] = ()) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults
        self.masks = masks


class Entry(NamedTuple):
    """One correction: its line in the file, when and why it was made, what it says."""

    line: int
    date: str
    reason: str
    kind: str
    value: Any

    @property
    def digest(self) -> str:
        """What names the correction in the tracking state, which must not repeat what it says."""
        text = json.dumps([self.date, self.kind, self.value], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def public(self) -> PublicRow:
        """What the public table says of it."""
        return self.date, self.kind, self.reason


class Mask(NamedTuple):
    """Whose name one correction withholds: known spellings (see `movement.words`) or a fingerprint."""

    entry: Entry
    names: frozenset[str]
    fingerprint: str

    def withholds(self, person: str, chamber: str, member: str) -> bool:
        """Whether the name of a person is withheld at a member of a chamber."""
        return covers(self.entry, chamber, member) and (
            person in self.names
            or (bool(self.fingerprint) and fingerprint(person) == self.fingerprint)
        )


def nameless(named: Named) -> Named:
    """The movement or stay without its person's name; who asks to be withheld is not told to be on leave."""
    return named._replace(**{name: "" for name in _PERSON if name in named._fields})


def covers(entry: Entry, chamber: str, member: str) -> bool:
    """Whether a correction that `chambre` and `elus` may narrow is in force at a member of a chamber."""
    value: Mapping[str, Any] = entry.value
    return value.get("chambre", chamber) == chamber and member in value.get("elus", [member])


def is_only_about(entry: Entry, persons: Set[str]) -> bool:
    """Whether every name in an entry is one of some persons."""
    return _prints(entry) <= set(map(fingerprint, persons))


def is_about(entry: Entry, persons: Set[str], ids: Container[str]) -> bool:
    id = entry.value if isinstance(entry.value, str) else entry.value.get("id")
    return id in ids or not _prints(entry).isdisjoint(map(fingerprint, persons))


def _prints(entry: Entry) -> set[str]:
    """The fingerprints of the names that an entry holds."""
    value: Any = {} if isinstance(entry.value, str) else entry.value
    said = " ".join(value.get(name, "") for name in ("collab_nom", "collab_prenom"))
    names = {words(name) for name in (said, value.get("nom", ""), *value.get("noms", ()))}
    return ({fingerprint(name) for name in names if name} | {value.get("empreinte")}) - {None}


def fingerprint(person: str) -> str:
    """What `masquer: {empreinte: ...}` holds, so that the corrections file need not hold the name."""
    return hashlib.sha256(person.encode()).hexdigest()
