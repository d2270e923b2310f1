"""The pages of documentation: their texts, sections and tables."""

from __future__ import annotations

import re
from pathlib import Path

from tests.contract.environment import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def words(page: str) -> str:
    """The page on one line."""
    return " ".join(text(page).split())


def headings(path: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)


def section(page: str, heading: str) -> str:
    """What stands under one heading, up to the next."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text(page), re.M | re.S)
    assert found, f"{page} has no heading {heading!r}"
    return found[1]


def rows(where: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column is headed `first`."""
    found = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", where, re.M)
    assert found, f"no table of {first!r}"
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in found[1].splitlines()
    ]


def names(cell: str) -> list[str]:
    """What stands in backquotes."""
    return re.findall(r"`([^`]+)`", cell)
