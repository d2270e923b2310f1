"""Ten mornings over three chambers whose servers fail every day: each movement once, each erasure at once."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating import update
from datasette_mouvements.updating.morning import Morning, MorningRun
from parlement_lists.movement import words
from parlement_lists.sources.fetcher import Fetcher, FetchPlan
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from tests.rehearsal import chambers
from tests.rehearsal.chambers import Chambers
from tests.rehearsal.mornings import FAILED, MORNINGS
from tests.rehearsal.world import Fact, World

FIRST = datetime.date(2026, 9, 14)
# On which mornings somebody asks for an erasure, and of which chamber: one whose list fails that day.
ERASURES = {3: "senat", 5: "europarl", 8: "senat"}
# On which mornings the run is started twice.
AGAIN = (0, 4, 9)


class Maintainer:
    """The folders of a maintainer, and what is published."""

    def __init__(self, folder: Path, servers: Chambers) -> None:
        self.servers = servers
        self.now = datetime.datetime.combine(FIRST, chambers.PARIS_MORNING, datetime.UTC)
        self.database, self.served = folder / "var" / "m.db", folder / "data" / "movements.db"
        self.corrections = folder / "corrections.yml"
        self.corrections.write_text("")
        self.lists = folder / "lists"
        paths = self.database, self.served, self.corrections
        self.run = MorningRun(self.lists, self.start, *paths, 250, lambda: self.now)
        self.erased: set[str] = set()

    def start(self) -> FetchPlan:
        fetcher = Fetcher(self.lists, "essai", lambda: self.now, lambda seconds: None)
        sources = [
            # A server that is slow must not hold the test back for minutes.
            replace(s, addresses={w: a._replace(seconds=2.0) for w, a in s.addresses.items()})
            for s in self.servers.sources()
        ]
        return FetchPlan(fetcher, sources)

    def morning(self) -> Morning:
        return self.run.morning()

    def erases(self, fact: Fact) -> None:
        family = fact.person.split()[0]
        with self.corrections.open("a") as file:
            file.write(
                f"- {{date: {self.now.date()}, raison: demandé,"
                f" masquer: {{chambre: {fact.chamber}, nom: {fact.person}}}}}\n"
            )
        self.erased.add(fact.person)
        assert holds(self.served, fact.person), family

    def settle(self) -> None:
        inputs = update.Inputs(
            members=Members.read(self.run.lists / "elus"),
            corrections=read_corrections(self.corrections),
            lists=(),
        )
        update.track(self.database, inputs, self.now, settle=True)


def holds(path: Path, person: str) -> bool:
    """Whether a file has one of the words of a name that no other name has."""
    data = path.read_bytes().lower()
    return any(word.encode() in data for word in person.split() if len(word) > 8)


def published(path: Path) -> Counter[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            "select chambre, type, elu_id, collab_nom, collab_prenom from mouvements"
        ).fetchall()
    return Counter((*row[:3], words(row[3] or "", row[4] or "")) for row in rows)


@pytest.fixture
def servers() -> Iterator[Chambers]:
    running = Chambers(World(FIRST))
    yield running
    running.close()


@pytest.mark.process
def test_every_movement_is_published_once_and_every_erasure_on_its_day(
    tmp_path: Path, servers: Chambers
) -> None:
    world, maintainer = servers.world, Maintainer(tmp_path, servers)
    for number, day in enumerate(MORNINGS):
        servers.faults = day.faults
        if number in ERASURES:
            known = published(maintainer.served)
            asked = [
                fact
                for fact in world.facts
                if fact.chamber == ERASURES[number]
                and fact.type == "arrivee"
                and fact.key in known
                and fact.person not in maintainer.erased
            ]
            maintainer.erases(asked[0])
        done = maintainer.morning()
        ends = tuple(result.status for result in done.fetched)
        assert ends == day.ends, (number, done.alarms, [r.told for r in done.fetched])
        # The report of the day names every source that failed, and nothing else is wrong.
        assert [alarm.partition(":")[0] for alarm in done.alarms] == [
            result.source for result in done.fetched if result.status == FAILED
        ]
        told = [sentence for result in done.fetched for sentence in result.told]
        assert told if set(day.ends) != {FAILED} else True
        assert inspect(maintainer.served) == []
        for person in maintainer.erased:
            assert not holds(maintainer.served, person), (number, person)
        if number in AGAIN:
            before = maintainer.served.read_bytes()
            again = maintainer.morning()
            assert maintainer.served.read_bytes() == before, (number, again.alarms)
        world.pass_day()
        servers.publish()
        maintainer.now += datetime.timedelta(1)
    world.end()
    servers.publish()
    servers.faults = {}
    assert maintainer.morning().alarms == []
    maintainer.settle()
    expected = Counter(
        (*key[:3], "" if key[3] in maintainer.erased else key[3])
        for key in world.truth().elements()
    )
    assert published(maintainer.database) == expected
    assert expected.total() > 60
