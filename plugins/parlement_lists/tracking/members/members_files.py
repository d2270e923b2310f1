"""The files of a members folder: `mandats.csv`, `groupes.csv` and `noms_groupes.csv`."""

from __future__ import annotations

import csv
import datetime
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...bounds import MEMBERS_BYTES, OverBound, too_long
from ...movement import CHAMBERS, DAY, UNSEEN, is_day
from ...regular_file import open_regular
from .spans import Span

MANDATES, GROUPS = "mandats.csv", "groupes.csv"
GROUP_NAMES, WATCHED = "noms_groupes.csv", "vus.csv"
PUBLIC_PAGES = "fiches.csv"
# The columns of each; those in OPTIONAL may be missing in a file that somebody else made.
COLUMNS: dict[str, tuple[str, ...]] = {
    MANDATES: (
        *("chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite"),
        *("debut", "fin", "motif_fin", "origine"),
    ),
    GROUPS: ("chambre", "elu_id", "groupe", "depuis", "jusqua", "origine"),
    GROUP_NAMES: ("chambre", "groupe", "nom", "couleur"),
    WATCHED: ("chambre", "jour"),
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
    `#rrggbb`; `watched` is the last day on which a chamber's members were read, for those that are watched.
    `pages` are the addresses of members' pages at the HATVP, by chamber and member.
    """

    mandates: Sequence[MandateRow] = ()
    groups: Sequence[GroupRow] = ()
    group_names: Mapping[tuple[str, str], str] = {}
    watched: Mapping[str, datetime.date] = {}
    group_colours: Mapping[tuple[str, str], str] = {}
    pages: Mapping[tuple[str, str], str] = {}


def read_rows(folder: Path, begun: bool = False) -> MemberRows:
    """The rows of a members folder; MembersError names what is wrong in which file.

    `mandats.csv` and `groupes.csv` must be there, unless the folder may have just been `begun`.
    """
    read = _rows_if_any if begun else _rows
    mandates = [
        MandateRow(
            *(row["chambre"], row["elu_id"], Name(row["nom_complet"], row["nom"], row["prenom"])),
            *(row["civilite"], _span(row, where, "debut", "fin")),
            *(row.get("motif_fin", ""), row.get("origine", "")),
        )
        for where, row in read(folder / MANDATES)
    ]
    groups = [
        GroupRow(
            *(row["chambre"], row["elu_id"]),
            _span(row, where, "depuis", "jusqua")._replace(value=row["groupe"]),
            row.get("origine", ""),
        )
        for where, row in read(folder / GROUPS)
    ]
    names = list(_rows_if_any(folder / GROUP_NAMES))
    colours = {(row["chambre"], row["groupe"]): _colour(row, where) for where, row in names}
    watched = _rows_if_any(folder / WATCHED)
    return MemberRows(
        mandates,
        groups,
        {(row["chambre"], row["groupe"]): row["nom"] for _, row in names},
        {row["chambre"]: _day(row, where, "jour") for where, row in watched},
        {group: colour for group, colour in colours.items() if colour},
        {
            (row["chambre"], row["elu_id"]): _page(row, where)
            for where, row in _rows_if_any(folder / PUBLIC_PAGES)
        },
    )


def _rows_if_any(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    return _rows(path) if path.exists() or path.is_symlink() else iter(())


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row and where it stands; MembersError names file, line and field."""
    try:
        with open_regular(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
            MEMBERS_BYTES.examine(os.fstat(file.fileno()).st_size)
            ended = _is_ended(raw)
            reader = csv.DictReader(file)
            needed = set(COLUMNS[path.name]) - set(OPTIONAL)
            missing = sorted(needed - set(reader.fieldnames or ()))
            if missing:
                raise MembersError(f"{path}: line 1: no column {', '.join(missing)}")
            whole = False
            for row in reader:
                where = f"{path}: line {reader.line_num}"
                whole = None not in row.values()
                if not (ended or whole):
                    break
                row = {name: text or "" for name, text in row.items()}
                _check(row, where)
                yield where, row
            if not (ended or whole):
                # Members whom a cut file lacks would sit no longer.
                raise MembersError(
                    f"{path}: the last line does not end: the file is cut off; put a copy of it in its place,"
                    " or end the line if it is whole"
                )
    except (OSError, UnicodeDecodeError, csv.Error, OverBound) as error:
        raise MembersError(f"{path}: {error}") from error


def _is_ended(file: BinaryIO) -> bool:
    """Whether the last line of a file ends, or there is none."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
    ended = file.read() in (b"\n", b"")
    file.seek(0)
    return ended


def _check(row: dict[str, str], where: str) -> None:
    if row["chambre"] not in CHAMBERS:
        raise MembersError(f"{where}: chambre: {row['chambre'][:80]!r} is not one of {CHAMBERS}")
    texts = {name: text for name, text in row.items() if isinstance(text, str)}
    if long := too_long(texts, texts.values()):
        raise MembersError(f"{where}: {long}")
    for field, value in row.items():
        if isinstance(value, str) and UNSEEN.search(value):
            raise MembersError(
                f"{where}: {field}: {value[:80]!r} holds a control character or a mark of direction"
            )


def _span(row: dict[str, str], where: str, since: str, until: str) -> Span:
    # A first day left empty is one nobody noted, long ago.
    first = _day(row, where, since) if row[since] else datetime.date.min
    return Span(first, _day(row, where, until) if row[until] else None)


def _colour(row: dict[str, str], where: str) -> str:
    """A group's colour in lower case, "" where none is told."""
    colour = row.get("couleur", "").lower()
    if colour and not _COLOUR.fullmatch(colour):
        raise MembersError(f"{where}: couleur: {row['couleur'][:80]!r} is not a colour #rrggbb")
    return colour


def is_hatvp(address: str) -> bool:
    """Whether it is an address at the Haute Autorité pour la transparence de la vie publique."""
    return _HATVP.fullmatch(address) is not None


def _page(row: dict[str, str], where: str) -> str:
    if not is_hatvp(row["hatvp"]):
        raise MembersError(f"{where}: hatvp: {row['hatvp'][:80]!r} is not an address there")
    return row["hatvp"]


def _day(row: dict[str, str], where: str, field: str) -> datetime.date:
    if not is_day(row[field]):
        raise MembersError(f"{where}: {field}: {row[field][:80]!r} is not {DAY}")
    return datetime.date.fromisoformat(row[field])
