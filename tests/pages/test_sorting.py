"""Tables sorted by links: order, ties, what nobody knows, and the closed set of what an address can ask."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from datasette_mouvements.pages.frame.sorting import Column, Sorted, page_of


class Row(NamedTuple):
    name: str
    size: int | None
    rate: float | None = None


ROWS = [Row("c", 2), Row("a", None), Row("d", 5), Row("b", 2), Row("e", None)]
COLUMNS = (
    Column("nom", "Nom", lambda row: row.name),
    Column("taille", "Taille", lambda row: row.size, descending=True, number=True),
)


def order(**asked: str | None) -> str:
    return "".join(row.name for row in Sorted(ROWS, COLUMNS, asked).rows)


def test_without_a_wish_rows_stand_in_the_order_of_the_usual_column() -> None:
    assert order() == "abcde"
    assert "".join(row.name for row in Sorted(ROWS, COLUMNS, {}, "taille").rows) == "dbcae"


def test_ties_stand_by_the_first_column_and_the_unknown_last_whichever_the_way() -> None:
    assert order(tri="taille") == "dbcae"
    assert order(tri="taille", sens="montant") == "bcdae"
    assert order(sens="descendant") == "edcba"


@pytest.mark.parametrize(
    "asked",
    [
        {"tri": "rang"},
        {"tri": ""},
        {"tri": None, "sens": None},
        {"sens": "haut"},
        {"tri": "Nom", "sens": "DESCENDANT"},
        {"tri": "nom", "sens": "montant"},
    ],
)
def test_a_value_that_no_column_has_asks_for_nothing(asked: dict[str, str | None]) -> None:
    table = Sorted(ROWS, COLUMNS, asked)
    assert table.query == {"tri": "", "sens": ""}
    assert table.rows == Sorted(ROWS, COLUMNS, {}).rows


def test_an_order_has_one_address() -> None:
    found = {
        tuple(Sorted(ROWS, COLUMNS, {"tri": tri, "sens": sens}).query.values())
        for tri in ("nom", "taille", "", "x")
        for sens in ("montant", "descendant", "", "x")
    }
    assert found == {("", ""), ("", "descendant"), ("taille", ""), ("taille", "montant")}


def test_a_head_leads_to_its_column_and_that_of_the_order_shown_to_the_other_way() -> None:
    def link(tri: str, sens: str) -> str:
        return f"{tri},{sens}"

    heads = Sorted(ROWS, COLUMNS, {}).heads(link)
    assert [(h.link, h.sorted, h.number) for h in heads] == [
        (",descendant", "ascending", False),
        ("taille,", "", True),
    ]
    heads = Sorted(ROWS, COLUMNS, {"tri": "taille"}).heads(link)
    assert [(h.link, h.sorted) for h in heads] == [(",", ""), ("taille,montant", "descending")]
    heads = Sorted(ROWS, COLUMNS, {"tri": "taille", "sens": "montant"}).heads(link)
    assert [(h.link, h.sorted) for h in heads] == [(",", ""), ("taille,", "ascending")]


def test_rows_are_counted_before_they_are_sorted() -> None:
    def unsorted(row: Row) -> str:
        raise AssertionError(row)

    table = Sorted(ROWS, (Column("nom", "Nom", unsorted),), {})
    assert (len(table), table.query) == (5, {"tri": "", "sens": ""})
    with pytest.raises(AssertionError):
        _ = table.rows


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        *(("1", 1), ("2", 2), ("3", 3), ("4", 1), ("0", 1), ("-1", 1), ("²", 1), ("x", 1)),
        *(("", 1), (None, 1), ("9" * 400, 1), ("٢", 1), ("02", 2)),
    ],
)
def test_a_page_that_is_not_there_is_the_first(asked: str | None, page: int) -> None:
    assert page_of(asked, 21, 10) == page


def test_of_no_row_there_is_the_first_page() -> None:
    assert page_of("1", 0, 10) == page_of("2", 0, 10) == 1
