"""Pages damaged in every way are refused or read right. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import html
import os
import random
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from parlement_lists.sources.europarl.page import read_page
from parlement_lists.sources.source import Original, OriginalRefused

from .europarl_pages import GENERATIONS, HEADINGS, blocks_of, make, staff

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "400"))
GIVEN = ("Jeanne", "Paul", "Anne-Lise", "Zoé", "D'Artagnan", "Luc & Marc", "MARIE", "Émile")
FAMILY = ("EXEMPLE", "MODÈLE", "d'ESSAI", "LE TÉMOIN", "ÉPREUVE-TEST", "Cas")
# Elements that a damage may change: their text, and what it is replaced with.
TAG = re.compile(rb"<[^>]*>")
CLASS = re.compile(rb'class="([^"]*)"')
Pair = tuple[str, str]


class Page(NamedTuple):
    """A page, and for each heading and name in it where they stand: (heading's, name's) first and end."""

    body: bytes
    pairs: dict[Pair, tuple[tuple[int, int], tuple[int, int]]]


class Damaged(NamedTuple):
    """A page after a damage: which bytes of the one before were taken, and may any have come in."""

    body: bytes
    first: int
    end: int


def page(chance: random.Random, id: str, generation: str) -> Page:
    number = iter(range(1000))
    rows = [
        staff(f"{chance.choice(GIVEN)} {_word(next(number))} {chance.choice(FAMILY)}", heading)
        for heading in chance.sample(HEADINGS, chance.randint(1, 4))
        for _ in range(chance.randint(1, 6))
    ]
    body = make(id, f"Anne ÉLU{id}", rows, generation)
    pairs = {}
    for heading, names in blocks_of(rows).items():
        above = _text_around(body, body.index(b">" + heading.encode() + b"<") + 1)
        for name in names:
            pairs[heading, name] = above, _text_around(body, body.index(html.escape(name).encode()))
    return Page(body, pairs)


def _text_around(body: bytes, place: int) -> tuple[int, int]:
    """First and end of the text between two tags: what comes into it anywhere is part of the name."""
    return body.rindex(b">", 0, place) + 1, body.index(b"<", place)


def _word(number: int) -> str:
    """A name that none of the others begins with or ends in."""
    return "".join(chr(ord("A") + digit) for digit in divmod(number, 26)) + "ouvaire"


def bytes_cut(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(len(body))
    end = min(len(body), first + chance.choice((1, 3, 10, 40, 200, 1000)))
    return Damaged(body[:first] + body[end:], first, end)


def bytes_cut_in_the_list(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(body.index(b"<h1"), body.index(b"<!-- END CARD"))
    end = min(len(body), first + chance.choice((1, 3, 10, 40, 200, 1000)))
    return Damaged(body[:first] + body[end:], first, end)


def rest_cut(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(len(body.rstrip()))
    return Damaged(body[:first], first, first)


def rest_cut_and_closed(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(body.index(b"<body"), body.index(b"<p class"))
    return Damaged(body[:first] + b"</body></html>", first, first)


def tag_dropped(chance: random.Random, body: bytes) -> Damaged:
    tag = chance.choice(list(TAG.finditer(body)))
    return Damaged(body[: tag.start()] + body[tag.end() :], tag.start(), tag.start())


def class_changed(chance: random.Random, body: bytes) -> Damaged:
    found = chance.choice(list(CLASS.finditer(body)))
    new = chance.choice((b"", b"es_" + found[1], found[1] + b"x", b"x " + found[1], b"a b"))
    changed = body[: found.start(1)] + new + body[found.end(1) :]
    return Damaged(changed, found.start(1), found.start(1))


def every_class_changed(chance: random.Random, body: bytes) -> Damaged:
    old = chance.choice(CLASS.findall(body))
    return Damaged(body.replace(b'"' + old + b'"', b'"es_' + old + b'"'), 0, 0)


def byte_changed(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(len(body))
    new = bytes([chance.randrange(256)])
    return Damaged(body[:first] + new + body[first + 1 :], first, first + 1)


def tag_put_in(chance: random.Random, body: bytes) -> Damaged:
    first = chance.randrange(len(body))
    new = chance.choice((*TAG.findall(body), b"<!--", b"-->", b"<table>", b"<template>", b"<b>"))
    return Damaged(body[:first] + new + body[first:], first - 1, first + 1)


DAMAGES: list[Callable[[random.Random, bytes], Damaged]] = [
    bytes_cut,
    bytes_cut_in_the_list,
    rest_cut,
    rest_cut_and_closed,
    tag_dropped,
    class_changed,
    every_class_changed,
    byte_changed,
    tag_put_in,
]


def _read(body: bytes) -> tuple[str, list[Pair]] | None:
    try:
        found = read_page(Original("1001.html", body))
    except OriginalRefused:
        return None
    return found.member, [(block.heading, name) for block in found.blocks for name in block.names]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_page_is_refused_or_wrong_only_where_it_was_damaged(
    damage: Callable[[random.Random, bytes], Damaged],
) -> None:
    accepted = 0
    for seed in range(COUNT // len(DAMAGES) + 1):
        chance = random.Random(f"{damage.__name__} {seed}")
        whole = page(chance, "1001", chance.choice(GENERATIONS))
        damaged = damage(chance, whole.body)
        read = _read(damaged.body)
        if read is None:
            continue
        accepted += 1
        touched = {
            pair
            for pair, spans in whole.pairs.items()
            if any(first < damaged.end and damaged.first < end for first, end in spans)
        }
        missing = set(whole.pairs) - touched - set(read[1])
        assert not missing, seed
        assert len(set(read[1]) - (set(whole.pairs) - touched)) <= len(touched), seed
    # A page of which the rest is missing is never read; any other damage may spare the list.
    assert (accepted == 0) == (damage in (rest_cut, rest_cut_and_closed))


def test_a_page_with_another_spliced_in_is_one_members_or_refused() -> None:
    for seed in range(COUNT):
        chance = random.Random(f"splice {seed}")
        pages = {id: page(chance, id, chance.choice(GENERATIONS[1:])) for id in ("1001", "1002")}
        one, other = pages["1001"].body, pages["1002"].body
        first, end = chance.randrange(len(one)), chance.randrange(len(other))
        read = _read(one[:first] + other[end:])
        if read is not None:
            assert read[0] in pages, seed
            assert read[1] == list(pages[read[0]].pairs), seed


def test_a_list_of_another_member_spliced_in_is_refused() -> None:
    for seed in range(COUNT // 4):
        chance = random.Random(f"list {seed}")
        generation = chance.choice(GENERATIONS)
        one, other = (page(chance, id, generation).body for id in ("1001", "1002"))
        begin, end = (b"<h1", b"<p class")
        start = one.index(begin)
        inner = other[other.index(begin) : other.index(end)]
        assert _read(one[:start] + inner + one[one.index(end) :]) is None
        assert _read(one[:start] + inner + one[start:]) is None
