"""What the log may say and what is measured stands in the documentation, all of it and nothing else."""

from __future__ import annotations

import ast
import logging
import re

from datasette_mouvements.refusal import KINDS
from tests.contract.environment import PACKAGE, PLUGINS, ROOT

PAGE = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
# Not a message: the request line, whose fields are documented by an example.
REQUEST_LINE = "%s"


def messages() -> set[tuple[str, str]]:
    """(level, message) of every call of a logger in the package."""
    found = set()
    for path in (PLUGINS / PACKAGE).rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _logs(call.func):
                text = call.args[0]
                assert isinstance(text, ast.Constant), f"{path.name}: {ast.unparse(call)}"
                found.add((call.func.attr.upper(), str(text.value)))
    return found - {("INFO", REQUEST_LINE)}


def _logs(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in LEVELS:
        return False
    where = ast.unparse(function.value)
    return where in ("log", "logger", "logging") or where.startswith("logging.getLogger")


def test_every_message_of_the_package_is_in_the_table_with_its_weight_and_no_other():
    written = {(level, re.sub("%[sd]", "…", text)) for level, text in messages()}
    assert len(written) >= 7
    tabled = set(re.findall(r"^\| ([A-Z]+) \| `([^`]+)` \|", PAGE, re.M))
    assert tabled == written
    assert all(isinstance(logging.getLevelName(level), int) for level, _ in tabled)


def test_no_message_is_printed_past_the_log():
    for path in (PLUGINS / PACKAGE).rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                assert ast.unparse(call.func) not in ("print", "warnings.warn"), path.name


def test_the_statistics_shown_are_of_kinds_that_exist():
    shown = re.findall(r"^ +\d+  (\d{3}) ([a-z-]+)$", PAGE, re.M)
    assert shown
    assert set(shown) <= {(str(kind.status), kind.anchor) for kind in KINDS.values()}
