"""A dictionary in a temporary file that nobody else can open: a build's memory does not grow with its rows."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import Any, TypeVar

from datasette.utils.sqlite import sqlite3

_Value = TypeVar("_Value")


class StoredMap(MutableMapping[str, _Value]):
    """Texts, or named tuples of texts, by identifier, in the order in which each identifier first came.

    `make` gives a value back from its JSON. The file has no name; SQLite keeps 2 MB of it in memory.
    """

    def __init__(self, make: Callable[[Any], _Value]) -> None:
        self._make = make
        # Whatever thread collects garbage closes it.
        self._db = sqlite3.connect("", check_same_thread=False)
        weakref.finalize(self, self._db.close)
        self._db.execute("create table stored (n integer primary key, id text unique, value text)")

    def __getitem__(self, id: str) -> _Value:
        for (value,) in self._db.execute("select value from stored where id = ?", (id,)):
            return self._make(json.loads(value))
        raise KeyError(id)

    def __setitem__(self, id: str, value: _Value) -> None:
        self._db.execute(
            "insert into stored (id, value) values (?, ?)"
            " on conflict (id) do update set value = excluded.value",
            (id, json.dumps(value)),
        )

    def __delitem__(self, id: str) -> None:
        if not self._db.execute("delete from stored where id = ?", (id,)).rowcount:
            raise KeyError(id)

    def __iter__(self) -> Iterator[str]:
        return (id for (id,) in self._db.execute("select id from stored order by n"))

    def __len__(self) -> int:
        return int(self._db.execute("select count(*) from stored").fetchone()[0])

    def items(self) -> ItemsView[str, _Value]:
        return _Items(self)

    def values(self) -> ValuesView[_Value]:
        return _Values(self)

    def read(self) -> Iterator[tuple[str, _Value]]:
        """Every identifier with its value; those of a mapping look each up alone."""
        for id, value in self._db.execute("select id, value from stored order by n"):
            yield id, self._make(json.loads(value))


class _Items(ItemsView[str, _Value]):
    _mapping: StoredMap[_Value]

    def __iter__(self) -> Iterator[tuple[str, _Value]]:
        return self._mapping.read()


class _Values(ValuesView[_Value]):
    _mapping: StoredMap[_Value]

    def __iter__(self) -> Iterator[_Value]:
        return (value for _, value in self._mapping.read())
