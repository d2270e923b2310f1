"""Whatever the package says goes through the log, by calls that the reference finds."""

from __future__ import annotations

import ast
import re

from tests.contract.environment import PLUGINS

LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
# Not a message: the request line, whose fields are documented by an example.
REQUEST_LINE = "logging.getLogger(REQUESTS).info"


def calls():
    for path in PLUGINS.rglob("*.py"):
        if path.parent.name == "examples":  # programs for reusers, which have no log
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                yield path.name, ast.unparse(call.func)


def test_a_message_is_logged_by_the_name_that_the_reference_looks_for():
    said = [
        (name, called)
        for name, called in calls()
        if re.fullmatch(rf".*\b(log\w*)\b.*\.({'|'.join(LEVELS)})", called)
    ]
    assert len(said) >= 19
    others = [one for one in said if not re.fullmatch(r"log\.\w+", one[1])]
    assert others == [("logs.py", REQUEST_LINE)]


def test_no_message_is_printed_past_the_log():
    assert [one for one in calls() if one[1] in ("print", "warnings.warn")] == []
