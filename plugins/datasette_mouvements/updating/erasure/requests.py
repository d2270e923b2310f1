"""The register of people's requests: references and days, no names; a private file beside the database."""

from __future__ import annotations

import calendar
import csv
import datetime
import io
from pathlib import Path
from typing import NamedTuple

from parlement_lists.movement import is_day
from parlement_lists.regular_file import read_bytes, write_whole

from ...dataset.input_files import InputRefused


class PersonRequest(NamedTuple):
    """One request: the maintainer's reference for it, the days on which it was received and answered."""

    reference: str
    received: str
    answered: str = ""

    @property
    def due(self) -> datetime.date:
        """The last day to answer: one month after the receipt (GDPR, article 12.3), which the month may not have."""
        day = datetime.date.fromisoformat(self.received)
        year, month = day.year + day.month // 12, day.month % 12 + 1
        return day.replace(year, month, min(day.day, calendar.monthrange(year, month)[1]))

    def days_left(self, today: datetime.date) -> int | None:
        """The days left to answer, below 0 where they are over; None once it was answered."""
        return None if self.answered else (self.due - today).days

    def line(self, today: datetime.date) -> str:
        """What is to be told of it."""
        left = self.days_left(today)
        if left is None:
            return f"{self.reference}: received {self.received}, answered {self.answered}"
        late = f"{left} days left" if left >= 0 else f"{-left} days late"
        return f"{self.reference}: received {self.received}, answer by {self.due}: {late}"


class RequestRegister:
    """The requests to the maintainer of a database; raises InputRefused for a file that is damaged, OSError."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.stem}.demandes.csv")

    def requests(self) -> list[PersonRequest]:
        """All of them, the oldest first."""
        if not self.path.exists():
            return []
        try:
            _, *rows = csv.reader(io.StringIO(read_bytes(self.path, follow=False).decode()))
            found = [PersonRequest(*row) for row in rows]
        except (ValueError, TypeError, csv.Error) as error:
            raise InputRefused([f"{self.path}: not a register of requests: {error}"]) from error
        if not all(is_day(one.received) for one in found):
            raise InputRefused([f"{self.path}: not a register of requests: a day is expected"])
        return sorted(found, key=lambda one: (one.received, one.reference))

    def note(self, reference: str, received: str, answered: str = "") -> None:
        """Note a request; what is "" stays as it was."""
        known = {one.reference: one for one in self.requests()}
        before = known.get(reference, PersonRequest(reference, received))
        known[reference] = PersonRequest(
            reference, received or before.received, answered or before.answered
        )
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([PersonRequest._fields, *known.values()])
        write_whole(self.path, text.getvalue().encode(), mode=0o600)

    def has(self, reference: str) -> bool:
        """Whether a request of that reference is noted."""
        return any(one.reference == reference for one in self.requests())
