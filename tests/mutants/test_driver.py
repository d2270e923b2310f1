"""The mutation tests themselves, on a module with one test, and the rooms they are told of."""

from __future__ import annotations

import subprocess
from collections import Counter
from math import inf
from pathlib import Path

import pytest

from tests.mutants.__main__ import ROOMS, ROOT, report
from tests.mutants.judging import (
    KILLED,
    NOT_TRIED,
    SURVIVED,
    TIMED_OUT,
    BaselineError,
    Copy,
    Room,
    found,
    judge,
    possible,
    sample,
)
from tests.mutants.mutations import Mutation, mutations

MODULE = """
def halved(number: int) -> int:
    if number < 0:
        raise ValueError("below zero")
    return number // 2
"""
TEST = """
import limits, toy

def test_a_number_is_halved() -> None:
    assert toy.halved(4) == 2 and limits.MOST == 9
"""
TOY = Room("toy", 1, ("plugins/toy.py", "plugins/l*.py"), ("test_*.py",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "plugins").mkdir(parents=True)
    (tmp_path / "root" / "plugins" / "toy.py").write_text(MODULE)
    (tmp_path / "root" / "plugins" / "limits.py").write_text("MOST = 9\n")
    (tmp_path / "root" / "test_toy.py").write_text(TEST)
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a < b <= c", {"(a <= b <= c)", "(a < b < c)"}),
        (
            "a is None or b not in c",
            {"(a is not None) or b not in c", "(a is None and b not in c)"},
        ),
        ("x = a and not b", {"x = (a or not b)", "x = a and (b)"}),
        ("x = -a + b * 2", {"x = (-a - b * 2)", "x = (a) + b * 2", "x = -a + (b / 2)"}),
        ("x += 1", {"x -= 1", "x += 2"}),
        ("x = 'mot', b'mot', True", {"x = 'XXmot', b'mot', True", "x = 'mot', b'mot', False"}),
        ("x = 'a message of words', f'{a < b}'", set()),
        ("x = 'select a from b where c > 1 and d'", {"x = 'select a from b where c >= 1 and d'"}),
        ("f(a, b)", {"pass", "(f(b, a))"}),
        ("x = max(a, b)", set()),
        ("x = quote(a)", {"x = (a)"}),
        ("self.x = a", {"pass"}),
        ("def f(a: int | None) -> int | None:\n    x: int | None", set()),
        ("def f():\n    return a", {"return None"}),
        ("def f():\n    'Documented.'\n    return", {"pass"}),
        ("if a:\n    raise E('x')", {"if (not (a)):", "pass"}),
        ("x = a if b else c", {"x = a if (not (b)) else c"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if (not (c))]"}),
        ("for a in b:\n    continue", {"pass"}),
        ("try:\n    f()\nexcept E:\n    g()\n    h()", {"raise", "pass"}),
        ("x = 'é', 1", {"x = 'XXé', 1", "x = 'é', 2"}),
    ],
)
def test_a_module_is_changed_in_one_place_at_a_time(source: str, after: set[str]) -> None:
    made = list(mutations("m.py", f"{source}\n".encode()))
    assert after <= {one.after for one in made}
    assert bool(after) == bool(made)
    for one in made:
        compile(one.mutated, "m.py", "exec")


def test_what_no_test_looks_at_survives_and_the_rest_is_killed(root: Path) -> None:
    wanted = {"MOST = 10": KILLED, "return None": KILLED, "if (number <= 0):": SURVIVED}
    made = {mutation.after: mutation for mutation in possible(root, TOY)}
    chosen = [(TOY, made[after]) for after in wanted]
    came = {mutation.after: came for _, mutation, came in judge(root, chosen, 1, inf, inf)}
    assert came == wanted
    assert (root / "plugins" / "toy.py").read_text() == MODULE


def test_tests_that_fail_unchanged_judge_nothing(root: Path) -> None:
    (root / "test_toy.py").write_text(TEST.replace("== 2", "== 3"))
    with pytest.raises(BaselineError, match=r"toy: the tests fail on unchanged code[^$]*assert"):
        judge(root, [(TOY, possible(root, TOY)[0])], 1, inf, inf)


def test_tests_of_other_code_judge_nothing(root: Path) -> None:
    (root / "test_toy.py").write_text("def test_nothing() -> None: ...")
    with pytest.raises(BaselineError, match=r"toy: the tests do not run plugins/toy\.py"):
        judge(root, [(TOY, possible(root, TOY)[0])], 1, inf, inf)


