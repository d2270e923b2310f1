"""The words of many names, in order, and whose they are: found whole, by their beginning, or with one typing error."""

from __future__ import annotations

import asyncio
import heapq
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from parlement_lists.movement import plain

# Sorting so many texts takes some milliseconds, in which no other thread runs.
SORTED_AT_ONCE = 5_000
# Looked at before other requests run, a millisecond's worth.
LOOKED_AT_ONCE = 4_000
WORDS = 8
# A shorter word is near too many others.
LEAST_NEAR = 4
# How well a typed word fits a word of a name, the best first.
WHOLE, PART, BEGINS, GIVEN, GIVEN_BEGINS, NEAR, NEAR_GIVEN = range(7)
_END = "\U0010ffff"
# What a word is in a name: all of the family name, one of several words of it, of a given name.
_ALL, _ONE, _GIVEN = range(3)


def telling(words: Iterable[str]) -> list[str]:
    """The words that narrow a search, at most WORDS: one said twice once, and none that begins another.

    A lone letter is looked for as a whole word, so it begins none.
    """
    each = list(dict.fromkeys(words))
    return [
        word
        for word in each
        if len(word) == 1 or not any(other != word and other.startswith(word) for other in each)
    ][:WORDS]


def in_order(names: Iterable[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """Family and given names with their numbers, as `plain` writes them, in their order; for few names, because all are held."""
    return sorted((plain(family), plain(given), number) for family, given, number in names)


class NameWords:
    """An index of words to names in compact arrays; names are numbered in their order."""

    def __init__(
        self,
        names: Iterable[tuple[str, str, int]],
        *,
        shared: bool = False,
        sorted_at_once: int = SORTED_AT_ONCE,
        looked_at_once: int = LOOKED_AT_ONCE,
    ) -> None:
        """`names` come `in_order`, each with the number by which the caller knows it.

        Of a name given more than once the least number stands, or with `shared` each; one without a letter is left out.
        """
        self._looked_at_once = looked_at_once
        self._values = array("I")
        held: dict[str, array[int]] = {}
        before = ("", "", 0)
        for family, given, value in names:
            name = family, given, value if shared else 0
            if name == before or not (family or given):
                continue
            before = name
            for word, kind in _words(family.split(), given.split()):
                of = held.get(word)
                if of is None:
                    of = held[word] = array("I")
                of.append(len(self._values) << 2 | kind)
            self._values.append(value)
        self._spelled = _WordList(_sorted(held, sorted_at_once))
        self._names = array("I")
        self._begins = array("I", [0])
        for word in map(self._spelled.__getitem__, range(len(self._spelled))):
            self._names.extend(held.pop(word))
            self._begins.append(len(self._names))
        backwards = (f"{self._backwards(at)}\t{at:x}" for at in range(len(self._spelled)))
        ends = _sorted(backwards, sorted_at_once)
        self._by_end = array("I", (int(text.rpartition("\t")[2], 16) for text in ends))

    async def find(self, text: str, most: int, near: bool = False) -> tuple[list[int], int]:
        """At most `most` numbers of names that have every word of `text`, or begin one; and how many have.

        Best fit first, else in the order of names. With `near` one word has one typing error. Other requests
        run meanwhile.
        """
        typed = telling(plain(text).split())
        exact = [await self._fitting(word) for word in typed]
        if not near:
            fits = await self._together(exact)
        else:
            fits = {}
            for at, word in enumerate(typed):
                if len(word) >= LEAST_NEAR:
                    others = exact[:at] + exact[at + 1 :]
                    for name, fit in (
                        await self._together([await self._near(word), *others])
                    ).items():
                        fits[name] = min(fit, fits.get(name, fit))
        best = heapq.nsmallest(most, ((fit, name) for name, fit in fits.items()))
        # One person may have two names.
        all_found = len(set(map(self._values.__getitem__, fits)))
        return list(dict.fromkeys(self._values[name] for _, name in best)), all_found

    async def _fitting(self, word: str) -> dict[int, int]:
        """Name -> how well it fits."""
        first = bisect_left(self._spelled, word)
        found: dict[int, int] = {}
        after = first + self._spelled.has(first, word)
        # A lone letter (d', l') is a word of its own.
        last = bisect_left(self._spelled, word + _END) if len(word) > 1 else after
        await self._put(found, (first, after), (WHOLE, PART, GIVEN))
        await self._put(found, (after, last), (BEGINS, BEGINS, GIVEN_BEGINS))
        return found

    async def _near(self, word: str) -> dict[int, int]:
        found: dict[int, int] = {}
        for at in self._candidates(word):
            if one_error(word, self._spelled[at]):
                await self._put(found, (at, at + 1), (NEAR, NEAR, NEAR_GIVEN))
        return found

    async def _put(
        self, found: dict[int, int], words: tuple[int, int], fits: tuple[int, ...]
    ) -> None:
        for some in _pieces(
            self._names[self._begins[words[0]] : self._begins[words[1]]], self._looked_at_once
        ):
            for entry in some:
                name, fit = entry >> 2, fits[entry & 3]
                if fit < found.get(name, NEAR_GIVEN + 1):
                    found[name] = fit
            await asyncio.sleep(0)

    async def _together(self, fits: list[dict[int, int]]) -> dict[int, int]:
        """The names that every word fits: the best fit first, then all of them."""
        if not fits:
            return {}
        every: dict[int, int] = {}
        fewest = min(fits, key=len)
        for some in _pieces(list(fewest), self._looked_at_once):
            for name in some:
                if all(name in other for other in fits):
                    of = [other[name] for other in fits]
                    every[name] = min(of) << 8 | sum(of)
            await asyncio.sleep(0)
        return every

    def _candidates(self, word: str) -> set[int]:
        """Words that have one half of the typed one: one error leaves the other half as it is."""
        half = len(word) // 2
        first = bisect_left(self._spelled, word[:half])
        found = set(range(first, bisect_left(self._spelled, word[:half] + _END)))
        end = word[half:][::-1]
        low = bisect_left(self._by_end, end, key=self._backwards)
        high = bisect_left(self._by_end, end + _END, key=self._backwards)
        found.update(self._by_end[low:high])
        # Only two letters exchanged across the middle change both halves.
        middle = word[: half - 1] + word[half] + word[half - 1] + word[half + 1 :]
        at = bisect_left(self._spelled, middle)
        if self._spelled.has(at, middle):
            found.add(at)
        return found

    def _backwards(self, at: int) -> str:
        return self._spelled[at][::-1]


class _WordList:
    """Words by their places, in one text: each as an object of its own would take five times the memory."""

    def __init__(self, words: Iterable[str]) -> None:
        self._begins = array("I", [0])
        text = bytearray()
        for word in words:
            text += word.encode()
            self._begins.append(len(text))
        self._text = bytes(text)

    def __len__(self) -> int:
        return len(self._begins) - 1

    def __getitem__(self, at: int) -> str:
        return self._text[self._begins[at] : self._begins[at + 1]].decode()

    def has(self, at: int, word: str) -> bool:
        """Whether a word stands at a place."""
        return at < len(self) and self[at] == word


def one_error(typed: str, meant: str) -> bool:
    """Whether one letter more, less, other, or two neighbours exchanged make one word of the other."""
    if typed == meant or abs(len(typed) - len(meant)) > 1:
        return False
    at = 0
    while at < min(len(typed), len(meant)) and typed[at] == meant[at]:
        at += 1
    one, other = typed[at:], meant[at:]
    return (
        one[1:] == other
        or one == other[1:]
        or one[1:] == other[1:]
        or (one[:2] == other[:2][::-1] and one[2:] == other[2:])
    )


def _words(family: list[str], given: list[str]) -> Iterator[tuple[str, int]]:
    """The words of a name with what they are there; a family name of several words also in one."""
    for word in dict.fromkeys(family):
        yield word, _ALL if len(family) == 1 else _ONE
    if len(family) > 1:
        yield "".join(family), _ALL
    for word in dict.fromkeys(given):
        yield word, _GIVEN


def _pieces(every: Sequence[int], at_once: int) -> Iterator[Sequence[int]]:
    return (every[at : at + at_once] for at in range(0, len(every), at_once))


def _sorted(texts: Iterable[str], at_once: int) -> Iterator[str]:
    runs: list[list[str]] = [[]]
    for text in texts:
        runs[-1].append(text)
        if len(runs[-1]) == at_once:
            runs[-1].sort()
            runs.append([])
    runs[-1].sort()
    return heapq.merge(*runs)
