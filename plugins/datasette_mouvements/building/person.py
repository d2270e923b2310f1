"""`datasette mouvements person`: all that is held under a name, and apart from it, under each near name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, PARIS, words
from parlement_lists.sources import download
from parlement_lists.sources.commands import now
from parlement_lists.tracking.corrections import Corrections, is_about
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.reading.lists import ListRefused
from parlement_lists.tracking.reading.names import misspelling
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.report import counted

from ..dataset.connections import connect_read_only
from ..dataset.schema import TABLE, TENURES
from .commands import FILE, FOLDER, corrections_option
from .failures import refusals, tell
from .masks import entry
from .standing import Standing

# A kind of place, the names there, and what it holds under them, as words for people and programs.
Thing = tuple[str, set[str], dict[str, Any]]
_NAME = "coalesce(collab_prenom, '') || ' ' || coalesce(collab_nom, '')"
_SQL = {
    "stays": "select chambre as chamber, elu_id as member, id, debut as 'from', fin as 'to',"
    f" {_NAME} || coalesce(' ; ' || anciens_noms, '') as names from {TENURES} order by debut, id",
    "movements": "select chambre as chamber, coalesce(elu_id, elu_nom) as member, id, date_event as date, type,"
    f" {_NAME} as names from {TABLE} order by rowid",
}


def holdings(
    name: str, corrections: Corrections | None, database: Path | None, folder: Path | None
) -> dict[str, Any]:
    """What file, lists and corrections hold under a name and its spellings: `held`; under near names: `near`.

    `unread` says what was not looked at. Raises what reading a file, lists and git raises.
    """
    entries = corrections or Corrections()
    own = {c: entries.spellings({words(name)}, chamber=c) for c in CHAMBERS}
    persons = frozenset().union(*own.values())
    unread: list[str] = []
    things: list[Thing] = []
    if database:
        things += _of_database(database, corrections is not None, unread)
    else:
        unread.append("database: give --db")
    if folder:
        things += _of_lists(folder, unread)
    else:
        unread.append("lists: give --lists")
    held: dict[str, list[dict[str, Any]]] = defaultdict(list)
    near: dict[str, dict[str, Any]] = {}
    for place, names, thing in things:
        if names & own[thing["chamber"]]:
            held[place].append(thing)
            continue
        for person in names:
            whys = (misspelling(mine, person) for mine in sorted(persons))
            if why := next(filter(None, whys), ""):
                near.setdefault(person, {"why": why}).setdefault(place, []).append(thing)
    ids = {thing["id"] for place in _SQL for thing in held.get(place, ())}
    # What one says of somebody else is not this person's to read, so the line is told alone.
    if about := [entry for entry in entries.entries if is_about(entry, persons, ids)]:
        held["corrections"] = [{"line": entry.line, "kind": entry.kind} for entry in about]
    return {"name": name, "held": held, "near": dict(sorted(near.items())), "unread": unread}


def _of_database(database: Path, corrected: bool, unread: list[str]) -> Iterator[Thing]:
    if Standing(database).corrected and not corrected:
        unread.append("corrections that the database was made with: give --corrections")
    nameless = 0
    with closing(connect_read_only(database)) as db:
        db.row_factory = sqlite3.Row
        for place, sql in _SQL.items():
            for row in db.execute(sql):
                thing = {key: value for key, value in dict(row).items() if value}
                names = {*map(words, thing.pop("names").split(" ; "))} - {""}
                if names:
                    yield place, names, thing
                else:
                    nameless += place == "stays"
    if nameless:
        unread.append(
            f"{counted(nameless, 'stay')} of {database} without a name, which is withheld: the lists say whose"
        )


def _of_lists(folder: Path, unread: list[str]) -> Iterator[Thing]:
    """Each person with each member: the first and the last list, and how many."""
    days: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for file in walk([folder]).files:
        try:
            pairs = file.read().pairs.values()
        except ListRefused as error:
            unread.append(f"{file.origin}: {error}")
            continue
        for pair in pairs:
            person = words(pair.family, pair.given)
            days[file.chamber, person, pair.member].append(file.date.isoformat())
    for (chamber, person, member), on in days.items():
        where = {"chamber": chamber, "member": member}
        yield "lists", {person}, where | {"first": min(on), "last": max(on), "lists": len(on)}
    for kept in (folder / download.FOLDER, folder / ".git"):
        if kept.exists():
            unread.append(f"{kept}: it holds what chambers published, as long as you keep it")


def lines(holding: dict[str, Any]) -> Iterator[str]:
    """What `holdings` says, for people."""
    name, held = holding["name"], holding["held"]
    groups = {f"held under {name}:" if held else f"nothing is held under {name}": held}
    for person, places in holding["near"].items():
        groups[f"near, held under {person}: {places['why']}"] = places
    for head, places in groups.items():
        yield head
        for place, things in places.items():
            for thing in things if place != "why" else ():
                yield f"  {place}: {', '.join(f'{name} {value}' for name, value in thing.items())}"
    yield from (f"not read: {what}" for what in holding["unread"])


@click.command("person")
@click.argument("name")
@click.option("--db", "database", type=FILE, help="Database")
@click.option("--lists", "folder", type=FOLDER, help="Folder of lists")
@corrections_option
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
    with refusals():
        entries = read_corrections(corrections) if corrections else None
        holding = holdings(name, entries, database, folder)
    text, mask = [*lines(holding)], ""
    # A second mask of a later day would give other pseudonyms; one of a name that nothing holds is an error.
    masked = any(e["kind"] == "masquer" for e in holding["held"].get("corrections", ()))
    if holding["held"] and not masked:
        mask = entry(now().astimezone(PARIS).date(), "masquer", {"nom": name})
        text += ["this correction withholds the name:", mask]
    tell(holding | {"correction": mask or None}, text, as_json)
