"""Input files are regular files: a pipe, a device, a folder or a link where none may be is refused at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from datasette_mouvements.cli import mouvements
from parlement_lists.regular_file import open_regular, read_text
from parlement_lists.sources.chambers import SourceError, choose
from tests.contract import environment
from tests.contract.environment import ROOT
from tests.tracking import lists

LISTS = ROOT / "tests" / "sample" / "listes"
ADA = {1: ["Ada MOREAU"], 2: ["Bo LENGLET"]}


def build(folder: Path, *options: object) -> Result:
    words = ["build", folder / "x.db", *options]
    return CliRunner().invoke(mouvements, [str(word) for word in words])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "a named pipe, not a regular file"),
        (os.mkdir, "Is a directory"),
        (lambda path: os.symlink("/dev/zero", path), "a device, not a regular file"),
        (lambda path: os.symlink("nowhere", path), "No such file or directory"),
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
    ("name", "option", "content"),
    [
        ("m.csv", "--movements", ""),
        ("m.csv.gz", "--movements", ""),
        ("corrections.yml", "--corrections", ""),
        ("members/mandats.csv", "--members", "members"),
        ("members/groupes.csv", "--members", "members"),
    ],
)
def test_a_pipe_in_the_place_of_an_input_file_ends_the_build_with_its_name(
    tmp_path: Path, name: str, option: str, content: str
) -> None:
    pipe = tmp_path / name
    pipe.parent.mkdir(exist_ok=True)
    if name == "members/groupes.csv":  # read after the other
        columns = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n"
        pipe.with_name("mandats.csv").write_text(columns)
    os.mkfifo(pipe)
    done = build(tmp_path, "--lists", LISTS, option, tmp_path / (content or name))
    assert done.exit_code == 1
    assert str(pipe) in done.stderr
    assert "a named pipe, not a regular file" in done.stderr
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "a named pipe, not a regular file"),
        (lambda path: os.symlink("/etc/passwd", path), "a link, not a regular file"),
    ],
)
def test_a_pipe_or_a_link_among_the_lists_is_a_list_refused_by_name(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    lists.write(tmp_path, "senat", "2026-09-01", ADA)
    make(tmp_path / "senat" / "2026-09-02.csv")
    done = build(tmp_path, "--lists", tmp_path)
    assert f"refused   senat/2026-09-02: {said}" in done.output
    assert "root:" not in done.output


def test_a_link_in_the_place_of_a_chamber_s_folder_or_of_its_intervals_is_refused(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    lists.write(elsewhere, "senat", "2026-09-01", ADA)
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "senat").symlink_to(elsewhere / "senat")
    done = build(tmp_path, "--lists", folder)
    assert (done.exit_code, f"{folder / 'senat'}: a link, not a folder" in done.stderr) == (1, True)
    (folder / "senat").unlink()
    (folder / "europarl").mkdir()
    (folder / "europarl" / "intervalles.csv").symlink_to("/etc/passwd")
    done = build(tmp_path, "--lists", folder)
    assert done.exit_code == 1
    assert f"{folder / 'europarl' / 'intervalles.csv'}" in done.stderr
    assert "a link, not a regular file" in done.stderr


def test_a_file_in_the_place_of_a_chamber_s_folder_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    lists.write(folder, "assemblee", "2026-09-01", ADA)
    for make in (os.mkfifo, Path.touch):
        make(folder / "senat")
        done = build(tmp_path, "--lists", folder)
        assert (done.exit_code, f"{folder / 'senat'}: not a folder" in done.stderr) == (1, True)
        (folder / "senat").unlink()


@pytest.mark.parametrize("words", [["build", "--lists", str(LISTS)], ["check"]])
def test_a_pipe_in_the_place_of_the_database_is_told(tmp_path: Path, words: list[str]) -> None:
    os.mkfifo(path := tmp_path / "x.db")
    done = CliRunner().invoke(mouvements, [words[0], str(path), *words[1:]])
    assert (done.exit_code, "not a regular file" in done.stderr) == (1, True)
    assert path.is_fifo()


def test_a_pipe_in_the_place_of_the_sources_file_is_told(tmp_path: Path) -> None:
    pipe = tmp_path / "sources.yml"
    os.mkfifo(pipe)
    with pytest.raises(SourceError, match=r"sources\.yml: .*a named pipe"):
        choose((), pipe)


@pytest.mark.parametrize(
    "command", [("check",), ("serve", "--port", "0", "--db"), ("build", "--lists", str(LISTS))]
)
def test_a_pipe_in_the_place_of_the_movements_database_is_told(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    pipe = tmp_path / "movements.db"
    os.mkfifo(pipe)
    done = environment.command(*command, pipe)
    assert done.exit_code == 1
    assert f"{pipe}: a named pipe, not a regular file" in done.stderr
