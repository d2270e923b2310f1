"""Each sentence that tells a maintainer what to do has a test that does it, or a reason why none can."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.contract.environment import ROOT

from .messages import CURE, cures

REGISTER = yaml.safe_load((Path(__file__).parent / "register.yml").read_text(encoding="utf-8"))


def test_each_cure_of_the_code_is_in_the_register_and_no_other():
    assert sorted(REGISTER) == sorted(cures())


def test_the_tests_that_are_named_are_there():
    named = {test for tests in REGISTER.values() if isinstance(tests, list) for test in tests}
    assert [test for test in named if test.partition("::")[2] not in _tests_of(test)] == []


def test_what_has_no_test_says_why_and_is_rare():
    reasons = [why for why in REGISTER.values() if not isinstance(why, list)]
    assert [why for why in reasons if not why.startswith("no test: ")] == []
    assert len(reasons) * 8 < len(REGISTER)


@cache
def _tests_of(name: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / name.partition("::")[0]).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, functions)}


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ("{}: the disk is full: delete what is not needed", "delete what is not needed"),
        ("{} is locked; stop the other program, then try again", "stop the other program"),
        ("Nothing came. Ask the chamber", "Ask the chamber"),
        ("it is old, or rebuild it", "rebuild it"),
        ("it is broken (restore a copy)", "restore a copy"),
        ("{} is open: datasette mouvements nights", "datasette mouvements nights"),
    ],
)
def test_a_sentence_with_something_to_do_is_seen(said, cure):
    found = CURE.search(said)
    assert found
    assert said[found.end() :].startswith(cure)


@pytest.mark.parametrize(
    "said",
    [
        "{}: the list has not changed for {} days",
        "{} was gone or cut short, and is restored from the history",
        "the last line does not end: the file is cut off",
        "3 accepted, 0 refused",
        "{} rows of {} whose name is not from {} to {}",
    ],
)
def test_a_sentence_that_only_tells_is_not_one(said):
    assert not CURE.search(said)
