"""Whatever is built, tracked, masked, withdrawn, restored or begun anew, and whenever: the copy ends equal."""

from __future__ import annotations

import datetime
import random
import re
import shutil
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from tests.contract import environment
from tests.contract.service import Answer
from tests.tracking import lists

from .original_service import OriginalService, answer, copy, rows
from .test_copy_stays import beside

FIRST = datetime.date(2020, 1, 1)
MEMBERS = 60
STEPS = 14


class Publisher:
    """Somebody who publishes: lists, corrections and a database, which change step by step."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.lists, self.corrections = folder / "lists", folder / "corrections.yml"
        self.database = folder / "movements.db"
        folder.mkdir()
        self.corrections.write_text("")
        self.staff = lists.many(MEMBERS, 3)
        self.spare = [name for names in lists.many(MEMBERS + 20, 3).values() for name in names][
            180:
        ]
        self.day = FIRST
        self.masked: set[str] = set()
        self.done: list[str] = []

    def begin(self, database: Path) -> None:
        """The first file, of two lists."""
        self.database = database
        self._write_list()
        self.list_more()

    def step(self) -> None:
        """Do one thing that publishes."""
        steps = (self.list_more, self.list_more, self.build, self.mask, self.mask_as_it_stands)
        step = self.random.choice((*steps, self.withdraw, self.restore, self.begin_anew))
        self.done.append(step.__name__)
        step()

    def list_more(self) -> None:
        self._change_staff()
        self._write_list()
        self.day += datetime.timedelta(self.random.choice((1, 3, 12)))
        self._write_list()
        self._track()

    def build(self) -> None:
        self._run("build")

    def mask(self) -> None:
        if self._ask_for_a_mask():
            self.random.choice((self._track, self.build))()

    def mask_as_it_stands(self) -> None:
        if self._ask_for_a_mask():
            result = environment.command("mask", self.database, "--corrections", self.corrections)
            # An older mask may match nothing in a file that was restored.
            assert "masked" in result.output, result.output

    def withdraw(self) -> None:
        movements = list(Published(self.database).movements())
        if movements:
            self._correct(f"retirer: {self.random.choice(movements).id}")
            self._track()

    def restore(self) -> None:
        """An old file and its state come back, and what was withheld since is withheld again."""
        kept = self.folder / "kept"
        before = [self.database, self.database.with_name("movements.suivi.sqlite3")]
        if kept.exists():
            for path in before:
                shutil.copy(kept / path.name, path)
            self._track()
        else:
            kept.mkdir()
            for path in before:
                shutil.copy(path, kept)

    def begin_anew(self) -> None:
        self.database.unlink()
        self.database.with_name("movements.suivi.sqlite3").unlink()
        self.build()

    def _change_staff(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            member, other = self.random.sample(sorted(self.staff), 2)
            names = self.staff[member]
            if len(names) > 1 and self.random.random() < 0.5:
                gone = names.pop(self.random.randrange(len(names)))
                self.random.choice((self.spare, self.staff[other])).append(gone)
            elif self.spare:
                names.append(self.spare.pop(self.random.randrange(len(self.spare))))

    def _write_list(self) -> None:
        lists.write(self.lists, "senat", self.day.isoformat(), self.staff)

    def _ask_for_a_mask(self) -> bool:
        named = [m for m in Published(self.database).movements() if m.collab_nom]
        if not named:
            return False
        person = self.random.choice(named)
        self._correct(f"masquer: {{nom: {person.collab_prenom} {person.collab_nom}}}")
        self.masked.add(person.collab_nom)
        return True

    def _correct(self, said: str) -> None:
        with self.corrections.open("a") as file:
            file.write(f"- {{date: 2026-10-01, raison: Demande, {said}}}\n")

    def _track(self) -> None:
        self._run("track")

    def _run(self, command: str) -> None:
        """Read the lists; a withdrawal that no longer finds its movement is taken back, as its refusal asks."""
        while True:
            arguments = ("--lists", self.lists, "--corrections", self.corrections)
            result = environment.command(command, self.database, *arguments)
            useless = re.search(r"line (\d+): retirer: matches nothing", result.output)
            if command == "track" and "masquer: matches nothing" in result.output:
                command = "build"  # a restored state has not met the person
                continue
            if useless is None:
                assert result.exit_code == 0, (result.output, self.done)
                return
            said = self.corrections.read_text().splitlines(keepends=True)
            said[int(useless[1]) - 1] = "\n"
            self.corrections.write_text("".join(said))


@pytest.mark.process
@pytest.mark.parametrize("seed", range(8))
def test_a_copy_ends_equal_after_any_sequence(tmp_path: Path, copied: Path, seed: int) -> None:
    chance = random.Random(seed)
    publisher = Publisher(tmp_path / "publisher", seed)
    original = OriginalService(tmp_path / "original", publisher.begin)
    heard: list[str] = []
    # Every other original is an older service, which has no stays: the feed alone brings what changed.
    older = seed % 2 == 0

    def without_stays(target: str) -> Answer | None:
        return answer(404) if older and target.startswith("/v1/collaborations") else None

    def publish() -> None:
        if len(publisher.done) < STEPS:
            publisher.step()
            original.adopt()

    def publish_at_times(target: str) -> Answer | None:
        if chance.random() < 0.3:
            publish()
        return without_stays(target)

    def look_for_names(target: str, body: bytes) -> None:
        heard.extend(name for name in publisher.masked if name.encode() in body)

    original.hear = look_for_names
    try:
        while len(publisher.done) < STEPS:
            page, pages_a_write = chance.choice((1, 3, 500)), chance.choice((1, 2, 50))
            publish()
            original.behave = publish_at_times
            walked = copy(original, copied, page=page, pages_a_write=pages_a_write)
            original.behave = without_stays
            done = copy(original, copied)
            # It would mend itself with the whole file, and hide what was followed wrongly.
            assert "not as long" not in walked.begun + done.begun, publisher.done
            assert (done.stopped, inspect(copied)) == ("", []), publisher.done
            assert rows(copied, "id") == rows(original.database, "id"), publisher.done
            if not older:
                assert beside(copied) == beside(original.database), publisher.done
            assert done.compared, publisher.done
            assert not copy(original, copied).changed
            held = copied.read_bytes()
            assert not [n for n in publisher.masked if n.encode() in held], publisher.done
        assert (heard, original.failures) == ([], [])
    finally:
        original.close()
