"""Tables that are sorted by links, without a script: what each column sorts by, what a request asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


class Head(NamedTuple):
    """The head of a column as the page shows it."""

    label: str
    link: str
    sorted: str  # "ascending", "descending", or "" where the table is not sorted by it
    number: bool


class Sorted(Generic[R]):
    """Rows in the order that `tri` and `sens` of a query ask for, the first column's where they ask for none.

    A value that is none of the columns' asks for nothing: what a page can be is a closed set.
    """

    def __init__(
        self,
        rows: Iterable[R],
        columns: Sequence[Column],
        asked: Mapping[str, Any],
        usual: str = "",
    ) -> None:
        self.columns = columns
        known = {column.name: column for column in columns}
        self.column = known.get(asked.get("tri") or "", known[usual or columns[0].name])
        self._usual = usual or columns[0].name
        way = asked.get("sens")
        self.descending = {"montant": False, "descendant": True}.get(
            way or "", self.column.descending
        )
        self._given = list(rows)

    def __len__(self) -> int:
        return len(self._given)

    @cached_property
    def rows(self) -> list[R]:
        """The rows by the column, those it knows nothing of last, whichever the way; ties by the first column."""
        rows = sorted(self._given, key=self.columns[0].key)
        key = self.column.key
        known = [row for row in rows if key(row) is not None]
        return sorted(known, key=key, reverse=self.descending) + [
            row for row in rows if key(row) is None
        ]

    @property
    def query(self) -> dict[str, str]:
        """What of an address asks for this order; what is usual is left out."""
        return self._query(self.column, self.descending)

    def kept_page(self, page: int) -> str:
        """The page as the canonical address has it: in another order it is another part, so the first stands for it."""
        return str(page) if page > 1 and not any(self.query.values()) else ""

    def _query(self, column: Column, descending: bool) -> dict[str, str]:
        way = "descendant" if descending else "montant"
        return {
            "tri": column.name if column.name != self._usual else "",
            "sens": way if descending != column.descending else "",
        }

    def heads(self, link: Callable[..., str]) -> list[Head]:
        """The heads of the columns; `link` makes the address of a query."""
        found = []
        for column in self.columns:
            here = column is self.column
            other = not self.descending if here else column.descending
            way = "descending" if self.descending else "ascending"
            found.append(
                Head(
                    column.label,
                    link(**self._query(column, other)),
                    way if here else "",
                    column.number,
                )
            )
        return found


def page_of(asked: str | None, rows: int, size: int) -> int:
    """The number of the page that a query asks for, 1 where it asks for none that is there."""
    text = asked or ""
    known = text.isascii() and text.isdigit() and len(text) < 6
    return int(text) if known and 0 < int(text) <= -(-rows // size) else 1
