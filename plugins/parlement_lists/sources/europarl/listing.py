"""Who sits for France: one listing, compared with that of the last run and with the other listing."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...tracking.guard import near_renewal
from ...tracking.members.known_members import Members
from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, MemberRecord, Original, OriginalRefused
from .meps import LIMIT, read_members, records

# So many may leave from one run to the next without the other listing being asked: in the lists of
# 2019-2022, of 73 to 79 members, one left within days, and four within fifteen.
FEW_LEFT = 2
# For so many days one listing is not believed alone, when many are missing in it.
ALONE_DAYS = 7
# Members whom a message names, of those it speaks of.
NAMED = 10
_OFFSET = re.compile(r"(?<=[?&]offset=)[0-9]+")


class ListingChange(NamedTuple):
    """Who is no longer listed, and who is anew, each `Given Family (number)` by number."""

    left: Mapping[str, str]
    come: Mapping[str, str]
    many_left: bool

    def sentences(self) -> list[str]:
        """What the report says of it."""
        return [
            f"{len(who)} members are {what}: {', '.join(who.values())}"
            for what, who in (("no longer listed", self.left), ("listed anew", self.come))
            if who
        ]


def get_members(
    addresses: Mapping[str, Address], downloads: Downloads, chamber: str
) -> list[Original]:
    """The members' list; FetchFailed where many are missing in it whom the other listing has."""

    def other() -> Sequence[MemberRecord]:
        return read_members(get_other(addresses, downloads)).members

    get_other = _get_full_list
    try:
        listed = _get_answers(addresses, downloads)
    except (FetchFailed, OriginalRefused) as error:
        downloads.tell(f"members are read from the full list, because the API failed: {error}")
        listed, get_other = _get_full_list(addresses, downloads), _get_answers
    members = read_members(listed).members
    changed = change(downloads.memory, members, downloads.day, chamber)
    if changed is None:
        _compare_first(members, other, downloads)
    else:
        for sentence in changed.sentences():
            downloads.tell(sentence)
        if changed.many_left:
            _confirm(changed, other, downloads)
    note_listed(downloads.memory, members, downloads.day)
    return listed


def change(
    memory: Mapping[str, Any], members: Sequence[MemberRecord], day: datetime.date, chamber: str
) -> ListingChange | None:
    """What changed since the listing noted last; None where none was noted."""
    if "members" not in memory:
        return None
    before, today = memory["members"]["names"], _named(members)
    left = {id: name for id, name in before.items() if id not in today}
    come = {id: name for id, name in today.items() if id not in before}
    last = datetime.date.fromisoformat(memory["members"]["day"])
    usual = not near_renewal(last, day, Members().renewals(chamber))
    return ListingChange(left, come, usual and len(left) > FEW_LEFT)


def note_listed(
    memory: dict[str, Any], members: Sequence[MemberRecord], day: datetime.date
) -> None:
    """Note a listing that is complete."""
    memory.pop("missing", None)
    memory["members"] = {"day": day.isoformat(), "names": dict(sorted(_named(members).items()))}


def _named(members: Sequence[MemberRecord]) -> dict[str, str]:
    return {member.id: f"{member.given} {member.family} ({member.id})" for member in members}


def _confirm(
    changed: ListingChange, other: Callable[[], Sequence[MemberRecord]], downloads: Downloads
) -> None:
    """Raises FetchFailed unless the other listing misses those whom the first one does.

    One that cannot be had for days leaves the first one to be believed.
    """
    since = _missing_since(downloads.memory, sorted(changed.left), downloads.day)
    what = f"{len(changed.left)} members of the last listing are missing since {since}"
    try:
        listed = {member.id for member in other()}
    except (FetchFailed, OriginalRefused) as error:
        alone = f"{what}, and the other listing cannot be had: {error}"
        if (downloads.day - since).days >= ALONE_DAYS:
            downloads.tell(f"{alone}; after {ALONE_DAYS} days they are believed to have left")
            return
        raise FetchFailed(f"{alone}; after {ALONE_DAYS} days the run goes on without it") from error
    if there := [who for id, who in changed.left.items() if id in listed]:
        raise FetchFailed(
            f"{what}, of whom the other listing has {len(there)}: {', '.join(there[:NAMED])}"
        )


def _missing_since(memory: dict[str, Any], ids: list[str], day: datetime.date) -> datetime.date:
    """Since when the same members have been missing, which is noted until a listing is complete."""
    if memory.get("missing", {}).get("ids") != ids:
        memory["missing"] = {"ids": ids, "since": day.isoformat()}
    return datetime.date.fromisoformat(memory["missing"]["since"])


def _compare_first(
    members: Sequence[MemberRecord],
    other: Callable[[], Sequence[MemberRecord]],
    downloads: Downloads,
) -> None:
    """Raises FetchFailed where the other listing has many more, and none was noted to compare with."""
    try:
        listed = other()
    except (FetchFailed, OriginalRefused) as error:
        downloads.tell(f"members are those of one listing; the other cannot be had: {error}")
        return
    more = {member.id for member in listed} - {member.id for member in members}
    if len(more) > FEW_LEFT:
        raise FetchFailed(f"the other listing has {len(more)} members more, of {len(listed)}")


def _get_full_list(addresses: Mapping[str, Address], downloads: Downloads) -> list[Original]:
    address = addresses["full_list"]
    try:
        return [downloads.get(address, lambda original: read_members([original]), attempts=3)]
    except FetchFailed as error:
        raise FetchFailed(f"{address.name}: {error}") from error


def _get_answers(addresses: Mapping[str, Address], downloads: Downloads) -> list[Original]:
    """Every answer of the API: it is asked for more while answers are full.

    Raises FetchFailed, and OriginalRefused where together they are no list of members.
    """
    address = addresses["members"]
    answers = [downloads.get(address, records, attempts=3)]
    while len(records(answers[-1])) >= LIMIT and _OFFSET.search(address.url):
        offset = len(answers) * LIMIT
        if offset >= 10 * LIMIT:
            raise OriginalRefused(f"{address.name}: more than {offset} records")
        url = _OFFSET.sub(str(offset), address.url)
        following = address._replace(name=f"members-{offset}.json", url=url)
        answers.append(downloads.get(following, records, attempts=3))
    read_members(answers)
    return answers
