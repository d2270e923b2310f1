"""Whom lists are owed to: the chambers, which publish them, and those who kept archives of them."""

from __future__ import annotations

from typing import NamedTuple


class Credit(NamedTuple):
    """Who publishes lists, under what licence, and where that is told."""

    publisher: str
    licence: str
    address: str


class ListArchive(NamedTuple):
    """What somebody kept of the lists of one chamber, up to the day of the last one."""

    chamber: str
    credit: Credit
    until: str


CHAMBER_CREDITS = {
    "assemblee": Credit(
        "Assemblée nationale", "Licence Ouverte 2.0", "https://data.assemblee-nationale.fr/"
    ),
    "senat": Credit("Sénat", "Licence Ouverte 2.0", "https://data.senat.fr/"),
    "europarl": Credit(
        "Parlement européen",
        "réutilisation autorisée, source citée",
        "https://www.europarl.europa.eu/legal-notice/fr/",
    ),
}
_ODBL = "ODbL 1.0"
_REGARDS_CITOYENS = Credit(
    "Regards Citoyens", _ODBL, "https://github.com/regardscitoyens/Collaborateurs-Parlement"
)
ARCHIVES = (
    ListArchive("assemblee", _REGARDS_CITOYENS, "2024-06-12"),
    ListArchive("senat", _REGARDS_CITOYENS, "2023-10-31"),
    ListArchive("europarl", Credit("Parltrack", _ODBL, "https://parltrack.org/"), "2024-04-30"),
)
