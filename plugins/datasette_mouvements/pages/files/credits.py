"""Whom the data that are served are owed to: who publishes their lists, who archived them, under what licence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from parlement_lists.sources.archived import ARCHIVES
from parlement_lists.sources.chambers import OWN_SOURCES
from parlement_lists.sources.source import Credit

from ...dataset.coverage import Coverage


class Credited(NamedTuple):
    """One source of a chamber's lists."""

    chamber: str
    source: str
    licence: str
    address: str
    last: str  # the day of the last list of it


def credits(coverage: Mapping[str, Coverage]) -> list[Credited]:
    """The sources of the lists of each chamber that has any, the chamber itself first.

    The lists of an archive are those up to its last day. A file does not say whence each list came.
    """
    found = []
    for source in OWN_SOURCES:
        known = coverage[source.chamber]
        if known.last and source.credit:
            found.append(_credited(source.chamber, source.credit, known.last))
        found += [
            _credited(archive.chamber, archive.credit, min(known.last, archive.until))
            for archive in ARCHIVES
            if archive.chamber == source.chamber and known.first and known.first <= archive.until
        ]
    return found


def _credited(chamber: str, credit: Credit, last: str) -> Credited:
    return Credited(chamber, *credit, last)
