"""The forms a chamber's list has had since 2015: which columns say what."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..movement import plain, words
from .names import civility_and_name, family_and_given, is_broken, is_forbidden

# The form of a member's identifier in each chamber (specification, "Movements").
ELU_ID = {
    "assemblee": re.compile(r"PA[0-9]{1,9}"),
    "senat": re.compile(r"[0-9]{5}[A-Z]"),
    "europarl": re.compile(r"[0-9]{1,9}"),
}
_IN_ADDRESS = {
    "assemblee": re.compile(r"OMC_(PA[0-9]{1,9})$"),
    "senat": re.compile(r"([0-9]{5}[a-z])\.html$", re.IGNORECASE),
}


class Pair(NamedTuple):
    """One row of a list: who works for whom. `person` is the key `movement.words` gives."""

    elu: str
    person: str
    nom: str
    prenom: str
    civilite: str
    elu_nom: str
    elu_prenom: str
    groupe: str
    fonction: str
    broken: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.elu, self.person


class Unreadable(Exception):
    """A row that names no member (`no_member`), or whose fields cannot be what the header says."""

    def __init__(self, no_member: bool) -> None:
        self.no_member = no_member


Row = Sequence[str]
Parse = Callable[[Row], Pair]


class Format(NamedTuple):
    """How to read the rows under one header; `chambers` are those whose lists have this form.

    `ends` where every line is known to end with a line end: one that does not was cut off.
    """

    name: str
    width: int
    chambers: tuple[str, ...]
    parse: Callable[[str, Row], Pair]
    ends: bool = True


def _chambers_own(chamber: str, row: Row, full: int, split: int, address: int) -> Pair:
    found = _IN_ADDRESS[chamber].search(row[address])
    if found is None:
        raise Unreadable(no_member=True)
    civilite, name = civility_and_name(row[full])
    # Only the oldest form has no split: its column of family names holds the full name.
    family, given = (row[split], row[split + 1]) if split != full else ("", "")
    return _pair(
        found[1].upper(), civilite, name, (family, given), elu=(row[1], row[2]), whole=row[0]
    )


def _pair(
    elu_id: str,
    civilite: str,
    name: str,
    split: tuple[str, str],
    elu: tuple[str, str],
    whole: str = "",
    groupe: str = "",
    fonction: str = "",
) -> Pair:
    if is_forbidden(name):
        raise Unreadable(no_member=False)
    nom, prenom = family_and_given(name, *split)
    elu_nom, elu_prenom = (" ".join(part.split()) for part in elu)
    if not elu_nom and whole:
        elu_prenom, _, elu_nom = whole.strip().partition(" ")
    return Pair(
        elu_id,
        words(name),
        nom,
        prenom,
        civilite,
        elu_nom,
        elu_prenom,
        groupe,
        fonction,
        is_broken(name),
    )


def _first(chamber: str, row: Row) -> Pair:
    return _chambers_own(chamber, row, full=4, split=4, address=8)


def _usual(chamber: str, row: Row) -> Pair:
    return _chambers_own(chamber, row, full=4, split=5, address=9)


def _europarl(chamber: str, row: Row) -> Pair:
    if not ELU_ID["europarl"].fullmatch(row[0]):
        raise Unreadable(no_member=True)
    civilite, name = civility_and_name(row[3])
    given, _, family = row[1].strip().partition(" ")
    return _pair(
        row[0],
        civilite,
        name,
        ("", ""),
        elu=(family, given),
        groupe=row[2].strip(),
        fonction=row[4].strip(),
    )


def _open_data(order: tuple[int, int]) -> Callable[[str, Row], Pair]:
    def parse(chamber: str, row: Row) -> Pair:
        elu_id = "PA" + row[0].strip().removeprefix("PA")
        if not ELU_ID["assemblee"].fullmatch(elu_id):
            raise Unreadable(no_member=True)
        civilite, nom = civility_and_name(row[3])
        prenom = civility_and_name(row[4])[1]
        elu = (row[order[0]], row[order[1]])
        return _pair(elu_id, civilite, f"{prenom} {nom}".strip(), (nom, prenom), elu=elu)

    return parse


_SENAT_FIRST = (
    "sénateur,nom_sénateur,prénom_sénateur,sexe_sénateur,nom_collaborateur,"
    "prénom_collaborateur,sexe_collaborateur,url_nossénateurs,url_sénat"
)
_SENAT = (
    "sénateur,nom_sénateur,prénom_sénateur,sexe_sénateur,collaborateur,nom_collaborateur,"
    "prénom_collaborateur,sexe_collaborateur,url_api_nossénateurs,url_sénat"
)
_BOTH = (
    "parlementaire,nom_parlementaire,prénom_parlementaire,sexe_parlementaire,collaborateur,"
    "nom_collaborateur,prénom_collaborateur,sexe_collaborateur,url_api_RC,url_institution"
)
_OWN = ("assemblee", "senat")
_KNOWN = {
    _SENAT_FIRST: Format("senat-2015-05-13", 9, ("senat",), _first),
    _SENAT: Format("senat-2015", 10, ("senat",), _usual),
    _BOTH: Format("parlementaire-2017-02", 10, _OWN, _usual),
    _BOTH + ",information complémentaire": Format("parlementaire-2017-03", 11, _OWN, _usual),
    "mep_id,mep_nom,groupe,collaborateur,fonction": Format("europarl", 5, ("europarl",), _europarl),
}
INTERVALS = ("mep_id", "mep_nom", "groupe", "collaborateur", "fonction", "debut", "fin")


def recognise(header: Sequence[str]) -> Format | None:
    """The format under a header, or None when it is none of those known."""
    known = _KNOWN.get(",".join(name.strip() for name in header))
    return known or _recognise_open_data([plain(name) for name in header])


def _recognise_open_data(header: list[str]) -> Format | None:
    # The Assemblée's own file names its columns in words that have changed; their places have not:
    # the deputy's number first, the staff member's nom and prénom fourth and fifth.
    if not 5 <= len(header) <= 12:
        return None
    if "prenom" in header[3] or "nom" not in header[3] or "prenom" not in header[4]:
        return None
    order = (2, 1) if "prenom" in header[1] else (1, 2)
    parse = _open_data(order)
    return Format("assemblee-open-data", len(header), ("assemblee",), parse, ends=False)
