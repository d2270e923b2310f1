"""The rows of a member's page: staff and not firms, one row a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ...movement import words
from ...tracking.members.known_members import Members
from ...tracking.reading.names import civility_and_name, family_and_given
from ..source import MemberRecord, Original, StaffRow
from .meps import split_name
from .page import Block, MemberPage

# Companies and accountants that a member pays, whatever else stands in their heading.
_FIRMS = re.compile(r"paying agent|service provider", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:accredited assistants|local assistants)(?: \(grouping\))?|trainees"
    r"|assistants to the (?:vice-presidency|quaestorate|vice-presidency/to the quaestorate)",
    re.IGNORECASE,
)


def staff_rows(page: MemberPage, name: tuple[str, str], group: str) -> Iterator[StaffRow]:
    """A row for each person on a page; `name` is the member's family and given name.

    A person under several headings is one row, with the headings in the page's order, because a person
    who passes from one heading to another has the same employer.
    """
    functions: dict[str, list[str]] = {}
    spelled: dict[str, str] = {}
    for block in _staff(page):
        for full in block.names:
            key = words(civility_and_name(full)[1])
            spelled.setdefault(key, full)
            if block.heading not in functions.setdefault(key, []):
                functions[key].append(block.heading)
    for key, full in spelled.items():
        civility, bare = civility_and_name(full)
        family, given = family_and_given(bare, "", "")
        yield StaffRow(
            page.member, *name, group, civility, family, given, ", ".join(functions[key])
        )


def count_unknown_headings(pages: Iterable[MemberPage]) -> dict[str, int]:
    """The headings that are not known, and the number of names below each."""
    people: Counter[str] = Counter()
    for page in pages:
        for block in _staff(page):
            if not _KNOWN.fullmatch(block.heading):
                people[block.heading] += len(block.names)
    return dict(sorted(people.items()))


def member_name(
    known: Members, chamber: str, page: MemberPage, listed: MemberRecord | None, original: Original
) -> tuple[str, str]:
    """A member's family and given name: as known before, else as listed, else as the page has it."""
    name = known.name(chamber, page.member)
    if name and name.family:
        return name.family, name.given
    if name and name.full:
        given, _, family = name.full.partition(" ")
        return (family, given) if family else (given, "")
    if listed:
        return listed.family, listed.given
    if not page.name:
        raise original.refusal(f"no name of member {page.member}")
    return split_name(page.name)


def _staff(page: MemberPage) -> list[Block]:
    return [block for block in page.blocks if not _FIRMS.search(block.heading)]
