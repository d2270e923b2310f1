"""Invented movements, published in runs at given instants, and what a feed tells of them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from parlement_lists.movement import Movement
from tests.published import write

FIRST = datetime.datetime(2026, 9, 1, 5, 0, tzinfo=datetime.UTC)
ATOM = "{http://www.w3.org/2005/Atom}"
TOMBSTONE = "{http://purl.org/atompub/tombstones/1.0}deleted-entry"


def movement(number: int, **given: Any) -> Movement:
    """A movement of nobody else; the later numbers have the greater identifiers."""
    usual = {"date_event": "2026-08-31", "chambre": "europarl", "type": "arrivee"}
    usual |= {"collab_nom": f"PERSONNE{number}", "collab_prenom": "Ida", "fonction": "Assistante"}
    usual |= {"elu_id": f"9{number % 7}", "elu_nom": f"Élu Numéro{number % 7}", "elu_groupe": "GRA"}
    return Movement(**{"id": f"mvt_{number:020x}"} | usual | given)


def contract(first: int, members: int, **given: Any) -> list[Movement]:
    """Movements of one name with several members."""
    return [
        movement(first + n, **{"collab_nom": f"COMMUN{first}", "elu_nom": f"Élu N{n:02}"} | given)
        for n in range(members)
    ]


def instant(day: int) -> str:
    """When the run of that number, from 0, is published."""
    return (FIRST + datetime.timedelta(day)).strftime("%Y-%m-%dT%H:%M:%SZ")


def publish(path: Path, *runs: list[Movement]) -> Path:
    """A file that these runs have written, a day after each other; each holds all that is published then."""
    for day, run in enumerate(runs):
        write(path, [("invented", enumerate(run, 1))], now=FIRST + datetime.timedelta(day))
    return path


class Told(NamedTuple):
    """One element of a feed: an entry, or what was withdrawn (without title)."""

    id: str
    at: str
    title: str
    summary: str


def told(text: str) -> list[Told]:
    """What a feed tells, in its order."""
    found = []
    for element in ElementTree.fromstring(text):
        if element.tag == TOMBSTONE:
            found.append(Told(element.attrib["ref"], element.attrib["when"], "", ""))
        elif element.tag == f"{ATOM}entry":
            values = [
                element.findtext(ATOM + n) or "" for n in ("id", "updated", "title", "summary")
            ]
            found.append(Told(*(value.replace("\u00a0", " ") for value in values)))
    return [one._replace(id=one.id.rpartition("/")[2]) for one in found]
