"""What one morning's run did, as it is told to people and to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from parlement_lists.sources.fetcher import FetchResult

from ..dataset.coverage import covered
from . import update
from .failures import sentences


@dataclass
class Morning:
    """What one morning's run did.

    `faults` say what the run itself could not do. `matters` are all that calls for a look, key -> sentence;
    `told` are those of them that are told now: new ones, and each week those that stay open. `closed` were open
    before. `crowded`, `history`: see `Found`. `published` is the data's version that was published, "" where it was published already, None where
    nothing could be.
    """

    day: str
    fetched: list[FetchResult] = field(default_factory=list)
    tracked: update.UpdateResult | None = None
    faults: list[str] = field(default_factory=list)
    matters: dict[str, str] = field(default_factory=dict)
    told: Sequence[str] = field(default_factory=list)
    crowded: dict[str, str] | None = None
    history: str = ""
    closed: list[str] = field(default_factory=list)
    published: str | None = None
    # A sentence where a database of invented people was moved away.
    aside: str = ""
    # How many movements and stays lost a name before anything else was done, by database.
    masked: dict[str, int] = field(default_factory=dict)

    @property
    def alarms(self) -> list[str]:
        """Everything that calls for a look today, a sentence each."""
        return list(dict.fromkeys([*self.told, *self.faults]))

    @property
    def good(self) -> bool:
        """Whether nothing calls for a look, told today or before."""
        return not (self.alarms or self.matters)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        tracked, found = self.tracked, {}
        if tracked:
            found = tracked.report.as_json()
            found["coverage"] = {c: one.as_json() for c, one in covered(tracked.lists).items()}
        return {
            "day": self.day,
            "masked": self.masked,
            "fetched": [asdict(result) for result in self.fetched],
            "tracked": found or None,
            "faults": self.faults,
            "alarms": self.alarms,
            "open": list(self.matters.values()),
            "closed": self.closed,
            "published": self.published,
        }

    def lines(self) -> Iterator[str]:
        """The report for people; the alarms are not among it."""
        for database, count in self.masked.items():
            yield f"masked {count} movements and stays in {database}"
        if self.aside:
            yield self.aside
        for result in self.fetched:
            if result.status in ("new", "unchanged"):
                yield result.line()
            for sentence in result.told:
                yield f"{result.source}: {sentence}"
        if self.tracked:
            yield from self.tracked.report.lines()
        quiet = len(self.matters) - len(self.told)
        if quiet:
            yield f"{quiet} matters told before are open still: the command `nights` tells them"
        for sentence in self.closed:
            yield f"closed: {sentence}"
        if self.published is not None:
            yield f"published {self.published or 'already: nothing new'}"
        else:
            yield "published nothing"


@contextmanager
def told(done: Morning) -> Iterator[None]:
    """Turns a failure, foreseen or not, into sentences of the report."""
    try:
        yield
    except Exception as error:
        done.faults += sentences(error)
