"""The search for a name, as people type it: any case and accents, beginnings of words, one typing error."""

from __future__ import annotations

import datetime
import re
import unicodedata
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS, slug_of

from ...dataset.schema import SEARCHED, TABLE
from ..counts.facts import ElectedMember, Facts
from ..counts.name_index import telling
from .indexed_names import IndexedName, people

MOST = 30
# With fewer results, names with a typing error are shown too.
FEW = 3
LENGTH = 100
_WORD = re.compile(r"[^\W_]+")
# The index does not take these letters for accented forms of the plain ones, which people type.
_ALIKE = (("oe", "œ"), ("ae", "æ"), ("ss", "ß"), ("o", "ø"), ("l", "ł"), ("d", "đ"), ("i", "ı"))


def expression(text: str) -> str:
    """The FTS5 expression that finds every word of `text`, as the beginning of a word.

    "" if the text has no word of two letters: one letter would find half of everyone.
    """
    words = telling(_WORD.findall(unicodedata.normalize("NFC", text[:LENGTH]).lower()))
    if not any(len(word) > 1 for word in words):
        return ""
    every = " AND ".join(f"({' OR '.join(map(_beginning, _spellings(word)))})" for word in words)
    return f"{{{' '.join(SEARCHED[TABLE])}}} : ({every})"


def _spellings(word: str) -> list[str]:
    """The word with one of its letters in another form, each in turn, or all of a kind."""
    spellings = {word}
    for usual, other in _ALIKE:
        spellings |= {word.replace(usual, other), word.replace(other, usual)}
        for found in re.finditer(usual, word):
            spellings.add(word[: found.start()] + other + word[found.end() :])
    return sorted(spellings)


def _beginning(word: str) -> str:
    # A lone letter (d', l') is a word of its own.
    return f'"{word}"*' if len(word) > 1 else f'"{word}"'


class SearchResult(NamedTuple):
    """Who has a name: elected members with their chambers, staff, and how many there are of each."""

    members: list[tuple[str, ElectedMember]]
    all_members: int
    staff: list[IndexedName]
    all_staff: int


async def find(facts: Facts, text: str, today: datetime.date, near: bool = False) -> SearchResult:
    """Who has every word of `text` in a name, or as its beginning: exact family names first, then beginnings.

    With `near`, who has all but for one typing error in one word.
    """
    members, all_members = await facts.member_words.find(text, MOST, near)
    rows, all_staff = await facts.words.find(text, MOST, near)
    every = [(chamber, one) for chamber in CHAMBERS for one in facts.members[chamber]]
    # Two ways to part a name into family and given name make one address.
    staff: dict[str, IndexedName] = {}
    for one in await people(facts, rows, today):
        staff.setdefault(slug_of(one.family, one.given), one)
    return SearchResult(
        [every[place] for place in members], all_members, list(staff.values()), all_staff
    )


async def find_near(
    facts: Facts, text: str, today: datetime.date, found: SearchResult
) -> SearchResult:
    """Who has a name with one typing error in one word, without those who were found."""
    near = await find(facts, text, today, near=True)
    members = [one for one in near.members if one not in found.members]
    staff = [one for one in near.staff if one not in found.staff]
    return SearchResult(
        members,
        near.all_members - (len(near.members) - len(members)),
        staff,
        near.all_staff - (len(near.staff) - len(staff)),
    )
