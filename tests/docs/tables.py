"""The tables of a page of documentation, row by row."""

from __future__ import annotations

import re

from tests.contract.environment import ROOT

DOCS = ROOT / "docs"


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ (.*)$", text(page), re.M)


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
