"""The rows of `_mandats`, `_elus`, `_appartenances` and `_groupes`: what is known of the members for whom somebody worked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set

from parlement_lists.tracking.members.known_members import MemberKey, Members
from parlement_lists.tracking.members.spans import NO_GROUP, Span

from ..dataset.schema import GROUPS, MANDATES, MEMBERS, MEMBERSHIPS
from .published import Row

# A chamber and the code of one of its groups.
GroupKey = tuple[str, str]


def member_tables(
    employers: Set[tuple[MemberKey, str]],
    members: Members,
    before: Mapping[str, Iterable[Row]],
) -> dict[str, list[Row]]:
    """The rows of each table in order: of members that `members` does not know, those of `before`.

    `employers` are members with a group that a stay names; the groups of the members come to them.
    """
    keys = sorted({key for key, _ in employers})
    memberships = list(_spans(keys, members.memberships, _of_member(before[MEMBERSHIPS])))
    codes = {(chamber, group) for (chamber, _), group in employers if group}
    codes.update((row[0], row[2]) for row in memberships if row[2] != NO_GROUP)
    return {
        MANDATES: list(_spans(keys, members.mandates, _of_member(before[MANDATES]))),
        MEMBERS: list(_named(keys, members, _of_member(before[MEMBERS]))),
        MEMBERSHIPS: memberships,
        GROUPS: list(_groups(sorted(codes), members, _of_member(before[GROUPS]))),
    }


def _of_member(rows: Iterable[Row]) -> dict[MemberKey, list[Row]]:
    """Rows by their first two columns, which name a member, or a group."""
    found: dict[MemberKey, list[Row]] = {}
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    return found


def _spans(
    keys: Iterable[MemberKey],
    spans_of: Callable[[str, str], list[Span]],
    before: Mapping[MemberKey, list[Row]],
) -> Iterator[Row]:
    """The mandates or the memberships of members, these with their group."""
    for key in keys:
        known = {
            (*key, *filter(None, (span.value,)), _day(span.since), _day(span.until))
            for span in spans_of(*key)
        }
        yield from sorted(known or before.get(key, []))


def _named(
    keys: Iterable[MemberKey], members: Members, before: Mapping[MemberKey, list[Row]]
) -> Iterator[Row]:
    for key in keys:
        name = members.name(*key)
        if name is None or not name.family:
            yield from before.get(key, [])
        else:
            page = members.page(*key) or None
            yield *key, name.family, name.given, members.civility(*key), page


def _groups(
    keys: Collection[GroupKey], members: Members, before: Mapping[GroupKey, list[Row]]
) -> Iterator[Row]:
    """The groups: a full name that is not known is the code, a day that is not known is empty."""
    spans = {chamber: members.group_spans(chamber) for chamber in {chamber for chamber, _ in keys}}
    for chamber, code in keys:
        _, _, name, colour, *days = next(
            iter(before.get((chamber, code), [])), ("", "", code, "", "", "")
        )
        told = members.group_name(chamber, code)
        if found := spans[chamber].get(code):
            last = [span.until for span in found if span.until]
            days = [
                _day(min(span.since for span in found)),
                _day(max(last)) if len(last) == len(found) else "",
            ]
        colour = members.group_colour(chamber, code) or colour
        yield chamber, code, told if told != code else name, colour, *days


def _day(day: datetime.date | None) -> str:
    """A day as the tables have it; "" for one that is not known."""
    return day.isoformat() if day and day != datetime.date.min else ""
