"""What is wrong with a request's parameters, as one refusal."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from parlement_lists.movement import is_date

from ...refusal import Refusal
from .advice import advice, sample
from .parameter import Parameter, accepted, whole
from .usual_names import usual_form

SHOWN = 80
# So many faults are explained; the others are named.
TOLD = 5
# How like a known name an unknown one must be to be taken for it: "limite" and "ofset" are, "since" and "time" not.
NEAR = 0.8

# As people and programs write a day: 2026-2-3, 2026/02/03, 20260203, an instant; then 03/02/2026, 3.2.2026; and
# 02/28/2026, where the second cannot be a month.
_WRITTEN = [
    re.compile(rf"{form}(?:[T ].{{1,40}})?", re.ASCII)
    for form in (
        r"(?P<year>\d{4})([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
        r"(?P<day>\d\d?)([-/.])(?P<month>\d\d?)\2(?P<year>\d{4})",
        r"(?P<month>\d\d?)([-/.])(?P<day>\d\d?)\2(?P<year>\d{4})",
    )
]
_UNKNOWN = " est inconnu"
# A key that was sent in the wrong place, or a part of one, is not repeated.
_KEY = re.compile(r"(mvt_)[0-9a-z]{7,}", re.ASCII | re.IGNORECASE)


class Fault(NamedTuple):
    """A parameter that is "unknown", "repeated", of a "value" not accepted, or the second of two days "reversed"."""

    kind: str
    name: str
    value: str = ""


def refusal(
    faults: Sequence[Fault],
    given: Mapping[str, str],
    known: Mapping[str, Parameter],
    whole_query: bool = True,
) -> Refusal:
    """The refusal that tells every fault, in the order of the query.

    `given` is what the request gave for each name, `known` the parameters of the operation;
    `whole_query` is False where the rest of the query was not looked at.
    """
    texts = [_text(fault, given, known) for fault in faults[:TOLD]]
    none_meant = any(text.endswith(f"{_UNKNOWN}.") for text in texts)
    if len(faults) > 1:
        texts = [f"{place}) {text}" for place, text in enumerate(texts, 1)]
        texts.insert(0, f"{len(faults)} fautes.")
    if len(faults) > TOLD:
        others = len(faults) - TOLD
        texts.append("Et une autre." if others == 1 else f"Et {others} autres.")
    if not whole_query:
        texts.append("La suite n’a pas été lue.")
    if any(fault.kind == "unknown" for fault in faults[:TOLD]):
        texts.append(_admitted(known, none_meant))
    names = [name for fault in faults for name in _names(fault)]
    return Refusal("parameter", " ".join(texts), *dict.fromkeys(names))


def shown(text: str) -> str:
    """What was received, fit to be shown: 80 characters at most, nothing unprintable, no key."""
    text = _KEY.sub(r"\1…", text[: 2 * SHOWN])
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else "\ufffd" for c in cut)


def _names(fault: Fault) -> tuple[str, ...]:
    if fault.kind == "reversed":
        return ("jusqua", "depuis") if fault.name == "depuis" else ("depuis", "jusqua")
    return (shown(fault.name),)


def _text(fault: Fault, given: Mapping[str, str], known: Mapping[str, Parameter]) -> str:
    kind, name, value = fault
    if kind == "unknown":
        return _unknown(name, given, known)
    if kind == "reversed":
        first, last = given["depuis"], given["jusqua"]
        return (
            f"« jusqua » ({last}) est antérieur à « depuis » ({first}) ; donnez des bornes dans"
            f" l’ordre, par exemple depuis={last}&jusqua={first}."
        )
    example = f"par exemple {name}={known[name].example}."
    if kind == "repeated":
        return f"Le paramètre « {name} » est répété ; donnez-le une seule fois, {example}"
    return _bad_value(known[name], value)


def _bad_value(parameter: Parameter, value: str) -> str:
    name, example, more = parameter.name, parameter.example, ""
    received = f"a reçu « {shown(value)} »" if value else "est vide"
    if parameter.format == "date" and value:
        days = _spelled(value)
        meant = next(filter(is_date, days), "")
        if days and not meant:
            received += ", un jour qui n’existe pas"
            meant = next(filter(None, map(_last_of_month, days)), "")
        example = meant or example
    number = whole(value)
    if parameter.beyond and number is not None and number > (parameter.most or 0):
        example, more = str(parameter.most), f" {parameter.beyond}"
    return (
        f"Le paramètre « {name} » {received} ; il accepte {accepted(parameter)},"
        f" par exemple {name}={example}.{more}"
    )


def _spelled(text: str) -> list[str]:
    """The days that `text` may spell, whether or not they exist, the likeliest first."""
    found = [written.fullmatch(text.strip()) for written in _WRITTEN]
    return [f"{day['year']}-{day['month']:0>2}-{day['day']:0>2}" for day in found if day]


def _last_of_month(text: str) -> str:
    """The last day of the month that `text` has too many days for; "" if there is no such month."""
    return next((day for last in (31, 30, 29, 28) if is_date(day := f"{text[:8]}{last}")), "")


def _unknown(name: str, given: Mapping[str, str], known: Mapping[str, Parameter]) -> str:
    told = f"Le paramètre « {shown(name)} »{_UNKNOWN}"
    instead = advice(name, given, known)
    if instead:
        return f"{told} ; {instead}."
    lower = usual_form(name[:SHOWN])
    nearest = difflib.get_close_matches(lower, known, n=1, cutoff=NEAR)
    if nearest:
        [meant] = nearest
        example = sample(known[meant], given[name])
        return f"{told} ; vouliez-vous dire « {meant} », par exemple {meant}={example} ?"
    return f"{told}."


def _admitted(known: Mapping[str, Parameter], with_example: bool) -> str:
    if not known:
        return "Cette adresse n’admet aucun paramètre."
    first = next(iter(known.values()))
    example = f", par exemple {first.name}={first.example}" if with_example else ""
    return f"Paramètres admis : {', '.join(known)}{example}."