def test_what_takes_too_long_is_ended(root: Path, tmp_path: Path) -> None:
    copy = Copy(root, tmp_path / "copy")
    endless = b"import threading\nthreading.Event().wait()\n"
    assert copy.judge(TOY, "plugins/toy.py", endless, limit=0) == TIMED_OUT


def test_no_bytecode_hides_a_change(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    copy = Copy(root, tmp_path / "copy")
    assert copy.judge(TOY, "plugins/toy.py", MODULE.encode(), limit=inf) == SURVIVED
    assert not list(copy.root.rglob("*.pyc"))


def test_processes_that_tests_leave_running_are_ended(root: Path, tmp_path: Path) -> None:
    leaving = """
import pathlib, subprocess, sys
code = "import time; print(flush=True); time.sleep(600)"
child = subprocess.Popen(
    [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
)
child.stdout.readline()
pathlib.Path("pid").write_text(str(child.pid))
"""
    copy = Copy(root, tmp_path / "copy")
    copy.judge(TOY, "plugins/toy.py", leaving.encode(), limit=inf)
    pid = (copy.root / "pid").read_text()
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout
    assert state[:1] in ("", "Z")


def test_a_sample_changes_only_with_its_lines(root: Path) -> None:
    before = sample(possible(root, TOY), 9, 1)
    assert len({(one.module, one.line) for one in before}) == len(before) == 4
    assert sample(possible(root, TOY), 2, 1) == before[:2] != sample(possible(root, TOY), 2, 2)
    (root / "plugins" / "toy.py").write_text(f"LEAST = 1\n{MODULE}")
    after = [one.name for one in sample(possible(root, TOY), 9, 1)]
    assert [name for name in after if "LEAST" not in name] == [one.name for one in before]


def judged(*came: str) -> list[tuple[Room, Mutation, str]]:
    """The first mutations of the module, and what came of them."""
    made = list(mutations("toy.py", f"{MODULE}LEAST = 1, 2\n".encode()))
    return [(TOY, one, verdict) for one, verdict in zip(made, came, strict=False)]


def test_a_survivor_needs_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = judged(SURVIVED, *[KILLED] * 6, TIMED_OUT)
    (name, known) = outcome[0][1].name, {one.name for _, one, _ in outcome}
    assert report(outcome, known, {}) == 1
    told = capsys.readouterr().out
    assert "toy.py:3 NO REASON\n  - if number < 0:\n  + if (number <= 0):" in told
    assert f"- mutation: '{name}'" in told
    assert report(outcome, known, {name: "equivalent: zero is its own half"}) == 0
    assert "toy.py:3 equivalent: zero is its own half\n" in capsys.readouterr().out


def test_too_many_survivors_fail_whatever_their_reasons() -> None:
    outcome = judged(SURVIVED, SURVIVED, *[KILLED] * 6)
    reasons = {one.name: "equivalent: of course" for _, one, _ in outcome[:2]}
    assert report(outcome, {one.name for _, one, _ in outcome}, reasons) == 1


def test_a_sample_that_was_not_tried_to_the_end_fails() -> None:
    outcome = judged(KILLED, NOT_TRIED)
    assert report(outcome, {one.name for _, one, _ in outcome}, {}) == 1


def test_a_reason_that_no_longer_holds_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = judged(KILLED)
    name = outcome[0][1].name
    reasons = {name: "not worth a test", "toy.py : a -> b": "equivalent", "toy.py : c -> d": "x"}
    assert report(outcome, {name, "toy.py : c -> d"}, reasons) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "STALE" in line]
    assert told == [
        f"STALE, killed now: {name}",
        "STALE, cannot be made any more: toy.py : a -> b",
    ]


def test_every_module_belongs_to_one_room() -> None:
    inside = Counter(path for room in ROOMS for path in found(ROOT, room.modules))
    modules = Counter((ROOT / "plugins").glob("*/**/*.py"))
    # Served as a file, and tried as a client in `tests/docs`.
    del modules[ROOT / "plugins/datasette_mouvements/examples/client.py"]
    assert inside == modules


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_the_files_of_a_room_exist(room: Room) -> None:
    assert all(found(ROOT, [pattern]) for pattern in (*room.modules, *room.tests))
