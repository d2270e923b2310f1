"""A site of the European Parliament that serves invented originals, as downloads see it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from typing import Any

from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.source import Address, MemberRead, Original, OriginalRefused, StaffRow

from .europarl_pages import api_answer, full_list, make, member, member_name, staff

DAY = datetime.date(2026, 9, 14)
SEATS = 81


class Site:
    """What is answered, by name of original: bytes, or the reason why there is no answer."""

    def __init__(self, members: Iterable[MemberRead] | None = None) -> None:
        self.seated = list(members or [member(number) for number in range(1001, 1001 + SEATS)])
        self.answers: dict[str, bytes | str] = {
            "members.json": api_answer(self.seated),
            "full-list.xml": full_list(self.seated),
        }
        for one in self.seated:
            self.put(one.id, [staff(f"Jeanne Exemple{one.id}", member=one.id)])

    def put(self, id: str, rows: list[StaffRow], generation: str = "D") -> None:
        self.answers[f"{id}.html"] = make(id, member_name(id), rows, generation, DAY)

    def fail(self, *ids: str, reason: str = "status 500") -> None:
        for id in ids:
            self.answers[f"{id}.html"] = reason


class SiteDownloads:
    """One run's downloads from a site; `asked` are the addresses, in order and each once."""

    def __init__(self, site: Site, memory: dict[str, Any] | None = None, days: int = 0) -> None:
        self.site = site
        self.day = DAY + datetime.timedelta(days)
        self.memory: dict[str, Any] = {} if memory is None else memory
        self.asked: list[Address] = []
        self.told: list[str] = []
        self.ways: set[tuple[int, int]] = set()

    def get(
        self,
        address: Address,
        examine: Callable[[Original], object] = lambda original: None,
        attempts: int = 4,
    ) -> Original:
        self.asked.append(address)
        answer = self.site.answers.get(address.name, "status 404")
        if isinstance(answer, str):
            raise FetchFailed(answer)
        original = Original(address.name, answer)
        try:
            examine(original)
        except OriginalRefused as error:
            raise FetchFailed(str(error)) from error
        return original

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = lambda original: None,
        attempts: int = 4,
        at_once: int = 1,
        most_failures: int | None = None,
    ) -> tuple[list[Original], dict[str, str]]:
        # All are asked for, however many fail: what is said of each is counted.
        assert most_failures is not None
        self.ways.add((attempts, at_once))
        got, failed = [], {}
        for address in addresses:
            try:
                got.append(self.get(address, examine, attempts))
            except FetchFailed as error:
                failed[address.name] = str(error)
        return got, failed

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)
