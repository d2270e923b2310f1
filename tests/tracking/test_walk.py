from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from datasette_mouvements.tracking.git_history import _Blobs
from datasette_mouvements.tracking.list_file import ListFilesError
from datasette_mouvements.tracking.lists import Reader
from datasette_mouvements.tracking.walk import walk
from tests.tracking import lists
from tests.tracking.disk import files_up_to
from tests.tracking.repository import Repository

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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    members = [(f"senat/2026-09-0{day}.csv", lists.data("senat", lists.STAFF)) for day in (2, 1)]
    found = walk([archive(tmp_path / "x.tar.xz", members)]).files
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
        ("2026-09-05\n", "soon\n", "line 3: fin: 'soon' is not a date"),
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


AN, SE = "data/liste_deputes_collaborateurs.csv", "data/liste_senateurs_collaborateurs.csv"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    first = lists.data("senat", STAFF, lists.SENAT_FIRST)
    made.commit("2026-09-01T03:15:33+02:00", {SE: first, "data/totaux.csv": b"a,b\n1,2\n"})
    made.commit("2026-09-01T23:30:00+00:00", {SE: lists.data("senat", STAFF), "bin/x.py": b""})
    an = lists.data("assemblee", STAFF)
    made.commit("2026-09-03T03:15:00+02:00", {AN: an, "data/liste_2.csv": an, SE: b""})
    made.commit(
        "2026-09-04T03:15:00+02:00", {SE: None, AN: lists.data("assemblee", {1: ["Zoé B"]})}
    )
    return made


def test_every_version_in_a_git_history_is_a_list_of_its_chamber(repository: Repository) -> None:
    found = walk([], [repository.path])
    assert [file.name for file in found.files] == [
        "assemblee/2026-09-03T031500",
        "assemblee/2026-09-04T031500",
        "senat/2026-09-01T031533",
        "senat/2026-09-02T013000",  # Paris time
        "senat/2026-09-03T031500",
    ]
    assert sorted(path.rpartition("/")[2] for path in found.ignored) == [
        f"liste_2.csv: the list of assemblee is {AN}".rpartition("/")[2],
        "totaux.csv: not a list",
    ]


def test_versions_are_read_without_a_checkout(repository: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", repository.path, bare], check=True)
    reader = Reader()
    senat = (s for s in walk([], [bare]).files if s.name < "senat/2026-09-03")
    assert [len(s.read(reader).pairs) for s in senat] == [2, 1, 2, 2]
    assert not (bare / "data").exists()


def test_a_list_merged_from_a_branch_counts_once(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("2026-09-05T03:00:00+02:00", {AN: lists.data("assemblee", {2: ["Zoé B"]})})
    repository.git("checkout", "-q", "master")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "x", date="2026-09-06T03:00:00+02:00")
    last = [f.name for f in walk([], [repository.path]).files if "assemblee" in f.name][-1]
    assert last == "assemblee/2026-09-06T030000"


@pytest.mark.parametrize("answer", ["", "$blob blob 9\\nshort", "$blob blob 5\\nshort"])
def test_a_git_that_ends_before_it_has_given_a_list_is_no_fault_of_the_list(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    (programs := tmp_path / "bin").mkdir()
    (programs / "git").write_text(f'#!/bin/sh\nread -r blob\nprintf "{answer}"\n')
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    blobs = _Blobs(repository.path)
    for _ in range(2):  # the second time there is nobody to ask
        with pytest.raises(ListFilesError, match="git ended before it had given object 0a1b"):
            blobs.read("0a1b")
    blobs.close()


@pytest.mark.parametrize("git", [True, False])
def test_no_repository_and_one_without_lists_are_refused(tmp_path: Path, git: bool) -> None:
    if git:
        Repository(tmp_path / "x").commit("2026-09-01T03:15:33+02:00", {"data/a.csv": b"a,b\n"})
    with pytest.raises(
        ListFilesError, match="no list under data/" if git else "not a git repository"
    ):
        walk([], [tmp_path / ("x" if git else "")])
