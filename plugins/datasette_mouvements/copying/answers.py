"""What the service that is copied answers, read: every member that a copy needs is there, and is sound.

What is odd is told by its place, never by what was sent: it may name somebody, and a service that is not
what it should be has the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from parlement_lists.bounds import (
    ANSWER_ITEMS,
    CREDIT_LETTERS,
    LIST_ROWS,
    UNKNOWN_FIELDS,
    OverBound,
    examine_depth,
    too_long,
)
from parlement_lists.movement import CHAMBERS, FIELD_NAMES, UNFIT, Movement, faults_of, is_day
from parlement_lists.tracking.members.members_files import is_hatvp

from ..dataset.schema import DAYS, NATURES, OF_MEMBERS, PUBLISHED, TableColumn, columns
from ..dataset.stays.lines import OF_FILES


class OddAnswer(Exception):
    """An answer that this version cannot read; the message says why, in one line."""


class Credits(NamedTuple):
    """Licence and attribution, with which every answer of a service ends."""

    licence: str
    attribution: str


class Page(NamedTuple):
    """A page of the feed: identifiers with their movements, None of a withdrawn one, in order."""

    changes: list[tuple[str, Movement | None]]
    cursor: str
    more: bool
    version: str
    credits: Credits


class AnswerReader:
    """Reads answers; `unknown` are the fields of movements that this version does not know and leaves out."""

    def __init__(self) -> None:
        self.unknown: set[str] = set()

    def page(self, body: bytes, after: str, most: int = ANSWER_ITEMS) -> Page:
        """A page of the feed, asked for `most` changes `after` a cursor. Raises OddAnswer."""
        answer = _object(parse(body))
        items = answer.get("changements")
        if not isinstance(items, list):
            raise OddAnswer("changements is not a list")
        if len(items) > most:
            raise OddAnswer(f"{len(items):,} changes, more than the {most:,} that were asked for")
        more = answer.get("encore")
        if not isinstance(more, bool):
            raise OddAnswer("encore is neither true nor false")
        cursor = word(answer, "curseur")
        if cursor == after and (more or items):
            raise OddAnswer("curseur does not advance")
        if more and not items:
            raise OddAnswer("encore is true of an empty page")
        credits = Credits(text(answer, "licence"), text(answer, "attribution"))
        changes = [self._change(item, place) for place, item in enumerate(items, 1)]
        return Page(changes, cursor, more, word(answer, "version"), credits)

    def _change(self, item: object, place: int) -> tuple[str, Movement | None]:
        where = f"change {place}"
        if not isinstance(item, dict):
            raise OddAnswer(f"{where}: not an object")
        nature, id = item.get("nature"), item.get("id")
        if nature not in NATURES:
            raise OddAnswer(
                f"{where}: of a nature that this version does not know: the service is newer"
            )
        if not isinstance(id, str) or not id or UNFIT.search(id):
            raise OddAnswer(f"{where}: id is missing or not a text")
        if long := too_long(["id"], [id]):
            raise OddAnswer(f"{where}: {long}")
        if not isinstance(item.get("publie_le"), str):
            raise OddAnswer(f"{where}: publie_le is missing or not a text")
        if nature != PUBLISHED:
            return id, None
        movement = self.movement(item.get("mouvement"), where)
        if movement.id != id:
            raise OddAnswer(f"{where}: its movement has another id")
        return id, movement

    def movement(self, found: object, where: str) -> Movement:
        """A movement as it is answered. Raises OddAnswer, naming the place and the field."""
        if not isinstance(found, dict):
            raise OddAnswer(f"{where}: no movement")
        values = [found.get(name, "") for name in FIELD_NAMES]
        for name, value in zip(FIELD_NAMES, values, strict=True):
            if not isinstance(value, str):
                raise OddAnswer(f"{where}: {name} is not a text")
        movement = Movement._make(values)
        if not movement.id:
            raise OddAnswer(f"{where}: id is missing")
        if long := too_long(FIELD_NAMES, movement):
            raise OddAnswer(f"{where}: {long}")
        for fault in faults_of(movement):
            field = fault.partition(":")[0]
            raise OddAnswer(f"{where}: {field} has no value that this version accepts")
        self.unknown |= found.keys() - {*FIELD_NAMES, *OF_FILES}
        if len(self.unknown) > UNKNOWN_FIELDS:
            raise OddAnswer(f"{where}: more than {UNKNOWN_FIELDS} fields that are not known")
        return movement


def row_of(table: str, found: object, where: str) -> tuple[Any, ...]:
    """A row of a table as the file of everything has it; what is absent is NULL. Raises OddAnswer."""
    if not isinstance(found, dict):
        raise OddAnswer(f"{where}: not an object")
    names = [column.name for column in columns(table)]
    row = tuple(map(found.get, names))
    for column, value in zip(columns(table), row, strict=True):
        if not _is_accepted(table, column, value):
            raise OddAnswer(f"{where}: {column.name} has no value that this version accepts")
    if long := too_long(names, (value if isinstance(value, str) else "" for value in row)):
        raise OddAnswer(f"{where}: {long}")
    return row


def _is_accepted(table: str, column: TableColumn, value: object) -> bool:
    """Whether a column may have a value; the checks of its table are made when it is written."""
    if value is None:
        return not column.required
    if column.kind == "integer":
        return type(value) is int and 0 <= value <= LIST_ROWS
    if not isinstance(value, str) or UNFIT.search(value):
        return False
    if column.name in DAYS:
        # What a folder of members does not know is empty there.
        return is_day(value) or (not value and table in OF_MEMBERS)
    if column.name == "hatvp":
        return is_hatvp(value)
    return column.name != "chambre" or value in CHAMBERS


def has_lists(body: bytes) -> bool:
    """Whether an answer of the stays says that the service has read lists. Raises OddAnswer."""
    found = _object(parse(body)).get("listes")
    if not isinstance(found, dict):
        raise OddAnswer("listes is not an object")
    return bool(found)


def total(body: bytes) -> int | None:
    """How many movements an answer of the search says there are. Raises OddAnswer."""
    found = _object(parse(body)).get("total")
    if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
        raise OddAnswer("total is not a number")
    return found


def parse(body: bytes) -> Any:
    """The JSON of an answer. Raises OddAnswer."""
    try:
        examine_depth(body)
        return json.loads(body)
    except OverBound as over:
        raise OddAnswer(str(over)) from None
    except (ValueError, RecursionError):
        raise OddAnswer("not JSON, or not all of it") from None


def text(answer: Mapping[str, Any], name: str) -> str:
    """A member that is a text with something in it. Raises OddAnswer."""
    found = answer.get(name)
    if isinstance(found, str) and len(found) > CREDIT_LETTERS:
        raise OddAnswer(f"{name}: {len(found):,} letters, more than {CREDIT_LETTERS:,}")
    if not isinstance(found, str) or not found or UNFIT.search(found):
        raise OddAnswer(f"{name} is missing, or not a text")
    return found


def word(answer: Mapping[str, Any], name: str) -> str:
    """A member that is one word of ASCII: a cursor, a version. Raises OddAnswer."""
    found = text(answer, name)
    if not found.isascii() or " " in found:
        raise OddAnswer(f"{name} is not one word")
    return found


def _object(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise OddAnswer("not a JSON object")
    return found
