"""An LRU cache bounded by weight. The standard one counts entries, and entries here differ a thousandfold."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """A memory of bounded weight that forgets what was not asked for longest."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.weight = 0
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: Value, weight: int) -> None:
        if key in self._kept or weight > self.most:
            return
        self._kept[key] = (value, weight)
        self.weight += weight
        while self.weight > self.most:
            self.weight -= self._kept.popitem(last=False)[1][1]
