"""The rows of `_mandats`, `elus`, `_appartenances` and `_groupes`: what is known of the members for whom somebody worked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import MemberKey, Members
from parlement_lists.tracking.members.spans import NO_GROUP, Span

from ..dataset.schema import GROUPS, MANDATES, MEMBERS, MEMBERSHIPS
from .standing import Row

# A chamber and the code of one of its groups.
GroupKey = tuple[str, str]


def member_tables(stays: Sequence[Tenure], members: Members) -> dict[str, list[Row]]:
    """The rows of each table in order, of the members who have a stay; of groups also those that a stay names."""
    keys = sorted({(stay.chambre, stay.elu_id) for stay in stays})
    memberships = list(_spans(keys, members.memberships))
    codes = {(stay.chambre, stay.elu_groupe) for stay in stays if stay.elu_groupe}
    codes.update((row[0], row[2]) for row in memberships if row[2] != NO_GROUP)
    return {
        MANDATES: list(_spans(keys, members.mandates)),
        MEMBERS: list(_named(keys, members)),
        MEMBERSHIPS: memberships,
        GROUPS: list(_groups(sorted(codes), members)),
    }


def _spans(keys: Iterable[MemberKey], spans_of: Callable[[str, str], list[Span]]) -> Iterator[Row]:
    """The mandates or the memberships of members, these with their group."""
    for key in keys:
        yield from sorted(
            {
                (*key, *filter(None, (span.value,)), _day(span.since), _day(span.until))
                for span in spans_of(*key)
            }
        )


def _named(keys: Iterable[MemberKey], members: Members) -> Iterator[Row]:
    for key in keys:
        name = members.name(*key)
        if name is not None and name.family:
            yield *key, name.family, name.given, members.civilities[key], members.pages.get(key)


def _groups(keys: Collection[GroupKey], members: Members) -> Iterator[Row]:
    """The groups: a full name that is not known is the code, a day that is not known is empty."""
    spans = {chamber: members.group_spans(chamber) for chamber in {chamber for chamber, _ in keys}}
    for chamber, code in keys:
        days = ["", ""]
        if memberships := spans[chamber].get(code):
            last = [span.until for span in memberships if span.until]
            days = [
                _day(min(span.since for span in memberships)),
                _day(max(last)) if len(last) == len(memberships) else "",
            ]
        name = members.group_names.get((chamber, code), code)
        yield chamber, code, name, members.group_colours.get((chamber, code), ""), *days


def _day(day: datetime.date | None) -> str:
    """A day as the tables have it; "" for one that is not known."""
    return day.isoformat() if day and day != datetime.date.min else ""
