"""What can be known of each chamber: the days its lists reach from and to, those without any, and whom lists are owed to."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.credits import CREDITS, Credit
from parlement_lists.tracking.report import REASONS

from .connections import connect_read_only

# More days than this from one list to the next are a hole: a change found after it has no known day.
HOLE_DAYS = 10
HOLES_TOLD = 6
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
        return (_date(self.after) - _date(self.before)).days

    @property
    def since(self) -> str:
        """The first day without a list; "" where there never was one."""
        return _moved(self.before, 1)

    @property
    def until(self) -> str:
        """The last day without a list; "" where none came since."""
        return _moved(self.after, -1)

    def touches(self, since: str, until: str) -> bool:
        """Whether what changed in these days may be dated in the period, or is missing from it."""
        if not self.after:
            return not self.before or self.before < until
        # The list that ends a hole dates what changed in it; the very first list dates nothing.
        return self.before < until and (since <= self.after if self.before else since < self.after)

    def crosses(self, since: str, until: str) -> bool:
        """Whether what changed in these days may stand on the wrong side of an end of the period.

        Not where the list before them is that of the eve of the period or a later one, and the list
        after them is within it: then all that changed in them is of the period.
        """
        inside = self.before and self.after and self.since >= since and self.after <= until
        return self.touches(since, until) and not inside


class CountedPeriod(NamedTuple):
    """Some days of one chamber, both ends included, and how far lists tell what changed in them."""

    since: str
    until: str
    gap: Gap | None = None  # what keeps a figure from being given
    holes: tuple[Gap, ...] = ()  # those within: told beside each figure that is given


class Coverage(NamedTuple):
    """The lists of one chamber, as far as they tell what is known of it; "" where there is none."""

    first: str = ""  # the day of the first list that was accepted
    last: str = ""  # the day of the last one
    refused_since: str = ""  # the day of the first one after it that was refused
    holes: tuple[Gap, ...] = ()  # of more than HOLE_DAYS, in the order of days
    number: int = 0  # of lists that were accepted

    def as_json(self) -> dict[str, Any]:
        """What a run says of it to programs."""
        holes = [{**hole._asdict(), "days": hole.days} for hole in self.holes]
        return self._asdict() | {"holes": holes}

    def line(self) -> str:
        """What a run says of it to people, the latest holes only."""
        said = [f"lists from {self.first} to {self.last}"]
        said += [
            f"none between {hole.before} and {hole.after} ({hole.days} days)"
            for hole in self.holes[-HOLES_TOLD:]
        ]
        more = len(self.holes) - HOLES_TOLD
        return ", ".join(said + ([f"and {more} earlier holes (--json)"] if more > 0 else []))

    def age(self, today: datetime.date) -> int | None:
        """Days since the last list that was accepted; None without one."""
        return (today - _date(self.last)).days if self.last else None

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

    def period(self, since: str, until: str) -> CountedPeriod:
        """How far the days from `since` to `until`, both included, are known.

        A figure of them is not given when one is before the first list or after the last one, or when
        a hole crosses an end: all that changed in a hole is dated by the list that ends it, on the
        wrong side perhaps. Of several gaps it is the earliest. A hole within hides only who came and
        went in it.
        """
        gap = next((gap for gap in self.gaps if gap.crosses(since, until)), None)
        within = () if gap else tuple(hole for hole in self.holes if hole.touches(since, until))
        return CountedPeriod(since, until, gap, within)

    def up_to(self, day: str) -> Coverage:
        """The lists up to that of a day, as they were known then."""
        holes = tuple(hole for hole in self.holes if hole.after <= day)
        return Coverage(self.first, day, "", holes, self.number)

    @property
    def year(self) -> tuple[str, str]:
        """The twelve months that end with the last list: first and last day; "" without lists."""
        return _moved(year_before(self.last), 1), self.last


def covered(rows: Iterable[tuple[Any, ...]]) -> dict[str, Coverage]:
    """The coverage of every chamber by lists: rows that begin as those of the table `listes` do.

    Those are name, chamber, day, status and reason; a list that is `retenue` was accepted. One that
    a maintainer refused is no list: nobody waits for it to be looked at.
    """
    lists: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
    for name, chamber, day, status, reason, *_ in rows:
        if reason != REASONS["correction"]:
            lists[chamber].append((name, day, status != "refusee"))
    return {chamber: _coverage(lists[chamber]) for chamber in CHAMBERS}


def _coverage(lists: list[tuple[str, str, bool]]) -> Coverage:
    days = sorted({day for _, day, accepted in lists if accepted})
    # By name: `senat/2026-09-12T0146` says the time of day too.
    newest = max((name for name, _, accepted in lists if accepted), default="")
    refused = min((day for name, day, _ in lists if name > newest), default="")
    if not days:
        return Coverage(refused_since=refused)
    number = sum(accepted for _, _, accepted in lists)
    return Coverage(days[0], days[-1], refused, holes_between(days), number)


def holes_between(days: Sequence[str]) -> tuple[Gap, ...]:
    """The holes between lists of these days, which are in order."""
    gaps = (Gap(*pair) for pair in pairwise(days))
    return tuple(gap for gap in gaps if gap.days > HOLE_DAYS)


def coverage(database: Path) -> dict[str, Coverage]:
    """The coverage of every chamber by a movements file that nobody changes; sqlite3.Error if it is none."""
    with closing(connect_read_only(database, immutable=True)) as db:
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


def year_before(day: str) -> str:
    """The same day a year before; "" for ""."""
    if not day:
        return ""
    date = _date(day)
    if (date.month, date.day) == (2, 29):
        date = date.replace(day=28)
    return date.replace(year=date.year - 1).isoformat()


def _date(day: str) -> datetime.date:
    return datetime.date.fromisoformat(day)


def _moved(day: str, days: int) -> str:
    return (_date(day) + datetime.timedelta(days)).isoformat() if day else ""
