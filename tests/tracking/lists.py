"""Invented lists in the forms of the real ones."""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlement_lists.movement import Movement, words
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.members_files import COLUMNS
from parlement_lists.tracking.reading.formats import KEPT_COLUMNS
from parlement_lists.tracking.reading.lists import List, ListFile, read_list
from parlement_lists.tracking.track import Tracked, track

SENAT_FIRST = (
    "sénateur,nom_sénateur,prénom_sénateur,sexe_sénateur,nom_collaborateur,"
    "prénom_collaborateur,sexe_collaborateur,url_nossénateurs,url_sénat"
)
SENAT = (
    "sénateur,nom_sénateur,prénom_sénateur,sexe_sénateur,collaborateur,nom_collaborateur,"
    "prénom_collaborateur,sexe_collaborateur,url_api_nossénateurs,url_sénat"
)
BOTH = (
    "parlementaire,nom_parlementaire,prénom_parlementaire,sexe_parlementaire,collaborateur,"
    "nom_collaborateur,prénom_collaborateur,sexe_collaborateur,url_api_RC,url_institution"
)
NOW = BOTH + ",information complémentaire"
EUROPARL = "mep_id,mep_nom,groupe,collaborateur,fonction"
KEPT = ",".join(KEPT_COLUMNS)

# A list as tests write it: the member's number -> staff members, each "Prénom NOM", a woman; "M. Prénom NOM" is
# a man, of "- Prénom NOM" no civility is known.
Staff = Mapping[int, Iterable[str]]
Content = Staff | bytes | List


def member(chamber: str, number: int) -> str:
    """The identifier of an invented member."""
    return {
        "assemblee": f"PA999{number:03}",
        "senat": f"99{number:03}Z",
        "europarl": f"999{number:03}",
    }[chamber]


def rows(chamber: str, staff: Staff, header: str = "") -> list[Sequence[str]]:
    """The header and rows of a list; by default in the form the chamber has now."""
    header = header or (EUROPARL if chamber == "europarl" else NOW)
    found: list[Sequence[str]] = [header.split(",")]
    for number, names in staff.items():
        for name in names:
            found.append(_row(chamber, number, name, header))
    return found


def _row(chamber: str, number: int, name: str, header: str) -> Sequence[str]:
    civility, given, family = "Mme", *name.split(" ", 1)
    if given in ("M.", "-"):
        civility, (given, family) = given.strip("-"), family.split(" ", 1)
    id = member(chamber, number)
    if header == EUROPARL:
        return (id, f"Élue Numéro{number}", "GRA", name, "Local assistants")
    if header == KEPT:
        member_name = (f"Numéro{number}", "Élue")
        return (chamber, id, *member_name, "GRA", civility, family.upper(), given, "")
    full = f"{family} {given}" if chamber == "senat" else f"{given} {family}"
    full = f"{civility} {full}".strip()
    own = (f"Élue Numéro{number}", f"NUMÉRO{number}", "Élue", "F")
    if chamber == "senat":
        address = f"http://www.senat.fr/senateur/numero{number}_elue{id.lower()}.html"
    else:
        address = f"http://www2.assemblee-nationale.fr/deputes/fiche/OMC_{id}"
    if header == SENAT_FIRST:
        return (*own, full, "", "", "", address)
    row = (*own, full, family, given, "F", "", address)
    return (*row, "") if header == NOW else row


def text(table: Iterable[Sequence[str]]) -> bytes:
    """The bytes of a list: UTF-8, every field in double quotes, LF."""
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    return file.getvalue().encode()


def data(chamber: str, staff: Staff, header: str = "") -> bytes:
    return text(rows(chamber, staff, header))


def list_(chamber: str, day: str, staff: Staff) -> List:
    """A list as read."""
    date = datetime.date.fromisoformat(day[:10])
    return read_list(data(chamber, staff), chamber, date)


def list_file(chamber: str, day: str, content: Content) -> ListFile:
    """A list that can be read; `content` may be the very bytes, or a list already read."""
    date, mark, time = day.partition("T")
    there = content if isinstance(content, bytes | List) else data(chamber, content)
    return ListFile(
        chamber, datetime.date.fromisoformat(date), mark + time, day, data=lambda: there
    )


