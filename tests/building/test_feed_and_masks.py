"""Runs, masks and restored files follow on one another: a copy stays right, and says no masked name."""

from __future__ import annotations

import datetime
import random
import shutil
from pathlib import Path

import pytest

from datasette_mouvements.building.build import Inputs, build
from datasette_mouvements.building.masks import KEY_FILE
from datasette_mouvements.dataset.check import inspect
from parlement_lists.tracking.corrections import CorrectionsError
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.reading.walk import walk
from tests.building.corrections_file import corrections
from tests.building.follower import MOVEMENTS, STAYS, Follower, table
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import fingerprint, many

OTHERS = many(60)
# Each person's spellings.
PEOPLE = (("Ada MOREAU",), ("Bo LENGLET",), ("Eve GALLIET", "Eve GALLIETT"))
SPELLINGS = [name for person in PEOPLE for name in person]
# Two lists that have every spelling: a correction that matches nothing is an error.
FIRST = ({2: [0], 3: [1, 2]}, {2: [0], 3: [1, 3]}, {3: [1]}, {2: [1]}, {2: [1, 2]})

# What is done, a build after each step. `takes 9 2:0 3:13` is a list after nine days in which the second member has the
# first spelling, and the third one two others; people are numbered, too, and pages of feeds are of so many rows.
SEQUENCES = {
    "masked, lifted and masked again": "asks 0; follows 1; lifts 0; follows 2; takes 9 4:0; asks 0",
    "another spelling of a masked person": "takes 8 4:2; asks 2; follows 1; takes 9 4:3; lifts 2; takes 9",
    "a masked movement is withdrawn": "asks 1; withdraws 3; follows 1; lifts 1; withdraws 0; takes 3 2:0",
    "an older file is put back": "follows 1; keeps; asks 0; takes 9 2:0; follows 3; restores; follows 1; lifts 0",
    "a key is lost, twice": "asks 0; asks 1; follows 2; loses_key; withdraws 2; takes 9 5:13; loses_key; lifts 1",
}


class Service:
    """A maintainer's files, what was asked of them, and a reuser's copy."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lists = folder, folder / "lists"
        self.database, self.backup = folder / "x.db", folder / "backup"
        self.day = datetime.date(2026, 9, 1)
        self.now = datetime.datetime(2026, 9, 1, tzinfo=datetime.UTC)
        self.masked: dict[int, str] = {}
        self.withdrawn: list[str] = []
        self.copy, self.stays = Follower(), Follower(STAYS)
        chance = random.Random(1)
        self.draw = lambda many: chance.randbytes(many).hex()
        for content in FIRST:
            self.takes(4, content)
        self.build()

    def takes(self, days: int, content: dict[int, list[int]]) -> None:
        """A list comes."""
        self.day += datetime.timedelta(days)
        found = {
            n: [*each, *(SPELLINGS[at] for at in content.get(n, ()))] for n, each in OTHERS.items()
        }
        lists.write(self.lists, "senat", self.day.isoformat(), found)

    def asks(self, person: int) -> None:
        """To be withheld: by name, or by the fingerprint of one."""
        name = PEOPLE[person][0]
        self.masked[person] = f"empreinte: {fingerprint(name)}" if person else f"nom: {name}"

    def lifts(self, person: int) -> None:
        self.masked.pop(person, None)

    def withdraws(self, which: int) -> None:
        """A movement is withdrawn under the identifier that is published."""
        ids = sorted(Published(self.database).identifiers())
        if ids:
            self.withdrawn.append(ids[which % len(ids)])

    def said(self) -> Path:
        """The file of corrections as it stands."""
        same = f"meme_personne: {{noms: [{', '.join(PEOPLE[2])}]}}"
        said = [same, *(f"masquer: {{{one}}}" for _, one in sorted(self.masked.items()))]
        said += [f"retirer: {id}" for id in dict.fromkeys(self.withdrawn)]
        return corrections(self.folder, *said)

    def inputs(self) -> Inputs:
        return Inputs(
            lists=walk([self.lists], kind="suivi").files,
            key_folder=self.lists,
            corrections=read_corrections(self.said()),
        )

    def build(self) -> None:
        try:
            build(self.database, self.inputs(), self.tick(), self.draw)
        except CorrectionsError:
            self.withdrawn = []  # some movement is in no file any more
            build(self.database, self.inputs(), self.tick(), self.draw)

    def tick(self) -> datetime.datetime:
        self.now += datetime.timedelta(hours=1)
        return self.now

    def loses_key(self) -> None:
        (self.lists / KEY_FILE).unlink(missing_ok=True)
        self.withdrawn = []  # pseudonyms among them are nobody's any more

    def keeps(self) -> None:
        """A backup of the file is made, in the place of the one before."""
        shutil.copy(self.database, self.backup)

    def restores(self) -> None:
        """The backup is put in the place of what is there; the next build goes on from it."""
        if self.backup.exists():
            shutil.copy(self.backup, self.database)

    def follows(self, most: int) -> None:
        for copy in (self.copy, self.stays):
            copy.step(self.database, most)

    def follows_all(self) -> None:
        """The copies are at the ends of their feeds, and are the tables."""
        for copy, of in ((self.copy, MOVEMENTS), (self.stays, STAYS)):
            copy.walk(self.database)
            assert copy.movements == table(self.database, of)

    def check(self) -> None:
        """Everything that holds after each step."""
        assert inspect(self.database) == []
        held = self.database.read_bytes().lower()
        for person in self.masked:
            for name in PEOPLE[person]:
                assert name.split()[1].lower().encode() not in held
        published = Published(self.database)
        for stay in published.tenures():
            assert {stay.mouvement_debut, stay.mouvement_fin} - {""} <= published.identifiers()
        # What is withdrawn is no movement, and the feed says the same.
        assert not published.withdrawn.keys() & published.identifiers()
        told = dict(published.rows("select id, nature from _changements"))
        there = {id for id, nature in told.items() if nature == "publication"}
        assert there == published.identifiers()


@pytest.mark.rule("record-mask", "record-feed")
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_copy_is_the_table_and_says_no_masked_name(tmp_path: Path, sequence: str) -> None:
    service = Service(tmp_path)
    for step in SEQUENCES[sequence].split("; "):
        name, *arguments = step.split()
        numbers = [int(argument) for argument in arguments if ":" not in argument]
        if name == "takes":
            content = {int(a[0]): [int(digit) for digit in a[2:]] for a in arguments[1:]}
            service.takes(*numbers, content)
        else:
            getattr(service, name)(*numbers)
        service.build()
        service.check()
    service.follows_all()
