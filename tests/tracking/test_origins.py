"""`origines.csv` says what each list was read from; what is wrong in it is named."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from parlement_lists.tracking.reading.list_file import ListFilesError
from parlement_lists.tracking.reading.lists import Reader
from parlement_lists.tracking.reading.origins import FILE, Origin, forget, note, parse, read
from parlement_lists.tracking.reading.walk import walk
from tests.tracking.lists import STAFF, write

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "500"))
HEADER = "liste,origine,elus_repris\n"
FILES = {
    "europarl/2026-11-21": Origin("europarl-pages", ("999001", "999003")),
    "europarl/2026-11-22T0700": Origin("europarl-pages"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three lists, two of which are noted."""
    for day in ("2026-11-20", "2026-11-21", "2026-11-22T0700"):
        write(tmp_path / "lists", "europarl", day, STAFF)
    for name, origin in reversed(FILES.items()):
        note(tmp_path / "lists", name, origin.source, reversed(origin.unread))
    return tmp_path / "lists"


def test_what_is_noted_is_read_and_stands_sorted(folder: Path) -> None:
    assert read(folder) == FILES
    assert (folder / FILE).read_text() == HEADER + (
        "europarl/2026-11-21,europarl-pages,999001 999003\n"
        "europarl/2026-11-22T0700,europarl-pages,\n"
    )
    assert {path.name for path in folder.iterdir()} == {"europarl", FILE}


def test_a_later_note_replaces_the_one_before_and_a_name_can_be_forgotten(folder: Path) -> None:
    note(folder, "europarl/2026-11-21", "parltrack")
    assert read(folder)["europarl/2026-11-21"] == Origin("parltrack")
    for _ in range(2):
        forget(folder, "europarl/2026-11-21")
        assert list(read(folder)) == ["europarl/2026-11-22T0700"]


def test_a_walk_gives_each_list_its_source(folder: Path) -> None:
    found = walk([folder])
    assert found.ignored == []
    files = list(found.files)
    assert [(file.source, file.unread) for file in files] == [("", ()), *FILES.values()]
    lists = [file.read(Reader()) for file in walk([folder]).files]
    assert [list_.source for list_ in lists] == ["parltrack", "europarl-pages", "europarl-pages"]


def test_intervals_come_from_whom_the_lists_of_their_form_do(folder: Path) -> None:
    rows = "mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin\n9,Ada X,G,Bo Y,F,2022-01-01,\n"
    (folder / "europarl" / "intervalles.csv").write_text(rows)
    first = next(iter(walk([folder]).files))
    assert (first.name, first.read(Reader()).source) == ("europarl/2022-01-01", "parltrack")


def test_equal_lists_of_two_sources_keep_each_its_own(folder: Path) -> None:
    """The second is not parsed again, being the same; nor is the first one's source the form's for good."""
    reader = Reader()
    note(folder, "europarl/2026-11-20", "other")
    sources = [file.read(reader).source for file in walk([folder]).files]
    assert sources == ["other", "europarl-pages", "europarl-pages"]
    forget(folder, "europarl/2026-11-22T0700")
    assert [file.read(reader).source for file in walk([folder]).files][-1] == "parltrack"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe", "line 1: not UTF-8"),
        (b"liste,origine\n", "line 1: header 'liste,origine' instead of liste,origine,elus_repris"),
        (HEADER + "senat/2026-11-21,senat-pdf\n", "line 2: 2 fields instead of 3"),
        (HEADER + "\nsenat/2026-02-30,senat-pdf,\n", "line 3: liste: 'senat/2026-02-30' is not"),
        (HEADER + "x/senat/2026-02-03,senat-pdf,\n", "line 2: liste: 'x/senat/2026-02-03' is not"),
        (HEADER + "senat/2026-02-03.csv,senat-pdf,\n", "line 2: liste: 'senat/2026-02-03.csv' is"),
        (HEADER + "commune/2026-02-03,senat-pdf,\n", "line 2: liste: 'commune/2026-02-03' is not"),
        (HEADER + "senat/2026-02-03,,\n", "line 2: origine: '' is not lower-case letters"),
        (HEADER + "senat/2026-02-03,Sénat PDF,\n", "line 2: origine: 'Sénat PDF' is not"),
        (HEADER + "senat/2026-02-03,a,12345F =1+1\n", "line 2: elus_repris: '=1+1' is no"),
        (HEADER + 'senat/2026-02-03,"a\n', "line 2: unexpected end of data"),
        (
            HEADER + "senat/2026-02-03,a,\nsenat/2026-02-03,b,\n",
            "line 3: liste: senat/2026-02-03 has a line already",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(folder: Path, content: str | bytes, said: str) -> None:
    path = folder / FILE
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    for reads in (
        read,
        lambda place: walk([place]),
        lambda place: forget(place, "senat/2026-11-21"),
    ):
        with pytest.raises(ListFilesError) as refused:
            reads(folder)
        assert str(refused.value).startswith(f"{path}: {said}")


def test_no_link_and_no_pipe_is_read(folder: Path) -> None:
    path = folder / FILE
    path.rename(folder.parent / "elsewhere.csv")
    path.symlink_to(folder.parent / "elsewhere.csv")
    with pytest.raises(ListFilesError, match="a link, not a regular file"):
        read(folder)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ListFilesError, match="a named pipe, not a regular file"):
        walk([folder])


def test_what_could_not_be_read_again_is_not_noted(folder: Path) -> None:
    for name, source, carried in (
        ("senat", "senat-pdf", ()),
        ("senat/2026-11-21", "Senat", ()),
        ("senat/2026-11-21", "senat-pdf", ("1 2",)),
        ("senat/2026-11-21", "senat-pdf", ("",)),
    ):
        with pytest.raises(ListFilesError, match=FILE):
            note(folder, name, source, carried)
    assert read(folder) == FILES


def test_a_damaged_file_is_refused_or_says_nothing_that_is_no_origin() -> None:
    good = HEADER + "".join(
        f"senat/2026-11-{day},senat-pdf,12345F 0404A\n" for day in range(10, 30)
    )
    chance = random.Random(13)
    for _ in range(COUNT):
        damaged = bytearray(good.encode())
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randrange(3)] = chance.choice(
                [b'"', b",", b"\n", b"\0", b"\xff", b"", b" "]
            )
        try:
            found = parse("x", bytes(damaged[: chance.randrange(len(damaged))]))
        except ListFilesError:
            continue
        assert all(name.startswith("senat/2026-11-") and len(name) == 16 for name in found)
        assert all(len(origin.unread) <= 3 for origin in found.values())
