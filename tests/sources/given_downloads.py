"""Downloads of given answers: nobody is asked, and nothing is kept."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping

from parlement_lists.sources.originals import (
    Address,
    FetchFailed,
    Original,
    OriginalRefused,
)
from parlement_lists.sources.source import Source


class GivenDownloads:
    """One run's downloads. `answers` has bytes, or the reason of a failure, by the original's name."""

    def __init__(self, answers: Mapping[str, bytes | str], day: datetime.date) -> None:
        self.answers, self.day = answers, day
        self.asked: list[Address] = []
        self.remarks: list[str] = []
        self.at_once = 1

    @classmethod
    def of(cls, source: Source, day: datetime.date, **answers: bytes | str) -> GivenDownloads:
        """The downloads of a source; `answers` by the words of its addresses."""
        return cls({source.addresses[word].name: body for word, body in answers.items()}, day)

    @property
    def names(self) -> list[str]:
        """The originals that were asked for."""
        return [address.name for address in self.asked]

    def get(self, address: Address, examine: Callable[[Original], object] = len) -> Original:
        self.asked.append(address)
        answer = self.answers.get(address.name, "status 404")
        if isinstance(answer, str):
            raise FetchFailed(f"{address.name}: {answer}")
        original = Original(address.name, answer)
        try:
            examine(original)
        except OriginalRefused as error:
            raise FetchFailed(str(error)) from error
        return original

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = len,
        at_once: int = 1,
        most_failures: int | None = None,
    ) -> tuple[list[Original], dict[str, str]]:
        # All are asked for, however many fail: what is said of each is counted.
        assert most_failures is not None
        self.at_once = at_once
        originals, reasons = [], {}
        for address in addresses:
            try:
                originals.append(self.get(address, examine))
            except FetchFailed as error:
                reasons[address.name] = str(error).removeprefix(f"{address.name}: ")
        return originals, reasons

    def tell(self, sentence: str) -> None:
        self.remarks.append(sentence)
