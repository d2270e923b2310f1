"""What docs/development.md names exists: rooms, modules, names in them, commands, settings, checks, workflows."""

from __future__ import annotations

import re

import pytest

from tests.contract.environment import LISTS, PACKAGE, PLUGINS, ROOT
from tests.test_order import ORDERS

from .tables import names, rows, section, text

PAGE = "development.md"
ORDER = [name for package in (LISTS, PACKAGE) for name in ORDERS[package] if name[0] != "_"]
ROOMS = [
    name for name in ORDER if any((PLUGINS / part / name).is_dir() for part in (LISTS, PACKAGE))
]


def tabled(heading, first):
    """What the first column of a table names, each once."""
    found = [name for row in rows(section(PAGE, heading), first) for name in names(row[0])]
    assert len(found) == len(set(found))
    return set(found)


def test_the_order_of_rooms_is_the_one_that_is_held():
    told = section(PAGE, "The rooms")
    (lists,) = re.findall(r"^`parlement_lists`: (.*?);", told, re.M | re.S)
    (service,) = re.findall(r"`addresses .*?`cli`", told, re.S)
    (pages,) = re.findall(r"Within `pages`: `(.*?)`", told, re.S)
    assert re.findall(r"\w+", lists + service) == ORDER
    assert tuple(pages.split()) == ORDERS[f"{PACKAGE}.pages"]


def test_every_room_is_described():
    described = re.findall(r"`(\w+)(?:/|\.py)`", section(PAGE, "The rooms"))
    assert sorted(described) == sorted(ORDER)


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(rf"`((?:{'|'.join(ROOMS)})/[\w/]*\w)(?:\.py)?`", text(PAGE))))
)
def test_every_module_that_is_named_exists(path):
    modules = [PLUGINS / package / path for package in (LISTS, PACKAGE)]
    assert any(m.with_suffix(".py").exists() or (m / "__init__.py").exists() for m in modules)


def test_every_name_to_change_is_in_the_code():
    code = "\n".join(path.read_text(encoding="utf-8") for path in PLUGINS.rglob("*.py"))
    named = re.findall(r"`([A-Za-z_]\w*)`", section(PAGE, "Where to change what"))
    assert len(named) > 10
    assert [name for name in named if not re.search(rf"\b{name}\b", code)] == []


def test_every_make_target_is_explained():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    explained = tabled("Every check", "`make`")
    (others,) = re.findall(r"^(`init`.*) make the environment", text(PAGE), re.M)
    assert explained | set(names(others)) == targets
