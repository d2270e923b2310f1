"""Originals damaged in every way are refused, or right in what was not touched. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import datetime
import html
import os
import random
import re
from typing import Any, NamedTuple

import pytest

from parlement_lists.sources import assemblee, europarl, senat
from parlement_lists.sources.originals import (
    MemberRecord,
    Original,
    OriginalRefused,
    StaffList,
)
from parlement_lists.tracking.members.known_members import Members

from . import amo10, senate_pdf
from .europarl_pages import GENERATIONS, HEADINGS, make, staff
from .senate_files import GROUPS, MANDATES, filled, group, mandate, odsen, senateurs_json
from .senate_lists import EDITION, ROWS

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "60"))
DAY = datetime.date(2026, 11, 21)
SENATORS = list(dict.fromkeys((row.elu_id, row.elu_nom, row.elu_prenom) for row in ROWS))
SITTING = [MemberRecord(*senator, "M.", "UMP") for senator in SENATORS]
DEPUTIES = amo10.many(12)
# Who works for whom: the member, the family and the given name.
Pairs = set[tuple[str, str, str]]


def pairs(read: StaffList) -> Pairs:
    return {(row.elu_id, row.collab_nom.upper(), row.collab_prenom) for row in read.rows}


class Kind(NamedTuple):
    """An original, the others that it is read with, the source and its right pairs."""

    name: str
    body: bytes
    others: dict[str, bytes]
    source: Any
    right: Pairs


PDF, OTHER_PDF = (senate_pdf.make(ROWS, EDITION, alphabetical=each) for each in (False, True))
ROSTER = senateurs_json(SITTING)
ELUS = odsen(MANDATES, (mandate(m, "2023-10-02", "", "En Cours") for m in filled(SITTING)))
GROUPES = odsen(GROUPS, (group(m, "UMP", "2023-10-02") for m in filled(SITTING)))
OF_SENATE = pairs(StaffList(ROWS, ""))
OF_ASSEMBLY = pairs(StaffList(DEPUTIES, ""))
ZIP = amo10.make(DEPUTIES)
KINDS = [
    Kind("a.zip", ZIP, {}, assemblee.SOURCE, OF_ASSEMBLY),
    Kind("a.pdf", PDF, {"b.pdf": OTHER_PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("b.pdf", OTHER_PDF, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("elus.csv", ELUS, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("groupes.csv", GROUPES, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
]


def damaged(body: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut out, doubled, or the end cut off."""
    made = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 3, 20))):
        at = chance.randrange(len(made))
        until = min(len(made), at + chance.choice((1, 8, 400)))
        kind = chance.randrange(5)
        if kind < 2:
            made[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del made[at:until]
        elif kind == 3:
            made[at:at] = made[at:until]
        elif chance.random() < 0.2:
            del made[at:]
        made = made or bytearray(b"%")
    return bytes(made)


def read(source: Any, originals: dict[str, bytes]) -> Pairs | None:
    """The pairs of the list, None where it is refused, with a sentence that names a file and no staff."""
    given = [Original(*each) for each in originals.items()]
    try:
        source.members(given, DAY)
        return pairs(source.read(given, Members(), None))
    except OriginalRefused as error:
        why = str(error)
    assert "EXEMPLE-" not in why
    assert len(why) < 1_000
    return None


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_an_original_of_damaged_bytes_is_refused_or_read_right(kind: Kind) -> None:
    chance, refused = random.Random(kind.name), 0
    for _ in range(COUNT):
        originals = {kind.name: damaged(kind.body, chance), **kind.others}
        answer = read(kind.source, originals)
        refused += answer is None
        # A letter changed in a file of senators makes another name: its senator is told, and left out.
        left_out = {member for member, _, _ in (answer or kind.right) ^ kind.right}
        assert len(left_out) <= (1 if kind.name.endswith(".csv") else 0)
    assert refused > 0


# The heading and the name of a person on a page -> the bytes between the tags around either.
Places = dict[tuple[str, str], list[tuple[int, int]]]


def page(chance: random.Random, id: str) -> tuple[bytes, Places]:
    """A page in one of the layouts, and where each heading and name stands in it."""
    headings = chance.sample(HEADINGS, chance.randint(1, 4))
    rows = [
        staff(
            f"{chance.choice(('Jeanne', 'Luc & Marc'))} Exemple{chr(65 + n)}{chr(75 + m)}", heading
        )
        for n, heading in enumerate(headings)
        for m in range(chance.randint(1, 6))
    ]
    body = make(id, f"Anne ÉLU{id}", rows, chance.choice(GENERATIONS))

    def around(text: str) -> tuple[int, int]:
        place = body.index(b">" + html.escape(text).encode() + b"<") + 1
        return body.rindex(b">", 0, place) + 1, body.index(b"<", place)

    answer = {}
    for block in europarl.page.read_page(Original("1.html", body)).blocks:
        for name in block.names:
            name_place = body.index(html.escape(name).encode())
            own = body.rindex(b">", 0, name_place) + 1, body.index(b"<", name_place)
            answer[block.heading, name] = [around(block.heading), own]
    return body, answer


def damaged_page(chance: random.Random, whole: bytes) -> tuple[bytes, int, int]:
    """A page with one damage, and from where to where it is damaged."""
    kind, at = chance.randrange(5), chance.randrange(len(whole))
    tag = chance.choice(list(re.finditer(rb"<[^>]*>", whole)))
    if kind == 0:
        end = at + chance.choice((1, 3, 10, 40, 200, 1000))
        return whole[:at] + whole[end:], at, end
    if kind == 1:
        return whole[:at] + bytes([chance.randrange(256)]) + whole[at + 1 :], at, at + 1
    if kind == 2:
        return whole[: tag.start()] + whole[tag.end() :], tag.start(), tag.start()
    if kind == 3:
        put = chance.choice((tag[0], b"<!--", b"-->", b"<table>", b"<template>", b"<b>"))
        return whole[:at] + put + whole[at:], at - 1, at + 1
    return whole[:at] + b"</body></html>", at, len(whole)


def test_a_damaged_page_is_refused_or_wrong_only_where_it_was_damaged() -> None:
    accepted = 0
    for seed in range(6 * COUNT):
        chance = random.Random(f"page {seed}")
        whole, places = page(chance, "1001")
        body, first, end = damaged_page(chance, whole)
        try:
            blocks = europarl.page.read_page(Original("1001.html", body)).blocks
        except OriginalRefused:
            continue
        accepted += 1
        answer = {(block.heading, name) for block in blocks for name in block.names}
        touched = {
            pair
            for pair, spans in places.items()
            if any(begin < end and first < until for begin, until in spans)
        }
        assert places.keys() - touched <= answer, seed
        assert len(answer - (places.keys() - touched)) <= len(touched), seed
    assert accepted
