"""The Assemblée's originals as it makes them, of invented people: the zip and the two lists in CSV."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from parlement_lists.sources.originals import MemberRecord, Period, StaffRow

NIL = {"@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "@xsi:nil": "true"}
BEGUN, FORMED = datetime.date(2024, 7, 8), datetime.date(2024, 7, 18)
MADE = datetime.date(2026, 9, 14)
NAMES = {"EX": "Groupe des exemples", "MOD": "Modèles et apparentés"}
# A zip's files: path -> JSON document, or bytes as they are.
Files = dict[str, Any]


def row(number: int, person: str, group: str = "EX", civility: str = "Mme") -> StaffRow:
    """A row of deputy PA`number`, the person as `Prénom Nom`."""
    given, _, family = person.partition(" ")
    return StaffRow(f"PA{number}", f"Député{number}", "Camille", group, civility, family, given)


def many(count: int, each: int = 4) -> list[StaffRow]:
    """Rows of `count` deputies in turn of two groups, with one to `each` staff members."""
    return [
        row(1000 + n, f"Jeanne Exemple{chr(97 + k)}{n}", ("EX", "MOD")[n % 2], ("Mme", "M.")[k % 2])
        for n in range(count)
        for k in range(1 + n % each)
    ]


def make(
    rows: Sequence[StaffRow],
    *,
    members: Sequence[MemberRecord] = (),
    names: Mapping[str, str] = NAMES,
    without: Sequence[str] = (),
    made: datetime.date = MADE,
) -> bytes:
    """The zip of these rows and members; the organs of the groups `without` are left out."""
    return pack(files(rows, members=members, names=names, without=without), made)


def files(
    rows: Sequence[StaffRow],
    *,
    members: Sequence[MemberRecord] = (),
    names: Mapping[str, str] = NAMES,
    without: Sequence[str] = (),
) -> Files:
    """What stands in the zip; members who are not given are made from their rows."""
    known = {member.id: member for member in members}
    for r in rows:
        known.setdefault(r.elu_id, MemberRecord(r.elu_id, r.elu_nom, r.elu_prenom, "Mme", r.groupe))
    codes = sorted(
        {m.group for m in known.values()} | {p.group for m in known.values() for p in m.groups}
    )
    organs = {code: f"PO{800000 + n}" for n, code in enumerate(filter(None, codes))}
    found: Files = {}
    for number, member in enumerate(known.values()):
        staff = [
            {
                "qualite": r.collab_civilite or None,
                "prenom": r.collab_prenom,
                "nom": r.collab_nom,
                "dateDebut": None,
                "dateFin": None,
            }
            for r in rows
            if r.elu_id == member.id
        ]
        found[f"json/acteur/{member.id}.json"] = acteur(member, staff, organs, number)
    for code, reference in organs.items():
        if code not in without:
            found[f"json/organe/{reference}.json"] = organ(reference, code, names.get(code, code))
    found["json/organe/PO717460.json"] = organ("PO717460", "Assemblée", "Assemblée", "ASSEMBLEE")
    found["json/deport/DPTR5L17PA1D1.json"] = {"deport": {"uid": "DPTR5L17PA1D1"}}
    return found


def pack(content: Files, made: datetime.date = MADE) -> bytes:
    """A zip of these files, with entries for their folders."""
    body = io.BytesIO()
    when = (made.year, made.month, made.day, 5, 30, 0)
    with zipfile.ZipFile(body, "w") as file:
        for folder in ("json/", "json/acteur/", "json/organe/", "json/deport/"):
            file.writestr(zipfile.ZipInfo(folder, when), b"")
        for path, document in content.items():
            info = zipfile.ZipInfo(path, when)
            info.compress_type = zipfile.ZIP_DEFLATED
            raw = isinstance(document, bytes)
            file.writestr(info, document if raw else json.dumps(document).encode())
    return body.getvalue()


def acteur(
    member: MemberRecord, staff: list[Any], organs: Mapping[str, str], number: int
) -> dict[str, Any]:
    """A person's file. Each third member's staff stands under two mandates; absent values take turns."""
    absent = (None, NIL)[number % 2]
    seats = member.mandates or [Period(BEGUN)]
    groups = member.groups or ([Period(FORMED, group=member.group)] if member.group else [])
    last = max(seat.since for seat in seats)
    mandates = [_seat(seat, staff if seat.since == last else [], absent) for seat in seats]
    mandates += [_in_group(period, organs[period.group], absent) for period in groups]
    mandates.append(
        {
            "typeOrgane": "COMPER",
            "dateDebut": "2024-07-19",
            "dateFin": absent,
            "organes": {"organeRef": ["PO59047", "PO59048"]},
        }
    )
    if number % 3 == 2 and mandates[-1]["dateFin"] is absent and staff:
        mandates.insert(0, _office(staff, absent))
    return {
        "acteur": {
            "uid": {"@xsi:type": "IdActeur_type", "#text": member.id},
            "etatCivil": {
                "ident": {
                    "civ": member.civility or None,
                    "prenom": member.given,
                    "nom": member.family,
                    "alpha": member.family,
                    "trigramme": absent,
                },
                "dateDeces": NIL,
            },
            "mandats": {"mandat": mandates},
        }
    }


def _seat(seat: Period, staff: list[Any], absent: Any) -> dict[str, Any]:
    # The day of election comes before that of taking office, from which on a deputy sits.
    elected = seat.since - datetime.timedelta(1)
    return {
        "typeOrgane": "ASSEMBLEE",
        "dateDebut": elected.isoformat(),
        "dateFin": seat.until.isoformat() if seat.until else absent,
        "infosQualite": {"codeQualite": "membre"},
        "organes": {"organeRef": "PO717460"},
        "mandature": {
            "datePriseFonction": seat.since.isoformat(),
            "causeFin": seat.reason or None,
        },
        "collaborateurs": _staff(staff, absent),
    }


def _office(staff: list[Any], absent: Any) -> dict[str, Any]:
    return {
        "typeOrgane": "ASSEMBLEE",
        "dateDebut": "2025-10-01",
        "dateFin": absent,
        "infosQualite": {"codeQualite": "Vice-Président"},
        "organes": {"organeRef": "PO717460"},
        "mandature": {"datePriseFonction": None, "causeFin": None},
        "collaborateurs": _staff(staff, absent),
    }


def _staff(staff: list[Any], absent: Any) -> Any:
    if not staff:
        return absent
    return {"collaborateur": staff[0] if len(staff) == 1 else staff}


def _in_group(period: Period, reference: str, absent: Any) -> dict[str, Any]:
    return {
        "typeOrgane": "GP",
        "dateDebut": period.since.isoformat(),
        "dateFin": period.until.isoformat() if period.until else absent,
        "infosQualite": {"codeQualite": "Membre"},
        "organes": {"organeRef": reference},
        "collaborateurs": None,
    }


def organ(reference: str, code: str, name: str, kind: str = "GP") -> dict[str, Any]:
    """An organ's file."""
    return {
        "organe": {
            "uid": reference,
            "codeType": kind,
            "libelle": name,
            "libelleAbrege": code,
            "libelleAbrev": code.upper(),
            "viMoDe": {"dateDebut": FORMED.isoformat(), "dateFin": None},
        }
    }
