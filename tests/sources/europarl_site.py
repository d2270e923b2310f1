"""A site of the European Parliament that serves invented originals, as downloads see it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from parlement_lists.sources.originals import MemberRecord, StaffRow

from .europarl_pages import api_answer, full_list, make, member, member_name, staff
from .given_downloads import GivenDownloads

DAY = datetime.date(2026, 9, 14)
SEATS = 81


class Site:
    """What is answered, by name of original: bytes, or the reason why there is no answer."""

    def __init__(self, members: Iterable[MemberRecord] | None = None) -> None:
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


class SiteDownloads(GivenDownloads):
    """One run's downloads from a site, so many days after DAY."""

    def __init__(self, site: Site, days: int = 0) -> None:
        super().__init__(site.answers, DAY + datetime.timedelta(days))
