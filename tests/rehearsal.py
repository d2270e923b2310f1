"""A year of mornings over invented lists, with what goes wrong: `python -m tests.rehearsal [--seed N] [--seeds N] [--days N]`.

What really happens is known: who comes, leaves, moves, is only missing or is written another way. On the way a source
fails, a list is cut or shifted, the file or the private key is lost, two runs are made a day. At the end the file must tell each arrival, departure and transfer on the day of the first
list that shows it, and nothing else. Exit 1 says what it tells otherwise.
"""

from __future__ import annotations

import argparse
import datetime
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasette_mouvements.building.daily import run
from datasette_mouvements.building.masks import KEY_FILE
from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import Movement, words
from parlement_lists.sources.download import Source
from parlement_lists.sources.fetch import Run, fetch
from parlement_lists.sources.originals import FetchFailed, Original, StaffList, StaffRow
from tests.published import Published

FIRST = datetime.datetime(2027, 1, 4, 4, tzinfo=datetime.UTC)
MEMBERS, STAFF = 60, 3
SYLLABLES = "ba co di fu gal hor jin kel lom mur nep quo ros tav".split()
# A person at a member; a change as it is told: day, kind, person, member.
Pair = tuple[str, str]
Told = tuple[str, str, str, str]


class World:
    """Who works for whom at the Sénat, day by day, and what its list says of it."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names: set[str] = set()
        self.pairs: dict[Pair, StaffRow] = {}
        # Missing pairs, and the day on which they are back.
        self.missing: dict[Pair, datetime.date] = {}
        # Missing pairs that a list lacked, and its day.
        self.lacked: dict[Pair, datetime.date] = {}
        # What changed since the last list that was taken.
        self.waiting: list[tuple[str, str, str]] = []
        self.truth: set[Told] = set()
        for number in range(MEMBERS):
            for _ in range(STAFF):
                self.hire(f"1{number:04}A")
        self.waiting.clear()

    def name(self) -> str:
        """A name that is like no other one."""
        while True:
            name = "".join(self.chance.choices(SYLLABLES, k=4)).capitalize()
            if name not in self.names:
                self.names.add(name)
                return name

    def hire(self, member: str, row: StaffRow | None = None) -> None:
        if row is None:
            row = StaffRow(
                member, f"Exemple{member}", "Jeanne", "", "Mme", self.name().upper(), self.name()
            )
        row = row._replace(elu_id=member, elu_nom=f"Exemple{member}")
        self.pairs[person_of(row), member] = row
        self.waiting.append(("arrivee", person_of(row), member))

    def leave(self, pair: Pair) -> StaffRow:
        row = self.pairs.pop(pair)
        self.waiting.append(("depart", *pair))
        return row

    def day(self, today: datetime.date) -> None:
        """What happens on a day."""
        self.missing = {pair: back for pair, back in self.missing.items() if back > today}
        free = [p for p in self.pairs if p not in self.missing and p not in self.lacked]
        for _ in range(self.chance.choice((0, 0, 1, 2))):
            what = self.chance.choice(("hire", "leave", "move", "miss", "respell"))
            pair = self.chance.choice(free)
            free.remove(pair)
            members = sorted({member for _, member in self.pairs})
            if what == "hire":
                self.hire(self.chance.choice(members))
            elif sum(member == pair[1] for _, member in self.pairs) < 3:
                continue  # nobody loses the whole team: that is another story
            elif what == "leave":
                self.leave(pair)
            elif what == "move":
                row = self.leave(pair)
                self.hire(self.chance.choice([m for m in members if m != pair[1]]), row)
            elif what == "miss":
                self.missing[pair] = today + datetime.timedelta(self.chance.randint(1, 6))
            else:
                row = self.pairs[pair]
                family = row.collab_nom.replace("A", "Â", 1)
                self.pairs[pair] = row._replace(collab_nom=family)

    def rows(self) -> list[StaffRow]:
        return [row for pair, row in self.pairs.items() if pair not in self.missing]

    def taken(self, today: datetime.date) -> None:
        """A list of the day was taken: what changed since the one before is told of this day."""
        left = {person: member for kind, person, member in self.waiting if kind == "depart"}
        for kind, person, member in self.waiting:
            moved = kind == "arrivee" and left.get(person, member) != member
            if moved:
                self.truth.discard((str(today), "depart", person, left[person]))
            self.truth.add((str(today), "transfert" if moved else kind, person, member))
        self.waiting.clear()
        for pair in self.missing:
            self.lacked.setdefault(pair, today)
        for pair in [pair for pair in self.lacked if pair not in self.missing]:
            since = self.lacked.pop(pair)
            # Lists that failed on the way may make a departure of it.
            if today - since > datetime.timedelta(7):
                self.truth |= {(str(since), "depart", *pair), (str(today), "arrivee", *pair)}


def person_of(row: StaffRow) -> str:
    return words(row.collab_nom, row.collab_prenom)


def spoiled(rows: list[StaffRow], how: str) -> Any:
    """A list as it should not be."""
    if how == "cut":
        return rows[: len(rows) // 2]
    if how == "shifted":
        people = [(row.collab_nom, row.collab_prenom) for row in rows]
        moved = people[STAFF:] + people[:STAFF]
        return [
            row._replace(collab_nom=f, collab_prenom=g)
            for row, (f, g) in zip(rows, moved, strict=True)
        ]
    return FetchFailed("liste: no answer")


def rehearse(seed: int, days: int, folder: Path) -> list[str]:
    """What the file tells otherwise than it was."""
    chance = random.Random(seed)
    world, database, lists = World(chance), folder / "movements.db", folder / "lists"
    clock: list[Any] = [FIRST]
    published: Any = None

    class Desk(Source):
        def download(self, downloads: Any) -> list[Original]:
            if isinstance(published, BaseException):
                raise published
            return [Original("liste", b"", downloads.day)]

        def read(self, originals: Any, members: Any, day: Any) -> StaffList:
            return StaffList(published, "essai")

    def fetched() -> Run:
        return fetch(lists, [Desk("senat")], "essai", lambda: clock[0], lambda seconds: None)

    wrong: list[str] = []
    for number in range(days):
        clock[0] = today = FIRST + datetime.timedelta(number)
        if number:
            world.day(today.date())
        fault = chance.choice((*[""] * 12, "cut", "shifted", "failed")) if number > 3 else ""
        published = spoiled(world.rows(), fault) if fault else world.rows()
        if chance.random() < 0.02:
            database.unlink(missing_ok=True)
        if chance.random() < 0.02:
            (lists / KEY_FILE).unlink(missing_ok=True)
        for _ in range(chance.choice((1, 1, 1, 2))):
            done = run(lists, database, fetched, (), None, lambda: clock[0])
            if bool(done.alarms) != bool(fault):
                wrong.append(f"{today.date()}: {fault or 'nothing wrong'}: {done.alarms}")
            if done.built and done.built.report.withdrawn:
                wrong.append(f"{today.date()}: {done.built.report.withdrawn} withdrawn")
        if not fault:
            world.taken(today.date())
    file = Published(database)
    wrong += inspect(database)
    last = str((clock[0] - datetime.timedelta(8)).date())
    found = {told(movement) for movement in file.movements()}
    for kind, one in (("missing", world.truth - found), ("false", found - world.truth)):
        wrong += [f"{kind}: {change}" for change in sorted(one) if change[0] < last]
    return wrong


def told(movement: Movement) -> Told:
    person = words(movement.collab_nom, movement.collab_prenom)
    return movement.date_event, movement.type, person, movement.elu_id


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--days", type=int, default=365)
    given = parser.parse_args(arguments)
    failed = False
    for seed in range(given.seed, given.seed + given.seeds):
        with tempfile.TemporaryDirectory() as name:
            wrong = rehearse(seed, given.days, Path(name))
        print(f"seed {seed}, {given.days} days: {len(wrong)} told otherwise than it was")
        print("\n".join(wrong[:20]))
        failed |= bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
