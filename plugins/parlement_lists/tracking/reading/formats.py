"""The forms a chamber's list has had since 2015: which columns say what."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...chambers import KNOWN
from ...movement import CHAMBERS, CIVILITIES, UNSEEN, plain, words
from ...tenure import UNPAID
from .names import civility_and_name, family_and_given, is_broken, is_nobody

_MEMBER_ID = {name: re.compile(chamber.member_id) for name, chamber in KNOWN.items()}
# The same within an address.
_IN_ADDRESS = {
    "assemblee": re.compile(r"OMC_(PA[0-9]{1,9})$"),
    "senat": re.compile(r"([0-9]{5}[a-z])\.html$", re.IGNORECASE),
}


# The list as it is kept (docs/reference/lists.md).
_KEPT = "chambre,elu_id,elu_nom,elu_prenom,groupe,collab_civilite,collab_nom,collab_prenom,fonction"
KEPT_COLUMNS = tuple(_KEPT.split(","))
# One column more where somebody is on unpaid leave.
LEAVE_COLUMN = "conge"

REMARK = 10  # the column `information complémentaire`

# Whose two identities make a pair: the member's and the person's.
PairKey = tuple[str, str]


class Pair(NamedTuple):
    """One row of a list: who works for whom.

    `member` is the member's identifier, `person` the staff member's words (see `movement.words`).
    `leave` is UNPAID of who is on unpaid leave. `exchanged` where the full name reads as `nom` + `prénom`: the
    Assemblée mostly writes "Prénom Nom", so that the two may be the wrong way round (see `lists`); the Sénat writes
    "NOM Prénom", and members' own names were never exchanged with their staff's.
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
    exchanged: bool = False

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

    `source` is who kept the lists of the form, `exchanged` the same form with the staff's family and given names the
    wrong way round.
    """

    chambers: tuple[str, ...]
    parse: Parse
    source: str
    exchanged: Format | None = None


def is_member_id(chamber: str, text: str) -> bool:
    """Whether a text has the form of the identifiers of a chamber's members."""
    return _MEMBER_ID[chamber].fullmatch(text) is not None


def _chambers_own(
    full: int, family: int, given: int, address: int, chamber: str, row: ListRow
) -> Pair:
    in_address = _IN_ADDRESS[chamber].search(row[address])
    if in_address is None:
        raise Unreadable(no_member=True)
    civility, name = civility_and_name(row[full])
    # Only the oldest form has no split: its column of family names holds the full name.
    split = (row[family], row[given]) if family != full else ("", "")
    pair = _pair(in_address[1].upper(), civility, name, split, (row[1], row[2]), row[0])
    first, last = (plain(civility_and_name(part)[1]) for part in split)
    return pair._replace(
        leave=UNPAID if len(row) > REMARK and plain(row[REMARK]) == "conge sans solde" else "",
        exchanged=chamber == "assemblee" and first != last and plain(name) == f"{first} {last}",
    )


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
    if is_nobody(name) or UNSEEN.search("".join((*member_split, member_name, group, role))):
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
    if not is_member_id("europarl", row[0]):
        raise Unreadable(no_member=True)
    civility, name = civility_and_name(row[3])
    given, _, family = row[1].strip().partition(" ")
    # Its group is the last one known of the member, in the lists of every year.
    return _pair(row[0], civility, name, ("", ""), (family, given), role=row[4].strip())


def _kept(chamber: str, row: ListRow) -> Pair:
    """A row as it is kept: its names are split already, and stand as they are."""
    member = row[1].strip().upper()
    if row[0] != chamber or not is_member_id(chamber, member):
        raise Unreadable(no_member=True)
    member_family, member_given, group, civility, family, given, role, *rest = (
        " ".join(field.split()) for field in row[2:]
    )
    leave = "".join(rest)
    if not family or civility not in ("", *CIVILITIES) or leave not in ("", UNPAID):
        raise Unreadable(no_member=False)
    full, named = f"{family} {given}".strip(), (member_family, member_given)
    pair = _pair(member, civility, full, (family, given), named, group=group, role=role)
    return pair._replace(family=family.upper(), given=given, leave=leave)


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
KEPT = "kept"


_EXCHANGED = Format(("assemblee",), _exchanged, ARCHIVES)
_OF_BOTH = Format(("assemblee", "senat"), _usual, ARCHIVES, _EXCHANGED)
_KNOWN = {
    _SENAT_FIRST: Format(("senat",), _first, ARCHIVES),
    _SENAT: Format(("senat",), _usual, ARCHIVES),
    _BOTH: _OF_BOTH,
    _BOTH + ",information complémentaire": _OF_BOTH,
    "mep_id,mep_nom,groupe,collaborateur,fonction": Format(("europarl",), _europarl, PARLTRACK),
    _KEPT: Format(CHAMBERS, _kept, KEPT),
    f"{_KEPT},{LEAVE_COLUMN}": Format(CHAMBERS, _kept, KEPT),
}
INTERVAL_COLUMNS = ("mep_id", "mep_nom", "groupe", "collaborateur", "fonction", "debut", "fin")


def recognise(header: Sequence[str]) -> Format | None:
    """The format under a header, or None when it is none of those known."""
    return _KNOWN.get(",".join(name.strip() for name in header))
