"""One fault, one time: when it was told, in which words, when it healed, what a person had to do."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from datasette_mouvements.dataset.served.nights import CUT_OFF, NEW, SAME
from datasette_mouvements.updating.nights.night_rows import CAUSES

from .chambers import Answer
from .faults import ACCEPTS, GIVES_ADDRESS, MACHINE, RESTORES, RESTORES_ALL, Fault
from .house import House

# Runs that are still bad after a fault before a person acts, and after each thing that a person does.
PATIENCE = 3
# What a source could not do because of the machine.
_LOCAL = (CAUSES["local"], CAUSES["unforeseen"])
_ACCEPT = re.compile(r"(?:accepter|list is refused[^:]*): ([a-z]+/[0-9T-]+)")
_OF_MACHINE = re.compile("the clock of this machine|a day to come|: git [a-z-]+: |fatal: ")
# What a run tells of files that it mended.
_MENDED = re.compile(r"^elus/|history|\.git")


class Row(NamedTuple):
    """One night of one source, or of the run, in the ledger."""

    day: str
    source: str
    outcome: str
    reason: str
    figure: str


class Words(NamedTuple):
    """What was said, and how many nights after the fault had begun; -1 where nothing was."""

    nights: int = -1
    said: str = ""


_NO_WORDS = Words()


@dataclass
class Episode:
    """A fault that began on a night and lasts for so many.

    `ledger`, `report` and `alarm` are the first words of each, `healed` counts nights after the last bad one, -1 while it is
    bad; `acts` are what a person did, `heard` counts the reports of its nights, `killed` the runs whose words a
    SIGKILL took, `harms` whether anything was wrong.
    """

    fault: Fault
    began: date
    left: int
    last: date
    ledger: Words = _NO_WORDS
    report: Words = _NO_WORDS
    alarm: Words = _NO_WORDS
    healed: int = -1
    acts: list[str] = field(default_factory=list)
    bad_runs: int = 0
    heard: int = 0
    killed: int = 0
    harms: bool = True
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def befall(self, house: House, chance: random.Random) -> None:
        """One of its nights."""
        self.left -= 1
        self.last = house.world.day + datetime.timedelta(1)
        if self.fault.befalls and (self.fault.each_night or self.last == self.began):
            self.harms = self.fault.befalls(house, chance) is not False

    def acts_on(self, day: date) -> bool:
        return self.last == day

    def hear(self, report: dict[str, Any], today: date, folder: Path, ill: bool) -> None:
        """Note what a morning's report says of it, and, unless the run itself is ill, whether it is well again."""
        nights = (today - self.began).days
        self.heard += today <= self.last and not (ill and self.fault.chamber)
        rows = [Row(*row) for row in report["nights"]]
        if self.alarm.nights < 0 and (said := next(self._sentences(report, rows), "")):
            self.alarm = Words(nights, said.replace(str(folder), ""))
        if self.ledger.nights < 0 and (row := next(self._told(rows), None)):
            self.ledger = Words(nights, ", ".join(filter(None, row[2:])) or "no run came")
        if self.report.nights < 0 and (said := next(self._lines(report), "")):
            self.report = Words(nights, said.replace(str(folder), ""))
        # What befell files is healed by the very run that finds them well again.
        over = self.fault.chamber == MACHINE and not self.fault.each_night
        if self.left or (self.last == today and not over) or (ill and self.fault.chamber):
            return
        if self._bad(report, rows, today):
            self.bad_runs += 1
        else:
            self.healed = (today - self.last).days

    @property
    def told(self) -> Words:
        """The words that reach somebody soonest: an alarm, else the report, else the ledger."""
        found = (self.alarm, self.report, self.ledger)
        return next((words for words in found if words.nights >= 0), _NO_WORDS)

    def _told(self, rows: Sequence[Row]) -> Iterator[Row]:
        """The rows of its nights that tell of it."""
        for row in rows:
            if row.day < self.began.isoformat() or row.outcome in (NEW, SAME):
                continue
            if self.fault.chamber:
                if row.source == self.fault.chamber and row.outcome and row.reason not in _LOCAL:
                    yield row
            elif row.reason in _LOCAL or (not row.source and row.outcome in ("", CUT_OFF)):
                yield row

    def _lines(self, report: dict[str, Any]) -> Iterator[str]:
        """What the report tells of a source, or of the files below all of them, and is no alarm."""
        for result in report["fetched"]:
            for said in result["told"]:
                mended = bool(_MENDED.search(said))
                if (not mended and result["source"] == self.fault.chamber) or (
                    mended and self.fault.chamber == MACHINE
                ):
                    yield said

    def _sentences(self, report: dict[str, Any], rows: Sequence[Row]) -> Iterator[str]:
        if self.fault.chamber:
            yield from filter(self._is_of_it, report["alarms"])
            return
        yield from report["faults"]
        for told in (_OF_MACHINE, _MENDED):
            yield from filter(told.search, report["alarms"])
        local = {row.source for row in rows if row.day == report["day"] and row.reason in _LOCAL}
        yield from (said for said in report["alarms"] if said.partition(":")[0] in local)

    def _bad(self, report: dict[str, Any], rows: Sequence[Row], today: date) -> bool:
        if self.fault.chamber == MACHINE:
            return is_ill(report)
        own = [
            row.outcome
            for row in rows
            if (row.day, row.source) == (today.isoformat(), self.fault.chamber)
        ]
        healthy = (NEW,) if self.fault.renews else (NEW, SAME)
        return bool(self._spoken(report)) or not own or own[0] not in healthy

    def _spoken(self, report: dict[str, Any]) -> list[str]:
        return list(filter(self._is_of_it, report["open"]))

    def _is_of_it(self, said: str) -> bool:
        return said.startswith(self.fault.chamber) and not _OF_MACHINE.search(said)

    def needs_a_person(self, report: dict[str, Any]) -> bool:
        """Whether it does not heal, and somebody was told."""
        told = self.fault.chamber == MACHINE or bool(self._spoken(report))
        return self.bad_runs >= PATIENCE and told

    def call_a_person(self, house: House, report: dict[str, Any]) -> None:
        """Somebody does what is asked for, then what is left to do; SystemExit where nothing helps."""
        self.bad_runs = 0
        act = next((act for act in self._possible(house, report) if act not in self.acts), None)
        if act is None:
            raise SystemExit(
                f"{house.world.day}: {self.fault.name} of {self.began} does not heal after"
                f" {', '.join(self.acts)}: {report['alarms'] or report['open']}"
            )
        self.acts.append(act)
        if act == GIVES_ADDRESS:
            house.write_addresses()
        elif act == ACCEPTS:
            house.accept(_named(report))
        elif self.fault.mend and act == self.fault.by_hand:
            self.fault.mend(house)
        else:
            if act == RESTORES_ALL:
                house.restore_lists()
            house.restore()

    def _possible(self, house: House, report: dict[str, Any]) -> Iterator[str]:
        if self.fault.chamber:
            # Only the Assemblée's addresses ever change.
            old = house.sources.read_text() != house.chambers.sources_file()
            if old and self.fault.chamber == "assemblee":
                yield GIVES_ADDRESS
            if _named(report):
                yield ACCEPTS
        else:
            yield from filter(None, dict.fromkeys((self.fault.by_hand, RESTORES, RESTORES_ALL)))


def _named(report: dict[str, Any]) -> list[str]:
    """The lists that sentences ask to accept by name."""
    said = " ".join([*report["alarms"], *report["open"], *report["faults"]])
    return list(dict.fromkeys(_ACCEPT.findall(said)))


def is_ill(report: dict[str, Any]) -> bool:
    """Whether the run itself, or the machine below it, failed, or left something wrong behind."""
    local = any(row[0] == report["day"] and row[3] in _LOCAL for row in report["nights"])
    left = any(_OF_MACHINE.search(said) for said in (*report["open"], *report["alarms"]))
    return bool(report["faults"]) or report["published"] is None or local or left
