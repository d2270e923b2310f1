"""Whom lists are owed to: who publishes or archived those of each chamber, and under what licence."""

from __future__ import annotations

from typing import NamedTuple


class Credit(NamedTuple):
    """One publisher of a chamber's lists."""

    chamber: str
    publisher: str
    licence: str
    address: str  # where the licence or the lists are found
    until: str = ""  # the day of the last list of an archive; "" of the chamber itself


_ODBL = "ODbL 1.0"
_REGARDS_CITOYENS = (
    "Regards Citoyens",
    _ODBL,
    "https://github.com/regardscitoyens/Collaborateurs-Parlement",
)
# The chamber itself first.
CREDITS = (
    Credit(
        "assemblee",
        "Assemblée nationale",
        "Licence Ouverte 2.0",
        "https://data.assemblee-nationale.fr/",
    ),
    Credit("assemblee", *_REGARDS_CITOYENS, "2024-06-12"),
    Credit("senat", "Sénat", "Licence Ouverte 2.0", "https://data.senat.fr/"),
    Credit("senat", *_REGARDS_CITOYENS, "2023-10-31"),
    Credit(
        "europarl",
        "Parlement européen",
        "réutilisation autorisée, source citée",
        "https://www.europarl.europa.eu/legal-notice/fr/",
    ),
    Credit("europarl", "Parltrack", _ODBL, "https://parltrack.org/", "2024-04-30"),
)
