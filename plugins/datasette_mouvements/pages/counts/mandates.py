"""Whether the mandate of a team that a list shows goes on."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from parlement_lists.tracking.members.known_members import RENEWALS
from parlement_lists.tracking.members.spans import SAME_STAY

# At the Sénat a renewal ends the mandates of one half; whose is not known without them.
WHOLLY_RENEWED = ("assemblee", "europarl")
# For so long after a renewal a list may still have the staff of those who were not elected again.
LINGERS = datetime.timedelta(31)


class End(NamedTuple):
    """The last day of a mandate, or the renewal at which all mandates of the chamber ended."""

    day: str
    renewal: bool = False

    @property
    def over(self) -> str:
        """The first day on which nobody is said to be there."""
        return self.day if self.renewal else (_date(self.day) + datetime.timedelta(1)).isoformat()


def mandate_end(
    chamber: str,
    mandates: Sequence[tuple[str, str]],
    begun: str,
    last: str,
    today: datetime.date,
    former: Iterable[str] = (),
) -> End | None:
    """How the mandate of the day of the last list ended before `today`; None when it goes on, as far as is known.

    `mandates` are the known ones of the member, first and last days in order ("" for one nobody
    knows); `begun` the first day of the stays in progress, "" where there is none; `former` the first
    days of those that ended. Without mandates, stays are what tells whether the member sat before
    the chamber's latest renewal.
    """
    earliest = _lingering(last)
    since, until = _of_list(mandates, last)
    known = bool(mandates)
    afterwards = [day for day in former if until and until < _lingering(day)]
    if afterwards or (until and until < earliest and begun):
        known = False  # the lists know of a later one
        begun = min(filter(None, (begun, *afterwards)))
    elif until and until < today.isoformat():
        return End(until)
    if not known:
        since = begun or "9999-12-31"
    elif since:
        # That of the new assembly may have begun some weeks before its first day.
        since = (_date(since) + SAME_STAY).isoformat()
    for renewal in RENEWALS[chamber] if chamber in WHOLLY_RENEWED else ():
        if since < renewal and earliest <= renewal <= today.isoformat():
            return End(renewal, renewal=True)
    return None


def _of_list(mandates: Sequence[tuple[str, str]], last: str) -> tuple[str, str]:
    """The mandate of the day of a list and those that follow it at once: the last one's first day, their end."""
    begun = until = ""
    for since, end in mandates:
        follows = until and since and _days(until, since) <= SAME_STAY
        if since <= last or not begun or follows:
            begun, until = since, end
    return begun, until


def _lingering(day: str) -> str:
    """The first of the days whose end of mandate a list of `day` may not show yet."""
    return (_date(day) - LINGERS).isoformat()


def _days(since: str, until: str) -> datetime.timedelta:
    return _date(until) - _date(since)


def _date(day: str) -> datetime.date:
    return datetime.date.fromisoformat(day)
