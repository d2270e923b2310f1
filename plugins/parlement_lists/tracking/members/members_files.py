"""The files of a members folder: `mandats.csv`, `groupes.csv`, `noms_groupes.csv`, `fiches.csv`."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from ... import csv_rows
from ...bounds import MEMBERS_BYTES, OverBound
from ...movement import CHAMBERS, DAY, is_day
from ...regular_file import FilesError, read_bytes
from .spans import Span

MANDATES, GROUPS = "mandats.csv", "groupes.csv"
GROUP_NAMES, PUBLIC_PAGES = "noms_groupes.csv", "fiches.csv"
# The columns that may be missing in a file that somebody else made.
OPTIONAL = ("motif_fin", "origine", "couleur")
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_HATVP = re.compile(r"https://www\.hatvp\.fr/[!-~]{1,200}")


class Name(NamedTuple):
    """A member's name as the members file has it, else as the lists do."""

    full: str
    family: str
    given: str


class MandateRow(NamedTuple):
    """A row of `mandats.csv`; every field is a text, "" for a first day that nobody noted and for an open end."""

    chambre: str
    elu_id: str
    nom_complet: str
    nom: str
    prenom: str
    civilite: str
    debut: str
    fin: str
    motif_fin: str = ""
    origine: str = ""

    @property
    def span(self) -> Span:
        """The days of the mandate."""
        return _span(self.debut, self.fin)

    def ended(self, day: datetime.date) -> Self:
        """The row with another last day, of which nobody said why."""
        return self._replace(fin=day.isoformat(), motif_fin="")


class GroupRow(NamedTuple):
    """A row of `groupes.csv`, as one of `mandats.csv`."""

    chambre: str
    elu_id: str
    groupe: str
    depuis: str
    jusqua: str
    origine: str = ""

    @property
    def span(self) -> Span:
        """The days in the group, with its code."""
        return _span(self.depuis, self.jusqua, self.groupe)

    def ended(self, day: datetime.date) -> Self:
        """The row with another last day."""
        return self._replace(jusqua=day.isoformat())


COLUMNS: dict[str, tuple[str, ...]] = {
    MANDATES: MandateRow._fields,
    GROUPS: GroupRow._fields,
    GROUP_NAMES: ("chambre", "groupe", "nom", "couleur"),
    PUBLIC_PAGES: ("chambre", "elu_id", "hatvp"),
}


class MemberRows(NamedTuple):
    """The rows of a members folder.

    `group_names` are full names by chamber and code, `group_colours` the colours that are known, as
    `#rrggbb`; `pages` are the addresses of members' pages at the HATVP, by chamber and member.
    """

    mandates: Sequence[MandateRow] = ()
    groups: Sequence[GroupRow] = ()
    group_names: Mapping[tuple[str, str], str] = {}
    group_colours: Mapping[tuple[str, str], str] = {}
    pages: Mapping[tuple[str, str], str] = {}


def read_rows(folder: Path, begun: bool = False) -> MemberRows:
    """The rows of a members folder; FilesError names what is wrong in which file.

    `mandats.csv` and `groupes.csv` must be there, unless the folder may have just been `begun`.
    """
    names = {(row["chambre"], row["groupe"]): row for row in _rows(folder / GROUP_NAMES, True)}
    pages = _rows(folder / PUBLIC_PAGES, True)
    return MemberRows(
        [MandateRow(**row) for row in _rows(folder / MANDATES, begun)],
        [GroupRow(**row) for row in _rows(folder / GROUPS, begun)],
        group_names={group: row["nom"] for group, row in names.items()},
        group_colours={
            group: row["couleur"].lower() for group, row in names.items() if row.get("couleur")
        },
        pages={(row["chambre"], row["elu_id"]): row["hatvp"] for row in pages},
    )


def is_hatvp(address: str) -> bool:
    """Whether it is an address at the Haute Autorité pour la transparence de la vie publique."""
    return _HATVP.fullmatch(address) is not None


# What a value of a column must be.
_EXPECTED: dict[str, tuple[str, Callable[[str], bool]]] = {
    "chambre": (f"one of {CHAMBERS}", CHAMBERS.__contains__),
    **dict.fromkeys(
        ("debut", "fin", "depuis", "jusqua"), (DAY, lambda day: not day or is_day(day))
    ),
    "couleur": ("a colour #rrggbb", lambda colour: not colour or bool(_COLOUR.fullmatch(colour))),
    "hatvp": ("an address there", is_hatvp),
}


def _rows(path: Path, optional: bool) -> Iterator[dict[str, str]]:
    """Each row, none of an `optional` file that is not there."""
    if optional and not path.exists() and not path.is_symlink():
        return
    columns = [column for column in COLUMNS[path.name] if column not in OPTIONAL]
    try:
        body = read_bytes(path, most=MEMBERS_BYTES + 1)
        MEMBERS_BYTES.examine(len(body))
        text = body.decode("utf-8-sig")
        for where, row in csv_rows.read_rows(str(path), text, columns, optional=OPTIONAL):
            for column, value in row.items():
                expected, is_right = _EXPECTED.get(column, ("", bool))
                if expected and not is_right(value):
                    raise FilesError(f"{where}: {column}: {value[:80]!r} is not {expected}")
            yield row
    except (OSError, UnicodeDecodeError, OverBound) as error:
        raise FilesError(f"{path}: {error}") from error


def _span(since: str, until: str, value: str = "") -> Span:
    # A first day left empty is one nobody noted, long ago.
    first = datetime.date.fromisoformat(since) if since else datetime.date.min
    return Span(first, datetime.date.fromisoformat(until) if until else None, value)
