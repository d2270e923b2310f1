"""A chamber's earlier lists: they say whom a new one lacks, whom nobody knows, and whether it is too small."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from ...regular_file import read_bytes
from ...tracking.guard import examine
from ...tracking.members.known_members import Members, Name
from ...tracking.reading.list_file import parse_path
from ...tracking.reading.lists import List, ListRefused, Reader
from ..kept_list import to_rows
from ..source import Original, OriginalRefused, Source, StaffList, StaffRow, list_some

# Number of lists that are compared, of the last days on which something changed: more than a wrong original lasts.
LOOK_BACK = 24


class EarlierLists:
    """The lists of a chamber before a new one, as files in order of time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    @cached_property
    def last_rows(self) -> Sequence[StaffRow]:
        """The rows of the newest list that can be read."""
        newest = next(_readable(reversed(self._paths)), None)
        return to_rows(newest) if newest else ()

    def sound_rows(self, renewals: Sequence[datetime.date]) -> Sequence[StaffRow]:
        """The rows of the last list that the guard accepts after those before; none where none can be read."""
        sound = _last_sound(self._paths, renewals)
        return to_rows(sound) if sound else ()

    def read_with(
        self,
        source: Source,
        originals: Sequence[Original],
        members: Members,
        day: datetime.date | None,
    ) -> StaffList:
        """The list that `source.read` makes; raises OriginalRefused.

        A member who is in the newest list and not in the members' files is known by name, because
        nobody leaves a member whom the files lack. Somebody whom nobody knows is new, unless a member of
        that list is missing: it may be another spelling of the name.
        """
        names = {
            row.elu_id: Name(f"{row.elu_prenom} {row.elu_nom}".strip(), row.elu_nom, row.elu_prenom)
            for row in self.last_rows
            if row.elu_nom
        }
        read = source.read(originals, members.also_named(source.chamber, names), day)
        missing = {row.elu_id for row in self.last_rows} - {row.elu_id for row in read.rows}
        if read.unknown and missing:
            raise OriginalRefused(
                f"{list_some(read.unknown)}: not known, and may be one of those who are missing:"
                f" {list_some(sorted(missing))}"
            )
        return read


def _last_sound(paths: Sequence[Path], renewals: Sequence[datetime.date]) -> List | None:
    """The end of the longest chain among the last LOOK_BACK lists in which the guard accepts each after
    its predecessor.

    Which lists tracking accepted is not known here, and it may have refused the newest one. A
    comparison with the list before alone would also take the right list that follows a wrong one for
    wrong. Of chains of one length the older one is taken, because wrong lists are rarer. None if no
    list can be read.
    """
    readable = list(_readable(paths[-LOOK_BACK:]))
    # A list that was kept again, unchanged, on a later day counts once, on that day.
    lists = [
        list_
        for list_, following in zip_longest(readable, readable[1:])
        if following is None or following.digest != list_.digest
    ]
    length: list[int] = []
    for index, list_ in enumerate(lists):
        before = (length[e] for e in range(index) if _accepts(lists[e], list_, renewals))
        length.append(1 + max(before, default=0))
    return lists[length.index(max(length))] if lists else None


def _readable(paths: Iterable[Path]) -> Iterator[List]:
    """The lists that are right by themselves (tracking/guard)."""
    reader = Reader()
    for path in paths:
        place = parse_path(f"{path.parent.name}/{path.name}")
        try:
            if place is not None:
                list_ = reader.read(read_bytes(path, follow=False), *place[:2], path.stem)
                examine(list_, None)
                yield list_
        except (OSError, ListRefused):
            continue


def _accepts(before: List, list_: List, renewals: Sequence[datetime.date]) -> bool:
    try:
        examine(list_, before, renewals)
    except ListRefused:
        return False
    return True
