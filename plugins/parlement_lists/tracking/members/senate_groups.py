"""The Sénat's groups: the names they had at a time, under the codes its files never change."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from .spans import Span

# A group keeps its first code: each name it had since, and from when on. Those of the renewals of 2017
# and 2020 were declared with the lists of members in the first days of October; where only the year of
# a change is certain, the name is used from the next renewal on. Les Républicains of the Sénat followed
# the party (30 May 2015) on the next Tuesday; UDI-UC was formed in 2012.
_OF_2012 = datetime.date(2012, 10, 1)
_OF_2017 = datetime.date(2017, 10, 2)
_OF_2020 = datetime.date(2020, 10, 1)
_OF_2023 = datetime.date(2023, 10, 2)
_RENAMED: dict[str, tuple[tuple[datetime.date, str], ...]] = {
    "UMP": ((datetime.date(2015, 6, 2), "LR"),),
    "SOC": ((_OF_2017, "SOCR"), (_OF_2020, "SER")),
    "CRC": ((_OF_2017, "CRCE"), (_OF_2023, "CRCE-K")),
    "LREM": ((_OF_2020, "RDPI"),),
    "RTLI": ((datetime.date.min, "LIRT"),),
    "UC": ((_OF_2012, "UDI-UC"), (_OF_2017, "UC")),
}
# What `senateurs.json` calls the groups of 2026, where no file of names is given.
FULL_NAMES = {
    "LR": "Les Républicains",
    "SER": "Socialiste, Écologiste et Républicain",
    "UC": "Union Centriste",
    "LIRT": "Les Indépendants - République et Territoires",
    "RDPI": "Rassemblement des démocrates, progressistes et indépendants",
    "CRCE-K": "Communiste Républicain Citoyen et Écologiste - Kanaky",
    "RDSE": "Rassemblement Démocratique et Social Européen",
    "GEST": "Écologiste - Solidarité et Territoires",
    "NI": "Réunion administrative des Sénateurs ne figurant sur la liste d'aucun groupe",
}


def name_on(code: str, day: datetime.date) -> str:
    """The name on a day of the group with a code."""
    name = code
    for since, renamed in _RENAMED.get(code, ()):
        if since <= day:
            name = renamed
    return name


def is_renaming(before: str, after: str) -> bool:
    """Whether the Sénat's group of one name is that of the other, earlier: nobody changed groups."""
    for code, renamings in _RENAMED.items():
        names = [code, *(name for _, name in renamings)]
        if before in names and after in names[names.index(before) + 1 :]:
            return True
    return False


def named(membership: Span) -> Iterator[Span]:
    """A membership of the group with a code, cut into the times that the group had one name."""
    code, since, until = membership.value, membership.since, membership.until
    days = [
        day for day, _ in _RENAMED.get(code, ()) if since < day and (until is None or day <= until)
    ]
    starts = [since, *days]
    ends = [*(day - datetime.timedelta(1) for day in days), until]
    for first, last in zip(starts, ends, strict=True):
        yield Span(first, last, name_on(code, first))
