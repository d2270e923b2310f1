"""The Sénat's PDFs of 28 nights, beside the lists that others made of them the same night."""

from __future__ import annotations

import csv
import datetime
import functools
import gzip
import io
from pathlib import Path

import pytest

from parlement_lists.movement import words
from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import Original
from parlement_lists.sources.senat import SOURCE
from parlement_lists.tenure import UNPAID
from parlement_lists.tracking.reading.lists import read_list
from parlement_lists.tracking.reading.names import civility_and_name
from tests.real.windows import DATA, MISSING

FOLDER = DATA / "sources" / "senat"
NIGHTS = sorted(path.name[:15] for path in (FOLDER / "pdf").glob("*.csv.gz"))
pytestmark = pytest.mark.skipif(not NIGHTS, reason=MISSING)
# Senators of whom the members at hand know nothing: they came between 2021-11 and 2023, and left.
UNKNOWN = {"BREUILLER Daniel": "20914V"}


def unpacked(path: Path) -> Original:
    body = path.read_bytes()
    return Original(path.name, gzip.decompress(body) if path.suffix == ".gz" else body)


@functools.cache
def pdfs(night: str) -> tuple[Original, Original]:
    folder = FOLDER / "pdf"
    by_senator, other = (f"{night}-{kind}.pdf" for kind in ("par-senateur", "alphabetique"))
    return unpacked(folder / by_senator), unpacked(folder / other)


@functools.cache
def made_by_others(night: str) -> bytes:
    return unpacked(FOLDER / "pdf" / f"{night}.csv.gz").body


SITTING, SITTING_ON = "senateurs-2026-07-26.json.gz", datetime.date(2026, 7, 26)


def pairs(night: str) -> set[tuple[str, str]]:
    found = read_list(made_by_others(night), "senat", datetime.date(2022, 1, 1))
    return set(found.pairs)


@pytest.mark.parametrize("night", NIGHTS)
def test_pairs_and_unpaid_leave_are_those_of_the_list_that_others_made(night):
    """Who came since the members at hand end is known by those who sit years later."""
    sitting = SOURCE.members([unpacked(FOLDER / "members" / SITTING)], SITTING_ON)
    members = combine(DATA / "elus", "senat", sitting, SITTING_ON)
    found = SOURCE.read(pdfs(night), members, None)
    mine = {(row.elu_id, words(row.collab_nom, row.collab_prenom)) for row in found.rows}
    told = [sentence for sentence in found.remarks if "known" in sentence]
    unknown = [name for name in UNKNOWN if f"no senator is known as {name}: left out" in told]
    assert len(told) == len(unknown)
    without = {UNKNOWN[name] for name in unknown}
    assert mine == {pair for pair in pairs(night) if pair[0] not in without}
    assert len(found.rows) == len(mine)
    assert found.day == datetime.date.fromisoformat(night[:10])
    assert all(row.collab_civilite and row.elu_nom for row in found.rows)
    lines = csv.DictReader(io.StringIO(made_by_others(night).decode()))
    said = [
        line
        for line in lines
        if line.get("information complémentaire") or "*" in line.get("collaborateur", "")
    ]
    away = {words(row.collab_nom, row.collab_prenom) for row in found.rows if row.conge == UNPAID}
    assert away == {words(civility_and_name(line["collaborateur"])[1]) for line in said}
    assert bool(said) is (night[:10] >= "2017-03-01" and night[:10] != "2018-03-14")
