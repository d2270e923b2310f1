"""Query string -> Search, or the refusal that names the parameter at fault.

PARAMETERS is the one description of the interface's parameters: checks, messages, OpenAPI and
the documentation page are derived from it (specification, "Parameters").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from parlement_lists.movement import CHAMBERS, SOURCES, TYPES

from ... import addresses
from ...dataset.schema import Filter
from ...refusal import SITE, Refusal
from .parameter import LIMIT_DEFAULT, LIMIT_MOST, OFFSET_MOST, Parameter, value_of
from .parameter_faults import SHOWN, Fault, refusal

MEMBER_LENGTH = 80
# So many more parameters than an operation has are read: enough to tell what is wrong with a query.
FAULTY = 8
# A character takes four bytes, each escaped by three.
_RAW_CHARACTER = 12
_RAW_LONGEST = _RAW_CHARACTER * (SHOWN + 1)
_BOUNDS = ("depuis", "jusqua")
_PART = re.compile(rb"[^&]+")


class Search(NamedTuple):
    """What a request asks for; "" is no filter. Two requests for the same thing are equal."""

    chambre: str = ""
    type: str = ""
    source: str = ""
    depuis: str = ""
    jusqua: str = ""
    elu: str = ""
    limit: int = LIMIT_DEFAULT
    offset: int = 0

    @property
    def filter(self) -> Filter:
        """What of it selects movements by category or member, without days and paging."""
        return Filter(self.chambre, self.type, self.source, self.elu)


_DEFAULTS = Search()


_DAY = "un jour au format AAAA-MM-JJ"
PARAMETERS = (
    Parameter("chambre", "Chambre", "", "senat", CHAMBERS),
    Parameter("type", "Nature du mouvement", "", "arrivee", TYPES),
    Parameter("source", "Source du mouvement", "", "suivi", SOURCES),
    Parameter("depuis", "Premier jour, inclus", _DAY, "2026-01-31", format="date"),
    Parameter("jusqua", "Dernier jour, inclus", _DAY, "2026-12-31", format="date"),
    Parameter(
        "elu",
        "Identifiant de l’élu (elu_id), pour les trois chambres",
        f"un identifiant d’élu de 1 à {MEMBER_LENGTH} caractères",
        "99099Z",
        longest=MEMBER_LENGTH,
        pattern=r"^[^\u0000-\u001f\u007f-\u009f\ufffd-\uffff]+$",
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
    ),
    Parameter(
        "offset",
        "Nombre de mouvements à passer",
        f"un entier de 0 à {OFFSET_MOST}",
        "200",
        least=0,
        most=OFFSET_MOST,
        default=0,
    ),
)
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
# The values of the others are characters that a query string takes as they are.
_QUOTED = {parameter.name for parameter in PARAMETERS if parameter.pattern}


def parse(query: bytes) -> Search:
    """The search that a raw query string asks for.

    Raises Refusal as `read` does.
    """
    return Search(**read(query, BY_NAME))  # type: ignore[arg-type]


def read(query: bytes, known: Mapping[str, Parameter]) -> dict[str, str | int]:
    """What a raw query string gives for the parameters that an operation knows, by name.

    Raises one Refusal("parameter", ...) that names all that is at fault: unknown, repeated, empty,
    out of bounds; `jusqua` before `depuis` (specification, "Parameters").
    """
    asked = _read(query, known)
    if asked.faults:
        raise asked.refusal(known)
    return asked.found


class _Read(NamedTuple):
    """What came of a query: good values, faults, the texts at fault, and whether it was read to its end."""

    found: dict[str, str | int]
    faults: list[Fault]
    refused: dict[str, str]
    whole: bool

    def refusal(self, known: Mapping[str, Parameter]) -> Refusal:
        given = {name: str(value) for name, value in self.found.items()} | self.refused
        return refusal(self.faults, given, known, self.whole)


def _read(query: bytes, known: Mapping[str, Parameter]) -> _Read:
    most = len(known) + FAULTY
    parts, whole = query.split(b"&", most), True
    if len(parts) > most:
        parts, whole = _first_parts(query, most)
    found: dict[str, str | int] = {}
    faults: list[Fault] = []
    refused: dict[str, str] = {}
    for part in parts:
        if not part:
            continue
        raw_name, _, raw_value = part.partition(b"=")
        # Every known name is ASCII: what is not escaped needs no decoding.
        parameter = known.get(raw_name.decode("latin-1"))
        if parameter is None:
            name = _decoded(raw_name)
            parameter = known.get(name)
        if parameter is None:
            fault = Fault("unknown", name)
            refused.setdefault(name, _decoded(raw_value))
        elif (name := parameter.name) in found or name in refused:
            fault = Fault("repeated", name)
        else:
            text = _decoded(raw_value, parameter.longest or 0)
            value = value_of(parameter, text)
            if value is not None:
                found[name] = value
                if name not in _BOUNDS or not _reversed(found):
                    continue
                fault = Fault("reversed", name)
            else:
                fault = Fault("value", name, text)
                refused[name] = text
        if fault not in faults:
            faults.append(fault)
    return _Read(found, faults, refused, whole)


def _reversed(found: Mapping[str, str | int]) -> bool:
    """Whether the two days are there, the last before the first."""
    first, last = (str(found.get(name, "")) for name in _BOUNDS)
    return "" < last < first


def query_string(search: Search) -> str:
    """The normalised query string of a search: known order, defaults left out."""
    return "&".join(
        [
            f"{name}={quote(str(value), safe='') if name in _QUOTED else value}"
            for name, value, usual in zip(Search._fields, search, _DEFAULTS, strict=True)
            if value != usual
        ]
    )


def _first_parts(query: bytes, most: int) -> tuple[list[bytes], bool]:
    """The first `most` parameters of a raw query string, and whether there are no others."""
    parts = [found[0] for found in islice(_PART.finditer(query), most + 1)]
    return parts[:most], len(parts) <= most


def _decoded(raw: bytes, longest: int = 0) -> str:
    if len(raw) > _RAW_LONGEST:
        # What is cut stays longer than any value: it is refused, and read at the cost of one.
        raw = raw[: max(_RAW_LONGEST, _RAW_CHARACTER * (longest + 1))]
    if b"%" not in raw and b"+" not in raw and raw.isascii():
        return raw.decode("ascii")
    # What is not UTF-8 becomes U+FFFD, which no parameter accepts: the message can still show it.
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8", "replace")
