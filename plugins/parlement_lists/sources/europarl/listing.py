"""The listing of who sits for France, compared with that of the last run and with another listing."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...tracking.guard import near_renewal
from ...tracking.members.known_members import Members
from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, Original, OriginalRefused, list_some
from .meps import LIMIT, names_by_id, read_members, records

# Members who may leave from one run to the next before the other listing is asked: in the lists of
# 2019-2022, of 71 to 79 members, one left within days, and four within 15 (figure `members-left`).
FEW_LEFT = 2
# Days before one listing alone is believed in which many members are missing.
ALONE_DAYS = 7
_OFFSET = re.compile(r"(?<=[?&]offset=)[0-9]+")
GetListing = Callable[[Mapping[str, Address], Downloads], list[Original]]


def get_members(
    addresses: Mapping[str, Address], downloads: Downloads, chamber: str
) -> list[Original]:
    """The originals of a listing; FetchFailed if the other listing has many members whom it lacks."""
    other: GetListing = _get_full_list
    try:
        listed = _get_answers(addresses, downloads)
    except FetchFailed as error:
        told = f"members are read from the full list, because the API failed: {error}"
        downloads.tell_stand_in(addresses["members"].name, told)
        listed, other = _get_full_list(addresses, downloads), _get_answers
    memory, day = downloads.memory, downloads.day
    today, noted = names_by_id(read_members(listed)), memory.get("members")
    left = {} if noted is None else _without(noted["names"], today)
    if noted is None:
        _compare(today, left, other, addresses, downloads)
    else:
        for what, who in (("no longer listed", left), ("new", _without(today, noted["names"]))):
            if who:
                downloads.tell(f"{len(who)} members are {what}: {', '.join(who.values())}")
        last = datetime.date.fromisoformat(noted["day"])
        if len(left) > FEW_LEFT and not near_renewal(last, day, Members().renewals(chamber)):
            _compare(today, left, other, addresses, downloads)
    memory.pop("missing", None)
    memory["members"] = {"day": day.isoformat(), "names": dict(sorted(today.items()))}
    return listed


def _compare(
    today: Mapping[str, str],
    left: Collection[str],
    other: GetListing,
    addresses: Mapping[str, Address],
    downloads: Downloads,
) -> None:
    """Raises FetchFailed if the other listing has more than FEW_LEFT members who are missing today.

    If it cannot be had, the same members must be missing for ALONE_DAYS before they are believed to have
    left. On the first day nobody has left, and one listing is enough.
    """
    since = _missing_since(downloads.memory, sorted(left), downloads.day)
    try:
        listed = names_by_id(read_members(other(addresses, downloads)))
    except FetchFailed as error:
        days = (downloads.day - since).days
        missing = f"{len(left)} members are missing since {since}, and " if left else ""
        told = f"{missing}the other listing cannot be had: {error}"
        if left and days < ALONE_DAYS:
            raise FetchFailed(f"{told}; it is waited for during {ALONE_DAYS} days") from error
        downloads.tell(f"{told}; one listing is believed")
        return
    absent = _without(listed, today)
    if len(absent) > FEW_LEFT:
        who = list_some([*absent.values()])
        raise FetchFailed(f"{len(absent)} members are in the other listing alone: {who}")


def _missing_since(memory: dict[str, Any], ids: list[str], day: datetime.date) -> datetime.date:
    """The first day on which these members were missing; it is noted until a listing is complete."""
    if memory.get("missing", {}).get("ids") != ids:
        memory["missing"] = {"ids": ids, "since": day.isoformat()}
    return datetime.date.fromisoformat(memory["missing"]["since"])


def _without(names: Mapping[str, str], others: Collection[str]) -> dict[str, str]:
    return {id: name for id, name in names.items() if id not in others}


def _get_full_list(addresses: Mapping[str, Address], downloads: Downloads) -> list[Original]:
    def examine(original: Original) -> object:
        return read_members([original])

    return [downloads.get(addresses["full_list"], examine, attempts=3)]


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
