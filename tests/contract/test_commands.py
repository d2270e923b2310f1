"""What `build` and `check` owe: refused input changes nothing; exit statuses."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES
from tests.published import as_csv

from . import environment

rule = pytest.mark.rule
GOOD = {
    "date_event": "2025-03-01",
    "chambre": "senat",
    "type": "arrivee",
    "collab_nom": "D’ÉPREUVE",
    "collab_prenom": "Zoé",
    "collab_civilite": "Mme",
    "elu_cle": "essai anne",
    "elu_id": "99001Z",
    "elu_nom": "Anne Essai",
    "elu_groupe": "NI",
    "contexte": "elu_entrant",
    "source": "archives",
    "confiance": "fort",
}
NEXT = {**GOOD, "collab_prenom": "Ali", "collab_civilite": "M."}


def rows_of(database: Path) -> list[Any]:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("select * from mouvements order by rowid").fetchall()
    return list(rows)


# file name, content, what the message must name besides the file
FAULTS: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "unknown column": (
        "f.csv",
        as_csv(GOOD, columns=(*FIELD_NAMES, "salaire")),
        ("line 1", "salaire"),
    ),
    "missing column": (
        "f.csv",
        as_csv(GOOD, columns=tuple(c for c in FIELD_NAMES if c != "chambre")),
        ("line 1", "chambre"),
    ),
    "bad type": ("f.csv", as_csv(GOOD, {**NEXT, "type": "retour"}), ("line 3", "type", "retour")),
    "duplicate id": (
        "f.csv",
        as_csv({**GOOD, "id": "mvt_1"}, {**NEXT, "id": "mvt_1"}),
        ("line 3", "mvt_1"),
    ),
    "short row": ("f.csv", as_csv(GOOD) + b"2025-03-01,senat\n", ("line 3",)),
    "not UTF-8": ("f.csv", as_csv(GOOD, NEXT).decode().encode("latin-1", "replace"), ("line 2",)),
    "empty": ("f.csv", b"", ()),
    "header alone": ("f.csv", as_csv(), ()),
    "not a gzip": ("f.csv.gz", as_csv(GOOD), ()),
    "cut gzip": ("f.csv.gz", gzip.compress(as_csv(GOOD), mtime=0)[:-9], ()),
    "another format": ("f.json", json.dumps([GOOD]).encode(), (".csv and .csv.gz",)),
}


@rule("service-build-refused")
@pytest.mark.parametrize("fault", FAULTS)
def test_refused_input_is_named_and_changes_nothing(
    tmp_path: Path, database: Path, fault: str
) -> None:
    name, content, named = FAULTS[fault]
    good, source, target = tmp_path / "good.csv", tmp_path / name, tmp_path / "movements.db"
    good.write_bytes(as_csv(GOOD))
    source.write_bytes(content)
    if fault != "empty":  # where there is no file, none is made
        target.write_bytes(database.read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    result = environment.command("build", target, "--movements", good, "--movements", source)
    assert result.exit_code == 1, result.output
    for expected in (name, *named):
        assert expected in result.stderr
    assert "Traceback" not in result.output
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@rule("service-build-formats", "service-build-repeatable", "decisions-id")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.csv", b"\xef\xbb\xbf" + as_csv(GOOD, NEXT)),
        ("crlf.csv", as_csv(GOOD, NEXT).replace(b"\n", b"\r\n")),
        ("no-id.csv", as_csv(GOOD, NEXT, columns=FIELD_NAMES[1:])),
        ("turned.csv", as_csv(GOOD, NEXT, columns=FIELD_NAMES[::-1])),
        ("PLAIN.CSV.GZ", gzip.compress(as_csv(GOOD, NEXT), mtime=0)),
    ],
)
def test_every_format_gives_the_same_rows(tmp_path: Path, name: str, content: bytes) -> None:
    plain, source = tmp_path / "plain.csv", tmp_path / name
    plain.write_bytes(as_csv(GOOD, NEXT))
    source.write_bytes(content)
    built = environment.done("build", tmp_path / "a.db", "--movements", plain)
    assert len(built.output.splitlines()) == 1  # of lists nothing is told
    twice = ("--movements", source, "--movements", source)
    environment.done("build", tmp_path / "b.db", *twice)
    assert rows_of(tmp_path / "b.db") == rows_of(tmp_path / "a.db")
    assert len(rows_of(tmp_path / "a.db")) == 2


@rule("service-check")
def test_check_accepts_what_build_wrote_and_faults_what_is_no_database(
    tmp_path: Path, database: Path
) -> None:
    assert environment.command("check", database).exit_code == 0
    garbage = tmp_path / "movements.db"
    for content in (b"", b"not a database at all" * 100):
        garbage.write_bytes(content)
        assert environment.command("check", garbage).exit_code == 1
