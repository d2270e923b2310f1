"""The table of rules has a test behind every row."""

from __future__ import annotations

import subprocess
import sys

from tests.contract.environment import ROOT
from tests.contract.rules import RULES

PLACES = (
    *("contract", "api", "keys", "serving"),
    *("tracking", "sources", "dataset", "building", "test_movement.py"),
)


def test_every_rule_has_a_test() -> None:
    listing = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--rules"),
            *(ROOT / "tests" / place for place in PLACES),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert listing.returncode == 0, listing.stdout + listing.stderr
    rows = [line.split("\t") for line in listing.stdout.splitlines() if line.count("\t") == 2]
    assert [rule for rule, _, _ in rows] == list(RULES)
    assert [rule for rule, _, tests in rows if tests == "NO TEST"] == []
