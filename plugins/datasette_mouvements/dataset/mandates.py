"""Whether the mandate of a member goes on, as known mandates, the chamber's renewals and its lists tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import add_days, days_between
from parlement_lists.tracking.members.known_members import (
    DISSOLUTIONS,
    RENEWALS,
    WHOLLY_RENEWED,
)
from parlement_lists.tracking.members.spans import SAME_STAY

from .schema import MANDATES, MEMBERS_READ, TENURES

# After a renewal a list may still have the staff of members who were not elected again, for so long.
# At the Sénat the staff of the half that is renewed are off the list of that very day.
LINGERS = 31  # days
# Whose whole team is gone and whom no list names for so long has a mandate of which nobody told the end.
NAMED_WITHIN = 60  # days
# How a mandate stands after a day: it ended then; all mandates of the chamber did; nothing is known of it
# since a renewal; nothing was ever known but that lists named the member's staff; it ended on an unknown
# day after the last list that names staff.
OVER, RENEWED, UNKNOWN, FORMER = "termine", "renouvele", "inconnu", "ancien"
NOT_TOLD = "fin-inconnue"
# How a mandate stands today.
CURRENT = "en-cours"
MANDATE_STATES = (CURRENT, OVER, UNKNOWN, FORMER)


class MandateEnd(NamedTuple):
    """Up to when a mandate is known: to its last day, or to a renewal."""

    day: str
    how: str = OVER
    # Of a member of whom no mandate is known: the last list that names staff, and the renewal by which
    # every seat of the chamber was renewed after it.
    listed: str = ""
    renewed: str = ""

    @property
    def over(self) -> str:
        """The first day on which pages say nobody is known to be there: whom a list lacks from it on did not leave."""
        return add_days(self.day, 1) if self.how in (OVER, NOT_TOLD) else self.day

    @property
    def until(self) -> str:
        """The last day that is known of the mandate, which is told; of a former member that of the last list."""
        if self.how == FORMER:
            return self.listed
        # An assembly ends on the day before the next begins, or on that of its dissolution.
        next_began = self.how in (RENEWED, UNKNOWN) and self.day not in DISSOLUTIONS
        return add_days(self.day, -1) if next_began else self.day

    @property
    def known(self) -> bool:
        """Whether the mandate is known to have ended."""
        return self.how in (OVER, RENEWED)

    def on(self, day: str) -> MandateEnd | None:
        """What of it is so on a day; None while the mandate goes on."""
        if self.over > day:
            return None
        if self.renewed and self.renewed <= day:
            return self._replace(how=FORMER)
        return self


class NamedStaff(NamedTuple):
    """What the lists tell of a member: days of the stays of the staff, "" where there is none."""

    begun: str = ""  # the first day of those in progress
    former: Sequence[str] = ()  # the first days of those that ended
    latest: str = ""  # the last first day of any
    listed: str = ""  # the last list that has one


def mandate_end(
    chamber: str,
    mandates: Sequence[tuple[str, str]],
    staff: NamedStaff,
    last: str,
    read: str = "",
) -> MandateEnd | None:
    """Up to when the mandate of the day of the last list is known; None where nothing says that it ends.

    `mandates` are the known ones of the member, first and last days in order ("" for one nobody
    knows); `last` is the day of the chamber's last list, `read` the last day on which its source told who
    sits, where one is read each day. Without mandates, stays are what tells whether the member sat before
    a renewal.
    """
    since, until = _of_list(mandates, last)
    has_mandate, begun = bool(mandates), staff.begun
    afterwards = [day for day in staff.former if until and until < _lingering(day)]
    if afterwards or (until and until < _lingering(last) and begun):
        has_mandate = False  # the lists know of a later one
        begun = min(filter(None, (begun, *afterwards)))
    elif until:
        return MandateEnd(until)
    if not (has_mandate or staff.listed):
        return None
    # A source that is read each day says who sits.
    sits = bool(read) and days_between(read, last) <= NAMED_WITHIN
    vanished = bool(has_mandate and staff.listed and not (begun or sits))
    vanished = vanished and days_between(staff.listed, last) > NAMED_WITHIN
    renewals, wholly = RENEWALS[chamber], chamber in WHOLLY_RENEWED
    first = since if has_mandate else begun
    # Which half of the Sénat a seat is of, only a mandate tells that began with a renewal.
    half = renewals.index(since) % 2 if has_mandate and since in renewals and not wholly else None
    if wholly and has_mandate and since:
        # The mandate in a new assembly may begin some weeks before the first day of the assembly.
        first = add_days(since, SAME_STAY.days)
    # The first day by which a renewal is too late: staff whom a list names later, or at the Sénat that day, stay.
    settled = add_days(staff.listed, 1 if not wholly else -LINGERS) if staff.listed else ""
    for place, renewal in enumerate(renewals):
        if renewal <= first or half not in (None, place % 2):
            continue
        if vanished and renewal > add_days(staff.listed, NAMED_WITHIN):
            break  # it comes too late to be what ended the mandate
        may_linger = wholly and _lingering(last) <= renewal
        # Who had staff in a list of that day or later sat until then.
        if may_linger and (has_mandate or begun or staff.listed >= renewal):
            return MandateEnd(renewal, RENEWED)
        if staff.latest >= renewal or settled > renewal:
            continue  # lists name staff whom no mandate from before the renewal explains
        if mandates:
            return MandateEnd(renewal, UNKNOWN)
        # The renewal by which all seats were renewed; "" where no list shows who sits since.
        later = [renewal] if wholly else [day for day in renewals[place + 1 :] if day < last]
        return MandateEnd(renewal, UNKNOWN, staff.listed, later[0] if later else "")
    return MandateEnd(staff.listed, NOT_TOLD) if vanished else None


def _of_list(mandates: Sequence[tuple[str, str]], last: str) -> tuple[str, str]:
    """The mandate of the day of a list and those that follow it at once: the last one's first day, their end."""
    begun = until = ""
    for since, end in mandates:
        follows = until and since and days_between(until, since) <= SAME_STAY.days
        if since <= last or not begun or follows:
            begun, until = since, end
    return begun, until


