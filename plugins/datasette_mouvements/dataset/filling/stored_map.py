"""A dictionary in a temporary file that nobody else can open: a build without masks holds no row in memory."""

from __future__ import annotations

import json
import sys
import weakref
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from pathlib import Path
from typing import Any, TypeVar

from datasette.utils.sqlite import sqlite3

from ..disk import system_errors

_Value = TypeVar("_Value")
# SQLite chooses it, and messages name it so.
_FOLDER = Path("the temporary folder")


class StoredMap(MutableMapping[str, _Value]):
    """Texts, or named tuples of texts, by identifier, in the order in which each identifier first came.

    `make` gives a value back from its texts. The file has no name; SQLite keeps 2 MB of it in memory.
    OSError where the temporary folder is full.
    """

    def __init__(self, make: Callable[[Any], _Value]) -> None:
        self._make = make
        # Whatever thread collects garbage closes it.
        self._db = sqlite3.connect("", check_same_thread=False)
        weakref.finalize(self, self._db.close)
        self._db.execute("create table stored (n integer primary key, id text unique, value text)")

    def __getitem__(self, id: str) -> _Value:
        for (value,) in self._execute("select value from stored where id = ?", id):
            return self._value(value)
        raise KeyError(id)

    def __setitem__(self, id: str, value: _Value) -> None:
        self._execute(
            "insert into stored (id, value) values (?, ?)"
            " on conflict (id) do update set value = excluded.value",
            id,
            json.dumps(value),
        )

    def __delitem__(self, id: str) -> None:
        if not self._db.execute("delete from stored where id = ?", (id,)).rowcount:
            raise KeyError(id)

    def __iter__(self) -> Iterator[str]:
        return (id for id, _ in self._rows())

    def __len__(self) -> int:
        return int(self._execute("select count(*) from stored")[0][0])

    def items(self) -> ItemsView[str, _Value]:
        return _Items(self)

    def values(self) -> ValuesView[_Value]:
        return _Values(self)

    def read(self) -> Iterator[tuple[str, _Value]]:
        """Every identifier with its value: the views that are inherited would ask a query for each."""
        return ((id, self._value(value)) for id, value in self._rows())

    def _rows(self) -> Iterator[tuple[str, str]]:
        with system_errors(_FOLDER):
            yield from self._db.execute("select id, value from stored order by n")

    def _execute(self, sql: str, *values: str) -> list[Any]:
        try:
            found: list[Any] = self._db.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            with system_errors(_FOLDER):
                raise
        return found

    def _value(self, text: str) -> _Value:
        said = json.loads(text)
        # Rows say the same of a member, a group, a day: whoever holds many holds each text once.
        return self._make(said if isinstance(said, str) else map(sys.intern, said))


class _Items(ItemsView[str, _Value]):
    _mapping: StoredMap[_Value]

    def __iter__(self) -> Iterator[tuple[str, _Value]]:
        return self._mapping.read()


class _Values(ValuesView[_Value]):
    _mapping: StoredMap[_Value]

    def __iter__(self) -> Iterator[_Value]:
        return (value for _, value in self._mapping.read())
