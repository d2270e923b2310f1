"""Query string -> Search, or the refusal that names the wrong parameters.

PARAMETERS describes the interface's parameters; checks, messages, OpenAPI and the documentation
page are derived from it (specification, "Parameters").
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from parlement_lists.movement import CHAMBERS, SOURCES, TYPES

from ... import addresses
from ...dataset.schema import Filter
from ...refusal import SITE
from .parameter import LIMIT_DEFAULT, LIMIT_MOST, OFFSET_MOST, Parameter, value_of
from .parameter_faults import SHOWN, Fault, refusal

MEMBER_LENGTH = 80
# Parameters each with the one that no request has beside it.
APART = {"elu": "equipe", "equipe": "elu", "le": "present", "present": "le"}
# A query is read up to so many parameters more than an operation has: enough to say what is wrong.
FAULTY = 8
# A character takes four bytes, each escaped by three.
_RAW_CHARACTER = 12
_RAW_LONGEST = _RAW_CHARACTER * (SHOWN + 1)
_BOUNDS = ("depuis", "jusqua")
_PART = re.compile(rb"[^&]+")
# A name, a list, a wildcard, an identifier in small letters. A maintainer's file may have such identifiers.
_APART, _SMALL = r"\s,;*%?", "(?:pa[0-9]+|[0-9]+[a-z])"
_NO_IDENTIFIER = re.compile(f".*[{_APART}].*|{_SMALL}")
UNPRINTABLE = r"\u0000-\u001f\u007f-\u009f\ufffd-\uffff"


class Search(NamedTuple):
    """The page that a request asks for; "" is no filter. Equal where the page is the same."""

    chambre: str = ""
    type: str = ""
    source: str = ""
    depuis: str = ""
    jusqua: str = ""
    elu: str = ""
    equipe: str = ""
    limit: int = LIMIT_DEFAULT
    offset: int = 0

    @property
    def days(self) -> tuple[str, str]:
        """The first and the last day."""
        return self.depuis, self.jusqua

    @property
    def member(self) -> tuple[str, str]:
        """The parameter that names a member, and its value."""
        return ("equipe", self.equipe) if self.equipe else ("elu", self.elu)

    def filter(self, today: str = "") -> Filter:
        """Its filters, without days and paging; they are the same on each day."""
        return Filter(self.chambre, self.type, self.source, self.elu, self.equipe)


_DAY = "un jour au format AAAA-MM-JJ"
MEMBER = Parameter(
    "elu",
    "Identifiant de l’élu (elu_id), pour les trois chambres",
    f"un seul identifiant d’élu de 1 à {MEMBER_LENGTH} caractères : PA et un nombre (Assemblée"
    " nationale), un matricule comme 14263U (Sénat), un nombre (Parlement européen)",
    "99099Z",
    longest=MEMBER_LENGTH,
    pattern=f"^[^{UNPRINTABLE}]+$",
    usual=f"^(?!{_SMALL}$)[^{_APART}{UNPRINTABLE}]+$",
    english="The member's identifier (elu_id)",
    accepted_english="one identifier: PA and a number (Assemblée), like 14263U (Sénat), a number"
    " (European Parliament)",
)
PARAMETERS = (
    Parameter("chambre", "Chambre", "", "senat", CHAMBERS, english="Chamber"),
    Parameter("type", "Nature du mouvement", "", "arrivee", TYPES, english="Kind of movement"),
    Parameter(
        "source",
        "Source du mouvement",
        "",
        "suivi",
        SOURCES,
        english="Where the movement comes from",
    ),
    Parameter(
        "depuis",
        "Premier jour, inclus",
        _DAY,
        "2026-01-31",
        format="date",
        english="First day, included",
    ),
    Parameter(
        "jusqua",
        "Dernier jour, inclus",
        _DAY,
        "2026-12-31",
        format="date",
        english="Last day, included",
    ),
    MEMBER,
    MEMBER._replace(
        name="equipe",
        meaning="Identifiant de l’élu dont on veut tous les mouvements de l’équipe : ceux de elu, et les"
        " transferts qui la quittent. Pas avec elu",
        english="Movements of elu, and transfers that leave that team. Not with elu",
    ),
    Parameter(
        "limit",
        "Nombre de mouvements par page",
        f"un entier de 1 à {LIMIT_MOST}",
        "100",
        least=1,
        most=LIMIT_MOST,
        default=LIMIT_DEFAULT,
        beyond="Pour tout lire : plusieurs pages, ou le fichier entier, à"
        f" {SITE}{addresses.WHOLE_FILE}.",
        english="Movements on a page",
    ),
    Parameter(
        "offset",
        "Nombre de mouvements à passer",
        f"un entier de 0 à {OFFSET_MOST}",
        "200",
        least=0,
        most=OFFSET_MOST,
        default=0,
        english="Movements to skip",
    ),
)
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
# The others have values that need no escapes in a query string.
QUOTED = {parameter.name for parameter in PARAMETERS if parameter.pattern}


def parse(query: bytes) -> Search:
    """The search that a raw query string asks for; Refusal as `read` raises it."""
    return Search(**read(query, BY_NAME))  # type: ignore[arg-type]


def check_member(name: str, value: str) -> None:
    """Refuse an `elu` or `equipe` that nobody has and that is plainly something else than an identifier."""
    if _NO_IDENTIFIER.fullmatch(value):
        raise refusal([Fault("value", name, value)], {}, BY_NAME)


def read(query: bytes, known: Mapping[str, Parameter]) -> dict[str, str | int]:
    """What a raw query string gives for the parameters that an operation knows, by name.

    Raises one Refusal("parameter", ...) that names all that is at fault: unknown, repeated, empty,
    out of bounds, together though APART; `jusqua` before `depuis` (specification, "Parameters").
    """
    parts, whole_query = _parts(query, len(known) + FAULTY)
    values: dict[str, str | int] = {}
    wrong: dict[str, str] = {}
    faults: list[Fault] = []
    for part in parts:
        raw_name, _, raw_value = part.partition(b"=")
        # Every known name is ASCII: one without escapes needs no decoding.
        parameter = known.get(raw_name.decode("latin-1")) or known.get(_decoded(raw_name))
        fault: Fault | None = None
        if parameter is None:
            fault = Fault("unknown", _decoded(raw_name))
            wrong.setdefault(fault.name, _decoded(raw_value))
        elif (name := parameter.name) in values or name in wrong:
            fault = Fault("repeated", name)
        else:
            text = _decoded(raw_value, parameter.longest or 0)
            value = value_of(parameter, text)
            if value is None:
                fault = Fault("value", name, text)
                wrong[name] = text
            else:
                values[name] = value
                if name in _BOUNDS and _reversed(values):
                    fault = Fault("reversed", name)
                elif (other := APART.get(name, "")) in values:
                    fault = Fault("together", name, other)
        if fault and fault not in faults:
            faults.append(fault)
    if faults:
        given = {name: str(value) for name, value in values.items()} | wrong
        raise refusal(faults, given, known, whole_query)
    return values


def _parts(query: bytes, most: int) -> tuple[list[bytes], bool]:
    """The first `most` parameters of a raw query string, and whether there are no others."""
    if query.count(b"&") < most:
        return [part for part in query.split(b"&") if part], True
    parts = [part[0] for part in islice(_PART.finditer(query), most + 1)]
    return parts[:most], len(parts) <= most


def _reversed(values: Mapping[str, str | int]) -> bool:
    """Whether both days are given, the last before the first."""
    first, last = map(values.get, _BOUNDS)
    return first is not None and last is not None and str(last) < str(first)


def query_string(search: Any, quoted: Container[str] = QUOTED) -> str:
    """The normalised query string of the first page of a search, a named tuple: its offset and defaults left out."""
    given = zip(search._field_defaults.items(), search, strict=True)
    return "&".join(
        [
            f"{name}={quote(str(value), safe='') if name in quoted else value}"
            for (name, usual), value in given
            if value != usual and name != "offset"
        ]
    )


def _decoded(raw: bytes, longest: int = 0) -> str:
    if len(raw) > _RAW_LONGEST:
        # Cut, it is still longer than any value, so it is refused, and costs no more than one.
        raw = raw[: max(_RAW_LONGEST, _RAW_CHARACTER * (longest + 1))]
    if b"%" not in raw and b"+" not in raw and raw.isascii():
        return raw.decode("ascii")
    # What is not UTF-8 becomes U+FFFD: no parameter accepts it, and a message can show it.
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8", "replace")
