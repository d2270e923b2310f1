"""The matricules of the names in the PDF, by members' names, files of senators and reviewed aliases."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from ...movement import is_date, words
from ...tracking.members.known_members import Members, Name
from ..originals import MemberRecord, Original, OriginalRefused
from . import odsen, senators

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
# ODSEN_GENERAL names every senator since 1959; a senator who died this long before a list is not in it.
LISTED_AFTER = datetime.timedelta(92)
_DIED = "Date de décès"


class Matricules:
    """The senators by name, on a day.

    `others` are names of senators of whom nothing else is known, by matricule; members come first.
    """

    def __init__(self, members: Members, others: Mapping[str, Name], day: datetime.date) -> None:
        self._members, self._day = members, day
        known = members.names(CHAMBER)
        self._named = _by_words(known)
        self._others = _by_words({id: name for id, name in others.items() if id not in known})

    def find(self, name: str) -> str | None:
        """The matricule of a senator, None if nobody or more than one has the name.

        Of several who have it, the one who sits on the day.
        """
        keys = [words(name)]
        keys += [ALIASES[key] for key in keys if key in ALIASES]
        names = ((named, key) for named in (self._named, self._others) for key in keys)
        matricules = next((named[key] for named, key in names if key in named), set())
        if len(matricules) > 1:
            matricules = {
                id for id in matricules if self._members.sits_since(CHAMBER, id, self._day)
            }
        return next(iter(matricules)) if len(matricules) == 1 else None


def _by_words(names: Mapping[str, Name]) -> Mapping[str, set[str]]:
    by_words: dict[str, set[str]] = defaultdict(set)
    for id, name in names.items():
        by_words[words(name.full)].add(id)
        by_words[words(name.family, name.given)].add(id)
    return by_words


def read_names(originals: Sequence[Original], day: datetime.date) -> dict[str, Name]:
    """The names in files of senators, sitting or not, by matricule: a list of a past day needs them.

    Senators who had left before lists began, or had died, are left out if a file says so. A refused file
    names nobody; `senators.members_of` raises the reason.
    """
    found: dict[str, Name] = {}
    for original in originals:
        with suppress(OriginalRefused):
            for member in list(_read_members(original, day)):
                name = f"{member.given} {member.family}".strip(), member.family, member.given
                found[member.id] = Name(*name)
    return found


def _read_members(original: Original, day: datetime.date) -> Iterator[MemberRecord]:
    if senators.is_sitting(original):
        yield from senators.read_sitting(original, day).members
    elif odsen.is_of(original, odsen.GENERAL):
        with_deaths = (*odsen.GENERAL, _DIED)
        columns = with_deaths if odsen.is_of(original, with_deaths) else odsen.GENERAL
        for place, row in odsen.read(original, columns):
            # Some days of death have an hour, and some do not exist: those say nothing.
            died = row.get(_DIED, "")[:10]
            if not is_date(died) or died >= (day - LISTED_AFTER).isoformat():
                yield senators.of_general(place, row)
    elif odsen.is_of(original, odsen.MANDATES):
        for member in senators.read_mandates(original).values():
            if senators.sat_since_first_day(member.mandates):
                yield member
