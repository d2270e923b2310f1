"""The table of rules has a test behind every row."""

from __future__ import annotations

import pytest

from tests.conftest import collected

from .rules import RULES

# A run of some of these alone has not all tests of the rules.
FOLDERS = {"tests", "contract", "api", "keys", "serving", "tracking", "sources", "dataset"}
FOLDERS |= {"building"}


def test_every_rule_has_a_test(request: pytest.FixtureRequest) -> None:
    items = request.config.stash[collected]
    missing = FOLDERS - {item.path.parent.name for item in items}
    if missing:
        pytest.skip(f"without the tests of {', '.join(sorted(missing))}")
    covered = {rule for item in items for name, rule in item.user_properties if name == "rule"}
    assert sorted(RULES.keys() - covered) == []
