"""One query parameter: what it accepts, the rows that it selects; and what is wrong with those of a request."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from parlement_lists.movement import is_date, plain

from .. import addresses
from ..refusal import SITE, Refusal

_DIGITS = re.compile(r"[0-9]+")
SHOWN = 80
# Faults that are explained; the others are only named.
EXPLAINED = 5
# How similar an unknown name must be to a known one (difflib): "limite" and "ofset" are, "since" and "time" are not.
NEAR = 0.8

_PRINTABLE = re.compile(r"[^\u0000-\u001f\u007f-\u009f\ufffd-\uffff]+")
_UNKNOWN = " est inconnu"
_ALL = f"Pour tout lire : plusieurs pages, ou le fichier entier, à {SITE}{addresses.WHOLE_FILE}."
# A key in the wrong place, or a part of one, is not repeated.
_KEY = re.compile(r"(mvt_)[0-9a-z]{7,}", re.ASCII | re.IGNORECASE)
Value = str | int
Arguments = dict[str, Value]


class Fault(NamedTuple):
    """What is wrong with a query: the names of parameters at fault, in its order, and a sentence about them."""

    names: tuple[str, ...]
    text: str


class Parameter(NamedTuple):
    """What a parameter accepts, in the words of messages and documentation, and which rows `r` it selects.

    `schema` is that of OpenAPI, whose pattern is narrower than what is accepted in any data. `where` is an SQL
    condition, "" for a parameter that selects nothing.
    """

    name: str
    meaning: str
    accepted: str
    example: str
    schema: Mapping[str, Any]
    where: str = ""
    on_day: str = ""  # the condition where `le` is given, too
    is_one: Callable[[str], object] = bool  # a rule that a text must obey
    bound: Callable[[str], str] | None = None  # what gives SQL another value than the one sent

    @property
    def default(self) -> int | None:
        return self.schema.get("default")

    def value(self, text: str) -> Value | None:
        """The value that `text` gives, None if the parameter does not accept it."""
        if "enum" in self.schema:
            return text if text in self.schema["enum"] else None
        if self.schema.get("format") == "date":
            return text if is_date(text) else None
        if self.schema["type"] == "integer":
            number, least, most = whole(text), self.schema["minimum"], self.schema["maximum"]
            return number if number is not None and least <= number <= most else None
        fits = len(text) <= self.schema["maxLength"] and _PRINTABLE.fullmatch(text)
        return text if fits and self.is_one(text) else None

    def refused(self, text: str) -> Fault:
        """The fault of a value that is not accepted."""
        example, more = self.example, ""
        received = f"a reçu « {shown(text)} »" if text else "est vide"
        if self.name == "limit" and (whole(text) or 0) > self.schema["maximum"]:
            example, more = str(self.schema["maximum"]), f" {_ALL}"
        return Fault(
            (self.name,),
            f"Le paramètre « {self.name} » {received} ; il accepte {self.accepted},"
            f" par exemple {self.name}={example}.{more}",
        )

    def repeated(self) -> Fault:
        """The fault of a parameter that is given twice."""
        return Fault(
            (self.name,),
            f"Le paramètre « {self.name} » est répété ; donnez-le une seule fois,"
            f" par exemple {self.name}={self.example}.",
        )


def unknown(name: str, known: Mapping[str, Parameter]) -> Fault:
    """The fault of a name that is none of the `known` ones, with the nearest of them if one is near."""
    text = f"Le paramètre « {shown(name)} »{_UNKNOWN}"
    bare = plain(name[:SHOWN]).replace(" ", "")
    for meant in difflib.get_close_matches(bare, known, n=1, cutoff=NEAR):
        example = f"par exemple {meant}={known[meant].example}"
        return Fault((shown(name),), f"{text} ; vouliez-vous dire « {meant} », {example} ?")
    return Fault((shown(name),), f"{text}.")


def refusal(
    faults: Sequence[Fault], known: Mapping[str, Parameter], whole_query: bool = True
) -> Refusal:
    """The refusal that names every fault, in the order of the query.

    `known` are the parameters of the operation; `whole_query` is False where the rest of the query was not read.
    """
    explained = faults[:EXPLAINED]
    texts = [fault.text for fault in explained]
    if len(faults) > 1:
        texts = [f"{place}) {text}" for place, text in enumerate(texts, 1)]
        texts.insert(0, f"{len(faults)} fautes.")
    if len(faults) > EXPLAINED:
        others = len(faults) - EXPLAINED
        texts.append("Et une autre." if others == 1 else f"Et {others} autres.")
    if not whole_query:
        texts.append("La suite n’a pas été lue.")
    if any(name not in known for fault in explained for name in fault.names):
        none_meant = any(fault.text.endswith(f"{_UNKNOWN}.") for fault in explained)
        texts.append(_admitted(known, none_meant))
    names = [name for fault in faults for name in fault.names]
    return Refusal("parameter", " ".join(texts), *dict.fromkeys(names))


def shown(text: str) -> str:
    """What was received, fit to be shown: 80 characters at most, nothing unprintable, no key."""
    text = _KEY.sub(r"\1…", text[: 2 * SHOWN])
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else "\ufffd" for c in cut)


def _admitted(parameters: Mapping[str, Parameter], with_example: bool) -> str:
    if not parameters:
        return "Cette adresse n’admet aucun paramètre."
    first = next(iter(parameters.values()))
    example = f", par exemple {first.name}={first.example}" if with_example else ""
    return f"Paramètres admis : {', '.join(parameters)}{example}."


def whole(text: str) -> int | None:
    """The whole number that ASCII digits alone spell, else None.

    Twenty digits are beyond every bound: longer texts are not converted.
    """
    return int(text) if len(text) <= 20 and text.isascii() and _DIGITS.fullmatch(text) else None
