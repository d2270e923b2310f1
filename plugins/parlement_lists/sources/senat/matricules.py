"""The matricules of the names in the PDF, by members' names, files of senators and reviewed aliases."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from ...movement import words
from ...tracking.members.known_members import Members, Name
from ..originals import MemberRecord, Original, OriginalRefused
from . import senators

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


def find(
    names: Iterable[str], members: Members, others: Mapping[str, Name], day: datetime.date
) -> dict[str, str | None]:
    """The matricule of each name, None if nobody or more than one has it.

    Of several who have it, it is the one's who sits on the day. `others` are names of senators of whom
    nothing else is known, by matricule; members come first.
    """
    known = members.names(senators.CHAMBER)
    unknown = {id: name for id, name in others.items() if id not in known}
    tables = [_by_words(known), _by_words(unknown)]
    matched = {}
    for name in names:
        key = words(name)
        keys = (key, ALIASES.get(key, key))
        ids = next((table[k] for table in tables for k in keys if k in table), set())
        if len(ids) > 1:
            ids = {id for id in ids if members.sits_since(senators.CHAMBER, id, day)}
        matched[name] = min(ids) if len(ids) == 1 else None
    # If two names lead to one senator, nobody can say whose staff is whose.
    times = Counter(matched.values())
    return {name: id if times[id] == 1 else None for name, id in matched.items()}


def _by_words(names: Mapping[str, Name]) -> Mapping[str, set[str]]:
    by_words: dict[str, set[str]] = defaultdict(set)
    for id, name in names.items():
        by_words[words(name.full)].add(id)
        by_words[words(name.family, name.given)].add(id)
    return by_words


def read_names(originals: Sequence[Original], day: datetime.date) -> dict[str, Name]:
    """The names in files of senators, sitting or not, by matricule: a list of a past day needs them.

    Senators who had left before lists began are left out. A refused file names nobody;
    `senators.members_of` raises the reason.
    """
    names: dict[str, Name] = {}
    for original in originals:
        listed: list[MemberRecord] = []
        with suppress(OriginalRefused):
            kind = senators.kind_of(original)
            if kind is senators.SITTING:
                listed = [*senators.read_sitting(original, day).members]
            elif kind is senators.MANDATES:
                every = senators.read_mandates(original).values()
                listed = [each for each in every if senators.sat_since_first_day(each.mandates)]
        for member in listed:
            full = f"{member.given} {member.family}".strip()
            names[member.id] = Name(full, member.family, member.given)
    return names
