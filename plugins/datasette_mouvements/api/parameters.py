"""Query string -> Search, or the refusal that names the parameter at fault.

PARAMETERS is the one description of the interface's parameters: checks, messages, OpenAPI and
the documentation page are derived from it (specification, "Parameters").
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from ..dataset.schema import Filter
from ..movement import CHAMBERS, SOURCES, TYPES, is_date
from ..refusal import Refusal

LIMIT_DEFAULT = 100
LIMIT_MOST = 500
OFFSET_MOST = 2**63 - 1
MEMBER_LENGTH = 80
SHOWN = 80

_DIGITS = re.compile(r"[0-9]+")


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


class Parameter(NamedTuple):
    """One query parameter: what it accepts, in the words of messages and documentation."""

    name: str
    meaning: str
    accepted: str
    example: str
    values: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    default: int | None = None
    format: str = ""
    longest: int | None = None
    pattern: str = ""


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

    Raises Refusal as `read` does; `jusqua` before `depuis` names both.
    """
    search = Search(**read(query, BY_NAME))  # type: ignore[arg-type]
    if search.depuis and search.jusqua and search.jusqua < search.depuis:
        raise Refusal(
            "parameter",
            f"« jusqua » ({search.jusqua}) est antérieur à « depuis » ({search.depuis}) ;"
            f" donnez des bornes dans l’ordre, par exemple depuis={search.jusqua}"
            f"&jusqua={search.depuis}.",
            "depuis",
            "jusqua",
        )
    return search


def read(query: bytes, known: Mapping[str, Parameter]) -> dict[str, str | int]:
    """What a raw query string gives for the parameters that an operation knows, by name.

    Raises Refusal("parameter", ...) naming what is at fault: unknown, repeated, empty, out of
    bounds (specification, "Parameters").
    """
    found: dict[str, str | int] = {}
    for part in query.split(b"&"):
        if not part:
            continue
        raw_name, _, raw_value = part.partition(b"=")
        # Every known name is ASCII: what is not escaped needs no decoding.
        parameter = known.get(raw_name.decode("latin-1")) or known.get(_decoded(raw_name))
        if parameter is None:
            raise _unknown(_decoded(raw_name), known)
        name = parameter.name
        if name in found:
            raise Refusal(
                "parameter",
                f"Le paramètre « {name} » est répété ; donnez-le une seule fois,"
                f" par exemple {name}={parameter.example}.",
                name,
            )
        found[name] = _value(parameter, _decoded(raw_value))
    return found


def query_string(search: Search) -> str:
    """The normalised query string of a search: known order, defaults left out."""
    return "&".join(
        [
            f"{name}={quote(str(value), safe='') if name in _QUOTED else value}"
            for name, value, usual in zip(Search._fields, search, _DEFAULTS, strict=True)
            if value != usual
        ]
    )


def accepted(parameter: Parameter) -> str:
    """What the parameter accepts, in French."""
    return parameter.accepted or "l’une des valeurs " + ", ".join(parameter.values)


def _decoded(raw: bytes) -> str:
    if b"%" not in raw and b"+" not in raw and raw.isascii():
        return raw.decode("ascii")
    # What is not UTF-8 becomes U+FFFD, which no parameter accepts: the message can still show it.
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8", "replace")


def _value(parameter: Parameter, value: str) -> str | int:
    if parameter.values:
        if value in parameter.values:
            return value
    elif parameter.format == "date":
        if is_date(value):
            return value
    elif parameter.least is not None and parameter.most is not None:
        # Twenty digits are past every bound: longer numbers are not even converted.
        if (
            value.isascii()
            and _DIGITS.fullmatch(value)
            and len(value) <= 20
            and parameter.least <= int(value) <= parameter.most
        ):
            return int(value)
    elif len(value) <= (parameter.longest or 0) and re.search(parameter.pattern, value):
        return value
    received = f"a reçu « {shown(value)} »" if value else "est vide"
    raise Refusal(
        "parameter",
        f"Le paramètre « {parameter.name} » {received} ; il accepte {accepted(parameter)},"
        f" par exemple {parameter.name}={parameter.example}.",
        parameter.name,
    )


def _unknown(name: str, known: Mapping[str, Parameter]) -> Refusal:
    told = f"Le paramètre « {shown(name)} » est inconnu"
    if not known:
        return Refusal("parameter", f"{told} ; cette adresse n’en admet aucun.", shown(name))
    nearest = difflib.get_close_matches(name[:SHOWN].lower(), known, n=1, cutoff=0)[0]
    return Refusal(
        "parameter",
        f"{told} ; vouliez-vous dire « {nearest} » ?"
        f" Paramètres admis : {', '.join(known)}, par exemple"
        f" {nearest}={known[nearest].example}.",
        shown(name),
    )


def shown(text: str) -> str:
    """What was received, fit to be shown: 80 characters at most, nothing unprintable."""
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else "\ufffd" for c in cut)
