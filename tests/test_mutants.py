"""The mutation tests themselves: what they change, and that a room's tests judge it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import ROOMS, ROOT, Copy, mutations, sample

MODULE = b"""
def halved(number: int) -> int:
    if number < 0:
        raise ValueError("below zero")
    return number // 2
"""
TEST = """
import toy

def test_a_number_is_halved() -> None:
    assert toy.halved(4) == 2
"""


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = a and not b", {"x = (a or not b)", "x = a and (b)"}),
        ("x = -a + b * 2", {"x = (-a - b * 2)", "x = -a + (b / 2)", "x = -a + b * 3"}),
        ("x = 'mot', True", {"x = 'XXmot', True", "x = 'mot', False"}),
        ("x = 'a message of words', f'{a < b}'", set()),
        ("x = 'select a from b where c > 1'", {"x = 'select a from b where c >= 1'"}),
        ("f(a)", {"pass"}),
        ("def f(a: int | None) -> int | None:\n    'Documented.'", set()),
        ("def f():\n    return a", {"    return None"}),
        ("x = a if b else c", {"x = (a if not b else c)"}),
    ],
)
def test_a_module_is_changed_in_one_place_at_a_time(source: str, after: set[str]) -> None:
    made = list(mutations("", "m.py", f"{source}\n".encode()))
    assert {one.after.rstrip("\n") for one in made} == after
    for one in made:
        compile(one.source, "m.py", "exec")


def test_what_no_test_looks_at_survives_and_the_rest_does_not(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    (root / "plugins").mkdir(parents=True)
    (root / "plugins" / "toy.py").write_bytes(MODULE)
    (root / "test_toy.py").write_text(TEST)
    copy = Copy(root, tmp_path / "copies")
    made = {one.after.strip(): one for one in mutations("toy", "plugins/toy.py", MODULE)}
    assert not copy.survives(made["return None"], "test_*.py", 60)
    assert copy.survives(made["if (number <= 0):"], "test_*.py", 60)
    assert (copy.root / "plugins" / "toy.py").read_bytes() == MODULE


def test_a_sample_has_one_change_a_line_and_stays() -> None:
    made = list(mutations("toy", "toy.py", MODULE))
    chosen = sample(made, 9, 1)
    assert len({one.line for one in chosen}) == len(chosen) == 3
    assert sample(made[::-1], 2, 1) == chosen[:2]


def test_every_module_belongs_to_a_room_with_tests() -> None:
    modules = [str(path) for path in (ROOT / "plugins").glob("*/**/*.py")]
    assert all(any(room in module for room in ROOMS) for module in modules)
    assert all(list(ROOT.glob(one)) for tests in ROOMS.values() for one in tests.split())
