"""Input files are regular files: a pipe, a device, a folder or a link where none may be is refused at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from parlement_lists.regular_file import FilesError, open_regular, read_text
from parlement_lists.sources.chambers import SourceError, choose
from parlement_lists.tracking.reading.lists import ListRefused
from parlement_lists.tracking.reading.walk import walk
from tests.contract.environment import ROOT, command

LISTS = ROOT / "tests" / "sample" / "listes"


def to(target: str) -> Callable[[Path], None]:
    """Makes a link there."""
    return lambda path: os.symlink(target, path)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "a named pipe, not a regular file"),
        (os.mkdir, "Is a directory"),
        (to("/dev/zero"), "a device, not a regular file"),
        (to("nowhere"), "No such file or directory"),
    ],
)
def test_what_is_no_regular_file_is_told_and_nothing_waits_for_it(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    path = tmp_path / "input"
    make(path)
    with pytest.raises(OSError, match=said) as refused:
        open_regular(path)
    assert refused.value.filename == str(path)


def test_a_link_that_a_maintainer_names_is_followed_and_a_received_one_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("\ufeffé")
    link = tmp_path / "link"
    link.symlink_to("file")
    assert read_text(link) == read_text(tmp_path / "file") == "é"
    with pytest.raises(OSError, match="a link, not a regular file") as refused:
        open_regular(link, follow=False)
    assert refused.value.filename == str(link)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("m.csv", ("build", "x.db", "--movements", "m.csv")),
        ("c.yml", ("build", "x.db", "--lists", LISTS, "--corrections", "c.yml")),
        ("e/mandats.csv", ("build", "x.db", "--lists", LISTS, "--members", "e")),
        ("m.db", ("build", "m.db", "--lists", LISTS)),
        ("m.db", ("check", "m.db")),
        ("m.db", ("serve", "--port", "0", "--db", "m.db")),
    ],
)
def test_a_pipe_in_the_place_of_a_file_ends_the_command_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: tuple[object, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    pipe = tmp_path / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    done = command(*words)
    assert done.exit_code == 1
    assert name in done.stderr
    assert "a named pipe, not a regular file" in done.stderr
    assert pipe.is_fifo()
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("senat/2026-09-02.csv", to("/etc/passwd"), "a link, not a regular file"),
        ("senat", to("elsewhere"), "a link, not a folder"),
        ("senat", Path.touch, "not a folder"),
        ("europarl/intervalles.csv", to("/etc/passwd"), "a link, not a regular file"),
    ],
)
def test_what_is_in_the_place_of_a_list_a_chamber_s_folder_or_intervals_is_told(
    tmp_path: Path, name: str, make: Callable[[Path], None], said: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    make(tmp_path / name)
    with pytest.raises((FilesError, ListRefused), match=said):
        next(walk([tmp_path]).files).read()


def test_a_pipe_in_the_place_of_the_sources_file_is_told(tmp_path: Path) -> None:
    pipe = tmp_path / "sources.yml"
    os.mkfifo(pipe)
    with pytest.raises(SourceError, match=r"sources\.yml: .*a named pipe"):
        choose((), pipe)
