"""Modules import from the rooms before them only, in no circle; the order is that of docs/development.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[1] / "plugins"
# Rooms and modules of each package, first to last. What is not named in a room of rooms stands after them.
ORDERS = {
    "parlement_lists": (
        *("__init__", "regular_file", "bounds", "dates", "chambers", "meanings", "movement"),
        *("csv_rows", "tenure", "tracebacks"),
        *("tracking", "sources"),
    ),
    "parlement_lists.tracking": ("reading", "members"),
    "datasette_mouvements": (
        *("addresses", "config", "fields", "refusal", "logs", "lru", "turns"),
        *("dataset", "keys", "building", "api", "pages", "examples", "serving"),
        *("cli", "__init__", "__main__"),
    ),
    "datasette_mouvements.pages": (
        *("french", "drawing", "site", "runner", "core", "movement", "chambers", "groups"),
        *("calendar", "files"),
    ),
}
MOST_MODULES = 15  # of a folder's own


def name_of(path: Path) -> str:
    """The dotted name of a module; a package's own ends in `__init__`."""
    return ".".join(path.relative_to(PLUGINS).with_suffix("").parts)


MODULES = {
    name_of(path): path
    for package in ("parlement_lists", "datasette_mouvements")
    for path in sorted((PLUGINS / package).rglob("*.py"))
}


def module_at(dotted: str) -> str | None:
    return next((name for name in (dotted, f"{dotted}.__init__") if name in MODULES), None)


@cache
def imported(name: str) -> set[str]:
    """The modules that a module imports, also within a function or for its annotations."""
    here = name.split(".")
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {module_at(alias.name) for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            start = here[: len(here) - node.level] if node.level else []
            base = ".".join([*start, *filter(None, [node.module])])
            found |= {module_at(f"{base}.{alias.name}") or module_at(base) for alias in node.names}
    return {module for module in found if module} - {name}


def place(package: str, module: str) -> int:
    """Where the part of a package that a module belongs to stands in the package's order."""
    order, part = ORDERS[package], module.removeprefix(f"{package}.").partition(".")[0]
    return order.index(part) if part in order else len(order)


@pytest.mark.parametrize("package", ORDERS)
def test_a_room_imports_from_itself_and_the_rooms_before_it(package: str) -> None:
    inside = [name for name in MODULES if name.startswith(f"{package}.")]
    assert inside
    backwards = [
        f"{name} imports {other}"
        for name in inside
        for other in imported(name)
        if other.startswith(f"{package}.") and place(package, other) > place(package, name)
    ]
    assert backwards == []


@pytest.mark.parametrize("package", ["parlement_lists", "datasette_mouvements"])
def test_every_part_of_a_package_has_its_place(package: str) -> None:
    parts = {name.split(".")[1] for name in MODULES if name.startswith(f"{package}.")}
    assert parts == set(ORDERS[package])


def test_lists_know_nothing_of_the_service() -> None:
    outside = re.compile(
        r"^\s*(?:import|from) (datasette|datasette_mouvements|uvicorn|sqlite3)\b", re.M
    )
    for path in (PLUGINS / "parlement_lists").rglob("*.py"):
        assert outside.findall(path.read_text(encoding="utf-8")) == [], path


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter({name: imported(name) for name in MODULES}).prepare()


def test_no_folder_holds_more_modules_than_a_reader_can_take_in() -> None:
    folders: dict[Path, int] = {}
    for path in MODULES.values():
        folders[path.parent] = folders.get(path.parent, 0) + (path.stem != "__init__")
    assert {
        str(folder.relative_to(PLUGINS)): count
        for folder, count in folders.items()
        if count > MOST_MODULES
    } == {}
