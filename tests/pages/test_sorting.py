"""Tables sorted by links: the order, what is not known, the addresses of the heads."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from datasette_mouvements.pages.sorting import Column, Sorted, page_of


class Row(NamedTuple):
    name: str
    size: int | None


COLUMNS = (
    Column("nom", "Nom", lambda row: row.name),
    Column("taille", "Taille", lambda row: row.size, descending=True, number=True),
)
ROWS = [Row("c", 2), Row("a", None), Row("d", 9), Row("b", 2)]


def order(**asked: str) -> str:
    return "".join(row.name for row in Sorted(ROWS, COLUMNS, asked).rows)


def test_a_column_sorts_its_own_way_first_and_the_other_when_asked():
    assert order() == order(tri="nom") == order(sens="montant") == "abcd"
    assert order(sens="descendant") == "dcba"
    assert order(tri="taille") == "dbca"
    assert order(tri="taille", sens="montant") == "bcda"


def test_what_is_not_known_is_last_whichever_the_way():
    assert order(tri="taille")[-1] == order(tri="taille", sens="montant")[-1] == "a"


@pytest.mark.parametrize("asked", [{"tri": "rang"}, {"tri": ""}, {"sens": "haut"}, {"page": "2"}])
def test_values_that_are_none_of_the_set_ask_for_nothing(asked):
    table = Sorted(ROWS, COLUMNS, asked)
    assert table.query == Sorted(ROWS, COLUMNS, {}).query
    assert not any(table.query.values())


def test_heads_say_how_the_table_is_sorted_and_lead_to_the_other_way():
    def link(**query: str) -> str:
        return "?" + urlencode({name: value for name, value in query.items() if value})

    heads = Sorted(ROWS, COLUMNS, {"tri": "taille"}).heads(link)
    assert [(head.sorted, head.link) for head in heads] == [
        ("", "?"),
        ("descending", "?tri=taille&sens=montant"),
    ]
    heads = Sorted(ROWS, COLUMNS, {}, usual="taille").heads(link)
    assert [(head.sorted, head.link) for head in heads] == [
        ("", "?tri=nom"),
        ("descending", "?sens=montant"),
    ]


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        (None, 1),
        ("", 1),
        ("2", 2),
        ("3", 3),
        ("4", 1),
        ("0", 1),
        ("²", 1),
        ("-1", 1),
        ("000002", 1),
    ],
)
def test_a_page_that_is_not_there_is_the_first(asked, number):
    assert page_of(asked, 101, 50) == number
