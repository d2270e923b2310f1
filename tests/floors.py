"""`python -m tests.floors`: the lowest versions that pyproject.toml allows, as constraints for pip.

It needs nothing but Python: it is run before anything is installed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def floors() -> list[str]:
    """`name==version` for each dependency with a floor; not of the tests' tools, which need newer ones."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["lists"], *extras["postgres"]]
    found = (re.match(r"([\w.-]+)(?:\[.*?\])?>=([\w.]+)", line) for line in lines)
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


if __name__ == "__main__":
    print("\n".join(floors()))
