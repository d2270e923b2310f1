"""The pages about sources name every original, column and bound of the code, and what they show works."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.movement import CHAMBERS
from parlement_lists.sources import assemblee
from parlement_lists.sources.chambers import choose
from parlement_lists.sources.download import PATIENCE, PAUSES, SILENCE
from parlement_lists.sources.europarl import MOST_FAILED, meps
from parlement_lists.sources.senat import MOST_UNMATCHED, senators

from .commands import blocks
from .tables import DOCS, words

WRITTEN = words("explanation/originals.md")
ADDING = DOCS / "how-to" / "add-a-source.md"
FEW = {3: "three", 7: "seven"}


def test_the_bounds_of_downloads_are_those_of_the_code():
    assert f"{SILENCE:g} s without a byte" in WRITTEN
    first, second = PAUSES
    assert f"tried again after {first:g} and {second:g} s" in WRITTEN
    assert datetime.timedelta(minutes=5) == PATIENCE
    assert "Nothing is repeated more than five minutes after" in WRITTEN


@pytest.mark.parametrize(
    "sentence",
    [
        f"more than {FEW[assemblee.LATE_DAYS]} days old is told as late",
        f"`senateurs.json` ({senators.FEWEST} to {senators.MOST} senators)",
        f"more than {MOST_UNMATCHED * 100:g} % of them refuse the list",
        f"{meps.FEWEST} to {meps.MOST} of them",
        f"over {FEW[MOST_FAILED]} members' pages fail",
        f"more than {('one', 'two')[meps.FEW_LEFT - 1]} members whom the API lacks",
    ],
)
def test_a_bound_of_originals_is_that_of_the_code(sentence):
    assert sentence in WRITTEN


def test_the_sources_file_shown_is_one(tmp_path):
    (shown,) = blocks(ADDING, "yaml")
    (tmp_path / "sources.yml").write_text(shown)
    chosen = {source.chamber: source for source in choose((), tmp_path / "sources.yml")}
    assert list(chosen) == list(CHAMBERS)
    assert chosen["europarl"].addresses["page"].url.startswith("https://mirror.example.org/")
