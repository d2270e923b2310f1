"""The real lists that figures are made of: sequences of lists of one chamber, in order, the broken ones left out."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from parlement_lists.tracking.guard import examine, near_renewal
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import List, ListRefused, Reader
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import windows
from tests.tracking.windows import DATA

# By hand, from the description of the lists: what the guard thinks of them is not asked here.
BROKEN = {
    *("assemblee/2018-06-13", "assemblee/2018-06-14"),
    *("senat/2015-05-15T0146", "senat/2015-05-15T0150", "senat/2015-06-01T0315"),
}


class Pace(NamedTuple):
    """Two lists of one chamber that follow each other."""

    before: List
    after: List

    @property
    def days(self) -> int:
        return (self.after.date - self.before.date).days

    @property
    def renewal(self) -> bool:
        """Whether a renewal may show between them."""
        renewals = windows.known_members().renewals(self.after.chamber)
        return near_renewal(self.before.date, self.after.date, renewals)


def all_lists() -> list[Path]:
    """The folder or repository of all lists that MOUVEMENTS_LISTS names; none if it is not set."""
    given = os.environ.get("MOUVEMENTS_LISTS")
    return [Path(given)] if given else []


@cache
def sequences() -> dict[str, list[List]]:
    """The windows of real lists, or each chamber's lists of MOUVEMENTS_LISTS, by name."""
    if given := all_lists():
        repositories = [path for path in given if (path / ".git").exists()]
        files = walk([path for path in given if path not in repositories], repositories).files
        grouped = itertools.groupby(files, key=lambda file: file.chamber)
        return {chamber: list(_read(of)) for chamber, of in grouped}
    available = windows.available().items()
    return {name: list(_read(windows.list_files(window))) for name, window in available}


def audit(name: str) -> list[List]:
    """The lists of one archive of those in which something was found."""
    return list(_read(windows.lists_of(DATA / "audit" / f"{name}.tar.xz")))


def _read(files: Iterator[ListFile] | list[ListFile]) -> Iterator[List]:
    reader = Reader()
    for file in files:
        if file.name.startswith(tuple(BROKEN)):
            continue
        try:
            list_ = file.read(reader)
            examine(list_, None)
            yield list_
        except ListRefused:
            if not all_lists():
                raise


@cache
def paces() -> list[Pace]:
    """Every two lists that follow each other."""
    return [Pace(*two) for of in sequences().values() for two in itertools.pairwise(of)]


def of_chamber(chamber: str) -> Iterator[List]:
    """Every list of a chamber."""
    for of in sequences().values():
        yield from (list_ for list_ in of if list_.chamber == chamber)
