"""A list that can be read: where it is, which chamber's, of which day."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...movement import CHAMBERS, is_day
from .lists import List, ListRefused, read_list

_NAME = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)(?P<time>T\d{4,6})?\.csv(\.gz)?", re.ASCII)


class ListFilesError(Exception):
    """A folder or repository that cannot be used; the message names it."""


@dataclass(frozen=True)
class ListFile:
    """One list of one chamber, not read yet.

    `origin` says where it lies, for messages. `data` gives its bytes, or the list itself where it is rebuilt.
    `kind` is what the movements that it shows have as `source`: `suivi` of a daily run, else `archives`.
    """

    chamber: str
    date: datetime.date
    time: str
    origin: str
    data: Callable[[], bytes | List]
    kind: str = "archives"

    @property
    def name(self) -> str:
        """How reports and corrections call it: `senat/2017-10-02`, `senat/2015-05-15T0146`."""
        return f"{self.chamber}/{self.date.isoformat()}{self.time}"

    @property
    def moment(self) -> tuple[datetime.date, str]:
        """The day and the time of day."""
        return self.date, self.time

    def read(self) -> List:
        """The list; raises ListRefused."""
        try:
            data = self.data()
        except OSError as error:
            raise ListRefused("damaged", error.strerror or str(error)) from error
        return data if isinstance(data, List) else read_list(data, self.chamber, self.date)


class Walk(NamedTuple):
    """The lists of one or more sources, in order; what was passed over."""

    files: Iterator[ListFile]
    ignored: list[str]


def parse_path(path: str) -> tuple[str, datetime.date, str] | None:
    """The chamber, day and time that a path `.../CHAMBRE/DATE[Thhmm].csv[.gz]` names; None for others."""
    folders, _, name = path.rpartition("/")
    found = _NAME.fullmatch(name)
    chamber = folders.rpartition("/")[2]
    if found is None or chamber not in CHAMBERS or not is_day(found["date"]):
        return None
    return chamber, datetime.date.fromisoformat(found["date"]), found["time"] or ""
