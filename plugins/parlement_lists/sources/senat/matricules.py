"""Which senator a name in the PDF is: the members' names, then reviewed aliases."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping

from ...movement import words
from ...tracking.members.known_members import Members, Name

CHAMBER = "senat"
# A name in the PDF, and the same senator's in the members' files. Each was reviewed: the Sénat has one
# senator of that family name, and in lists made of the PDF by others that name has the matricule and
# the staff of the one here (Deromedi: the members' files themselves have both given names).
_SAME = (
    ("DEROMEDI Jacqueline", "Jacky Deromedi"),
    ("LAUFOAULU Lopeleto", "Robert Laufoaulu"),
    ("BELRHITI Catherina", "Catherine Belrhiti"),
    ("BOURRAT Antoinette", "Toine Bourrat"),
    ("FERNIQUE Jacques Bernard", "Jacques Fernique"),
    ("PARIGI Paul", "Paul Toussaint Parigi"),
    ("EVRARD Marie Agnès", "Marie Evrard"),
    ("YONNET-SALVATOR Evelyne", "Evelyne Yonnet"),
)
ALIASES = {words(listed): words(known) for listed, known in _SAME}


class Matricules:
    """The senators that are known by a name on a day.

    `others` are those of whom only the name is known, by matricule: a name that a member has is not theirs.
    """

    def __init__(self, members: Members, others: Mapping[str, Name], day: datetime.date) -> None:
        self._members, self._day = members, day
        known = members.names(CHAMBER)
        self._named = _by_words(known)
        self._others = _by_words({id: name for id, name in others.items() if id not in known})

    def of(self, name: str) -> str | None:
        """The matricule of a senator, None where nobody or more than one has the name.

        Of several who have it, the one who sits on the day.
        """
        keys = [words(name)]
        keys += [ALIASES[key] for key in keys if key in ALIASES]
        names = ((named, key) for named in (self._named, self._others) for key in keys)
        found = next((named[key] for named, key in names if key in named), set())
        if len(found) > 1:
            found = {id for id in found if self._members.sits_since(CHAMBER, id, self._day)}
        return next(iter(found)) if len(found) == 1 else None


def _by_words(names: Mapping[str, Name]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for id, name in names.items():
        found[words(name.full)].add(id)
        found[words(name.family, name.given)].add(id)
    return found
