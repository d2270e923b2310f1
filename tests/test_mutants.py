"""The mutation tests themselves: what they change, and which tests judge it."""

from __future__ import annotations

import pytest

from tests.mutants import ROOMS, ROOT, mutations


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = 'mot', True", {"x = 'XXmot', True", "x = 'mot', False"}),
        ("x = 'a message of words', f'{a < b}'", set()),
        ("x = 'select a from b where c > 1'", {"x = 'select a from b where c >= 1'"}),
        ("f(a)", {"pass"}),
        ("def f(a: int | None) -> int | None:\n    'Documented.'", set()),
    ],
)
def test_a_module_is_changed_in_one_place_at_a_time(source: str, after: set[str]) -> None:
    made = list(mutations("", "m.py", f"{source}\n".encode()))
    assert {one.after.rstrip("\n") for one in made} == after
    for one in made:
        compile(one.source, "m.py", "exec")


def test_every_module_belongs_to_a_room_with_tests() -> None:
    modules = [str(path) for path in (ROOT / "plugins").glob("*/**/*.py")]
    assert all(any(room in module for room in ROOMS) for module in modules)
    assert all(list(ROOT.glob(one)) for tests in ROOMS.values() for one in tests.split())
