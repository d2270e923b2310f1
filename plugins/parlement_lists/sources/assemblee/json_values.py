"""Values of JSON that was made from XML: one element may stand for a list, and nothing has two forms."""

from __future__ import annotations

import json
from typing import Any

from ...movement import NOT_XML


class OddValue(Exception):
    """A value that is not of the form expected; the message has its place and its type, never the value."""


def parse(body: bytes) -> Any:
    """What a JSON document in UTF-8 says; OddValue where it is none, or too deep to read."""
    try:
        return json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise OddValue(f"byte {error.start + 1} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise OddValue(f"line {error.lineno}: column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise OddValue("nested too deeply") from error
    except ValueError as error:
        raise OddValue("a number of too many digits") from error


def present(value: Any) -> Any:
    """The value, None where it is the form that an absent element has."""
    nil = isinstance(value, dict) and value.get("@xsi:nil") in ("true", "1", True)
    return None if nil else value


def elements(value: Any) -> list[Any]:
    """The elements that a value stands for: a list, one alone that stands without one, or none."""
    value = present(value)
    if value is None:
        return []
    found = value if isinstance(value, list) else [value]
    return [element for element in found if present(element) is not None]


def child(parent: Any, name: str, place: str) -> Any:
    """A child of an object, None where it has none; OddValue where `parent`, at `place`, is no object."""
    if not isinstance(parent, dict):
        raise OddValue(f"{place} is {_kind(parent)}, not an object")
    return present(parent.get(name))


def text(value: Any, place: str) -> str:
    """A string, alone or as `#text` of an object, spaces made one; "" where there is none.

    OddValue for anything else, and for a character that no XML may hold.
    """
    value = present(value)
    if isinstance(value, dict):
        value = value.get("#text")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise OddValue(f"{place} is {_kind(value)}, not a string")
    if NOT_XML.search(value):
        raise OddValue(f"{place} holds a control character")
    return " ".join(value.split())


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", type(None): "null"}
    return names.get(type(value), "a number or a truth value")
