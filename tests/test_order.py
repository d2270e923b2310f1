"""Rooms import from the rooms before them only: the order that docs/development.md gives."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "plugins" / "datasette_mouvements"
ORDER = (
    *("addresses", "config", "refusal", "logs", "regular_file", "movement", "tenure"),
    *("tracking", "sources", "dataset"),
    *("access", "updating", "api", "pages", "serving", "upkeep", "cli", "__init__", "__main__"),
)


def imported(path: Path) -> set[str]:
    """The rooms that a module imports from, also within a function or for its annotations."""
    here = path.relative_to(PACKAGE).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = here[: len(here) - node.level + 1]
            named = (*start, *filter(None, (node.module or "").split(".")))
            found |= {named[0]} if named else {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_a_room_imports_from_itself_and_the_rooms_before_it(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    allowed = {room, *ORDER[: ORDER.index(room)]}
    assert imported(path) <= allowed, f"{path.relative_to(PACKAGE)} must not import from these"
