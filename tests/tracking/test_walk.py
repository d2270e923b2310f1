from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from parlement_lists.tracking.reading.list_file import ListFilesError
from parlement_lists.tracking.reading.lists import Reader
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import lists
from tests.tracking.disk import files_up_to

STAFF = {1: ["Ada MOREAU"], 2: ["Bo LENGLET"]}
INTERVALS = """\
mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin
999001,Élue Numéro1,GRA,Ada MOREAU,Local assistants,2026-09-01,
999001,Élue Numéro1,GRA,Bo LENGLET,Accredited assistants,2026-09-01,2026-09-05
999002,Élue Numéro2,MAR,Bo LENGLET,Local assistants,2026-09-05,2026-09-09
"""


def names(*sources: Path) -> list[str]:
    return [file.name for file in walk(sources).files]


def archive(path: Path, members: list[tuple[str, bytes]]) -> Path:
    with tarfile.open(path, f"w:{path.suffix[1:]}") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def test_a_folder_gives_its_chambers_in_order_and_says_what_it_passed_over(tmp_path: Path) -> None:
    lists.write(tmp_path, "senat", "2026-09-02", STAFF)
    lists.write(tmp_path, "senat", "2026-09-01T0153", STAFF)
    lists.write(tmp_path, "senat", "2026-09-01T0100", STAFF)
    lists.write(tmp_path, "assemblee", "2026-09-03", STAFF)
    (tmp_path / "senat" / "2026-09-05.csv.gz").write_bytes(
        gzip.compress(lists.data("senat", STAFF))
    )
    (tmp_path / "senat" / "2026-13-01.csv").write_text("x")
    (tmp_path / "archives").mkdir()
    found = walk([tmp_path])
    assert found.total == 5
    assert [file.name for file in found.files] == [
        "assemblee/2026-09-03",
        "senat/2026-09-01T0100",
        "senat/2026-09-01T0153",
        "senat/2026-09-02",
        "senat/2026-09-05",
    ]
    assert found.ignored == [str(tmp_path / "archives"), str(tmp_path / "senat/2026-13-01.csv")]


@pytest.mark.parametrize("days", [["01", "02", "03"], ["03", "01", "02"]])
def test_an_archive_is_read_in_order_whatever_its_own(tmp_path: Path, days: list[str]) -> None:
    members = [
        (f"lists/senat/2026-09-{day}.csv", lists.data("senat", {1: [f"Ada N{day}"]}))
        for day in days
    ]
    path = archive(tmp_path / "x.tar.xz", [*members, ("README", b"x")])
    found = walk([path])
    assert (found.total, found.ignored) == (3, [f"{path}: README"])
    reader = Reader()
    read = [(s.name, [p for _, p in s.read(reader).pairs]) for s in found.files]
    assert read == [(f"senat/2026-09-{day}", [f"ada n{day}"]) for day in ("01", "02", "03")]


def test_sources_are_merged_by_day(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    lists.write(one, "senat", "2026-09-01", STAFF)
    lists.write(one, "senat", "2026-09-03", STAFF)
    lists.write(two, "senat", "2026-09-02", STAFF)
    assert names(one, two) == [f"senat/2026-09-0{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "no list in it"),
        (lambda path: path.write_text("x"), "neither a folder nor an archive"),
    ],
)
def test_a_source_without_lists_is_refused(tmp_path: Path, make, said: str) -> None:
    make(tmp_path / "source")
    with pytest.raises(ListFilesError, match=said):
        walk([tmp_path / "source"])


@pytest.mark.parametrize("suffix", ["xz", "gz"])
def test_a_damaged_archive_is_refused(tmp_path: Path, suffix: str) -> None:
    data = lists.data("senat", lists.STAFF)
    path = archive(tmp_path / f"x.tar.{suffix}", [("senat/2026-09-01.csv", data)])
    good = path.read_bytes()
    half = len(good) // 2
    for damaged in (good[:half], good[:half] + bytes(64) + good[half + 64 :]):
        path.write_bytes(damaged)
        with pytest.raises(ListFilesError, match="not an archive"):
            walk([path])


def test_an_archive_out_of_order_needs_room_for_temporary_files(
    tmp_path: Path,
) -> None:
    members = [(f"senat/2026-09-0{day}.csv", lists.data("senat", lists.STAFF)) for day in (2, 1)]
    found = walk([archive(tmp_path / "x.tar.xz", members)], temporary=tmp_path).files
    with files_up_to(1_000), pytest.raises(ListFilesError, match=f"{tmp_path}/.*: File too large"):
        next(found)
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar.xz"]


def test_intervals_are_a_list_for_every_day_of_change(tmp_path: Path) -> None:
    (tmp_path / "europarl").mkdir()
    (tmp_path / "europarl/intervalles.csv").write_text(INTERVALS)
    reader = Reader()
    found = [(s.name, list(s.read(reader).pairs)) for s in walk([tmp_path]).files]
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
        ("debut,fin", "du,au", "line 1: unknown format, header: mep_id"),
        ("GRA,Bo", "GRA,x,Bo", "line 3: 8 fields instead of 7"),
    ],
)
def test_a_wrong_interval_is_refused_with_line_and_field(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    (tmp_path / "europarl").mkdir()
    (tmp_path / "europarl/intervalles.csv").write_text(INTERVALS.replace(old, new, 1))
    with pytest.raises(ListFilesError, match=said):
        walk([tmp_path])
