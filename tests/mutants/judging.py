"""Mutations judged: each worker has a copy of the tree, changes a module there and runs its tests.

No bytecode is in a copy and none is written, so that what is on disk is what runs, in the processes
that tests start too. What those leave running is known by the TMPDIR it inherited, and ended.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .mutations import Mutation, mutations

NOT_COPIED = shutil.ignore_patterns(
    *(".*", "__pycache__", "*.egg-info", "var", "build", "dist", "node_modules")
)
OPTIONS = (
    *("-x", "-q", "--assert=plain", "-o", "addopts=--strict-config --strict-markers"),
    # As a plugin of pytest, schemathesis takes longer to import than most rooms to judge.
    *("-p", "no:cacheprovider", "-p", "no:schemathesis"),
)
NOT_TO_BE_IMPORTED = b"raise ImportError('the tests run what is mutated')\n"
UNCHANGED_S = 600  # for a room's tests on unchanged code
SPARE_S = 20
KILLED, SURVIVED, TIMED_OUT, NOT_TRIED = "killed", "survived", "timed out", "not tried"


class BaselineError(Exception):
    """Unchanged code does not pass the tests, or they do not run the code that is mutated."""


@dataclass(frozen=True)
class Room:
    """Modules, and the tests that judge them: patterns of files, the likely killers first."""

    name: str
    part: int  # of a sample
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    only: str = ""  # of these tests, as pytest's -k has it


Judged = tuple[Room, Mutation, str]


def found(root: Path, patterns: Sequence[str]) -> list[Path]:
    return list(dict.fromkeys(path for one in patterns for path in sorted(root.glob(one))))


def possible(root: Path, room: Room) -> list[Mutation]:
    """Every mutation of a room's modules, each name once."""
    modules = {str(path.relative_to(root)): path for path in found(root, room.modules)}
    every = (one for name, path in modules.items() for one in mutations(name, path.read_bytes()))
    return list({one.name: one for one in every}.values())


def sample(every: Sequence[Mutation], count: int, seed: int) -> list[Mutation]:
    """At most one mutation a line, in the order of their names' digests.

    So a line changed brings or takes its own mutations only, and the rest of the sample stays.
    """
    ranked = sorted(every, key=lambda one: hashlib.sha256(f"{seed} {one.name}".encode()).digest())
    return list({(one.module, one.line): one for one in ranked}.values())[:count]


def judge(
    root: Path,
    chosen: Sequence[tuple[Room, Mutation]],
    workers: int,
    seconds: float,
    spare: float = SPARE_S,
) -> list[Judged]:
    """What came of each mutation; none is begun after so many seconds. Raises `BaselineError`.

    A mutation has three times what its room's tests take on unchanged code, and `spare` seconds.
    """
    ends = time.monotonic() + seconds
    rooms = list(dict.fromkeys(room for room, _ in chosen))
    mine = threading.local()

    def verdict(one: tuple[Room, Mutation]) -> Judged:
        room, mutation = one
        if time.monotonic() > ends:
            return room, mutation, NOT_TRIED
        began = time.monotonic()
        came = mine.copy.judge(room, mutation.module, mutation.mutated, 3 * usual[room] + spare)
        print(f"{time.monotonic() - began:5.1f} s {came:9} {mutation.name[:150]}", file=sys.stderr)
        return room, mutation, came

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL of the tests runs as another user

        def begin() -> None:
            mine.copy = Copy(root, Path(tempfile.mkdtemp(dir=folder)))

        with ThreadPoolExecutor(workers, initializer=begin) as pool:
            baselines = pool.map(lambda room: mine.copy.baseline(room), rooms)
            usual = dict(zip(rooms, baselines, strict=True))
            return list(pool.map(verdict, chosen))


class Copy:
    """A copy of the tree, in which one module at a time is changed."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.temporary, self.output = folder / "tree", folder / "tmp", folder / "output"
        shutil.copytree(root, self.root, ignore=NOT_COPIED)
        self.temporary.mkdir()
        folder.chmod(0o755)

    def baseline(self, room: Room) -> float:
        """How many seconds the room's tests take on unchanged code. Raises `BaselineError`."""
        began = time.monotonic()
        if self._run(room, UNCHANGED_S) != SURVIVED:
            said = self.output.read_text(encoding="utf-8", errors="replace")
            raise BaselineError(f"{room.name}: the tests fail on unchanged code\n{said[-3000:]}")
        took = time.monotonic() - began
        for module in found(self.root, room.modules[:1])[:1]:
            name = str(module.relative_to(self.root))
            if self.judge(room, name, NOT_TO_BE_IMPORTED, UNCHANGED_S) == SURVIVED:
                raise BaselineError(f"{room.name}: the tests do not run {name} of the copy")
        return took

    def judge(self, room: Room, module: str, mutated: bytes, limit: float) -> str:
        """What the room's tests say of a changed module, within so many seconds."""
        unchanged = (self.root / module).read_bytes()
        (self.root / module).write_bytes(mutated)
        try:
            return self._run(room, limit, Path(module).stem)
        finally:
            (self.root / module).write_bytes(unchanged)

    def _run(self, room: Room, limit: float, named: str = "") -> str:
        """What the room's tests say; those in files that are `named` as the module come first."""
        tests = map(
            str, sorted(found(self.root, room.tests), key=lambda path: named not in path.stem)
        )
        paths = self.root / "plugins", self.root
        environment = {
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "TMPDIR": str(self.temporary),
        }
        with open(self.output, "wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *OPTIONS, "-k", room.only, *tests],
                cwd=self.root,
                env=os.environ | environment | {"PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
            try:
                return KILLED if process.wait(limit) else SURVIVED
            except subprocess.TimeoutExpired:
                return TIMED_OUT
            finally:
                process.kill()
                process.wait()
                self._end_what_is_left()

    def _end_what_is_left(self) -> None:
        mark = f"TMPDIR={self.temporary}\0".encode()
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # ended meanwhile, or another user's
                if mark in environment.read_bytes():
                    os.kill(int(environment.parent.name), signal.SIGKILL)
