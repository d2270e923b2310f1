"""`datasette mouvements person`: all that is held under a name, and apart from it, under each near name."""

from __future__ import annotations

import json
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, PARIS, words
from parlement_lists.sources.commands import now
from parlement_lists.sources.downloading.originals import FOLDER, REFUSED
from parlement_lists.tracking.correction import is_only_about
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.reading import git
from parlement_lists.tracking.reading.lists import ListRefused, Reader
from parlement_lists.tracking.reading.names import misspelling
from parlement_lists.tracking.reading.walk import walk

from ..dataset.connections import connect_read_only
from ..dataset.schema import TABLE, TENURES
from .failures import FAILURES, sentences
from .masks import entry, free_reasons, quoted
from .standing import Standing

# What is held, by the kind of place: each thing as words for people and programs.
Places = dict[str, list[dict[str, Any]]]


class Holdings:
    """What is held under a name, its spellings in the corrections, and each near name.

    `held` has the former, `near` the latter by their words. `unread` says what could not be looked at.
    """

    def __init__(self, name: str, corrections: Corrections | None) -> None:
        self.name = name
        self._given = corrections is not None
        self._corrections = corrections or Corrections()
        spellings = self._corrections.spellings
        self._spellings = {c: spellings({words(name)}, chamber=c) for c in CHAMBERS}
        self.persons = frozenset().union(*self._spellings.values())
        self.held: Places = defaultdict(list)
        self.near: dict[str, Places] = defaultdict(lambda: defaultdict(list))
        self.unread: list[str] = []
        # Of the movements and stays that have the name.
        self._ids: set[str] = set()

    def why(self, person: str) -> str:
        """Why a name is near; "" where it is not."""
        reasons = (misspelling(own, person) for own in sorted(self.persons))
        return next(filter(None, reasons), "")

    def _places(self, chamber: str, person: str) -> Places | None:
        """Where something of a person at a chamber is noted; None for somebody else."""
        if person in self._spellings[chamber]:
            return self.held
        return self.near[person] if person and self.why(person) else None

    def _note(self, person: str, place: str, chamber: str, **what: Any) -> bool:
        places = self._places(chamber, person)
        if places is None:
            return False
        row = {"chamber": chamber, **what}
        places[place].append({name: value for name, value in row.items() if value})
        return True

    def take(self, database: Path | None, folder: Path | None) -> None:
        """Note all that is held; raises what reading a file, lists and git raises."""
        if database is None:
            self.unread.append("database: give --db")
        else:
            self._take_database(database)
        if folder is None:
            self.unread.append("lists and originals: give --lists")
        else:
            self._take_lists(folder)
        self._take_corrections()

    def _take_database(self, database: Path) -> None:
        standing = Standing(database)
        if standing.corrections and not self._given:
            self.unread.append("corrections that the database was made with: give --corrections")
        with closing(connect_read_only(database)) as db:
            for id, chamber, family, given, member, since, until in db.execute(
                "select id, chambre, coalesce(collab_nom, ''), coalesce(collab_prenom, ''), elu_id, debut,"
                f" fin from {TENURES} order by debut, id"
            ):
                person = words(family, given)
                if self._note(
                    person, "stays", chamber, member=member, id=id, **{"from": since, "to": until}
                ):
                    self._ids.add(id)
            for id, chamber, family, given, member, day, kind in db.execute(
                "select id, chambre, coalesce(collab_nom, ''), coalesce(collab_prenom, ''),"
                f" coalesce(elu_id, elu_nom), date_event, type from {TABLE} order by rowid"
            ):
                person = words(family, given)
                if self._note(
                    person, "movements", chamber, member=member, id=id, date=day, type=kind
                ):
                    self._ids.add(id)
            (nameless,) = db.execute(
                f"select count(*) from {TENURES} where collab_nom is null and collab_prenom is null"
            ).fetchone()
        if nameless:
            self.unread.append(
                f"{nameless} stays of {database} whose names are withheld: the lists say whose they are"
            )

    def _take_lists(self, folder: Path) -> None:
        reader = Reader()
        days: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        had: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for file in walk([folder]).files:
            try:
                list_ = file.read(reader)
            except ListRefused as error:
                self.unread.append(f"{file.origin}: {error}")
                continue
            persons = set()
            for pair in list_.pairs.values():
                person = words(pair.family, pair.given)
                if self._places(file.chamber, person) is not None:
                    persons.add(person)
                    days[person, file.chamber, pair.member].append(file.date.isoformat())
            had[file.chamber].append((file.date.isoformat(), persons))
        for (person, chamber, member), on in days.items():
            ends = {"first": min(on), "last": max(on), "lists": len(on)}
            self._note(person, "lists", chamber, member=member, **ends)
        self._take_originals(folder / FOLDER, had)
        if (folder / ".git").exists():
            gone = git.run(
                folder,
                *("log", "--all", "--diff-filter=D", "--name-only", "--format=", "--", *CHAMBERS),
            )
            self.unread += [
                f"{folder}: {name}, in the history of git alone" for name in sorted({*gone.split()})
            ]

    def _take_originals(self, folder: Path, had: Mapping[str, list[tuple[str, set[str]]]]) -> None:
        """Note the originals kept on days on which the list at hand has a name: they are not read themselves."""
        for path in sorted(folder.glob("*/*/*")):
            chamber, day = path.parts[-3], path.parts[-2][:10]
            if path.name.startswith(REFUSED) or chamber not in CHAMBERS:
                self.unread.append(f"{path}: look into it by hand")
                continue
            lists = had.get(chamber, [])
            at = bisect_right(lists, day, key=lambda list_: list_[0])
            for person in sorted(lists[at - 1][1]) if at else ():
                self._note(person, "originals", chamber, file=str(path), date=day)

    def _take_corrections(self) -> None:
        for correction in self._corrections.about(self.persons, self._ids):
            what = {"line": correction.line, "kind": correction.kind}
            # What it says of somebody else is not this person's to read.
            if is_only_about(correction, self.persons):
                what["says"] = quoted(correction.value)
            self.held["corrections"].append(what)
            if correction.kind == "homonymes":
                self.unread.append(
                    f"line {correction.line} of the corrections says that several people have this name: they"
                    " are not told apart here; look at the member, and add `elus` to the correction"
                )

    def as_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        near = {
            person: {"why": self.why(person), **places}
            for person, places in sorted(self.near.items())
            if places
        }
        return {"name": self.name, "held": self.held, "near": near, "unread": self.unread}

    def lines(self) -> Iterator[str]:
        """All of it, for people."""
        yield f"held under {self.name}:" if self.held else f"nothing is held under {self.name}"
        yield from _lines(self.held)
        for person, places in sorted(self.near.items()):
            if places:
                yield f"near, held under {person}: {self.why(person)}"
                yield from _lines(places)
        yield from (f"not read: {what}" for what in self.unread)


