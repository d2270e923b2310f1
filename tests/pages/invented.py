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


def movement(number: int, **values: Any) -> Movement:
    """A movement of nobody else; the later numbers have the greater identifiers."""
    usual = {"date_event": "2026-08-31", "chambre": "europarl", "type": "arrivee"}
    usual |= {"collab_nom": f"PERSONNE{number}", "collab_prenom": "Ida", "fonction": "Assistante"}
    usual |= {"elu_id": f"9{number % 7}", "elu_nom": f"Élu Numéro{number % 7}", "elu_groupe": "GRA"}
    return Movement(**{"id": f"mvt_{number:020x}"} | usual | values)


def contract(first: int, members: int, **values: Any) -> list[Movement]:
    """Movements of one name with several members."""
    return [
        movement(first + n, **{"collab_nom": f"COMMUN{first}", "elu_nom": f"Élu N{n:02}"} | values)
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


class Element(NamedTuple):
    """One element of a feed: an entry, or what was withdrawn (without title)."""

    id: str
    at: str
    title: str
    summary: str


def elements_of(text: str) -> list[Element]:
    """What a feed tells, in its order."""
    elements = []
    for element in ElementTree.fromstring(text):
        if element.tag == TOMBSTONE:
            elements.append(Element(element.attrib["ref"], element.attrib["when"], "", ""))
        elif element.tag == f"{ATOM}entry":
            values = [
                element.findtext(ATOM + n) or "" for n in ("id", "updated", "title", "summary")
            ]
            elements.append(Element(*(value.replace("\u00a0", " ") for value in values)))
    return [element._replace(id=element.id.rpartition("/")[2]) for element in elements]
