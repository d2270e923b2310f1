"""Names by their words: whole, by beginnings, with one typing error; and the order in which they are told."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from datasette_mouvements.pages.counts import name_index
from datasette_mouvements.pages.counts.name_index import NameWords, in_order, one_error

NAMES = [
    *(("AUBRAC", "Martin"), ("MARTIN", "Zoé"), ("MARTIN", "Ada"), ("MARTINET", "Bo")),
    *(("DES MARTINS", "Éva"), ("LE GOFF", "Maëlle"), ("ŒILLETTE", "Łucja"), ("MARTIN-ROC", "Al")),
    *(("D’ORVAL", "Jean-Marie"), ("VALDORGE", "Églantine"), ("ROC", "Marie")),
]
WORDS = NameWords(in_order((*name, place) for place, name in enumerate(NAMES)))


def look_up(words: NameWords, *asked: Any, **named: Any) -> tuple[list[int], int]:
    return asyncio.run(words.find(*asked, **named))


def found(text: str, *, near: bool = False) -> list[str]:
    return [NAMES[place][0] for place in look_up(WORDS, text, 30, near)[0]]


def test_whole_family_names_come_first_then_words_of_one_then_beginnings_then_given_names():
    assert look_up(WORDS, "martin", 30) == ([2, 1, 7, 4, 3, 0], 6)


def test_only_so_many_are_told_and_all_are_counted():
    assert look_up(WORDS, "martin", 2) == ([2, 1], 6)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("goff maelle", ["LE GOFF"]),
        ("legoff", ["LE GOFF"]),
        ("OEILLETTE", ["ŒILLETTE"]),
        ("lucja œil", ["ŒILLETTE"]),
        ("jean marie d'orval", ["D’ORVAL"]),
        ("d", ["D’ORVAL"]),
        ("roc m", []),
        ("roc ma", ["ROC", "MARTIN-ROC"]),
        ("valdorje", []),
        ("artin", []),
        ("", []),
        ("'", []),
        ("zzz", []),
    ],
)
def test_every_word_is_one_of_the_name_or_begins_one(text, names):
    assert found(text) == names


@pytest.mark.parametrize(
    ("typed", "is_one"),
    [
        *(("valdorje", True), ("valdoge", True), ("valldorge", True), ("vladorge", True)),
        *(("aldorge", True), ("valdorg", True), ("xvaldorge", True), ("valdorgex", True)),
        *(("avldorge", True), ("valodrge", True), ("valdoreg", True), ("baldorge", True)),
        *(("valdorge", False), ("valdorjje", False), ("vladorje", False), ("vlaxdorge", False)),
        *(("valrodge", False), ("vdalorge", False), ("ldorge", False), ("valdorgexx", False)),
    ],
)
def test_one_letter_more_less_other_or_two_neighbours_exchanged_are_one_error(typed, is_one):
    assert one_error(typed, "valdorge") is one_error("valdorge", typed) is is_one
    assert found(typed, near=True) == ["VALDORGE"] * is_one


def test_one_word_of_several_has_the_error_and_short_words_have_none():
    assert found("eglantinne valdorge", near=True) == found("eglantine valdorje", near=True)
    assert found("eglantine valdorje", near=True) == ["VALDORGE"]
    assert found("eglantinne valdorje", near=True) == []
    assert found("rod", near=True) == []


def test_near_family_names_come_before_near_given_names():
    assert [NAMES[place] for place in look_up(WORDS, "martim", 30, near=True)[0]] == [
        *(("MARTIN", "Ada"), ("MARTIN", "Zoé"), ("MARTIN-ROC", "Al"), ("AUBRAC", "Martin"))
    ]


def test_a_name_given_twice_is_one_with_the_least_number_and_one_without_letters_is_none():
    words = NameWords(in_order([("ROC", "Éva", 9), ("Roc", "Eva", 7), ("", "", 5), ("’", "-", 6)]))
    assert look_up(words, "roc", 30) == ([7], 1)
    assert look_up(NameWords(()), "roc", 30, near=True) == ([], 0)


def test_people_who_share_a_name_are_each_found_and_who_has_two_names_is_counted_once():
    given = [("ROC", "Éva", 3), ("Roc", "Eva", 7), ("ROC", "Éva", 3), ("", "eva mont", 7)]
    words = NameWords(in_order(given), shared=True)
    assert look_up(words, "eva", 30) == ([7, 3], 2)
    assert look_up(words, "roc", 1) == ([3], 2)


def errors_of(word: str) -> set[str]:
    """Every word of the letters a to c that is one error from this one, as long as the rule says."""
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    made = {a + b[1:] for a, b in splits if b} | {a + c + b for a, b in splits for c in "abc"}
    made |= {a + c + b[1:] for a, b in splits if b for c in "abc"}
    made |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    return made - {word}


def test_near_words_are_those_that_trying_every_error_finds():
    chance = random.Random(5)
    spelled = {"".join(chance.choices("abc", k=chance.randint(2, 7))) for _ in range(400)}
    given = ((word, "", place) for place, word in enumerate(sorted(spelled)))
    words = NameWords(in_order(given), sorted_at_once=7)
    for typed in chance.sample(sorted(spelled), 150):
        if len(typed) >= name_index.LEAST_NEAR:
            near, number = look_up(words, typed, 1000, near=True)
            expected = errors_of(typed) & spelled
            assert ({sorted(spelled)[place] for place in near}, number) == (
                *(expected, len(expected)),
            )


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("le le le le", ["le"]),
        ("le leroy ler", ["leroy"]),
        ("leroy l", ["leroy", "l"]),
        ("ab cd ab", ["ab", "cd"]),
        ("ba ca da ea fa ga ha ia ja", ["ba", "ca", "da", "ea", "fa", "ga", "ha", "ia"]),
    ],
)
def test_a_word_said_twice_counts_once_and_one_that_begins_another_says_nothing(typed, told):
    assert name_index.telling(typed.split()) == told
    assert found("martin mar martin mar mart") == found("martin")


def test_others_run_while_many_names_are_looked_at():
    given = ((f"le{number}", "", number) for number in range(500))
    words = NameWords(in_order(given), looked_at_once=10)

    async def check() -> None:
        turns = 0
        looking = asyncio.create_task(words.find("le", 30))
        while not looking.done():
            turns += 1
            await asyncio.sleep(0)
        assert looking.result()[1] == 500
        assert turns >= 500 / 10

    asyncio.run(check())
