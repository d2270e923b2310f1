"""What a run did, for the maintainer who reads it and for the tables the public sees."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..movement import CHAMBERS, CONFIDENCES, CONTEXTS, TYPES, Movement
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
# Stands below the counts of a run, as `TRANSFERS_COUNT` stands on pages.
TRANSFERS = "the number of transfers depends on the spacing of the lists: the wider, the more"
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

    def row(self) -> tuple[Any, ...]:
        """Its row in the table `listes`."""
        status = {"accepted": "acceptee", "refused": "refusee"}[self.status]
        decided = self._refusal() if self.status == "refused" else ("", "")
        if self.source_before:
            decided = OTHER_SOURCE, f"{self.source_before} → {self.source}"
        counts = (self.pairs, self.gained, self.lost, 0)
        about = (self.name, self.chamber, self.date.isoformat(), status, *decided, *counts)
        return (*about, self.sha256)

    def _refusal(self) -> tuple[str, str]:
        figure = self.figure.replace(".", ",").replace("%", " %")
        measure = " ".join(UNITS.get(word, word) for word in figure.split(" "))
        return REASONS[self.reason], measure


@dataclass
class Report:
    """Everything a build has to say.

    `undecided` are the questions of names near masked ones.
    """

    records: list[Record] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    counts: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    added: int = 0
    withdrawn: int = 0
    held: int = 0
    held_by_list: dict[str, int] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> list[str]:
        """What calls for a look, a sentence each: a command that has one to tell ends with status 1."""
        newest = [self._newest_refused(*of) for of in self.refused_last.items()]
        return [*self.undecided, *newest]

    def count(self, movements: Iterable[Movement]) -> None:
        """Count movements by chamber and year, each by type, contexte and confiance."""
        found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for movement in movements:
            year = found[movement.chambre][movement.date_event[:4]]
            year.update((movement.type, movement.contexte or "sans contexte", movement.confiance))
        self.counts = {c: dict(sorted(found[c].items())) for c in CHAMBERS if c in found}

    @property
    def refused_last(self) -> dict[str, list[str]]:
        """The refused lists of each chamber that no accepted one has followed yet.

        One that a correction refused is not among them, nor another of its content: somebody has looked at it.
        """
        refused: dict[str, list[Record]] = defaultdict(list)
        for record in self.records:
            if record.status == "refused":
                refused[record.chamber].append(record)
            else:
                refused.pop(record.chamber, None)
        newest: dict[str, list[str]] = {}
        for chamber, records in refused.items():
            by_hand = {r.sha256 for r in records if r.reason == "correction"} - {None, ""}
            for record in records:
                if record.reason != "correction" and record.sha256 not in by_hand:
                    newest.setdefault(chamber, []).append(record.name)
        return newest

    def _newest_refused(self, chamber: str, names: Sequence[str]) -> str:
        many = f" (the last {len(names)} are, from {names[0]})" if len(names) > 1 else ""
        name = self._first_alike(chamber, names[-1])
        still = "" if name == names[-1] else f", unchanged until {names[-1]}"
        why = next((f": {r.message} [{r.origin}]" for r in self.records if r.name == name), "")
        return (
            f"{chamber}: the newest list is refused{many}: {name}{still}{why}; look at it, and accept or refuse"
            " it by name in the corrections, or wait for the next"
        )

    def _first_alike(self, chamber: str, newest: str) -> str:
        """The first of the lists up to the newest one, without a gap, that have its content.

        Its file stays. That of a later one does not: the next unchanged list takes its place.
        """
        read = [record for record in reversed(self.records) if record.chamber == chamber]
        content = next((record.sha256 for record in read if record.name == newest), None)
        before = itertools.dropwhile(lambda record: record.name != newest, read)
        refused = itertools.takewhile(lambda record: record.status == "refused", before)
        alike = itertools.takewhile(lambda record: content and record.sha256 == content, refused)
        return [newest, *(record.name for record in alike)][-1]

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
        report |= {"alarms": self.alarms, "refused_last": self.refused_last}
        del report["records"], report["undecided"]
        return report

    def lines(self, every_list: bool = False) -> list[str]:
        """The report for people: refused and held lists (or every list), then the counts."""
        news = [record for record in self.records if every_list or not record.known]
        named = [r for r in news if every_list or r.status != "accepted"]
        lines = _first([_list_line(record) for record in named], len(named) if every_list else 20)
        lines += _first([f"ignored   {path}" for path in self.ignored], 10)
        lines += [line for record in news for line in _source_lines(record)]
        lines += [_renamed_line(record.name, r) for record in news for r in record.renamed]
        lines += [
            f"one name  {record.name}: {double}: a man and a woman, of whom one is told"
            for record in news
            for double in record.doubles
        ]
        lines += [f"held      {name}: {_changes(n)}" for name, n in self.held_by_list.items()]
        refused = len(self.records) - self.accepted
        lines.append(f"lists     {self.accepted} accepted, {refused} refused")
        if self.passed_over:
            ends = " to ".join(dict.fromkeys((self.passed_over[0], self.passed_over[-1])))
            count = len(self.passed_over)
            lines.append(f"          {count} not newer than the last one taken: {ends}")
        for chamber, years in self.counts.items():
            lines += _table(chamber, years)
        if any(year["transfert"] for years in self.counts.values() for year in years.values()):
            lines.append(f"          {TRANSFERS}")
        lines.append(
            f"movements {self.added} added, {self.withdrawn} withdrawn, {_changes(self.held)} held"
        )
        return lines


def _changes(count: int) -> str:
    return "1 change" if count == 1 else f"{count} changes"


def _first(lines: list[str], shown: int) -> list[str]:
    more = len(lines) - shown
    return lines[:shown] + (
        [f"          ... and {more} more (--json lists all)"] if more > 0 else []
    )


def _list_line(record: Record) -> str:
    if record.status == "refused":
        return f"refused   {record.name}: {record.message} [{record.origin}]"
    return (
        f"accepted  {record.name}: {record.pairs} pairs, {record.gained} gained, {record.lost} lost"
    )


def _source_lines(record: Record) -> Iterator[str]:
    if record.source_before:
        change = f"{record.gained} gained, {record.lost} lost"
        yield f"source    {record.name}: {record.source_before} -> {record.source}: {change}"


def _renamed_line(name: str, change: Mapping[str, str]) -> str:
    return f"renamed   {name}: {change['elu_id']}: {change['old']} -> {change['new']}"


def _table(chamber: str, years: dict[str, Counter[str]]) -> list[str]:
    columns = (*TYPES, *filter(None, CONTEXTS), *CONFIDENCES)
    lines = [f"{chamber:10}" + "".join(f"{name:>12}" for name in columns)]
    lines += [
        f"{year:10}" + "".join(f"{counts[name]:>12}" for name in columns)
        for year, counts in years.items()
    ]
    return lines
