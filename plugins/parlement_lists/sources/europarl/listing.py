"""Who is listed: the members of the last run's listing beside today's, so that a short one is noticed."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ...tracking.guard import near_renewal
from ...tracking.members.known_members import Members
from ..source import MemberRead

# So many may leave from one run to the next without the other listing being asked: in the lists of
# 2019-2022, of 73 to 79 members, one left within days, and four within fifteen.
FEW_LEFT = 2
# For so many days one listing is not believed alone, when many are missing in it.
ALONE_DAYS = 7
_KEY = "members"
_MISSING = "missing"


class Change(NamedTuple):
    """Who is no longer listed, and who is anew, each `Given Family (number)` by number."""

    left: Mapping[str, str]
    come: Mapping[str, str]
    many_left: bool

    def told(self) -> list[str]:
        """What the report says of it."""
        return [
            f"{len(who)} members are {what}: {', '.join(who.values())}"
            for what, who in (("no longer listed", self.left), ("listed anew", self.come))
            if who
        ]


def change(
    memory: Mapping[str, Any], members: Iterable[MemberRead], day: datetime.date, chamber: str
) -> Change:
    """What changed since the listing noted last; nothing where none was."""
    noted, today = _noted(memory), _named(members)
    if noted is None:
        return Change({}, {}, False)
    last, known = noted
    left = {id: name for id, name in known.items() if id not in today}
    come = {id: name for id, name in today.items() if id not in known}
    usual = not near_renewal(last, day, Members().renewals(chamber))
    return Change(left, come, usual and len(left) > FEW_LEFT)


def is_first(memory: Mapping[str, Any]) -> bool:
    """Whether no listing was noted."""
    return _noted(memory) is None


def missing_since(memory: dict[str, Any], left: Iterable[str], day: datetime.date) -> datetime.date:
    """Since when the same members have been missing, which is noted until a listing is complete."""
    ids, since = sorted(left), day
    match memory.get(_MISSING):
        case {"ids": list(noted), "since": str(text)} if noted == ids:
            with suppress(ValueError):
                since = min(day, datetime.date.fromisoformat(text))
    memory[_MISSING] = {"ids": ids, "since": since.isoformat()}
    return since


def note_listed(memory: dict[str, Any], members: Iterable[MemberRead], day: datetime.date) -> None:
    """Note a listing that is complete."""
    memory.pop(_MISSING, None)
    memory[_KEY] = {"day": day.isoformat(), "names": dict(sorted(_named(members).items()))}


def _named(members: Iterable[MemberRead]) -> dict[str, str]:
    return {one.id: f"{one.given} {one.family} ({one.id})" for one in members}


def _noted(memory: Mapping[str, Any]) -> tuple[datetime.date, dict[str, str]] | None:
    """The listing noted last and its day, None where it is nothing of the kind."""
    match memory.get(_KEY):
        case {"day": str(text), "names": dict(names)}:
            try:
                day = datetime.date.fromisoformat(text)
            except ValueError:
                return None
            return day, {str(id): str(name) for id, name in names.items()}
    return None
