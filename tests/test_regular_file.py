"""Input files are regular files: a pipe, a device, a folder or a link where none may be is refused at once."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from datasette_mouvements.cli import mouvements
from parlement_lists.regular_file import open_regular, read_text
from parlement_lists.sources.hooks import SourceError
from parlement_lists.sources.registry import choose
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
        ("m.ndjson.gz", "--movements", ""),
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


# The last one is of a kind that no archive has.
KINDS = {
    tarfile.SYMTYPE: "a link, not a regular file",
    tarfile.LNKTYPE: "a link, not a regular file",
    tarfile.FIFOTYPE: "a named pipe, not a regular file",
    tarfile.CHRTYPE: "a device, not a regular file",
    tarfile.BLKTYPE: "a device, not a regular file",
    tarfile.DIRTYPE: "a folder, not a regular file",
    b"Z": "of an unknown kind, not a regular file",
}


def archive(path: Path, *members: tuple[str, bytes, dict[str, object]]) -> Path:
    """A tar archive; what is given beside a member's name and content are fields of its header."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, data, fields in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for field, value in fields.items():
                setattr(info, field, value)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("days", [("01", "02", "03"), ("03", "02", "01")], ids=["sorted", "not"])
@pytest.mark.parametrize("kind", KINDS, ids=KINDS.values())
def test_what_is_no_regular_file_in_an_archive_is_a_list_refused_by_name(
    tmp_path: Path, kind: bytes, days: tuple[str, ...]
) -> None:
    data = lists.data("senat", ADA)
    members = [
        (f"senat/2026-09-{day}.csv", b"", {"type": kind, "linkname": "senat/2026-09-01.csv"})
        if day == "02"
        else (f"senat/2026-09-{day}.csv", data, {})
        for day in days
    ]
    members.append(("senat/notes", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}))
    members.append(("senat", b"", {"type": tarfile.DIRTYPE}))
    path = archive(tmp_path / "x.tar", *members)
    done = build(tmp_path, "--lists", path)
    assert done.exit_code == 0, done.output
    assert (
        f"refused   senat/2026-09-02: {KINDS[kind]} [{path}: senat/2026-09-02.csv]" in done.output
    )
    told = [line for line in done.output.splitlines() if line.startswith("ignored")]
    assert told == [f"ignored   {path}: senat/notes"]
    assert "lists     2 accepted, 1 refused" in done.output


LIST = lists.data("senat", ADA)
SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}


@pytest.mark.parametrize(
    ("sparse", "data", "said"),
    [
        # A terabyte of nothing before the end, which must not be read.
        (
            SPARSE | {"GNU.sparse.realsize": str(1 << 40)},
            f"1\n0\n{len(LIST)}\n".encode().ljust(512, b"\0") + LIST,
            "refused   senat/2026-09-02: more than 32000000 bytes",
        ),
        (
            {"GNU.sparse.map": "0,10", "GNU.sparse.size": "5000"},
            LIST,
            "refused   senat/2026-09-02: line 1: a NUL byte",
        ),
        (
            {"GNU.sparse.map": f"0,{len(LIST)}", "GNU.sparse.size": str(len(LIST))},
            LIST,
            "lists     3 accepted, 0 refused",
        ),
        ({"GNU.sparse.map": "a,b", "GNU.sparse.size": "9"}, LIST, "x.tar: not an archive that"),
        (
            SPARSE | {"GNU.sparse.realsize": "9"},
            b"x\n".ljust(512, b"\0"),
            "x.tar: not an archive that",
        ),
        (
            {"GNU.sparse.map": "0,99999", "GNU.sparse.size": "99999"},
            b"",
            "x.tar: not an archive that",
        ),
    ],
)
def test_a_file_with_holes_in_an_archive_is_read_no_further_than_a_list_goes(
    tmp_path: Path, sparse: dict[str, str], data: bytes, said: str
) -> None:
    holes = {"pax_headers": sparse | {"GNU.sparse.name": "senat/2026-09-02.csv"}}
    path = archive(
        tmp_path / "x.tar",
        ("senat/2026-09-01.csv", LIST, {}),
        ("senat/2026-09-02.csv", data, holes),
        *([] if "99999" in str(sparse) else [("senat/2026-09-03.csv", LIST, {})]),
    )
    done = build(tmp_path, "--lists", path)
    assert said in done.output
    refused = "not an archive" in said
    assert (done.exit_code, (tmp_path / "x.db").exists()) == (refused, not refused)


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


def test_a_pipe_in_the_place_of_an_archive_is_told(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "x.tar.xz")
    done = build(tmp_path, "--lists", path)
    assert (done.exit_code, f"{path}: neither a folder nor an archive" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "words", [["build", "--lists", str(LISTS)], ["track", "--lists", str(LISTS)], ["check"]]
)
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
