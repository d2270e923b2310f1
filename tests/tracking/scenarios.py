"""Scenarios as text: what lists say, and what is told of them; a letter is a person."""

from __future__ import annotations

from typing import Any

import pytest

PEOPLE = {
    **{"A": "Ada MOREAU", "B": "Bo LENGLET", "C": "Cleo GALLIET", "D": "Dan XAVE", "E": "Eve YVON"},
    # As Ada may be written, a man, what a fuller name may be, a new family name, another Ada; who always stays.
    **{"N": "Ada MORREAU", "O": "Ada MOREEAU", "P": "Aba MOREAU", "I": "Ada MORIAU"},
    **{"a": "M. Ada MOREAU", "n": "M. Ada MORREAU", "F": "Ada MOREAU-FOREZ", "G": "Ada MOREAU-VAL"},
    **{"M": "Ada VASSOR", "L": "Ada LENGLET", "Z": "Zia PRESENTE"},
}


def scenarios(text: str) -> list[Any]:
    """The parameters of each scenario: what lists of days say, what is told of them.

    It has three lines: a sentence with the rules that it holds; the lists (see `days_of`); what is told (see
    `lists.told`), as `02 arrivee B 2 | 02 depart B 1`, or `nothing`.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    return [_scenario(*lines[number : number + 3]) for number in range(0, len(lines), 3)]


def _scenario(sentence: str, lists: str, expected: str) -> Any:
    sentence, _, rules = sentence.partition(" [")
    marks = [pytest.mark.rule(*rules.strip("]").split())] if rules else []
    return pytest.param(days_of(lists), told_of(expected), id=sentence, marks=marks)


def days_of(lists: str) -> dict[int, dict[int, list[str]]]:
    """`1: AD - | 2: A B`: on the first day the first member has two people and the second nobody."""
    days = {}
    for list_ in lists.split(" | "):
        day, _, offices = list_.partition(": ")
        days[int(day)] = {
            member: [PEOPLE[letter] for letter in staff.strip("-")]
            for member, staff in enumerate(offices.split(), 1)
        }
    return days


def told_of(expected: str) -> list[str]:
    """The lines that `lists.told` would have."""
    lines = expected.split(" | ") if expected != "nothing" else []
    names = {letter: name.removeprefix("M. ") for letter, name in PEOPLE.items()}
    return [" ".join(names.get(word, word) for word in line.split()) for line in lines]
