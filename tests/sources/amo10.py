"""The Assemblée's zip as it makes it, of invented people."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from parlement_lists.sources.originals import MemberRecord, StaffRow
from parlement_lists.tracking.members.spans import Span

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
    without: Sequence[str] = (),
    made: datetime.date = MADE,
) -> bytes:
    """The zip of these rows and members; the organs of the groups `without` are left out."""
    return pack(files(rows, members, without), made)


def files(
    rows: Sequence[StaffRow], members: Sequence[MemberRecord] = (), without: Sequence[str] = ()
) -> Files:
    """What stands in the zip; members who are not given are made from their rows."""
    known = {member.id: member for member in members}
    for r in rows:
        known.setdefault(r.elu_id, MemberRecord(*r[:3], "Mme", r.groupe))
    codes = {m.group for m in known.values()} | {p.value for m in known.values() for p in m.groups}
    organs = {code: f"PO{800000 + n}" for n, code in enumerate(sorted(codes - {""}))}
    made: Files = {}
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
        made[f"json/acteur/{member.id}.json"] = _acteur(member, staff, organs, number)
    for code, reference in organs.items():
        if code not in without:
            made[f"json/organe/{reference}.json"] = organ(reference, code, NAMES.get(code, code))
    made["json/organe/PO717460.json"] = organ("PO717460", "Assemblée", "Assemblée", "ASSEMBLEE")
    made["json/deport/DPTR5L17PA1D1.json"] = {"deport": {"uid": "DPTR5L17PA1D1"}}
    return made


def pack(content: Files, made: datetime.date = MADE) -> bytes:
    """A zip of these files, with entries for their folders."""
    body = io.BytesIO()
    when = (made.year, made.month, made.day, 5, 30, 0)
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as file:
        for folder in ("json/", "json/acteur/", "json/organe/", "json/deport/"):
            file.writestr(zipfile.ZipInfo(folder, when), b"")
        for path, document in content.items():
            raw = document if isinstance(document, bytes) else json.dumps(document).encode()
            file.writestr(zipfile.ZipInfo(path, when), raw, zipfile.ZIP_DEFLATED)
    return body.getvalue()


def _acteur(
    member: MemberRecord, staff: list[Any], organs: Mapping[str, str], number: int
) -> dict[str, Any]:
    """A person's file. Each third member's staff stands under two mandates; absent values take turns."""
    absent = (None, NIL)[number % 2]
    seats = member.mandates or [Span(BEGUN)]
    groups = member.groups or ([Span(FORMED, value=member.group)] if member.group else [])
    last = max(seat.since for seat in seats)

    def mandate(kind: str, since: datetime.date, until: Any, organ: Any, **more: Any) -> Any:
        end = until.isoformat() if until else absent
        organs = {"organeRef": organ}
        return {
            "typeOrgane": kind,
            "dateDebut": f"{since}",
            "dateFin": end,
            "organes": organs,
        } | more

    def seat(
        quality: str, since: datetime.date, period: Span | None, staff: list[Any]
    ) -> dict[str, Any]:
        taken = period.since.isoformat() if period else None
        entries = {"collaborateur": staff[0] if len(staff) == 1 else staff} if staff else absent
        return mandate(
            *("ASSEMBLEE", since, period and period.until, "PO717460"),
            infosQualite={"codeQualite": quality},
            mandature={"datePriseFonction": taken, "causeFin": (period and period.value) or None},
            collaborateurs=entries,
        )

    # The day of election comes before that of taking office, from which on a deputy sits.
    mandates = [
        seat("membre", p.since - datetime.timedelta(1), p, staff if p.since == last else [])
        for p in seats
    ]
    member_of = {"infosQualite": {"codeQualite": "Membre"}, "collaborateurs": None}
    mandates += [mandate("GP", p.since, p.until, organs[p.value], **member_of) for p in groups]
    mandates.append(mandate("COMPER", FORMED, None, ["PO59047", "PO59048"]))
    if number % 3 == 2 and staff:
        mandates.insert(0, seat("Vice-Président", datetime.date(2025, 10, 1), None, staff))
    ident = {
        "civ": member.civility or None,
        "prenom": member.given,
        "nom": member.family,
        "trigramme": absent,
    }
    return {
        "acteur": {
            "uid": {"@xsi:type": "IdActeur_type", "#text": member.id},
            "etatCivil": {"ident": ident, "dateDeces": NIL},
            "mandats": {"mandat": mandates},
        }
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
