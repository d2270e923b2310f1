"""A maintainer of invented lists, what the chambers publish, and the mornings."""

from __future__ import annotations

import datetime
from contextlib import closing

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.building.daily import run
from parlement_lists.sources.download import Source
from parlement_lists.sources.fetch import fetch
from parlement_lists.sources.originals import Original, StaffList, StaffRow

FIRST = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
MEMBERS = {"assemblee": "PA{}", "senat": "1{:04}A", "europarl": "19{}"}
NAMES = ["AUBE", "BRUN", "CLAIR", "DOUX", "ETE"]


def rows(chamber, many=60):
    """Each of many members has one person: AUBE0, BRUN1, CLAIR2 ..."""
    return [
        StaffRow(MEMBERS[chamber].format(n), f"Exemple{n:03}", "Jeanne", "", "", name(n), "Paul")
        for n in range(1, many)
    ]


def name(n):
    return f"{NAMES[n % len(NAMES)]}{chr(65 + n // 26)}{chr(65 + n % 26)}"


class Desk:
    """What each chamber publishes: rows of a list, or what goes wrong."""

    def __init__(self):
        self.published = {chamber: rows(chamber) for chamber in MEMBERS}

    def hires(self, chamber, person):
        member = self.published[chamber][0]
        self.published[chamber] = [
            *self.published[chamber],
            member._replace(collab_nom=person, collab_prenom="Zoé"),
        ]

    def sources(self):
        desk = self

        class OfDesk(Source):
            def download(self, downloads):
                if isinstance(desk.published[self.chamber], BaseException):
                    raise desk.published[self.chamber]
                return [Original("liste", b"of today", downloads.day)]

            def read(self, originals, members, day):
                return StaffList(desk.published[self.chamber], f"{self.chamber}-essai")

        return [OfDesk(chamber) for chamber in MEMBERS]


class Maintainer:
    """A maintainer's folders, and the mornings."""

    def __init__(self, folder):
        self.folder, self.desk, self.now = folder, Desk(), FIRST
        self.database = folder / "data" / "movements.db"
        self.corrections = folder / "corrections.yml"
        self.corrections.write_text("")
        self.lists = folder / "lists"

    def start(self):
        sources = self.desk.sources()
        return fetch(self.lists, sources, "essai", lambda: self.now, lambda seconds: None)

    def morning(self, days=1, withdraw=None):
        self.now += datetime.timedelta(days)
        given = (self.start, (), self.corrections, lambda: self.now, withdraw)
        return run(self.lists, self.database, *given)

    def mornings(self, count):
        return [self.morning() for _ in range(count)][-1]

    def masks(self, person):
        with self.corrections.open("a") as file:
            file.write(f"- {{date: 2026-09-14, raison: demandé, masquer: {{nom: {person} Zoé}}}}\n")

    def arrivals(self):
        """Who arrived, as the service reads it."""
        return self.movements("arrivee")

    def movements(self, kind):
        """Whom the movements of a kind are about, as the service reads them."""
        with closing(sqlite3.connect(self.database)) as db:
            about = db.execute("select collab_nom from mouvements where type = ?", [kind])
            return [row[0] or "masked" for row in about]


def version(path):
    with closing(sqlite3.connect(path)) as db:
        ((found,),) = db.execute("select valeur from _publication where cle = 'version'")
        return found


def holds(path, person):
    return person.encode() in path.read_bytes()
