"""What can be known of each chamber: the days its lists reach from and to, those without any, and whom lists are owed to."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import add_days, days_between
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.credits import CREDITS, Credit
from parlement_lists.tracking.report import REASONS

# More days than this from one list to the next are a hole: a change found after it has no known day.
HOLE_DAYS = 10
# The words by which programs know invented data; whatever is marked begins with them.
MARK = "Données inventées"
NOTE = f"{MARK} : ces personnes n’existent pas."


class Gap(NamedTuple):
    """Days without a list: those between two lists, or all on the side where none stands ("")."""

    before: str  # the day of the last list before them
    after: str  # the day of the first list after them

    @property
    def days(self) -> int:
        """Days from the one list to the other, both of which must be there."""
        return days_between(self.before, self.after)

    @property
    def since(self) -> str:
        """The first day without a list; "" where there never was one."""
        return self.before and add_days(self.before, 1)

    @property
    def until(self) -> str:
        """The last day without a list; "" where none came since."""
        return self.after and add_days(self.after, -1)

    def crosses(self, since: str, until: str) -> bool:
        """Whether what changed in these days may stand on the wrong side of an end of the period.

        All that changed in a hole is dated by the list that ends it. So not where the list before it is
        that of the eve of the period or a later one, and the list after it is within the period.
        """
        if not self.after:
            return not self.before or self.before < until
        if not self.before:
            return since < self.after  # the very first list dates nothing
        within = self.since >= since and self.after <= until
        return self.before < until and since <= self.after and not within


class Coverage(NamedTuple):
    """The lists of one chamber, as far as they tell what is known of it; "" where there is none."""

    first: str = ""  # the day of the first list that was accepted
    last: str = ""  # the day of the last one
    refused_since: str = ""  # the day of the first one after it that was refused
    holes: tuple[Gap, ...] = ()  # of more than HOLE_DAYS, in the order of days
    number: int = 0  # of lists that were accepted

    def age(self, today: datetime.date) -> int | None:
        """Days since the last list that was accepted; None without one."""
        return days_between(self.last, today.isoformat()) if self.last else None

    def late(self, today: datetime.date, most_days: int) -> bool:
        """Whether that list is older than `most_days`; a file made without lists is never late."""
        age = self.age(today)
        return age is not None and age > most_days

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """All that is not known: before the first list, the holes, after the last list."""
        if not self.last:
            return (Gap("", ""),)
        return (Gap("", self.first), *self.holes, Gap(self.last, ""))

    def gap_across(self, since: str, until: str) -> Gap | None:
        """The first gap that keeps a figure of the days from `since` to `until`, both included, from being given."""
        return next((gap for gap in self.gaps if gap.crosses(since, until)), None)

    def up_to(self, day: str) -> Coverage:
        """The lists up to that of a day, as they were known then."""
        holes = tuple(hole for hole in self.holes if hole.after <= day)
        return Coverage(self.first, day, "", holes, self.number)

    @property
    def year(self) -> tuple[str, str]:
        """The twelve months that end with the last list: first and last day; "" without lists."""
        if not self.last:
            return "", ""
        last = datetime.date.fromisoformat(self.last)
        leap_day = (last.month, last.day) == (2, 29)
        before = last.replace(year=last.year - 1, day=28 if leap_day else last.day)
        return add_days(before.isoformat(), 1), self.last


def covered(rows: Iterable[tuple[Any, ...]]) -> dict[str, Coverage]:
    """The coverage of every chamber by lists: rows that begin as those of the table `listes` do.

    Those are name, chamber, day, status and reason; a list that is `retenue` was accepted. One that
    a maintainer refused is no list: nobody waits for it to be looked at.
    """
    accepted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    refused: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, chamber, day, status, reason, *_ in rows:
        if reason != REASONS["correction"]:
            (refused if status == "refusee" else accepted)[chamber].append((name, day))
    coverages = {}
    for chamber in CHAMBERS:
        # By name: `senat/2026-09-12T0146` says the time of day too.
        newest = max(accepted[chamber], default=("", ""))
        since = min((day for name, day in refused[chamber] if name > newest[0]), default="")
        days = sorted({day for _, day in accepted[chamber]})
        gaps = (Gap(*pair) for pair in pairwise(days))
        holes = tuple(gap for gap in gaps if gap.days > HOLE_DAYS)
        first, last = (days[0], days[-1]) if days else ("", "")
        coverages[chamber] = Coverage(first, last, since, holes, len(accepted[chamber]))
    return coverages


def coverage(db: sqlite3.Connection) -> dict[str, Coverage]:
    """The coverage of every chamber by a movements file; sqlite3.Error if it is none."""
    return covered(db.execute("select nom, chambre, date, statut, motif from listes"))


def marked(text: str) -> str:
    """A text that begins with the mark of invented data."""
    return f"{NOTE} {text}"


def credits(coverage: Mapping[str, Coverage]) -> list[tuple[Credit, str]]:
    """The sources of the chambers that have lists, each with the day of its last list.

    The lists of an archive are those up to its last day. A file does not say whence each list came.
    """
    sources = []
    for credit in CREDITS:
        days = coverage[credit.chamber]
        if days.last and (not credit.until or days.first <= credit.until):
            sources.append((credit, min(days.last, credit.until or days.last)))
    return sources


def with_credits(text: str, coverage: Mapping[str, Coverage]) -> str:
    """A text, followed by the sources of the lists, each with its licence; the text alone where there are no lists.

    Their days are left out: they change every morning, and every ETag would change with them.
    """
    chambers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for credit, _ in credits(coverage):
        chambers[credit.publisher, credit.licence].append(MEANINGS[credit.chamber])
    if not chambers:
        return text
    sources = " ; ".join(
        f"{publisher}, {licence}"
        if names == [publisher]
        else f"{publisher} ({', '.join(names)}), {licence}"
        for (publisher, licence), names in chambers.items()
    )
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'} Listes : {sources}"
