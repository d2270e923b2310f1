"""The Assemblée's originals damaged in every way: refused, or right in what was not touched."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from parlement_lists.movement import words
from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.source import Original, OriginalRefused, StaffList
from parlement_lists.tracking.members.known_members import Members

from . import amo10

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "500"))
ROWS = amo10.many(12)
ZIP, FILES = amo10.make(ROWS), amo10.files(ROWS)
ODD_VALUES: list[Any] = [
    None,
    "",
    " ",
    "x",
    "=1",
    "\x00",
    "\ud800",
    0,
    -1.5,
    True,
    [],
    {},
    [[]],
    [None],
    {"#text": "x"},
    {"#text": 1},
    amo10.NIL,
    {"@xsi:nil": "false"},
    "2026-02-30",
    "PA1",
    10**400,
]
# Content of a zip, or a zip, damaged; and the deputies whose rows may be other than they were.
Damaged = tuple[bytes, set[str]]


def pairs(list_: StaffList) -> set[tuple[str, str]]:
    return {(r.elu_id, words(r.collab_nom, r.collab_prenom)) for r in list_.rows}


TRUE = {(r.elu_id, words(r.collab_nom, r.collab_prenom)) for r in ROWS}


def read(body: bytes) -> StaffList | None:
    """The list; None where it is refused, with a sentence that names the file."""
    original = [Original("a.zip", body)]
    try:
        SOURCE.members(original, amo10.MADE)
        return SOURCE.read(original, Members(), amo10.MADE)
    except OriginalRefused as refused:
        why = str(refused)
    assert why.startswith("a.zip: ")
    assert len(why) < 1_000
    return None


def bytes_changed(chance: random.Random) -> Damaged:
    body = bytearray(ZIP)
    for _ in range(chance.randrange(1, 6)):
        body[chance.randrange(len(body))] = chance.randrange(256)
    return bytes(body), set()


def bytes_of_the_directory_changed(chance: random.Random) -> Damaged:
    body = bytearray(ZIP)
    at = ZIP.index(b"PK\x01\x02")
    for _ in range(chance.randrange(1, 4)):
        body[chance.randrange(at, len(body))] = chance.choice([0, 1, 8, 0x7F, 0xFF])
    return bytes(body), set()


def cut(chance: random.Random) -> Damaged:
    return ZIP[: chance.randrange(len(ZIP))], set()


def bytes_moved(chance: random.Random) -> Damaged:
    start, end = sorted(chance.randrange(len(ZIP)) for _ in range(2))
    at = chance.randrange(len(ZIP))
    return ZIP[:at] + ZIP[start:end] + ZIP[at:], set()


def text_changed(chance: random.Random) -> Damaged:
    """Bytes of one file, packed soundly: what they say may be another name of that deputy's."""
    path = chance.choice([path for path in FILES if "acteur" in path])
    body = bytearray(amo10.json.dumps(FILES[path]).encode())
    for _ in range(chance.randrange(1, 4)):
        body[chance.randrange(len(body))] = chance.choice(b'{}[]",:\\ a0\x00\xff\xe9')
    return amo10.pack({**FILES, path: bytes(body)}), {path[12:-5]}


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: an object or list, and a key or index of it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from nodes(value[key])


def _place(chance: random.Random) -> tuple[dict[str, Any], Any, Any, set[str]]:
    content = copy.deepcopy(FILES)
    path = chance.choice(list(content))
    parent, key = chance.choice(list(nodes(content[path])))
    return content, parent, key, {path[12:-5]} if "acteur" in path else set()


def value_changed(chance: random.Random) -> Damaged:
    content, parent, key, touched = _place(chance)
    parent[key] = chance.choice(ODD_VALUES)
    return amo10.pack(content), touched


def value_gone(chance: random.Random) -> Damaged:
    content, parent, key, touched = _place(chance)
    del parent[key]
    return amo10.pack(content), touched


def value_wrapped(chance: random.Random) -> Damaged:
    content, parent, key, touched = _place(chance)
    wrap = chance.choice(
        [lambda v: [v], lambda v: {"x": v}, lambda v: {"#text": v}, lambda v: [v, v]]
    )
    parent[key] = wrap(parent[key])
    return amo10.pack(content), touched


def file_gone_or_twice(chance: random.Random) -> Damaged:
    content = dict(FILES)
    path = chance.choice(list(content))
    document = content.pop(path)
    if chance.random() < 0.5:
        content |= {f"json/acteur/PA{chance.randrange(99)}.json": document, path: document}
        return amo10.pack(content), set()
    return amo10.pack(content), {path[12:-5]}


DAMAGES: list[Callable[[random.Random], Damaged]] = [
    bytes_changed,
    bytes_of_the_directory_changed,
    cut,
    bytes_moved,
    text_changed,
    value_changed,
    value_gone,
    value_wrapped,
    file_gone_or_twice,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_zip_is_refused_or_read_right(damage: Callable[[random.Random], Damaged]) -> None:
    chance = random.Random(damage.__name__)
    refused = 0
    for _ in range(COUNT // len(DAMAGES) + 1):
        body, touched = damage(chance)
        found = read(body)
        if found is None:
            refused += 1
            continue
        wrong = pairs(found) ^ TRUE
        assert {member for member, _ in wrong} <= touched
    assert damage in (value_gone, bytes_of_the_directory_changed) or refused
