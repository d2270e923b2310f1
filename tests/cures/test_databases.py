"""What is said of a damaged or lost database, or tracking state, is done as it stands there; the morning is whole."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from tests.contract.environment import done
from tests.updating.mornings import Maintainer, version

from .messages import filled

REBUILT = (
    "move it and its tracking state away, and build it again from every one of its lists, with the same"
    " --corrections"
)
EVERY_LIST = "restore it and the database together, or remove it and build again from every list"
LOST = (
    "Restore it with its tracking state, or build it again from every list; to begin anew, move the"
    " served file away"
)
DAMAGED = "restore a copy of it with its tracking state, or move both away and build it again from every list"


class SpoiledFiles:
    """A maintainer's files, with a copy of this morning's, and what sentences say to do with them."""

    def __init__(self, maintainer: Maintainer) -> None:
        self.maintainer = maintainer
        self.database = maintainer.database
        self.state = self.database.with_name("movements.suivi.sqlite3")
        self.last = maintainer.folder / "last"
        shutil.copytree(self.database.parent, self.last)

    def do(self, cure: str) -> None:
        """One alternative of a cure; KeyError for a sentence that nobody has tried."""
        for step in re.split(r",? and (?=build|move)", re.sub("^to begin anew, ", "", cure)):
            {
                "restore it and the database together": self.restore,
                "restore the two together": self.restore,
                "restore a copy of it with its tracking state": self.restore,
                "Restore it with its tracking state": self.restore,
                "move it and its tracking state away": self.move_away,
                "move both away": self.move_away,
                "move the tracking state and the database away": self.move_away,
                "move it away": self.state.unlink,
                "remove it": self.state.unlink,
                "remove this file": self.state.unlink,
                "move the served file away": self.maintainer.served.unlink,
                "build again": self.build,
                "build again from every list": self.build,
                "build it again from every list": self.build,
                "build it again from every one of its lists, with the same --corrections": self.build,
            }[step]()

    def restore(self) -> None:
        for file in (self.database, self.state):
            shutil.copy(self.last / file.name, file)

    def move_away(self) -> None:
        self.database.unlink(missing_ok=True)
        self.state.unlink(missing_ok=True)

    def build(self) -> None:
        given = "--lists", self.maintainer.lists, "--corrections", self.maintainer.corrections
        done("build", self.database, *given, "--source", "suivi")

    def sql(self, file: Path, statement: str) -> None:
        with closing(sqlite3.connect(file)) as db, db:
            db.execute(statement)


@pytest.mark.parametrize(
    ("spoil", "cure", "not_done"),
    [
        (lambda f: f.sql(f.state, "update etats set etat = '{}'"), EVERY_LIST, ""),
        (lambda f: f.state.write_bytes(b"no database" * 99), EVERY_LIST, ""),
        (
            lambda f: f.sql(
                f.state, """update etats set etat = replace(etat, '"version":2', '"version":1')"""
            ),
            "use the version that wrote it, or move it away and build again from every list",
            "use the version that wrote it",
        ),
        (
            lambda f: f.sql(f.state, "update etats set jeton = 'another'"),
            "restore the two together, or remove this file and build again",
            "",
        ),
        (lambda f: f.state.unlink(), "restore the two together, or build again", ""),
        (lambda f: f.database.write_bytes(b"x" * 5000), DAMAGED, ""),
        (lambda f: f.sql(f.database, "delete from _publication where cle = 'lignee'"), REBUILT, ""),
        (
            lambda f: f.sql(f.database, "update _publication set valeur = 3 where cle = 'schema'"),
            REBUILT,
            "",
        ),
        (lambda f: f.move_away(), LOST, ""),
    ],
)
def test_each_way_out_that_is_told_leads_to_a_whole_morning(hired, spoil, cure, not_done):
    files = SpoiledFiles(hired("NEUVE"))
    spoil(files)
    told = "\n".join(files.maintainer.morning().faults)
    filled(cure, told)
    ways = re.split(r"; |, or ", told[told.index(cure) :][: len(cure)])
    for way in ways:
        if way != not_done:
            files.do(way)
            found = files.maintainer.morning(0)
            assert (found.faults, found.matters, inspect(files.database)) == ([], {}, [])
            assert version(files.maintainer.served) == version(files.database)
            assert files.maintainer.arrivals() == ["NEUVE"]
            shutil.copytree(files.database.parent, files.last, dirs_exist_ok=True)
            spoil(files)


def test_a_program_that_writes_to_the_database_is_closed(hired):
    maintainer = hired("NEUVE")
    with closing(sqlite3.connect(maintainer.database)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("create table another (x)")
        other.execute("drop table another")
        filled("close it first", "\n".join(maintainer.morning().faults))
    found = maintainer.morning(0)
    assert (found.faults, found.matters, maintainer.arrivals()) == ([], {}, ["NEUVE"])
