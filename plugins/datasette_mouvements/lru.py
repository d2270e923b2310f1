"""An LRU cache bounded by weight. The standard one counts entries, and entries here differ a thousandfold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """Values by key, of at most `most` weight together; the least recently used ones go first.

    For one thread, because a lock would slow every request.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.weight = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value of a key, which is now the most recently used; None where there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: Key, value: Value, weight: int) -> None:
        """Keep a value in the place of the one before, unless it is heavier than all may be together."""
        if key in self._entries:
            self.weight -= self._entries.pop(key)[1]
        if weight > self.most:
            return
        self._entries[key] = (value, weight)
        self.weight += weight
        while self.weight > self.most:
            self.weight -= self._entries.popitem(last=False)[1][1]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._entries)
