"""One query parameter: what it accepts, and the rows that it selects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from parlement_lists.movement import is_date

_DIGITS = re.compile(r"[0-9]+")
Value = str | int
Given = dict[str, Value]


class Parameter(NamedTuple):
    """What a parameter accepts, in the words of messages and documentation, and which rows `r` it selects.

    `where` has an SQL condition for each resource that takes it, "" for one that selects nothing by it.
    """

    name: str
    meaning: str
    where: Mapping[str, str]
    accepted: str = ""
    example: str = ""
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
    bound: Callable[[str], str] | None = (
        None  # the value in SQL, where it is not the one that was sent
    )
    on_day: str = ""  # the condition where `le` is given, too

    def value(self, text: str) -> Value | None:
        """The value that `text` gives, None if the parameter does not accept it."""
        if self.values:
            return text if text in self.values else None
        if self.format == "date":
            return text if is_date(text) else None
        if self.least is not None and self.most is not None:
            number = whole(text)
            return number if number is not None and self.least <= number <= self.most else None
        fits = len(text) <= (self.longest or 0) and re.fullmatch(self.pattern, text)
        return text if fits and (self.is_one is None or self.is_one(text)) else None

    def exceeds(self, text: str) -> bool:
        """Whether a text is a number beyond the bound."""
        number = whole(text)
        return number is not None and number > (self.most or 0)

    def what(self) -> str:
        """What the parameter accepts, in French."""
        many = "l’une des valeurs " if len(self.values) > 1 else "la seule valeur "
        return self.accepted or many + ", ".join(self.values)


def whole(text: str) -> int | None:
    """The whole number that ASCII digits alone spell, else None.

    Twenty digits are beyond every bound: longer texts are not converted.
    """
    return int(text) if len(text) <= 20 and text.isascii() and _DIGITS.fullmatch(text) else None
