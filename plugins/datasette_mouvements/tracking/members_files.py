"""The files of a members folder: `mandats.csv`, `groupes.csv` and `noms_groupes.csv`."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..movement import CHAMBERS, NOT_XML, is_date
from ..regular_file import open_regular
from .spans import Span

_MANDATES = ("chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite", "debut", "fin")
_GROUPS = ("chambre", "elu_id", "groupe", "depuis", "jusqua")
_GROUP_NAMES = ("chambre", "groupe", "nom")


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
    """The rows of a members folder; `group_names` are full names by chamber and code."""

    mandates: Sequence[MandateRow] = ()
    groups: Sequence[GroupRow] = ()
    group_names: Mapping[tuple[str, str], str] = {}


def read_rows(folder: Path) -> MemberRows:
    """The rows of a members folder; MembersError names what is wrong in which file.

    `noms_groupes.csv` may be absent.
    """
    mandates = [
        MandateRow(
            *(row["chambre"], row["elu_id"], Name(row["nom_complet"], row["nom"], row["prenom"])),
            *(row["civilite"], _span(row, where, "debut", "fin")),
            *(row.get("motif_fin", ""), row.get("origine", "")),
        )
        for where, row in _rows(folder / "mandats.csv", _MANDATES)
    ]
    groups = [
        GroupRow(
            *(row["chambre"], row["elu_id"]),
            _span(row, where, "depuis", "jusqua")._replace(value=row["groupe"]),
            row.get("origine", ""),
        )
        for where, row in _rows(folder / "groupes.csv", _GROUPS)
    ]
    named = folder / "noms_groupes.csv"
    names = _rows(named, _GROUP_NAMES) if named.exists() or named.is_symlink() else ()
    return MemberRows(
        mandates, groups, {(row["chambre"], row["groupe"]): row["nom"] for _, row in names}
    )


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row and where it stands; MembersError names file, line and field."""
    try:
        with io.TextIOWrapper(open_regular(path), "utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise MembersError(f"{path}: line 1: no column {', '.join(missing)}")
            for row in reader:
                where = f"{path}: line {reader.line_num}"
                _check(row, where)
                yield where, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MembersError(f"{path}: {error}") from error


def _check(row: dict[str, str], where: str) -> None:
    if row["chambre"] not in CHAMBERS:
        raise MembersError(f"{where}: chambre: {row['chambre'][:80]!r} is not one of {CHAMBERS}")
    for field, value in row.items():
        if isinstance(value, str) and NOT_XML.search(value):
            raise MembersError(f"{where}: {field}: {value[:80]!r} holds a control character")


def _span(row: dict[str, str], where: str, since: str, until: str) -> Span:
    for field in (since, until):
        if row[field] and not is_date(row[field]):
            raise MembersError(f"{where}: {field}: {row[field][:80]!r} is not a date YYYY-MM-DD")
    # A first day left empty is one nobody noted, long ago.
    first = datetime.date.fromisoformat(row[since]) if row[since] else datetime.date.min
    return Span(first, datetime.date.fromisoformat(row[until]) if row[until] else None)
