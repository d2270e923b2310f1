"""Tables that are sorted by links, without a script: what each column sorts by, what a request asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

R = TypeVar("R")


class Column(NamedTuple):
    """A column: its name in addresses, its head, what it sorts by (None: nothing is known, always last)."""

    name: str
    label: str
    key: Callable[[Any], Any]
    descending: bool = False  # the way it sorts first
    number: bool = False


class ColumnHead(NamedTuple):
    """The head of a column as the page shows it."""

    label: str
    link: str
    sorted: str  # "ascending", "descending", or "" where the table is not sorted by it
    number: bool


class SortedTable(Generic[R]):
    """Rows on pages of `size`, in the order that `tri` and `sens` of a query ask for.

    Without them it is the order of the column `usual`, else of the first. A value that is none of the
    columns' asks for nothing, nor does a page that is not there: what a page can be is a closed set.
    """

    def __init__(
        self, rows: Iterable[R], columns: Sequence[Column], query: Any, size: int, usual: str = ""
    ) -> None:
        self.columns = columns
        self._usual = usual or columns[0].name
        by_name = {column.name: column for column in columns}
        self.column = by_name.get(query.get("tri") or "", by_name[self._usual])
        self.descending = {"montant": False, "descendant": True}.get(
            query.get("sens") or "", self.column.descending
        )
        self._unsorted, self._size = list(rows), size
        self.page = page_of(query.get("page"), len(self), size)
        self.pages = -(-len(self) // size)

    def __len__(self) -> int:
        return len(self._unsorted)

    @cached_property
    def rows(self) -> list[R]:
        """The rows by the column, those it knows nothing of last, whichever the way; ties by the first column."""
        rows = sorted(self._unsorted, key=self.columns[0].key)
        key = self.column.key
        known = [row for row in rows if key(row) is not None]
        return sorted(known, key=key, reverse=self.descending) + [
            row for row in rows if key(row) is None
        ]

    @property
    def shown(self) -> list[R]:
        """The rows of the page."""
        return self.rows[(self.page - 1) * self._size : self.page * self._size]

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this part of the table from the others, for the response cache."""
        return (*self.query.values(), str(self.page))

    @property
    def query(self) -> dict[str, str]:
        """What of an address asks for this order; what is usual is left out."""
        return self._query(self.column, self.descending)

    @property
    def canonical_page(self) -> str:
        """The page in the canonical address: another order is another part, for which the first page stands."""
        return str(self.page) if self.page > 1 and not any(self.query.values()) else ""

    def _query(self, column: Column, descending: bool) -> dict[str, str]:
        way = "descendant" if descending else "montant"
        return {
            "tri": column.name if column.name != self._usual else "",
            "sens": way if descending != column.descending else "",
        }

    def heads(self, link: Callable[..., str]) -> list[ColumnHead]:
        """The heads of the columns; `link` makes the address of a query."""
        way = "descending" if self.descending else "ascending"
        heads = []
        for column in self.columns:
            here = column is self.column
            other = not self.descending if here else column.descending
            address = link(**self._query(column, other))
            heads.append(ColumnHead(column.label, address, way if here else "", column.number))
        return heads


def page_of(asked: str | None, rows: int, size: int) -> int:
    """The number of the page that a query asks for, 1 where it asks for none that is there."""
    text = asked or ""
    is_number = text.isascii() and text.isdigit() and len(text) < 6
    return int(text) if is_number and 0 < int(text) <= -(-rows // size) else 1
