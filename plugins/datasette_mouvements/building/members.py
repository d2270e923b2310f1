"""The rows of `_mandats`, `elus`, `_appartenances` and `_groupes`: what is known of the members for whom somebody worked."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.spans import NO_GROUP

from ..dataset.schema import GROUPS, MANDATES, MEMBERS, MEMBERSHIPS
from .standing import Row


def member_tables(stays: Sequence[Tenure], members: Members) -> dict[str, list[Row]]:
    """The rows of each table in order, of the members who have a stay; of groups also those that a stay names.

    A full name of a group that is not known is the code, a day that is not known is empty.
    """
    keys = sorted({(stay.chambre, stay.elu_id) for stay in stays})
    named: list[Row] = []
    mandates: set[Row] = set()
    memberships: set[Row] = set()
    for key in keys:
        full = members.name(*key)
        if full is not None and full.family:
            page = members.page(*key) or None
            named.append((*key, full.family, full.given, members.civility(*key), page))
        mandates |= {(*key, _day(span.since), _day(span.until)) for span in members.mandates(*key)}
        memberships |= {
            (*key, span.value, _day(span.since), _day(span.until))
            for span in members.memberships(*key)
        }
    codes = {(stay.chambre, stay.elu_groupe) for stay in stays if stay.elu_groupe}
    codes |= {(row[0], row[2]) for row in memberships if row[2] != NO_GROUP}
    spans = {chamber: members.group_spans(chamber) for chamber, _ in codes}
    groups = []
    for chamber, code in sorted(codes):
        of_group = spans[chamber].get(code, [])
        first = min((span.since for span in of_group), default=None)
        ends = [span.until for span in of_group if span.until]
        last = max(ends, default=None) if len(ends) == len(of_group) else None
        name, colour = members.group_name(chamber, code), members.group_colour(chamber, code)
        groups.append((chamber, code, name, colour, _day(first), _day(last)))
    return {
        MANDATES: sorted(mandates),
        MEMBERS: named,
        MEMBERSHIPS: sorted(memberships),
        GROUPS: groups,
    }


def _day(day: datetime.date | None) -> str:
    """A day as the tables have it; "" for one that is not known."""
    return day.isoformat() if day and day != datetime.date.min else ""
