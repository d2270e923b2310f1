"""Whatever runs, masks and restored files follow on one another: a copy stays right, and says no masked name.

MOUVEMENTS_FUZZ says how many sequences are tried.
"""

from __future__ import annotations

import datetime
import os
import random
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import yaml
from datasette.utils.sqlite import sqlite3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating import update
from datasette_mouvements.updating.erasure.mask import mask
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists import tenure
from parlement_lists.movement import identifier, words
from parlement_lists.tracking.correction import CorrectionsError
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.state import StateError
from tests.tracking import lists
from tests.tracking.lists import fingerprint, many
from tests.updating.follower import Follower, of_movements, of_stays, table

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "10"))
OTHERS = many(60)
# Each person's spellings.
PEOPLE = (("Ada MOREAU",), ("Bo LENGLET",), ("Eve GALLIET", "Eve GALLIETT"))
SPELLINGS = [name for person in PEOPLE for name in person]
# Two lists that have every spelling: a correction that matches nothing is an error.
FIRST = ({2: [0], 3: [1, 2]}, {2: [0], 3: [1, 3]}, {3: [1]}, {2: [1]}, {2: [1, 2]})
PSEUDONYM = re.compile(r"(mvt|col)_[0-9a-f]{20}")

staff = st.dictionaries(
    st.integers(2, 5), st.lists(st.integers(0, 3), max_size=3, unique=True), max_size=4
)
# What is run after something was changed.
runs = st.sampled_from(["track", "track", "settle", "build", "masks", "follows_all", "nothing"])
people = st.integers(0, len(PEOPLE) - 1)
steps = st.one_of(
    st.tuples(st.just("takes"), runs, st.integers(1, 12), staff),
    st.tuples(st.just("takes"), runs, st.integers(8, 12), staff),
    st.tuples(st.just("asks"), runs, people, st.booleans()),
    st.tuples(st.just("lifts"), runs, people),
    st.tuples(st.just("withdraws"), runs, st.integers(0, 99), st.booleans()),
    st.tuples(st.just("loses_state"), runs),
    st.tuples(st.just("keeps"), runs),
    st.tuples(st.just("restores"), runs),
    st.tuples(st.just("follows"), runs, st.integers(1, 3)),
)


