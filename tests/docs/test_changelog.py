"""The changelog says of each version what breaks, in few words; the newest is the package's."""

from __future__ import annotations

import re
import tomllib

from datasette_mouvements.api.description import VERSION
from tests.contract.environment import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSIONS = re.split(r"^## ", TEXT, flags=re.M)[1:]
MOST_WORDS = 800


def test_each_version_has_a_day_a_sentence_and_few_words():
    for told in VERSIONS:
        assert re.match(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d\n\n[A-Z][^#]*\.\n\n", told)
        assert len(told.split()) <= MOST_WORDS
        kinds = re.findall(r"^### (\w+)", told, re.M)
        assert kinds == [one for one in ("Breaks", "New", "Mended", "Removed") if one in kinds]


def test_the_newest_is_that_of_the_package_and_names_that_of_the_interface():
    assert VERSIONS[0].startswith(f"{PROJECT['version']} - ")
    assert f"the interface is at {VERSION}." in " ".join(VERSIONS[0].split())
