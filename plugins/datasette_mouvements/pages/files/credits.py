"""Whom the data that are served are owed to, and up to which list."""

from __future__ import annotations

from collections.abc import Mapping

from parlement_lists.sources.credits import CREDITS, Credit

from ...dataset.coverage import Coverage


def credits(coverage: Mapping[str, Coverage]) -> list[tuple[Credit, str]]:
    """Those of the chambers that have lists, each with the day of its last list.

    The lists of an archive are those up to its last day. A file does not say whence each list came.
    """
    found = []
    for credit in CREDITS:
        days = coverage[credit.chamber]
        if days.last and (not credit.until or days.first <= credit.until):
            found.append((credit, min(days.last, credit.until or days.last)))
    return found
