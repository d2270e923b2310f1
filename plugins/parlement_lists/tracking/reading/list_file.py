"""A list that can be read: where it is, which chamber's, of which day."""

from __future__ import annotations

import datetime
import errno
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...movement import CHAMBERS, is_day
from .lists import List, ListRefused, Reader

_NAME = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)(?P<time>T\d{4,6})?\.csv(\.gz)?", re.ASCII)

# A list's chamber, day and time.
Place = tuple[str, datetime.date, str]


class ListFilesError(Exception):
    """A folder or repository that cannot be used; the message names it."""


@dataclass(frozen=True)
class ListFile:
    """One list of one chamber, not read yet.

    `origin` says where it lies, for messages; `digest` names its content where that is known
    before reading. Its content is `data`, or the list itself is `made`, called with its name.
    `kind` is what the movements that it shows have as `source`: `suivi` of a daily run, else `archives`.
    """

    chamber: str
    date: datetime.date
    time: str
    origin: str
    digest: str = ""
    data: Callable[[], bytes] | None = None
    made: Callable[[str], List] | None = None
    kind: str = "archives"

    @property
    def name(self) -> str:
        """How reports and corrections call it: `senat/2017-10-02`, `senat/2015-05-15T0146`."""
        return f"{self.chamber}/{self.date.isoformat()}{self.time}"

    @property
    def moment(self) -> tuple[datetime.date, str]:
        """The day and the time of day, as `List.moment`."""
        return self.date, self.time

    def read(self, reader: Reader) -> List:
        """The list; raises ListRefused."""
        if self.made is not None:
            return self.made(self.name)
        if self.data is None:
            raise ListRefused("empty", "nothing to read")
        try:
            data = b"" if reader.unchanged(self.chamber, self.digest) else self.data()
        except OSError as error:
            raise ListRefused("damaged", error.strerror or str(error)) from error
        return reader.read(data, self.chamber, self.date, self.name, self.digest)


class Walk(NamedTuple):
    """The lists of one or more sources, in order; how many, and what was passed over."""

    files: Iterator[ListFile]
    total: int
    ignored: list[str]


def irregular(what: str) -> Callable[[], bytes]:
    """The content of a list in whose place something else lies: to read it raises OSError."""

    def read() -> bytes:
        raise OSError(errno.EINVAL, f"{what}, not a regular file")

    return read


def parse_path(path: str) -> Place | None:
    """The chamber, day and time that a path `.../CHAMBRE/DATE[Thhmm].csv[.gz]` names; None for others."""
    folders, _, name = path.rpartition("/")
    found = _NAME.fullmatch(name)
    chamber = folders.rpartition("/")[2]
    if found is None or chamber not in CHAMBERS or not is_day(found["date"]):
        return None
    return chamber, datetime.date.fromisoformat(found["date"]), found["time"] or ""
