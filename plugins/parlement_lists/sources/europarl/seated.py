"""Who sits for France: the members of one listing, compared with the last one and with the other listing."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence

from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, MemberRead, Original, OriginalRefused
from .listing import (
    ALONE_DAYS,
    FEW_LEFT,
    Change,
    change,
    is_first,
    missing_since,
    note_listed,
)
from .meps import LIMIT, read_members, records

Addresses = Mapping[str, Address]
# Members whom a message names, of those it speaks of.
NAMED = 10
_OFFSET = re.compile(r"(?<=[?&]offset=)[0-9]+")


def get_members(addresses: Addresses, downloads: Downloads, chamber: str) -> list[Original]:
    """The members' list; FetchFailed where many are missing in it whom the other listing has."""
    other = _get_full_list
    try:
        listed = _get_answers(addresses, downloads)
    except (FetchFailed, OriginalRefused) as error:
        downloads.tell(f"members are read from the full list, because the API failed: {error}")
        listed, other = _get_full_list(addresses, downloads), _get_answers
    members = read_members(listed).members
    changed = change(downloads.memory, members, downloads.day, chamber)
    for sentence in changed.told():
        downloads.tell(sentence)
    if changed.many_left:
        _confirm(changed, functools.partial(other, addresses), downloads)
    elif is_first(downloads.memory):
        _compare_first(members, functools.partial(other, addresses), downloads)
    note_listed(downloads.memory, members, downloads.day)
    return listed


def _confirm(
    changed: Change,
    other: Callable[[Downloads], list[Original]],
    downloads: Downloads,
) -> None:
    """Raises FetchFailed unless the other listing misses those whom the first one does.

    One that cannot be had for days leaves the first one to be believed.
    """
    since = missing_since(downloads.memory, changed.left, downloads.day)
    what = f"{len(changed.left)} members of the last listing are missing since {since}"
    try:
        listed = {member.id for member in read_members(other(downloads)).members}
    except (FetchFailed, OriginalRefused) as error:
        alone = f"{what}, and the other listing cannot be had: {error}"
        if (downloads.day - since).days >= ALONE_DAYS:
            downloads.tell(f"{alone}; after {ALONE_DAYS} days they are believed to have left")
            return
        raise FetchFailed(f"{alone}; after {ALONE_DAYS} days it is done without") from error
    if there := [who for id, who in changed.left.items() if id in listed]:
        raise FetchFailed(
            f"{what}, of whom the other listing has {len(there)}: {', '.join(there[:NAMED])}"
        )


def _compare_first(
    members: Sequence[MemberRead],
    other: Callable[[Downloads], list[Original]],
    downloads: Downloads,
) -> None:
    """Raises FetchFailed where the other listing has many more, and none was noted to compare with."""
    try:
        listed = read_members(other(downloads)).members
    except (FetchFailed, OriginalRefused) as error:
        downloads.tell(f"members are those of one listing; the other cannot be had: {error}")
        return
    more = {member.id for member in listed} - {member.id for member in members}
    if len(more) > FEW_LEFT:
        raise FetchFailed(f"the other listing has {len(more)} members more, of {len(listed)}")


def _get_full_list(addresses: Addresses, downloads: Downloads) -> list[Original]:
    address = addresses["full_list"]
    try:
        return [downloads.get(address, examine=lambda one: read_members([one]), attempts=3)]
    except FetchFailed as error:
        raise FetchFailed(f"{address.name}: {error}") from error


def _get_answers(addresses: Addresses, downloads: Downloads) -> list[Original]:
    """Every answer of the API: it is asked for more while answers are full.

    Raises FetchFailed, and OriginalRefused where together they are no list of members.
    """
    address = addresses["members"]
    answers = [downloads.get(address, examine=records, attempts=3)]
    while len(records(answers[-1])) >= LIMIT and _OFFSET.search(address.url):
        offset = len(answers) * LIMIT
        if offset >= 10 * LIMIT:
            raise OriginalRefused(f"{address.name}: more than {offset} records")
        url = _OFFSET.sub(str(offset), address.url)
        name = f"members-{offset}.json"
        answers.append(
            downloads.get(address._replace(name=name, url=url), examine=records, attempts=3)
        )
    read_members(answers)
    return answers
