"""One correction: what it says, of whom and where."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Container, Mapping, Set
from typing import Any, NamedTuple, TypeVar

from ..movement import Movement, words
from ..tenure import Tenure

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