def tracked(
    files: Iterable[ListFile],
    members: Members | None = None,
    corrections: Corrections | None = None,
    kind: str = "archives",
) -> Tracked:
    """What lists tell; of archives nothing waits for later lists."""
    of_kind = (replace(file, kind=kind) for file in files)
    return track(of_kind, members or Members(), corrections or Corrections())


def of_senate(
    *days: tuple[str, Content],
    members: Members | None = None,
    corrections: Corrections | None = None,
    kind: str = "archives",
) -> Tracked:
    """What lists of the Sénat of (day, content) tell."""
    files = [list_file("senat", day, content) for day, content in days]
    return tracked(files, members, corrections, kind)


def movements(*days: tuple[str, Content], **given: Any) -> list[Movement]:
    """The movements between lists of the Sénat of (day, content), by day, person and member."""
    found = of_senate(*days, **given).movements
    return sorted(found, key=lambda m: (m.date_event, m.collab_prenom, m.elu_id, m.type))


Days = Mapping[int, Staff]


def date_of(day: int) -> str:
    """The date so many days after 2026-08-31."""
    return str(datetime.date(2026, 8, 31) + datetime.timedelta(day))


def of_days(days: Days, corrections: Corrections | None = None) -> Tracked:
    """What lists of the Sénat of such days tell."""
    dated = ((date_of(day), staff) for day, staff in days.items())
    return of_senate(*dated, corrections=corrections)


def told(days: Days, corrections: Corrections | None = None) -> list[str]:
    """What lists of such days tell, a line a movement.

    As "02 transfert Ada MOREAU 1>2 moyen elu_sortant": the day, type and person, the member or both; then the
    confidence unless it is `fort`, and the context.
    """
    return sorted(map(_line, of_days(days, corrections).movements))


def _line(movement: Movement) -> str:
    day = datetime.date.fromisoformat(movement.date_event) - datetime.date(2026, 8, 31)
    origin = f"{movement.elu_origine_nom[-1]}>" if movement.elu_origine_nom else ""
    person = f"{movement.collab_prenom} {movement.collab_nom}"
    labels = movement.confiance.replace("fort", ""), movement.contexte
    place = f"{origin}{int(movement.elu_id[2:-1])}"
    return " ".join(filter(None, (f"{day.days:02}", movement.type, person, place, *labels)))


def write(folder: Path, chamber: str, day: str, content: Staff | bytes) -> Path:
    """Write a list where `--lists folder` finds it."""
    path = folder / chamber / f"{day}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else data(chamber, content))
    return path


def write_members(
    folder: Path, mandates: Iterable[str] = (), groups: Iterable[str] = (), **others: Iterable[str]
) -> Path:
    """A folder of members: the rows of mandats.csv, groupes.csv and others, without optional columns at their end."""
    folder.mkdir(parents=True, exist_ok=True)
    of_files = {"mandats": mandates, "groupes": groups, **others}
    for name, given in of_files.items():
        rows = list(given)
        columns = COLUMNS[f"{name}.csv"]
        shown = columns[: rows[0].count(",") + 1] if rows else columns
        path = folder / f"{name}.csv"
        path.write_text("\n".join([",".join(shown), *rows, ""]), encoding="utf-8")
    return folder


def fingerprint(name: str) -> str:
    """What docs/how-to/correct.md has written instead of a name that is to be withheld."""
    return hashlib.sha256(words(name).encode()).hexdigest()


def many(members: int, each: int = 2) -> dict[int, list[str]]:
    """A whole chamber of invented staff, every name unlike the others."""
    return {
        n: [f"{_word(n * each + i, 7)} {_word(n * each + i, 13).upper()}" for i in range(each)]
        for n in range(1, members + 1)
    }


def _word(number: int, seed: int) -> str:
    letters = []
    mixed = (number + 1) * 2654435761 * seed % 2**32
    for position in range(4):
        letters.append("bcdfglmnprstv"[mixed % 13] + "aeiou"[mixed // 13 % 5])
        mixed = mixed // 65 + (position + number) * 97
    return "".join(letters).capitalize()


STAFF = many(60)
NAME = STAFF[7][0]  # of the one who leaves
FAMILY = NAME.split()[1]
AFTER = {**STAFF, 7: STAFF[7][1:]}
