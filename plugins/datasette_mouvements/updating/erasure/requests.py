"""The register of people's requests: references and days, no names; a private file beside the database."""

from __future__ import annotations

import calendar
import csv
import datetime
import io
from pathlib import Path
from typing import Any, NamedTuple

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

    def as_json(self, today: datetime.date) -> dict[str, Any]:
        """The request for programs."""
        return {**self._asdict(), "due": str(self.due), "days_left": self.days_left(today)}

    def line(self, today: datetime.date) -> str:
        """The request for people."""
        left = self.days_left(today)
        if left is None:
            what = f"answered {self.answered}"
        else:
            days = f"{left} days left" if left >= 0 else f"{-left} days late"
            what = f"answer by {self.due}: {days}"
        return f"{self.reference}: received {self.received}, {what}"


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
            return sorted(found, key=lambda one: (one.due, one.reference))
        except (ValueError, TypeError, csv.Error) as error:
            raise InputRefused([f"{self.path}: not a register of requests: {error}"]) from error

    def note(
        self,
        reference: str,
        today: datetime.date,
        received: datetime.datetime | None,
        answered: bool,
    ) -> None:
        """Note a request, received or answered today where nothing else is known; InputRefused for an unknown answer."""
        known = {one.reference: one for one in self.requests()}
        if answered and not received and reference not in known:
            raise InputRefused([f"{self.path}: no request {reference}: note it with --received"])
        one = known.get(reference, PersonRequest(reference, str(today)))
        day = str(received.date()) if received else one.received
        known[reference] = PersonRequest(reference, day, str(today) if answered else one.answered)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([PersonRequest._fields, *known.values()])
        write_whole(self.path, text.getvalue().encode(), mode=0o600)
