"""Query string -> StaySearch or MemberSearch, as `search_parameters` does for movements."""

from __future__ import annotations

from typing import NamedTuple

from parlement_lists.bounds import FULL_NAME_LETTERS, GROUP_LETTERS

from ...dataset.served.stay_index import StayFilter
from .parameter import LIMIT_DEFAULT, Parameter
from .search_parameters import BY_NAME, MEMBER, UNPRINTABLE, read

YES = "oui"
STAY_PARAMETERS = (
    BY_NAME["chambre"],
    MEMBER,
    Parameter(
        "groupe",
        "Groupe politique de l’élu : au jour de le s’il est connu, sinon elu_groupe",
        f"un groupe de 1 à {int(GROUP_LETTERS)} caractères",
        "GEST",
        longest=int(GROUP_LETTERS),
        pattern=f"^[^{UNPRINTABLE}]+$",
        english="Political group of the member: on the day of le if it is known, else elu_groupe",
    ),
    Parameter(
        "nom",
        "Nom du collaborateur : tous ses mots, dans n’importe quel ordre, sans égard aux accents",
        f"un nom de 1 à {int(FULL_NAME_LETTERS)} caractères",
        "Dominique Exemple",
        longest=int(FULL_NAME_LETTERS),
        pattern=f"^[^{UNPRINTABLE}]+$",
        english="Name of the staff member: all of its words, in any order, whatever the accents",
    ),
    Parameter(
        "le",
        "Jour : les collaborations que dit la dernière liste de ce jour ou d’avant. Pas avec present",
        BY_NAME["depuis"].accepted,
        "2026-09-14",
        format="date",
        english="Day: the stays that the last list of that day or before tells. Not with present",
    ),
    Parameter(
        "present",
        "Sur la dernière liste de la chambre, le mandat de l’élu se poursuivant. Pas avec le",
        "",
        YES,
        (YES,),
        english="On the chamber's last list, while the member's mandate goes on. Not with le",
    ),
    BY_NAME["limit"]._replace(
        meaning="Nombre de collaborations par page", english="Stays on a page"
    ),
    BY_NAME["offset"]._replace(
        meaning="Nombre de collaborations à passer", english="Stays to skip"
    ),
)
STAYS_BY_NAME = {parameter.name: parameter for parameter in STAY_PARAMETERS}
STAYS_QUOTED = {parameter.name for parameter in STAY_PARAMETERS if parameter.pattern}


MEMBER_PARAMETERS = (
    BY_NAME["chambre"],
    STAYS_BY_NAME["groupe"]._replace(
        meaning="Groupe politique d’aujourd’hui", english="Political group of today"
    ),
    MEMBER,
    STAYS_BY_NAME["le"]._replace(
        meaning="Jour où un mandat connu est en cours",
        english="Day on which a known mandate goes on",
    ),
    BY_NAME["limit"]._replace(meaning="Nombre d’élus par page", english="Members on a page"),
    BY_NAME["offset"]._replace(meaning="Nombre d’élus à passer", english="Members to skip"),
)
MEMBERS_BY_NAME = {parameter.name: parameter for parameter in MEMBER_PARAMETERS}


class MemberSearch(NamedTuple):
    """The page of members that a request asks for; "" is no filter."""

    chambre: str = ""
    groupe: str = ""
    elu: str = ""
    le: str = ""
    limit: int = LIMIT_DEFAULT
    offset: int = 0


class StaySearch(NamedTuple):
    """The page of stays that a request asks for; "" is no filter. Equal where the page is the same."""

    chambre: str = ""
    elu: str = ""
    groupe: str = ""
    nom: str = ""
    le: str = ""
    present: str = ""
    limit: int = LIMIT_DEFAULT
    offset: int = 0

    @property
    def days(self) -> tuple[str, str]:
        """No span of days: no parameter asks for one."""
        return "", ""

    @property
    def member(self) -> tuple[str, str]:
        """The parameter that names a member, and its value."""
        return "elu", self.elu

    def filter(self, today: str = "") -> StayFilter:
        """Its filters, without paging; `today` is the day for which who is present is asked, else ""."""
        return StayFilter(self.chambre, self.elu, self.groupe, self.nom, self.le, today)


def parse_members(query: bytes) -> MemberSearch:
    """The search for members that a raw query string asks for; Refusal as `read` raises it."""
    return MemberSearch(**read(query, MEMBERS_BY_NAME))  # type: ignore[arg-type]


def parse_stays(query: bytes) -> StaySearch:
    """The search that a raw query string asks for; Refusal as `read` raises it."""
    return StaySearch(**read(query, STAYS_BY_NAME))  # type: ignore[arg-type]
