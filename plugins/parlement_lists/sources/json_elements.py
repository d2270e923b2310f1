"""Elements of JSON that was made from XML: one may stand without a list, and an absent one has several forms."""

from __future__ import annotations

import datetime
import json
from typing import Any, NamedTuple

from ..bounds import TEXT_LETTERS
from ..csv_rows import one_line
from ..movement import DAY, is_day

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a string"}


class JsonElement(NamedTuple):
    """A value of a document, None if it is absent, and its place; a child of an absent one is absent.

    ValueError for a value of another form; the message has its place and its type, never the value.
    """

    value: Any
    place: str = ""

    def child(self, name: str) -> JsonElement:
        """A child of an object."""
        if not isinstance(self.value, dict | None):
            raise self.odd("not an object")
        value = self.value.get(name) if self.value else None
        return JsonElement(_present(value), f"{self.place}.{name}".removeprefix("."))

    def elements(self) -> list[JsonElement]:
        """The elements of a list, the one that stands without a list, or none."""
        values = self.value if isinstance(self.value, list) else [self.value]
        place = self.place or "item"
        return [
            JsonElement(present, f"{place} {number}")
            for number, value in enumerate(values, 1)
            if (present := _present(value)) is not None
        ]

    def text(self) -> str:
        """A string, alone or as `#text` of an object, spaces made one; "" if it is absent.

        ValueError also for what no field may hold, and for a longer text than any.
        """
        text = self.value.get("#text") if isinstance(self.value, dict) else self.value
        if text is None:
            return ""
        if not isinstance(text, str):
            raise self.odd("not a string")
        if len(text) > TEXT_LETTERS:
            raise ValueError(f"{self.place}: {len(text):,} letters, more than {TEXT_LETTERS}")
        try:
            return one_line(text)
        except ValueError as error:
            raise ValueError(f"{self.place} {error}") from None

    def day(self) -> datetime.date | None:
        """A day, None if it is absent."""
        text = self.text()
        if text and not is_day(text):
            raise ValueError(f"{self.place} is not {DAY}")
        return datetime.date.fromisoformat(text) if text else None

    def odd(self, expected: str) -> ValueError:
        """The exception for a value of another type."""
        kind = _KINDS.get(type(self.value), "a number or a truth value")
        return ValueError(f"{self.place or 'the document'} is {kind}, {expected}")


def parse(body: bytes) -> JsonElement:
    """A JSON document in UTF-8; ValueError if it is none, or nested too deeply to be read."""
    try:
        return JsonElement(json.loads(body.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        # These messages have a place and a reason, never a part of the document.
        raise ValueError(f"not JSON: {str(error)[:80]}") from error


def _present(value: Any) -> Any:
    """The value, None if it is the form that an absent element has."""
    nil = isinstance(value, dict) and value.get("@xsi:nil") in ("true", "1", True)
    return None if nil else value