def _lines(places: Places) -> Iterator[str]:
    for place, things in places.items():
        for thing in things:
            yield f"  {place}: {', '.join(f'{name} {value}' for name, value in thing.items())}"


_EXISTING = click.Path(exists=True, path_type=Path)


@click.command("person")
@click.argument("name")
@click.option("--db", "database", type=_EXISTING, help="Database")
@click.option("--lists", "folder", type=_EXISTING, help="Folder of lists")
@click.option(
    "--corrections",
    type=_EXISTING,
    envvar="MOUVEMENTS_CORRECTIONS",
    help="YAML file of reviewed corrections",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def person_command(
    name: str,
    database: Path | None,
    folder: Path | None,
    corrections: Path | None,
    as_json: bool,
) -> None:
    """Tell all that is held under NAME and, apart, under near names."""
    if not words(name):
        raise click.UsageError("NAME has no letters")
    if not (database or folder):
        raise click.UsageError("give --db, --lists or both")
    try:
        given = read_corrections(corrections) if corrections else None
        holdings = Holdings(name, given)
        holdings.take(database, folder)
    except (*FAILURES, sqlite3.Error) as error:
        for line in sentences(error):
            click.echo(line, err=True)
        sys.exit(1)
    today = now().astimezone(PARIS).date()
    mask = entry(today, next(free_reasons(given or Corrections())), "masquer", {"nom": name})
    if as_json:
        click.echo(json.dumps({**holdings.as_json(), "correction": mask}, ensure_ascii=False))
    else:
        lines = [*holdings.lines(), "this correction withholds the name:", mask]
        click.echo("\n".join(lines))
