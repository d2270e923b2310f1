"""The real lists as files of rows, read by `csv` alone: nothing here shares the package's parsing."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

# Where each column of the staff stands in the forms of the two chambers: full name, family, given name.
_FULL, _FAMILY, _GIVEN = 4, 5, 6
_MEMBER = re.compile(r"OMC_(PA\d+)$|(\d{5}[a-zA-Z])\.html$")
_CIVILITY = re.compile(r"^(M\.|Mme|Mlle) ")


class RawRow(NamedTuple):
    """A row of a list: the member's identifier, the full name, its columns `nom` and `prénom`.

    Then the civility before the full name, the member's name, whether on unpaid leave, the function.
    """

    member: str
    full: str
    family: str
    given: str
    civility: str = ""
    member_name: str = ""
    on_leave: bool = False
    function: str = ""


def raw_rows(data: bytes) -> Iterator[RawRow]:
    """The rows of a list that name a member, civilities and asterisks taken away.

    The Sénat's list of 2015-05-13 and the European Parliament's have no split: the words in capitals are
    the family name.
    """
    head, *lines = data.decode("utf-8-sig").splitlines()
    width = len(next(csv.reader([head])))
    for line in lines:
        read = _raw_row(width, line)
        if read is not None:
            yield read


@functools.cache  # most rows are those of the day before
def _raw_row(width: int, line: str) -> RawRow | None:
    row = next(csv.reader([line]))
    if width == 5:
        return RawRow(row[0], row[3], *_split(row[3]), member_name=row[1], function=row[4])
    member = _MEMBER.search(row[-2] if width == 11 else row[-1])
    if member is None:
        return None
    full = " ".join(row[_FULL].replace("*", " ").split())
    titled = _CIVILITY.match(full)
    full = _CIVILITY.sub("", full)
    family, given = row[_FAMILY], row[_GIVEN]
    if width == 9:
        family, given = _split(full)
    named = (" ".join(name.replace("*", " ").split()) for name in (family, given))
    civility = titled[1].replace("Mlle", "Mme") if titled else ""
    return RawRow(
        (member[1] or member[2]).upper(),
        full,
        *named,
        civility,
        f"{row[2]} {row[1]}",
        row[-1] == "Congé sans solde",
    )


def _split(full: str) -> tuple[str, str]:
    """The family and the given name; where all words or none are in capitals the last is the family name."""
    parts = full.split()
    family = [part for part in parts if part.isupper() and len(part) > 1]
    given = [part for part in parts if part not in family]
    if not family or not given:
        *given, last = (part.title() if part.isupper() else part for part in parts)
        family = [last.upper()]
    return " ".join(family), " ".join(given)
