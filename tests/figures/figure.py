"""A figure: what makes it, and the sentences that state it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
# None is what the lists at hand cannot give.
Values = dict[str, str | int | None]
_WORDS = ("zero one two three four five six seven eight nine ten eleven twelve").split()
_MARGIN = re.compile(r"^[ \t]*(?:#|>)?[ \t]*", re.M)


class Statement(NamedTuple):
    """A sentence of a file, with `{name}` in the place of each value."""

    path: str
    sentence: str

    def stated(self) -> dict[str, str]:
        """The values that the file states; ValueError where it has no such sentence, or several."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w[\\w.,]*(?<=\\w))", re.escape(self.sentence))
        found = list(re.finditer(pattern, plain_text(ROOT / self.path)))
        if len(found) != 1:
            raise ValueError(f"{self.path}: {len(found)} times: {self.sentence}")
        return {name: number(value) for name, value in found[0].groupdict().items()}


class Figure(NamedTuple):
    """What makes a figure, and where it stands."""

    make: Callable[[], Values]
    statements: tuple[Statement, ...]

    @property
    def about(self) -> str:
        return (self.make.__doc__ or "").partition("\n")[0]


FIGURES: dict[str, Figure] = {}


def figure(*statements: tuple[str, str]) -> Callable[[Callable[[], Values]], Callable[[], Values]]:
    """Name what makes a figure by the function's name, with the sentences that state it."""

    def named(make: Callable[[], Values]) -> Callable[[], Values]:
        name = make.__name__.replace("_", "-")
        FIGURES[name] = Figure(make, tuple(Statement(*one) for one in statements))
        return make

    return named


def plain_text(path: Path) -> str:
    """A file's text on one line, without the signs of comments."""
    return " ".join(_MARGIN.sub("", path.read_text(encoding="utf-8")).split())


def number(value: object) -> str:
    """A number as it is compared: without commas, a word as digits."""
    text = str(value).replace(",", "").lower()
    return str(_WORDS.index(text)) if text in _WORDS else text
