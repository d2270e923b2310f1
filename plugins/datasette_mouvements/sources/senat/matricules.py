"""Which senator a name in the PDF is: the members' names, then reviewed aliases."""

from __future__ import annotations

import datetime
from collections import defaultdict

from ...movement import words
from ...tracking.members import Members

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
)
ALIASES = {words(listed): words(known) for listed, known in _SAME}


class Matricules:
    """The senators that are known by a name on a day."""

    def __init__(self, members: Members, day: datetime.date) -> None:
        self._members, self._day = members, day
        self._named: dict[str, set[str]] = defaultdict(set)
        for id, name in members.names(CHAMBER).items():
            self._named[words(name.full)].add(id)
            self._named[words(name.family, name.given)].add(id)

    def of(self, name: str) -> str | None:
        """The matricule of a senator, None where nobody or more than one has the name.

        Of several who have it, the one who sits on the day.
        """
        key = words(name)
        found = self._named.get(key) or self._named.get(ALIASES.get(key, ""), set())
        if len(found) > 1:
            found = {id for id in found if self._members.sits_since(CHAMBER, id, self._day)}
        return next(iter(found)) if len(found) == 1 else None
