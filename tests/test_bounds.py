"""Every reader with sizes one above each bound: refused, named by both figures, with little memory."""

from __future__ import annotations

import gzip
import io
import json
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest
from fpdf import FPDF

from datasette_mouvements.api.parameters import MOVEMENTS, OF, checked
from datasette_mouvements.dataset import input_files
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.input_files import InputRefused
from datasette_mouvements.refusal import Refusal
from parlement_lists import bounds
from parlement_lists.bounds import BOUNDS
from parlement_lists.movement import faults_of
from parlement_lists.regular_file import FilesError
from parlement_lists.sources.assemblee.zip_entries import read_entries
from parlement_lists.sources.europarl.page import read_page
from parlement_lists.sources.kept_list import to_csv
from parlement_lists.sources.originals import (
    Original,
    OriginalRefused,
    StaffRow,
)
from parlement_lists.sources.senat.pdf_text import lines_of
from parlement_lists.tracking import corrections_file
from parlement_lists.tracking.corrections import CorrectionsError
from parlement_lists.tracking.guard import examine
from parlement_lists.tracking.members.members_files import read_rows
from parlement_lists.tracking.reading.formats import KEPT_COLUMNS
from parlement_lists.tracking.reading.lists import (
    List,
    ListRefused,
    decompress,
    parse_path,
    read_list,
)
from parlement_lists.tracking.reading.walk import walk_intervals
from tests.building.original_service import movement
from tests.published import as_csv, write

REFUSALS = (ListRefused, OriginalRefused, InputRefused, FilesError, CorrectionsError)
SECRET = "Q"  # what every text here is made of: no message may hold two of it
TELLS = {  # what a list's row says, but for what is changed
    "chambre": "senat",
    "elu_id": "99001Z",
    "elu_nom": "Exemple",
    "collab_nom": "MODELE",
    "collab_prenom": "Zoé",
}


def kept(*rows: dict[str, str]) -> bytes:
    return as_csv(*(TELLS | row for row in rows), columns=KEPT_COLUMNS)


def read_senat(body: bytes) -> List:
    return read_list(body, "senat", date(2026, 9, 1))