class Service:
    """A maintainer's files, what was asked of them, and a reuser's copy; `seed` is for all that is random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.lists = folder, folder / "lists"
        self.database, self.backup = folder / "x.db", folder / "backup"
        self.corrections = folder / "corrections.yml"
        self.day = datetime.date(2026, 9, 1)
        self.now = datetime.datetime(2026, 9, 1, tzinfo=datetime.UTC)
        self.masked: dict[int, str] = {}
        self.withdrawn: list[str] = []
        # Those whose names no file may have now, since a run that ended well withheld them.
        self.withheld: set[int] = set()
        self.copy, self.stays = Follower(), Follower(of_stays)
        chance = random.Random(seed)
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

    def asks(self, person: int, by_fingerprint: bool) -> None:
        name = PEOPLE[person][0]
        self.masked[person] = (
            f"empreinte: {fingerprint(name)}" if by_fingerprint else f"nom: {name}"
        )

    def lifts(self, person: int) -> None:
        self.masked.pop(person, None)

    def withdraws(self, which: int, internal: bool) -> None:
        """A movement is withdrawn under the identifier that is published, or the one that it had before."""
        if internal:
            ids = list(StateFile(self.database).pseudonyms())
        else:
            ids = sorted(Published(self.database).identifiers())
        if ids:
            self.withdrawn.append(ids[which % len(ids)])

    def said(self) -> Path:
        """The file of corrections as it stands."""
        same = f"meme_personne: {{noms: [{', '.join(PEOPLE[2])}]}}"
        said = [same, *(f"masquer: {{{one}}}" for _, one in sorted(self.masked.items()))]
        said += [f"retirer: {id}" for id in dict.fromkeys(self.withdrawn)]
        text = "".join(f"- {{date: 2026-10-01, raison: r, {one}}}\n" for one in said)
        assert yaml.safe_load(text)
        self.corrections.write_text(text)
        return self.corrections

    def inputs(self) -> update.Inputs:
        return update.Inputs(
            lists=walk([self.lists]).files,
            source="suivi",
            corrections=read_corrections(self.said()),
        )

    def nothing(self) -> None:
        """No run."""

    def track(self, settle: bool = False) -> None:
        self._runs(
            lambda: update.track(self.database, self.inputs(), self.tick(), settle, self.draw)
        )

    def settle(self) -> None:
        self.track(settle=True)

    def build(self) -> None:
        self._runs(lambda: update.build(self.database, self.inputs(), self.tick(), self.draw))

    def _runs(self, run) -> None:
        try:
            run()
        except CorrectionsError:
            self.withdrawn = []  # some movement is in no file any more
        except StateError:
            assert not StateFile(self.database).path.exists()  # it was lost
        else:
            self.withheld = set(self.masked)

    def masks(self) -> None:
        mask(self.database, read_corrections(self.said()), self.tick(), draw=self.draw)
        self.withheld |= set(self.masked)

    def tick(self) -> datetime.datetime:
        self.now += datetime.timedelta(hours=1)
        return self.now

    def loses_state(self) -> None:
        StateFile(self.database).path.unlink(missing_ok=True)

    def keeps(self) -> None:
        """A backup is made, in the place of the one before."""
        shutil.rmtree(self.backup, ignore_errors=True)
        self.backup.mkdir()
        for path in self._files():
            shutil.copy(path, self.backup)

    def restores(self) -> None:
        """The backup is put in the place of what is there, and masked before anything else."""
        if self.backup.exists():
            for path in self._files():
                path.unlink()
            for path in self.backup.iterdir():
                shutil.copy(path, self.folder)
            self.withheld = set()
            self.masks()

    def _files(self) -> list[Path]:
        return [p for p in (self.database, StateFile(self.database).path) if p.exists()]

    def follows(self, most: int) -> None:
        for copy in (self.copy, self.stays):
            copy.step(self.database, most)

    def follows_all(self) -> None:
        """The copies are at the ends of their feeds, and are the tables."""
        for copy, of in ((self.copy, of_movements), (self.stays, of_stays)):
            copy.walk(self.database)
            assert copy.movements == table(self.database, of)

    def check(self) -> None:
        """Everything that holds after each step."""
        assert inspect(self.database) == []
        held = self.database.read_bytes().lower()
        for person in self.withheld:
            for name in PEOPLE[person]:
                assert name.split()[1].lower().encode() not in held
        published = Published(self.database)
        for movement in published.movements():
            if not movement.collab_nom:
                assert movement.id not in {identifier(one) for one in under_any_name(movement)}
                assert PSEUDONYM.fullmatch(movement.id)
        for stay in published.tenures():
            if not stay.collab_nom:
                keys = (words(name) for name in SPELLINGS)
                guesses = {
                    tenure.identifier(stay.chambre, stay.elu_id, k, stay.debut) for k in keys
                }
                assert stay.id not in guesses
            links = {stay.mouvement_debut, stay.mouvement_fin} - {""}
            assert links <= published.identifiers()
        self.check_withdrawals(published)

    def check_withdrawals(self, published: Published) -> None:
        """What is withdrawn is no movement; where a name is withheld, no reason holds another identifier."""
        kept = StateFile(self.database).pseudonyms()
        hidden = {*kept, *kept.values()}
        for id, _, reason in published.withdrawn.values():
            assert id not in published.identifiers()
            assert not {id, *PSEUDONYM_IN.findall(reason)} & hidden or not PSEUDONYM_IN.search(
                reason
            )
        with closing(sqlite3.connect(self.database)) as db:
            told = dict(db.execute("select id, nature from _changements"))
        assert {
            id for id, nature in told.items() if nature == "publication"
        } == published.identifiers()
        for internal in kept:
            # Under its own identifier a movement is published again once its mask is lifted.
            named = internal in published.identifiers()
            assert named or told.get(internal, "retrait") == "retrait"


PSEUDONYM_IN = re.compile(r"mvt_[0-9a-f]{20}")


def under_any_name(movement) -> Iterator:
    """A movement without a name as somebody who guesses names would complete it."""
    for name in SPELLINGS:
        given, family = name.split()
        yield movement._replace(collab_nom=family, collab_prenom=given)


@settings(
    max_examples=COUNT,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(steps, min_size=6, max_size=20), st.integers(0, 1000))
def test_a_copy_that_follows_is_the_table_and_says_no_masked_name(done: list, seed: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        service = Service(Path(name), seed)
        for step, run, *arguments in done:
            getattr(service, step)(*arguments)
            getattr(service, run)()
            service.check()
        service.follows_all()
