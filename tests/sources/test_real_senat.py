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
from parlement_lists.sources.originals import Original
from parlement_lists.sources.senat import SOURCE, matricules
from parlement_lists.tenure import UNPAID
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import read_list
from parlement_lists.tracking.reading.names import civility_and_name
from tests.tracking.windows import DATA, MISSING

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


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of `elus` and of the Sénat's own files."""
    folder = tmp_path_factory.mktemp("members")
    text = (DATA / "elus" / "mandats.csv").read_text()
    day, files = datetime.date(2026, 7, 1), sorted((FOLDER / "members").iterdir())
    named = matricules.read_names([unpacked(path) for path in files], day)
    new = {id: (name.given, name.family) for id, name in named.items()}
    have = {line.split(",")[1] for line in text.splitlines() if line.startswith("senat")}
    rows = [
        f"senat,{id},{given} {family},{family},{given},,,,,"
        for id, (given, family) in new.items()
        if id not in have
    ]
    (folder / "mandats.csv").write_text(text + "\n".join(rows))
    (folder / "groupes.csv").write_bytes((DATA / "elus" / "groupes.csv").read_bytes())
    return Members.read(folder)


@pytest.fixture(scope="module")
def read(members):
    """Reads a night's list, once for all tests."""

    def once(night):
        return SOURCE.read(pdfs(night), members, None)

    return functools.cache(once)


def pairs(night: str) -> set[tuple[str, str]]:
    found = read_list(made_by_others(night), "senat", datetime.date(2022, 1, 1))
    return set(found.pairs)


@pytest.mark.parametrize("night", NIGHTS)
def test_pairs_are_those_of_the_list_that_others_made(night, read):
    found = read(night)
    mine = {(row.elu_id, words(row.collab_nom, row.collab_prenom)) for row in found.rows}
    told = [sentence for sentence in found.remarks if "known" in sentence]
    unknown = [name for name in UNKNOWN if f"no senator is known as {name}: left out" in told]
    assert len(told) == len(unknown)
    without = {UNKNOWN[name] for name in unknown}
    assert mine == {pair for pair in pairs(night) if pair[0] not in without}
    assert len(found.rows) == len(mine)
    assert found.day == datetime.date.fromisoformat(night[:10])
    assert all(row.collab_civilite and row.elu_nom for row in found.rows)


@pytest.mark.parametrize("night", NIGHTS)
def test_who_is_on_unpaid_leave_is_whom_that_list_says(night, read):
    lines = list(csv.DictReader(io.StringIO(made_by_others(night).decode())))
    said = [
        line
        for line in lines
        if line.get("information complémentaire") or "*" in line.get("collaborateur", "")
    ]
    mine = [row for row in read(night).rows if row.conge]
    assert {row.conge for row in mine} <= {UNPAID}
    assert {words(row.collab_nom, row.collab_prenom) for row in mine} == {
        words(civility_and_name(line["collaborateur"])[1]) for line in said
    }
    assert bool(said) is (night[:10] >= "2017-03-01" and night[:10] != "2018-03-14")


@pytest.mark.parametrize(
    ("night", "files"),
    [
        ("2015-05-18T0315", ("ODSEN_GENERAL-2021-11-02.csv.gz",)),
        ("2018-03-14T0315", ("ODSEN_GENERAL-2021-11-02.csv.gz",)),
        ("2021-04-10T0315", ("ODSEN_GENERAL-2021-11-02.csv.gz",)),
        ("2023-10-17T0315", ("ODSEN_GENERAL-2021-11-02.csv.gz", "senateurs-2026-07-26.json.gz")),
        ("2023-10-31T0315", ("senateurs-2026-07-26.json.gz", "ODSEN_GENERAL-2021-11-02.csv.gz")),
    ],
)
def test_files_of_later_years_know_everybody_of_a_night(night, files):
    originals = [*pdfs(night), *(unpacked(FOLDER / "members" / name) for name in files)]
    read = SOURCE.read(originals, Members(), None)
    assert {(r.elu_id, words(r.collab_nom, r.collab_prenom)) for r in read.rows} == pairs(night)
    assert [sentence for sentence in read.remarks if "known" in sentence] == []