def name(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


def long(column: str, size: int) -> Callable[[Path], object]:
    """A list with a field of a size."""
    return lambda folder: read_senat(kept({}, {column: SECRET * size}))


def build(size: int, **fields: str) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        given = movement(1, **{name: value * size for name, value in fields.items()})
        path = folder / "m.csv"
        path.write_bytes(as_csv(given._asdict()))
        return list(input_files.read(path))

    return run


def zipped(path: str, body: bytes) -> Original:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(path, body)
    return Original("a.zip", file.getvalue())


def unzip(path: str, body: bytes) -> Callable[[Path], object]:
    return lambda folder: list(read_entries(zipped(path, body), bool))


def page(body: str) -> Callable[[Path], object]:
    html = f"<html><body>{body}</body></html>".encode()
    return lambda folder: read_page(Original("1.html", html))


def interval_file(rows: int) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        path = folder / "intervalles.csv"
        path.write_bytes(b"mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin\n" + b"\n" * rows)
        return walk_intervals(path)

    return run


def members(**changed: str) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        columns = "chambre elu_id nom_complet nom prenom civilite debut fin"
        row = dict.fromkeys(columns.split(), "") | {"chambre": "senat", "elu_id": "1Z"} | changed
        (folder / "mandats.csv").write_bytes(as_csv(row, columns=tuple(row)))
        (folder / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n")
        return read_rows(folder)

    return run


def corrections(body: str) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        path = folder / "corrections.yml"
        path.write_text(body)
        return corrections_file.read(path)

    return run


def pdf_with(count: int, what: str) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        document = FPDF(unit="pt", format="letter")
        document.set_font("helvetica", size=9)
        document.add_page()
        for _ in range(count - 1 if what == "pages" else 0):
            document.add_page()
        for _ in range(count if what == "objects" else 0):
            document.rect(1, 1, 1, 1)
        if what == "letters":
            document.set_font_size(2)
            for row in range(500):
                document.text(1, 1 + row * 1.5, "x" * (count // 500 + 1))
        return list(lines_of(Original("a.pdf", bytes(document.output()))))

    return run


def sparse(folder: Path) -> object:
    with (folder / "mandats.csv").open("wb") as file:
        file.truncate(B.MEMBERS_BYTES + 1)
    return read_rows(folder)


def long_line(folder: Path) -> object:
    path = folder / "m.csv"
    path.write_text("x" * (B.LINE_LETTERS + 1))
    return list(input_files.read(path))


B = bounds
# For every bound of the table a reader that gets one more.
CASES: dict[str, Callable[[Path], object]] = {
    "NAME_LETTERS": long("collab_nom", B.NAME_LETTERS + 1),
    "FULL_NAME_LETTERS": build(B.FULL_NAME_LETTERS + 1, elu_nom=SECRET),
    "KEY_LETTERS": build(B.KEY_LETTERS + 1, elu_cle=SECRET),
    "GROUP_LETTERS": long("groupe", B.GROUP_LETTERS + 1),
    "FUNCTION_LETTERS": long("fonction", B.FUNCTION_LETTERS + 1),
    "ID_LETTERS": build(B.ID_LETTERS + 1, elu_id=SECRET),
    "TEXT_LETTERS": members(civilite=SECRET * (B.TEXT_LETTERS + 1)),
    "LIST_BYTES": lambda folder: decompress(b" " * (B.LIST_BYTES + 1)),
    "HEADER_LETTERS": lambda folder: read_senat(SECRET.encode() * (B.HEADER_LETTERS + 1) + b"\n"),
    "LIST_ROWS": lambda folder: read_senat(kept() + b"\n" * B.LIST_ROWS),
    "MEMBER_STAFF": lambda folder: read_senat(
        kept(*({"collab_nom": f"X{name(n)}"} for n in range(B.MEMBER_STAFF + 1)))
    ),
    "INTERVAL_ROWS": interval_file(B.INTERVAL_ROWS),
    "MEMBERS_BYTES": sparse,
    "CORRECTIONS_BYTES": corrections("#" * (B.CORRECTIONS_BYTES + 1)),
    "REASON_LETTERS": corrections(
        f"- {{date: 2026-09-01, raison: {SECRET * (B.REASON_LETTERS + 1)}, refuser: senat/2026-09-01}}"
    ),
    "LINE_LETTERS": long_line,
    "ORIGINAL_BYTES": lambda folder: decompress(
        gzip.compress(bytes(B.ORIGINAL_BYTES), 1) * 9, B.ORIGINAL_BYTES
    ),
    "ZIP_ENTRIES": lambda folder: list(
        read_entries(Original("a.zip", b"PK\x01\x02" * (B.ZIP_ENTRIES + 1)), bool)
    ),
    "ZIP_ENTRY_BYTES": unzip("a.json", b" " * (B.ZIP_ENTRY_BYTES + 1)),
    "ZIP_PATH_LETTERS": unzip(SECRET * (B.ZIP_PATH_LETTERS + 1), b""),
    "PDF_PAGES": pdf_with(B.PDF_PAGES + 1, "pages"),
    "PDF_OBJECTS": pdf_with(B.PDF_OBJECTS + 1, "objects"),
    "PDF_LETTERS": pdf_with(B.PDF_LETTERS + 1, "letters"),
    "PAGE_BYTES": page("x" * B.PAGE_BYTES),
    "PAGE_TAGS": page("<p>" * B.PAGE_TAGS),
    "PAGE_OPEN": page("<b>" * (B.PAGE_OPEN + 1)),
}
# Tried in tests/sources (test_zip_entries.py, test_pdf_streams.py) and tests/dataset/test_copy_command.py.
ELSEWHERE = {"ZIP_BYTES", "PDF_STREAMS", "PDF_STREAM_BYTES", "PDF_BYTES", "FILE_BYTES"}


def test_every_bound_of_the_table_has_a_reader_that_is_tried() -> None:
    assert CASES.keys() | ELSEWHERE == BOUNDS.keys()


@pytest.mark.parametrize("bound", CASES)
def test_one_more_is_refused_by_its_figure_in_little_memory(bound: str, tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(REFUSALS) as refused:
            CASES[bound](tmp_path)
        _, memory = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    told = str(refused.value)
    # A small bound stands by chance in the figures of another refusal.
    most_told = re.findall(r"(?:than|than the|over|after|has) (\d+)", told.replace(",", ""))
    assert str(BOUNDS[bound]) in most_told, told
    assert 2 * SECRET not in told
    assert memory < 260_000_000, f"{memory:,} bytes"


@pytest.mark.parametrize(
    ("field", "most"),
    [
        *((name, B.NAME_LETTERS) for name in ("collab_nom", "collab_prenom")),
        *((name, B.GROUP_LETTERS) for name in ("elu_groupe", "elu_origine_groupe")),
        ("elu_origine_nom", B.FULL_NAME_LETTERS),
        ("fonction", B.FUNCTION_LETTERS),
    ],
)
def test_each_field_of_a_movement_has_its_bound(field: str, most: int) -> None:
    for size in (most, most + 1):
        given = movement(1, type="transfert", **{field: SECRET * size})
        told = [] if size == most else [f"{field}: {size:,} letters, more than {most:,}"]
        assert faults_of(given) == told


@pytest.mark.parametrize("day", ["1899-12-31", "2101-01-01"])
def test_no_reader_takes_a_day_of_another_age(day: str, tmp_path: Path) -> None:
    """With one such day every page of figures would be closed."""
    (tmp_path / "i.csv").write_text(
        f"mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin\n1,A B,G,C D,f,{day},\n"
    )
    for read in (
        lambda: build(1, date_event=day)(tmp_path),
        lambda: members(debut=day)(tmp_path),
        lambda: walk_intervals(tmp_path / "i.csv"),
        lambda: corrections(f"- {{date: {day}, raison: x, refuser: senat/2026-09-01}}")(tmp_path),
    ):
        with pytest.raises(REFUSALS):
            read()
    assert parse_path(f"senat/{day}.csv") is None


@pytest.mark.parametrize("mark", "\u202e\u2066\u200e\u200f\u061c\x01\ufffe\uffff")
def test_no_reader_takes_a_mark_of_direction_or_what_xml_cannot_hold(
    mark: str, tmp_path: Path
) -> None:
    name = f"A{mark}B"
    readers: tuple[Callable[[], object], ...] = (
        lambda: build(1, collab_nom=name)(tmp_path),
        lambda: members(nom=name)(tmp_path),
        lambda: corrections(
            f"- {{date: 2026-09-01, raison: {json.dumps(name)}, refuser: senat/2026-09-01}}"
        )(tmp_path),
        lambda: to_csv("senat", [StaffRow("99001Z", "Exemple", "", "", "", name, "Zoé")]),
        lambda: examine(read_senat(kept({"collab_nom": name})), None),
    )
    for number, read in enumerate(readers):
        with pytest.raises(REFUSALS) as refused:
            read()
        assert mark not in str(refused.value), number


@pytest.mark.parametrize("character", "\ufffe\uffff\x01\x0b\x1f\ufffd\x7f\x85")
def test_a_parameter_with_what_xml_cannot_hold_is_a_400(character: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked(f"elu={quote('PA' + character)}".encode(), OF[MOVEMENTS])
    assert (refused.value.status, refused.value.parameters) == (400, ("elu",))


def test_check_names_the_fields_that_are_over(tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    beside = {
        "elus": [("senat", "9", "A\u202eB", "x" * 101, "", None)],
        "_mandats": [("senat", "9", "0001-01-01", "0001-01-02")],
        "listes": [("l", "senat", "9999-12-31", "acceptee", "", "x" * 301, 1, 0, 0, 0, None)],
    }
    write(database, [("x", [(1, movement(1, fonction="x" * 301))])], beside)
    assert set(inspect(database)) == {
        "1 rows of mouvements whose fonction has more than 300 letters",
        "1 rows of elus whose nom holds a control character or a mark of direction",
        "1 rows of elus whose prenom has more than 100 letters",
        "1 rows of _mandats whose debut is not from 1900-01-01 to 2100-12-31",
        "1 rows of _mandats whose fin is not from 1900-01-01 to 2100-12-31",
        "1 rows of listes whose date is not from 1900-01-01 to 2100-12-31",
        "1 rows of listes whose mesure has more than 300 letters",
    }
