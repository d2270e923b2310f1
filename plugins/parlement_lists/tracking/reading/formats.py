"""The forms a chamber's list has had since 2015: which columns say what."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...chambers import KNOWN
from ...movement import CHAMBERS, CIVILITIES, UNSEEN, plain, words
from ...tenure import UNPAID
from .names import civility_and_name, family_and_given, is_broken, is_forbidden

_MEMBER_ID = {name: re.compile(chamber.member_id) for name, chamber in KNOWN.items()}
# The same within an address.
_IN_ADDRESS = {
    "assemblee": re.compile(r"OMC_(PA[0-9]{1,9})$"),
    "senat": re.compile(r"([0-9]{5}[a-z])\.html$", re.IGNORECASE),
}


# The list as it is kept (docs/reference/lists.md).
KEPT_COLUMNS = (
    *("chambre", "elu_id", "elu_nom", "elu_prenom", "groupe"),
    *("collab_civilite", "collab_nom", "collab_prenom", "fonction"),
)
# One column more where somebody is on unpaid leave.
LEAVE_COLUMN = "conge"

KEPT = "kept"  # the name of that form

REMARK = 10  # the column `information complémentaire`

# Whose two identities make a pair: the member's and the person's.
PairKey = tuple[str, str]


class Pair(NamedTuple):
    """One row of a list: who works for whom.

    `member` is the member's identifier, `person` the staff member's words (see `movement.words`).
    `leave` is UNPAID of who is on unpaid leave.
    """

    member: str
    person: str
    family: str
    given: str
    civility: str
    member_family: str
    member_given: str
    group: str
    role: str
    broken: bool
    leave: str = ""

    @property
    def key(self) -> PairKey:
        return self.member, self.person


class Unreadable(Exception):
    """A row that names no member (`no_member`), or whose fields cannot be what the header says."""

    def __init__(self, no_member: bool) -> None:
        self.no_member = no_member


ListRow = Sequence[str]
# A chamber and a row of its list -> the pair; raises Unreadable.
Parse = Callable[[str, ListRow], Pair]


class Format(NamedTuple):
    """How to read the rows under one header; `chambers` are those whose lists have this form.

    `ends` where every line is known to end with a line end: one that does not was cut off.
    `exchanged` is the same form with the staff's family and given names the wrong way round.
    `source` is whom a list of this form comes from unless that is noted, "" where the form tells no more.
    """

    name: str
    width: int
    chambers: tuple[str, ...]
    parse: Parse
    ends: bool = True
    exchanged: Format | None = None
    source: str = ""


def is_member_id(chamber: str, text: str) -> bool:
    """Whether a text has the form of the identifiers of a chamber's members."""
    return _MEMBER_ID[chamber].fullmatch(text) is not None


def _chambers_own(
    full: int, family: int, given: int, address: int, chamber: str, row: ListRow
) -> Pair:
    found = _IN_ADDRESS[chamber].search(row[address])
    if found is None:
        raise Unreadable(no_member=True)
    civility, name = civility_and_name(row[full])
    # Only the oldest form has no split: its column of family names holds the full name.
    rough = (row[family], row[given]) if family != full else ("", "")
    named = (row[1], row[2])
    pair = _pair(found[1].upper(), civility, name, rough, named, member_name=row[0])
    away = len(row) > REMARK and plain(row[REMARK]) == "conge sans solde"
    return pair._replace(leave=UNPAID) if away else pair


def reads_exchanged(chamber: str, row: ListRow) -> bool:
    """Whether the full name of a row of the Assemblée reads `nom` + `prénom`.

    It is mostly written "Prénom Nom", so that the split may be the wrong way round (see `lists`).
    The Sénat writes "NOM Prénom". The members' own names were never exchanged with their staff's.
    """
    if chamber != "assemblee":
        return False
    full, family, given = (plain(civility_and_name(name)[1]) for name in row[4:7])
    return family != given and full == f"{family} {given}"


