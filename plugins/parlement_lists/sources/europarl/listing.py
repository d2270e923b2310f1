"""The listing of who sits for France, compared with the other listing where that can be had."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...movement import seats_on
from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, Original, OriginalRefused, list_some
from .meps import LIMIT, names_by_id, read_members, records

# Members whom one listing may have before the other: in the lists of 2019-2022, of 71 to 79 members, one left
# within days, and four within 15.
FEW_LEFT = 2
CHAMBER = "europarl"
_OFFSET = re.compile(r"(?<=[?&]offset=)[0-9]+")


def get_members(addresses: Mapping[str, Address], downloads: Downloads) -> list[Original]:
    """The answers of the API; FetchFailed if they lack many members: whom they lack would be taken for gone.

    The full list says how many; where it cannot be had, the number of seats does.
    """
    answers = _get_answers(addresses, downloads)
    listed = names_by_id(read_members(answers))
    try:
        full_list = downloads.get(
            addresses["full_list"], lambda original: read_members([original]), attempts=3
        )
    except FetchFailed as error:
        told = f"the full list cannot be had, and members are not compared: {error}"
        seats = seats_on(CHAMBER, downloads.day)
        if len(listed) < seats - FEW_LEFT:
            raise FetchFailed(f"{len(listed)} members for {seats} seats; {told}") from error
        downloads.tell(told)
        return answers
    others = names_by_id(read_members([full_list]))
    absent = [name for id, name in others.items() if id not in listed]
    if len(absent) > FEW_LEFT:
        raise FetchFailed(f"{len(absent)} members are in the full list alone: {list_some(absent)}")
    return answers


def _get_answers(addresses: Mapping[str, Address], downloads: Downloads) -> list[Original]:
    """Every answer of the API: the next one is asked for while answers are full.

    Raises FetchFailed, also if together they are no list of members.
    """
    address = addresses["members"]
    answers = [downloads.get(address, records, attempts=3)]
    while len(records(answers[-1])) >= LIMIT and _OFFSET.search(address.url):
        offset = len(answers) * LIMIT
        if offset >= 10 * LIMIT:
            raise FetchFailed(f"{address.name}: more than {offset} records")
        url = _OFFSET.sub(str(offset), address.url)
        following = address._replace(name=f"members-{offset}.json", url=url)
        answers.append(downloads.get(following, records, attempts=3))
    try:
        read_members(answers)
    except OriginalRefused as error:
        raise FetchFailed(str(error)) from error
    return answers
