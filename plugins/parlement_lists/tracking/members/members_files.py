"""The files of a members folder: `mandats.csv`, `groupes.csv`, `noms_groupes.csv`, `fiches.csv`."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ... import csv_rows
from ...bounds import MEMBERS_BYTES, OverBound
from ...movement import CHAMBERS, DAY, is_day
from ...regular_file import open_regular
from .spans import Span

MANDATES, GROUPS = "mandats.csv", "groupes.csv"
GROUP_NAMES, PUBLIC_PAGES = "noms_groupes.csv", "fiches.csv"
# The columns of each; those in OPTIONAL may be missing in a file that somebody else made.
COLUMNS: dict[str, tuple[str, ...]] = {
    MANDATES: (
        *("chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite"),
        *("debut", "fin", "motif_fin", "origine"),
    ),
    GROUPS: ("chambre", "elu_id", "groupe", "depuis", "jusqua", "origine"),
    GROUP_NAMES: ("chambre", "groupe", "nom", "couleur"),
    PUBLIC_PAGES: ("chambre", "elu_id", "hatvp"),
}
OPTIONAL = ("motif_fin", "origine", "couleur")
_COLOUR = re.compile("#[0-9a-f]{6}")
_HATVP = re.compile(r"https://www\.hatvp\.fr/[!-~]{1,200}")


class MembersError(Exception):
    """A members file that cannot be used; the message names the file, and line and field where one is at fault."""


class Name(NamedTuple):
    """A member's name as the members file has it, else as the lists do."""

    full: str
    family: str
    given: str


class MandateRow(NamedTuple):
    """A row of `mandats.csv`; `since` is the first of all days where nobody noted it."""

    chamber: str
    member: str
    name: Name
    civility: str
    span: Span
    reason: str
    origin: str


class GroupRow(NamedTuple):
    """A row of `groupes.csv`; the span's value is the group's code."""

    chamber: str
    member: str
    span: Span
    origin: str


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
    """The rows of a members folder; MembersError names what is wrong in which file.

    `mandats.csv` and `groupes.csv` must be there, unless the folder may have just been `begun`.
    """
    mandates = [
        MandateRow(
            *(row["chambre"], row["elu_id"], Name(row["nom_complet"], row["nom"], row["prenom"])),
            *(row["civilite"], _span(row, where, "debut", "fin")),
            *(row.get("motif_fin", ""), row.get("origine", "")),
        )
        for where, row in _rows(folder / MANDATES, begun)
    ]
    groups = [
        GroupRow(
            *(row["chambre"], row["elu_id"]),
            _span(row, where, "depuis", "jusqua")._replace(value=row["groupe"]),
            row.get("origine", ""),
        )
        for where, row in _rows(folder / GROUPS, begun)
    ]
    names = list(_rows(folder / GROUP_NAMES, True))
    colours = {(row["chambre"], row["groupe"]): _colour(row, where) for where, row in names}
    return MemberRows(
        mandates,
        groups,
        {(row["chambre"], row["groupe"]): row["nom"] for _, row in names},
        {group: colour for group, colour in colours.items() if colour},
        {
            (row["chambre"], row["elu_id"]): _page(row, where)
            for where, row in _rows(folder / PUBLIC_PAGES, True)
        },
    )


def _rows(path: Path, optional: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row and where it stands, none of an `optional` file that is not there."""
    if optional and not path.exists() and not path.is_symlink():
        return
    columns = [column for column in COLUMNS[path.name] if column not in OPTIONAL]
    try:
        with open_regular(path) as file:
            MEMBERS_BYTES.examine(os.fstat(file.fileno()).st_size)
            text = file.read().decode("utf-8-sig")
        for where, row in csv_rows.read_rows(str(path), text, columns, optional=OPTIONAL):
            if row["chambre"] not in CHAMBERS:
                raise _fault(where, row, "chambre", f"one of {CHAMBERS}")
            yield where, row
    except (OSError, UnicodeDecodeError, OverBound) as error:
        raise MembersError(f"{path}: {error}") from error
    except csv_rows.RowsRefused as error:
        raise MembersError(str(error)) from error


def _fault(where: str, row: Mapping[str, str], field: str, expected: str) -> MembersError:
    return MembersError(f"{where}: {field}: {row[field][:80]!r} is not {expected}")


def _span(row: dict[str, str], where: str, since: str, until: str) -> Span:
    for field in (since, until):
        if row[field] and not is_day(row[field]):
            raise _fault(where, row, field, DAY)
    # A first day left empty is one nobody noted, long ago.
    first = datetime.date.fromisoformat(row[since]) if row[since] else datetime.date.min
    return Span(first, datetime.date.fromisoformat(row[until]) if row[until] else None)


def _colour(row: dict[str, str], where: str) -> str:
    """A group's colour in lower case, "" where none is told."""
    colour = row.get("couleur", "").lower()
    if colour and not _COLOUR.fullmatch(colour):
        raise _fault(where, row, "couleur", "a colour #rrggbb")
    return colour


def is_hatvp(address: str) -> bool:
    """Whether it is an address at the Haute Autorité pour la transparence de la vie publique."""
    return _HATVP.fullmatch(address) is not None


def _page(row: dict[str, str], where: str) -> str:
    if not is_hatvp(row["hatvp"]):
        raise _fault(where, row, "hatvp", "an address there")
    return row["hatvp"]
