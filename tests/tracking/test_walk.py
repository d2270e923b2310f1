from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from parlement_lists.regular_file import FilesError
from parlement_lists.tracking.reading.lists import ListRefused
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import lists

STAFF = {1: ["Ada MOREAU"], 2: ["Bo LENGLET"]}
INTERVALS = """\
mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin
999001,Élue Numéro1,GRA,Ada MOREAU,Local assistants,2026-09-01,
999001,Élue Numéro1,GRA,Bo LENGLET,Accredited assistants,2026-09-01,2026-09-05
999002,Élue Numéro2,MAR,Bo LENGLET,Local assistants,2026-09-05,2026-09-09
"""


def test_folders_give_their_chambers_in_order_and_say_what_they_passed_over(tmp_path: Path) -> None:
    lists.write(tmp_path / "other", "senat", "2026-09-02", STAFF)
    lists.write(tmp_path, "senat", "2026-09-01T0153", STAFF)
    lists.write(tmp_path, "senat", "2026-09-01T0100", STAFF)
    lists.write(tmp_path, "assemblee", "2026-09-03", STAFF)
    (tmp_path / "senat" / "2026-09-05.csv.gz").write_bytes(
        gzip.compress(lists.data("senat", STAFF))
    )
    no_lists = ("senat/2026-13-01.csv", "senat/2026-09-02.csv.bak")
    for name in no_lists:
        (tmp_path / name).write_bytes(lists.data("senat", STAFF))
    (tmp_path / "archives").mkdir()
    found = walk([tmp_path, tmp_path / "other"])
    assert [file.name for file in found.files] == [
        "assemblee/2026-09-03",
        "senat/2026-09-01T0100",
        "senat/2026-09-01T0153",
        "senat/2026-09-02",
        "senat/2026-09-05",
    ]
    assert set(found.ignored) == {str(tmp_path / name) for name in ("archives", "other", *no_lists)}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "no list in it"),
        (lambda path: path.write_text("x"), "not a folder"),
    ],
)
def test_a_source_without_lists_is_refused(tmp_path: Path, make, said: str) -> None:
    make(tmp_path / "source")
    with pytest.raises(FilesError, match=said):
        walk([tmp_path / "source"])


def test_what_links_lead_to_is_not_read(tmp_path: Path) -> None:
    lists.write(tmp_path / "other", "senat", "2026-09-02", STAFF)
    (tmp_path / "senat").mkdir()
    (tmp_path / "senat/2026-09-02.csv").symlink_to(tmp_path / "other/senat/2026-09-02.csv")
    (file,) = walk([tmp_path]).files
    with pytest.raises(ListRefused, match="a link, not a regular file"):
        file.read()
    (tmp_path / "assemblee").symlink_to(tmp_path / "senat")
    with pytest.raises(FilesError, match="a link, not a folder"):
        walk([tmp_path])


def test_intervals_are_a_list_for_every_day_of_change(tmp_path: Path) -> None:
    (tmp_path / "europarl").mkdir()
    (tmp_path / "europarl/intervalles.csv").write_text(INTERVALS)
    found = [(s.name, list(s.read().pairs)) for s in walk([tmp_path]).files]
    ada = ("999001", "ada moreau")
    assert found == [
        ("europarl/2026-09-01", [ada, ("999001", "bo lenglet")]),
        ("europarl/2026-09-05", [ada, ("999002", "bo lenglet")]),
        ("europarl/2026-09-09", [ada]),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2026-09-05,2026", "2026-09-09,2026", "line 4: fin: 2026-09-09 is not after debut"),
        ("999002", "MEP2", "line 4: mep_id"),
        ("2026-09-05\n", "soon\n", "line 3: fin: 'soon' is not a day"),
        ("2026-09-05,2026", ",2026", "line 4: debut: '' is not a day"),
        ("debut,fin", "du,au", "line 1: no column debut, fin"),
        ("GRA,Bo", "GRA,x,Bo", "line 3: 8 values under 7 columns"),
        ("GRA,Bo", "GRA,B\udcff", "line 3: not UTF-8"),
    ],
)
def test_a_wrong_interval_names_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "europarl").mkdir()
    damaged = INTERVALS.replace(old, new, 1).encode(errors="surrogateescape")
    (tmp_path / "europarl/intervalles.csv").write_bytes(damaged)
    with pytest.raises(FilesError, match=said):
        walk([tmp_path])
