"""Every figure about the real lists in documents and comments is what its script makes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tracking.windows import DATA, MISSING

from . import contents, steps
from .__main__ import main
from .figure import FIGURES, ROOT, number, plain_text

TEXTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "plugins").rglob("*.py"),
]
assert contents.figure is steps.figure  # both have named theirs
NAMED = re.compile(r"figures? `([\w-]+)`")
# So many of so many: what a sentence about real lists mostly is.
SHARE = re.compile(r"\b\d[\d,]* of \d[\d,]*\b")


def named() -> Iterator[tuple[str, Path]]:
    """Each figure that a text names, and where."""
    for path in TEXTS:
        for found in NAMED.finditer(plain_text(path)):
            yield found[1], path


def test_every_figure_that_a_text_names_has_a_script_and_every_script_is_named() -> None:
    assert {name for name, _ in named()} - {"NAME"} == FIGURES.keys()


@pytest.mark.parametrize("name", FIGURES)
def test_every_statement_of_a_figure_stands_once(name: str) -> None:
    there = {path.relative_to(ROOT).as_posix() for one, path in named() if one == name}
    assert {statement.path for statement in FIGURES[name].statements} >= there
    assert all(statement.stated() for statement in FIGURES[name].statements)


@pytest.mark.skipif(not DATA.is_dir() or "MOUVEMENTS_LISTS" in os.environ, reason=MISSING)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_what_the_lists_at_hand_give(name: str) -> None:
    made = {
        value: number(found) for value, found in FIGURES[name].make().items() if found is not None
    }
    for statement in FIGURES[name].statements:
        stated = {value: said for value, said in statement.stated().items() if value in made}
        assert stated == {value: made[value] for value in stated}, statement.path


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_shares_of_real_lists_name_their_figure(path: Path) -> None:
    text = re.sub(r"(?m)^[ \t]*#+[ \t]?", "", path.read_text(encoding="utf-8"))
    for part in re.split(r"\n\s*\n|\n- ", text):
        assert not SHARE.search(part) or NAMED.search(part), part


def test_a_name_that_no_figure_has_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unheard-of"]) == 1
    assert "unheard-of" in capsys.readouterr().err
    assert main([]) == 0
    assert set(FIGURES) == {line.split()[0] for line in capsys.readouterr().out.splitlines()}
