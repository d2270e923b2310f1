"""Mutation tests: `python -m tests.mutants [--seed N] [--sample N] [--workers N] [PART OF A MODULE'S PATH]...`

A sample of small changes to every room, or to the modules named, is judged by the room's own tests. Told are a
line a room and every change that no test noticed, to be read. Exit 1 if less than 85 % were noticed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LEAST = 0.85
ROOT = Path(__file__).resolve().parents[1]
# The modules under a path, the most particular first, and the tests that judge them.
ROOMS = {
    "parlement_lists/sources/": "tests/sources tests/real",
    "parlement_lists/tracking/": "tests/tracking tests/real",
    "parlement_lists/": "tests/test_*.py tests/tracking tests/sources"
    " tests/docs/test_reference.py tests/contract/test_described_definitions.py",
    # The evidence of a movement is read from stays and lists, and shown by the interface.
    "datasette_mouvements/dataset/": "tests/dataset tests/api",
    "datasette_mouvements/keys/": "tests/keys tests/contract",
    "datasette_mouvements/building/": "tests/building",
    "datasette_mouvements/api/": "tests/api tests/contract",
    "datasette_mouvements/pages/": "tests/pages tests/contract/test_files.py",
    "datasette_mouvements/serving/": "tests/serving tests/contract",
    "datasette_mouvements/": "tests/test_*.py tests/contract tests/serving",
}
MARKS = "not process and not slow and not browser and not clients"
OTHER = {ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OTHER |= {ast.And: ast.Or, ast.Add: ast.Sub, ast.Mult: ast.Div, ast.BitOr: ast.BitAnd}
OTHER |= {there: here for here, there in OTHER.items()}
SQL = re.compile(r"(?i)\W*(select|insert|update|delete|with|where|order|on|left)\s")
SQL_OTHER = {" and ": " or ", " < ": " <= ", " > ": " >= ", " desc": " ", " + ": " - "}


class Mutation(NamedTuple):
    room: str
    module: str
    line: int
    before: str
    after: str
    source: bytes


def changes(node: Any) -> Iterator[str]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare(ops=[op]) | ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in OTHER:
            other = OTHER[type(op)]()
            changed = {"ops": [other]} if isinstance(node, ast.Compare) else {"op": other}
            yield f"({ast.unparse(type(node)(**{**vars(node), **changed}))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare):
            whole = type(node)(**{**vars(node), "test": ast.UnaryOp(ast.Not(), test)})
            yield ast.unparse(whole) if isinstance(node, ast.If) else f"({ast.unparse(whole)})"
        case ast.Constant(value=bool()):
            yield repr(not node.value)
        case ast.Constant(value=int() | float()):
            yield repr(node.value + 1)
        case ast.Constant(value=str() as text) if SQL.match(text):
            yield from (repr(text.replace(a, b, 1)) for a, b in SQL_OTHER.items() if a in text)
        case ast.Constant(value=str() as text) if re.fullmatch(r"\S+", text):
            yield repr("XX" + text)
        case ast.Return(value=ast.expr()):
            yield "return None"
        case ast.Raise() | ast.Continue() | ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"


def nodes(node: ast.AST) -> Iterator[Any]:
    """What may be changed: no annotation, no docstring, nothing inside an f-string."""
    yield node
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            told = (
                docstring or field in ("annotation", "returns") or isinstance(child, ast.JoinedStr)
            )
            if isinstance(child, ast.AST) and not told:
                yield from nodes(child)


def mutations(room: str, module: str, source: bytes) -> Iterator[Mutation]:
    lines = source.splitlines(keepends=True)
    for node in nodes(ast.parse(source)):
        for new in changes(node):
            first, last = node.lineno, node.end_lineno
            text = new.replace("\n", "\n" + " " * node.col_offset).encode()
            line = (
                lines[first - 1][: node.col_offset] + text + lines[last - 1][node.end_col_offset :]
            )
            before = b"".join(lines[first - 1 : last])
            mutated = b"".join([*lines[: first - 1], line, *lines[last:]])
            yield Mutation(room, module, first, before.decode(), line.decode(), mutated)


def sample(every: Sequence[Mutation], count: int, seed: int) -> list[Mutation]:
    """At most one change a line; other lines keep theirs when one of the module changes."""
    ranked = sorted(every, key=lambda m: hashlib.sha256(f"{seed}{m[1]}{m[3:5]}".encode()).digest())
    return list({(m.module, m.line): m for m in ranked}.values())[:count]


def judges(tree: Path, tests: str, module: str) -> list[Path]:
    """The files of a room's tests; first those that name the module, where most changes are noticed."""
    named = [path for one in tests.split() for path in sorted(tree.glob(one))]
    files = [file for path in named for file in sorted(path.glob("test_*.py")) or [path]]
    name = re.compile(rf"\b{Path(module.removesuffix('/__init__.py')).stem}\b")
    return sorted(files, key=lambda file: not name.search(file.read_text(encoding="utf-8")))


def passes(tree: Path, tests: str, module: str = "", limit: float = 1_200) -> bool:
    """Whether the tests of a copy of the tree pass within so many seconds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-xq", "-p", "no:cacheprovider", "-m", MARKS]
        + [str(path) for path in judges(tree, tests, module)],
        cwd=tree,
        # No bytecode hides a change.
        env=os.environ | {"PYTHONPATH": f"{tree}/plugins:{tree}", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):  # what they left running
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    for name, default in (("seed", 10), ("sample", 200), ("workers", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("parts", nargs="*", metavar="PART", default=[""])
    given = parser.parse_args(arguments)
    every: dict[str, list[Mutation]] = {room: [] for room in ROOMS}
    for path in sorted((ROOT / "plugins").glob("*/**/*.py")):
        module = str(path.relative_to(ROOT))
        if any(part in module for part in given.parts):
            room = next(room for room in ROOMS if room in module)
            every[room] += mutations(room, module, path.read_bytes())
    rooms = [room for room in ROOMS if every[room]]
    count = given.sample // len(rooms)
    mine = threading.local()
    survived: dict[str, list[Mutation]] = {}
    total = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:

        def begin() -> None:
            mine.tree = Path(tempfile.mkdtemp(dir=folder)) / "tree"
            ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "var", "build")
            shutil.copytree(ROOT, mine.tree, ignore=ignored)

        def survives(mutation: Mutation, limit: float) -> bool:
            path = mine.tree / mutation.module
            unchanged = path.read_bytes()
            path.write_bytes(mutation.source)
            try:
                return passes(mine.tree, ROOMS[mutation.room], mutation.module, limit)
            finally:
                path.write_bytes(unchanged)

        with ThreadPoolExecutor(given.workers, initializer=begin) as pool:
            for room in rooms:
                began = time.monotonic()
                if not pool.submit(lambda tests: passes(mine.tree, tests), ROOMS[room]).result():
                    raise SystemExit(f"{ROOMS[room]}: they fail on unchanged code")
                limit = 3 * (time.monotonic() - began) + 20
                chosen = sample(every[room], count, given.seed)
                judged = pool.map(survives, chosen, [limit] * len(chosen))
                lived = [one for one, lives in zip(chosen, judged, strict=True) if lives]
                for one in lived:
                    print(f"{one.module}:{one.line}\n- {one.before.strip()}\n+ {one.after.strip()}")
                print(f"{room:32} {len(chosen) - len(lived)} of {len(chosen)} were noticed\n")
                survived[room] = lived
                total += len(chosen)
    return int(sum(map(len, survived.values())) > (1 - LEAST) * total)


if __name__ == "__main__":
    sys.exit(main())
