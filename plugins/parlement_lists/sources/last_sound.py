"""The newest list that those around it bear out: rows are carried from it, never from one that was wrong."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..regular_file import read_bytes
from ..tracking.guard import examine
from ..tracking.reading.list_file import parse_path
from ..tracking.reading.lists import List, ListRefused, Reader

# So many lists, of the last days on which something changed, are compared.
LOOK_BACK = 8


def last_sound(paths: Sequence[Path], renewals: Sequence[datetime.date]) -> List | None:
    """The last list of the longest row of lists that tracking refuses none of beside the one before.

    `paths` are a chamber's lists in order of time. What tracking accepted is not known where lists
    are fetched, and the newest one may be refused; comparing with the one before it alone would take
    the right list that follows a wrong one for wrong, too. The wrong ones are the fewer. Of rows as
    long, the older one. None where no list can be read.
    """
    lists = list(_lists(paths[-LOOK_BACK:]))
    length: list[int] = []
    for index, list_ in enumerate(lists):
        borne_out = (
            length[earlier] for earlier in range(index) if _agree(lists[earlier], list_, renewals)
        )
        length.append(1 + max(borne_out, default=0))
    return lists[length.index(max(length))] if lists else None


def _lists(paths: Sequence[Path]) -> Iterator[List]:
    """The lists that are right by themselves; one that is the last one again is the same, on a later day."""
    reader = Reader()
    found: List | None = None
    for path in paths:
        place = parse_path(f"{path.parent.name}/{path.name}")
        try:
            data = read_bytes(path, follow=False)
            if place is None:
                continue
            list_ = reader.read(data, place[0], place[1], path.stem)
            examine(list_, None)
        except (OSError, ListRefused):
            continue
        if found is not None and found.digest != list_.digest:
            yield found
        found = list_
    if found is not None:
        yield found


def _agree(before: List, list_: List, renewals: Sequence[datetime.date]) -> bool:
    try:
        examine(list_, before, renewals)
    except ListRefused:
        return False
    return True