def _lingering(day: str) -> str:
    """The earliest day of a mandate's end that a list of `day` may not show yet."""
    return add_days(day, -LINGERS)


def mandate_ends(
    db: sqlite3.Connection, chamber: str, last: str, member: str = "", today: str = ""
) -> dict[str, MandateEnd]:
    """Member -> how the mandate stands, of those whose mandate is over today, by default the day of the list.

    `last` is the day of a chamber's last list, or of an earlier one: then it is what lists told up to that day.
    Of one `member` if given.
    """
    if not last:
        return {}
    whose = {"chamber": chamber, "last": last, "member": member}
    of_member = "chambre = :chamber" + (" and elu_id = :member" if member else "")
    mandates: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for identifier, since, until in db.execute(
        f"select elu_id, debut, fin from {MANDATES} where {of_member} order by 1, 2, 3", whose
    ):
        mandates[identifier].append((since, until))
    publication = dict(db.execute("select cle, valeur from _publication"))
    read = publication.get(MEMBERS_READ + chamber, "")
    named = db.execute(
        f"""
        select elu_id, coalesce(min(case when fin is null or fin > :last then debut end), ''),
          coalesce(group_concat(case when fin <= :last then debut end), ''),
          max(debut), min(max(fin_apres), :last)
        from {TENURES} where {of_member} and debut <= :last group by 1
        """,
        whose,
    )
    ends = {}
    for identifier, begun, former, latest, listed in named:
        staff = NamedStaff(begun, former.split(",") if former else (), latest, listed)
        end = mandate_end(chamber, mandates[identifier], staff, last, read)
        if end := end and end.on(today or last):
            ends[identifier] = end
    return ends
