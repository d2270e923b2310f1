"""One query parameter: what it accepts, and the value of a text sent for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from parlement_lists.movement import is_date

LIMIT_DEFAULT = 100
LIMIT_MOST = 500
OFFSET_MOST = 2**63 - 1
# Publications in a feed.
LATEST = 50

_DIGITS = re.compile(r"[0-9]+")


class Parameter(NamedTuple):
    """What a parameter accepts, in the words of messages and documentation."""

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
    usual: str = ""  # a narrower one: what is accepted in any data, as the description says
    beyond: str = ""  # what to do instead of asking for more than `most`
    is_one: Callable[[str], bool] | None = None  # a rule that the pattern cannot express
    english: str = ""  # the meaning, for the reference
    accepted_english: str = ""  # what is accepted, where the bounds alone do not say it


def accepted(parameter: Parameter) -> str:
    """What the parameter accepts, in French."""
    one = "l’une des valeurs " if len(parameter.values) > 1 else "la seule valeur "
    return parameter.accepted or one + ", ".join(parameter.values)


def accepted_in_english(parameter: Parameter) -> str:
    """What the parameter accepts, in English and as Markdown."""
    if parameter.accepted_english:
        return parameter.accepted_english
    if parameter.values:
        return ", ".join(f"`{value}`" for value in parameter.values)
    if parameter.format == "date":
        return "a day, `YYYY-MM-DD`"
    if parameter.least is not None:
        return f"{parameter.least} to {parameter.most}"
    return f"a text of 1 to {parameter.longest} characters"


def value_of(parameter: Parameter, text: str) -> str | int | None:
    """The value that `text` gives, None if the parameter does not accept it."""
    if parameter.values:
        return text if text in parameter.values else None
    if parameter.format == "date":
        return text if is_date(text) else None
    if parameter.least is not None and parameter.most is not None:
        number = whole(text)
        return (
            number if number is not None and parameter.least <= number <= parameter.most else None
        )
    fits = len(text) <= (parameter.longest or 0) and re.search(parameter.pattern, text)
    return text if fits and (parameter.is_one is None or parameter.is_one(text)) else None


def whole(text: str) -> int | None:
    """The whole number that ASCII digits alone spell, else None.

    Twenty digits are beyond every bound: longer texts are not converted.
    """
    return int(text) if len(text) <= 20 and text.isascii() and _DIGITS.fullmatch(text) else None
