"""What a run did, for the maintainer who reads it and for the tables the public sees."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..movement import CHAMBERS
from .reading.lists import ListRefused

# Why a list is refused, in the words of the public table `listes`.
REASONS = {
    "empty": "liste vide",
    "damaged": "fichier endommagé",
    "too_long": "fichier trop long",
    "garbled": "fichier illisible",
    "format": "format inconnu",
    "truncated": "liste tronquée",
    "without_member": "lignes sans élu",
    "unreadable": "lignes illisibles",
    "encoding": "lettres perdues",
    "vanished": "trop d’élus disparus",
    "shifted": "colonnes décalées",
    "changed": "trop de changements",
    "stale": "liste ancienne",
    "correction": "refusée par une correction",
}
# What an accepted list is told for, in the words of the same table.
OTHER_SOURCE = "autre source que la liste précédente"
# The figures' units, in the words of the same table.
UNITS = {
    "rows": "lignes",
    "line": "ligne",
    "pairs": "couples",
    "bytes": "octets",
}


@dataclass
class Record:
    """One list of the run: whether it was accepted, with the figure that decided.

    `origin` says where it lies. Of an accepted one, `source` is what it was read from, `source_before` the list
    before where that was another.
    """

    name: str
    chamber: str
    date: datetime.date
    origin: str
    status: str = "accepted"
    reason: str = ""
    message: str = ""
    figure: str = ""
    pairs: int = 0
    lost: int = 0
    gained: int = 0
    sha256: str | None = None  # as of `List`; None where it was not read
    source: str = ""
    source_before: str = ""
    # Rows that name no member, or are not what the header says.
    unreadable: int = 0
    # One person under another name: the member's identifier, the old and the new name.
    renamed: list[dict[str, str]] = field(default_factory=list)
    # A man and a woman of one name at one member: the member's identifier and the name of who is not told.
    doubles: list[str] = field(default_factory=list)
    # The file that stands has it: an earlier report has told it.
    known: bool = False

    def refuse(self, error: ListRefused) -> None:
        """Note that the list is refused, and why."""
        self.status, self.reason = "refused", error.reason
        self.message, self.figure = str(error), error.figure

    def row(self, held: int = 0) -> tuple[Any, ...]:
        """Its row in the table `listes`, where so many of its changes wait for later lists."""
        status, reason, measure = "retenue" if held else "acceptee", "", ""
        if self.status == "refused":
            status, reason = "refusee", REASONS[self.reason]
            figure = self.figure.replace(".", ",").replace("%", " %")
            measure = " ".join(UNITS.get(word, word) for word in figure.split(" "))
        elif self.source_before:
            reason, measure = OTHER_SOURCE, f"{self.source_before} → {self.source}"
        about = (self.name, self.chamber, self.date.isoformat(), status, reason, measure)
        return (*about, self.pairs, self.gained, self.lost, held, self.sha256)

    def lines(self) -> Iterator[str]:
        """What of an accepted list calls for a look."""
        if self.source_before:
            change = f"{self.gained} gained, {self.lost} lost"
            yield f"source    {self.name}: {self.source_before} -> {self.source}: {change}"
        if self.unreadable:
            rows = counted(self.unreadable, "row")
            yield f"left out  {self.name}: {rows} without a member, or not what the header says"
        for new in self.renamed:
            yield f"renamed   {self.name}: {new['elu_id']}: {new['old']} -> {new['new']}"
        for double in self.doubles:
            yield f"one name  {self.name}: {double}: a man and a woman, of whom one is told"


@dataclass
class Report:
    """Everything a build has to say.

    `undecided` are the questions of names near masked ones, `gone` the lists that the file before was made of and
    that were not given, or are not as they were.
    """

    records: list[Record] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    added: int = 0
    withdrawn: int = 0
    held: int = 0
    held_by_list: dict[str, int] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> list[str]:
        """What calls for a look, a sentence each: a command that has one to tell ends with status 1."""
        chambers = dict.fromkeys(record.chamber for record in self.records)
        return [*self.undecided, *filter(None, map(self._newest_refused, chambers))]

    def _newest_refused(self, chamber: str) -> str:
        """The sentence about a chamber whose newest lists are refused; "" where it is not.

        One that a correction refused is not told, nor another of its content: somebody has looked at it.
        """
        newest_first = [record for record in reversed(self.records) if record.chamber == chamber]
        refused = list(itertools.takewhile(lambda r: r.status == "refused", newest_first))
        by_hand = {r.sha256 for r in refused if r.reason == "correction"} - {None, ""}
        unseen = [r for r in refused if r.reason != "correction" and r.sha256 not in by_hand]
        if not unseen:
            return ""
        newest = first = unseen[0]
        for record in refused[refused.index(newest) + 1 :]:
            if not newest.sha256 or record.sha256 != newest.sha256:
                break
            # Its file stays. That of a later one does not: the next unchanged list takes its place.
            first = record
        many = f" (the last {len(unseen)} are, from {unseen[-1].name})" if len(unseen) > 1 else ""
        still = "" if first is newest else f", unchanged until {newest.name}"
        return (
            f"{chamber}: the newest list is refused{many}: {first.name}{still}: {first.message}"
            f" [{first.origin}]; look at it, and accept or refuse it by name in the corrections, or wait for the next"
        )

    @property
    def accepted(self) -> int:
        """How many lists were accepted."""
        return sum(record.status == "accepted" for record in self.records)

    def refusals(self, chambers: Container[str] = CHAMBERS) -> list[str]:
        """A sentence for each list of some chambers that was refused."""
        refused = [r for r in self.records if r.status == "refused" and r.chamber in chambers]
        return [f"{record.origin}: {record.message}" for record in refused]

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        lists = [{**vars(r), "date": r.date.isoformat()} for r in self.records]
        report = {"lists": lists} | vars(self) | {"passed_over": len(self.passed_over)}
        report["alarms"] = self.alarms
        del report["records"], report["undecided"]
        return report

    def lines(self) -> list[str]:
        """The report for people: refused and held lists, then the counts."""
        news = [record for record in self.records if not record.known]
        refused = [
            f"refused   {record.name}: {record.reason}: {record.message} [{record.origin}]"
            for record in news
            if record.status == "refused"
        ]
        lines = _first(refused, 20)
        lines += _first([f"ignored   {path}" for path in self.ignored], 10)
        lines += _first(
            [f"gone      {name}: the file before was made of it" for name in self.gone], 10
        )
        lines += [line for record in news for line in record.lines()]
        lines += [
            f"held      {name}: {counted(n, 'change')}" for name, n in self.held_by_list.items()
        ]
        lines.append(
            f"lists     {self.accepted} accepted, {len(self.records) - self.accepted} refused"
        )
        if self.passed_over:
            ends = " to ".join(dict.fromkeys((self.passed_over[0], self.passed_over[-1])))
            count = len(self.passed_over)
            lines.append(f"          {count} not newer than the last one taken: {ends}")
        lines.append(
            f"movements {self.added} added, {self.withdrawn} withdrawn, {counted(self.held, 'change')} held"
        )
        return lines


def counted(count: int, what: str) -> str:
    """So many things in words: `1 row`, `2 rows`."""
    return f"{count} {what}{'s' * (count != 1)}"


def _first(lines: list[str], shown: int) -> list[str]:
    more = len(lines) - shown
    rest = [f"          ... and {more} more (--json lists all)"] if more > 0 else []
    return lines[:shown] + rest
