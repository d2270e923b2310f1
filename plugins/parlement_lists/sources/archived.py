"""The archives of lists that a service may be built from: whom each is owed to."""

from __future__ import annotations

from typing import NamedTuple

from .source import Credit

_ODBL = "ODbL 1.0"
_REGARDS_CITOYENS = Credit(
    "Regards Citoyens", _ODBL, "https://github.com/regardscitoyens/Collaborateurs-Parlement"
)


class Archive(NamedTuple):
    """What somebody kept of the lists of one chamber, up to the day of the last one."""

    chamber: str
    credit: Credit
    until: str


ARCHIVES = (
    Archive("assemblee", _REGARDS_CITOYENS, "2024-06-12"),
    Archive("senat", _REGARDS_CITOYENS, "2023-10-31"),
    Archive("europarl", Credit("Parltrack", _ODBL, "https://parltrack.org/"), "2024-04-30"),
)
