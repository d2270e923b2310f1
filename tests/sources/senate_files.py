"""Invented files of senators: senateurs.json, and the three of data.senat.fr."""

from __future__ import annotations

import csv
import io
import itertools
import json
import string
from collections.abc import Iterable, Sequence

from parlement_lists.sources.originals import MemberRecord

MANDATES = (
    *("Matricule", "Qualité", "Nom usuel", "Prénom usuel", "État Sénateur", "Identifiant mandat"),
    *("Date de début de mandat", "Motif début de mandat", "Date de fin de mandat"),
    *("Motif fin de mandat", "Commentaire"),
)
GROUPS = (
    *("Matricule", "Id appartenance", "Nom", "Prénom", "Code du groupe politique"),
    *("Nom court du groupe politique", "Date de début d'appartenance"),
    *("Date de fin d'appartenance", "Nom court fonction"),
)
NAMES = {"UMP": "Les Républicains", "SOC": "Socialiste, Écologiste et Républicain"}
SEATS = 348


def filled(members: Sequence[MemberRecord]) -> list[MemberRecord]:
    """The members, and as many invented ones as the Sénat has other seats."""
    pairs = itertools.product(string.ascii_lowercase, repeat=2)
    others = [
        MemberRecord(f"9{index:04d}Z", f"Siège{''.join(pair)}", "Autre", "Mme", "UMP")
        for index, pair in enumerate(itertools.islice(pairs, SEATS - len(members)))
    ]
    return [*members, *others]


def senateurs_json(members: Sequence[MemberRecord], *, fill: bool = True) -> bytes:
    """senateurs.json of members whose groups are the file's codes, by default with all other seats."""
    return json.dumps(
        [
            {
                "matricule": member.id,
                "nom": member.family,
                "prenom": member.given,
                "civilite": member.civility,
                "groupe": {
                    "code": member.group,
                    "libelle": f"Groupe {NAMES.get(member.group, member.group)}",
                },
            }
            for member in (filled(members) if fill else members)
        ],
        ensure_ascii=False,
    ).encode()


def odsen(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A file of data.senat.fr."""
    rows = list(rows)
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(columns)
    writer.writerows(rows)
    before = f'% Requête :select senmat as "Matricule"\r\n% {len(rows)} ligne(s) de résultat\r\n'
    return (before + table.getvalue()).encode("latin-1")


def mandate(member: MemberRecord, since: str, until: str, reason: str) -> tuple[str, ...]:
    """A row of ODSEN_ELUSEN."""
    name = member.id, member.civility, member.family, member.given
    return (*name, "ACTIF", "1", since, "Élection", until, reason, "")


def group(member: MemberRecord, code: str, since: str, until: str = "") -> tuple[str, ...]:
    """A row of ODSEN_HISTOGROUPES."""
    return member.id, "1", member.family, member.given, code, code, since, until, "Membre"