def _pair(
    member: str,
    civility: str,
    name: str,
    split: tuple[str, str],
    member_split: tuple[str, str],
    member_name: str = "",
    group: str = "",
    role: str = "",
) -> Pair:
    """A pair; the splits are family and given name, as roughly as the list has them."""
    if is_forbidden(name) or UNSEEN.search("".join((*member_split, member_name, group, role))):
        raise Unreadable(no_member=False)
    family, given = family_and_given(name, *split)
    member_family, member_given = (" ".join(part.split()) for part in member_split)
    if not member_family and member_name:
        member_given, _, member_family = member_name.strip().partition(" ")
    names = (family, given, civility, member_family, member_given)
    return Pair(member, words(name), *names, group, role, is_broken(name))


_first = functools.partial(_chambers_own, 4, 4, 5, 8)
_usual = functools.partial(_chambers_own, 4, 5, 6, 9)
_exchanged = functools.partial(_chambers_own, 4, 6, 5, 9)


def _europarl(chamber: str, row: ListRow) -> Pair:
    if not _MEMBER_ID["europarl"].fullmatch(row[0]):
        raise Unreadable(no_member=True)
    civility, name = civility_and_name(row[3])
    given, _, family = row[1].strip().partition(" ")
    # Its group is the last one known of the member, in the lists of every year.
    return _pair(row[0], civility, name, ("", ""), (family, given), role=row[4].strip())


def _open_data(order: tuple[int, int]) -> Parse:
    def parse(chamber: str, row: ListRow) -> Pair:
        member = "PA" + row[0].strip().removeprefix("PA")
        if not _MEMBER_ID["assemblee"].fullmatch(member):
            raise Unreadable(no_member=True)
        civility, family = civility_and_name(row[3])
        given = civility_and_name(row[4])[1]
        named = (row[order[0]], row[order[1]])
        return _pair(member, civility, f"{given} {family}".strip(), (family, given), named)

    return parse


def _kept(chamber: str, row: ListRow) -> Pair:
    """A row as it is kept: its names are split already, and stand as they are."""
    member = row[1].strip().upper()
    if row[0] != chamber or not is_member_id(chamber, member):
        raise Unreadable(no_member=True)
    member_family, member_given, group, civility, family, given, role, *rest = (
        " ".join(field.split()) for field in row[2:]
    )
    leave = "".join(rest)
    name = f"{family} {given}".strip()
    text = "".join((member_family, member_given, group, role))
    if not family or is_forbidden(name) or UNSEEN.search(text):
        raise Unreadable(no_member=False)
    if civility not in ("", *CIVILITIES) or leave not in ("", UNPAID):
        raise Unreadable(no_member=False)
    names = (family.upper(), given, civility, member_family, member_given)
    return Pair(member, words(name), *names, group, role, is_broken(name), leave)


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


# Who kept the lists of each form: the forms of one are one source, since their rows say the same.
ARCHIVES = "regards-citoyens"
PARLTRACK = "parltrack"
OPEN_DATA = "assemblee-csv"


def _both(name: str, width: int) -> Format:
    exchanged = Format(f"{name}-exchanged", width, ("assemblee",), _exchanged, source=ARCHIVES)
    return Format(name, width, ("assemblee", "senat"), _usual, exchanged=exchanged, source=ARCHIVES)


_KNOWN = {
    _SENAT_FIRST: Format("senat-2015-05-13", 9, ("senat",), _first, source=ARCHIVES),
    _SENAT: Format("senat-2015", 10, ("senat",), _usual, source=ARCHIVES),
    _BOTH: _both("parlementaire-2017-02", 10),
    _BOTH + ",information complémentaire": _both("parlementaire-2017-03", 11),
    "mep_id,mep_nom,groupe,collaborateur,fonction": Format(
        "europarl", 5, ("europarl",), _europarl, source=PARLTRACK
    ),
    ",".join(KEPT_COLUMNS): Format(KEPT, len(KEPT_COLUMNS), CHAMBERS, _kept),
    ",".join((*KEPT_COLUMNS, LEAVE_COLUMN)): Format(
        "kept-with-leave", len(KEPT_COLUMNS) + 1, CHAMBERS, _kept, source=KEPT
    ),
}
INTERVAL_COLUMNS = ("mep_id", "mep_nom", "groupe", "collaborateur", "fonction", "debut", "fin")


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
    return Format(
        "assemblee-open-data", len(header), ("assemblee",), parse, ends=False, source=OPEN_DATA
    )
