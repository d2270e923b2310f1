"""Odd answers change nothing, and what is torn leaves nothing."""

from __future__ import annotations

import datetime
import errno
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.copying.answers import AnswerReader, OddAnswer
from datasette_mouvements.copying.copy_run import CopyFailed
from datasette_mouvements.copying.service_client import service_address
from datasette_mouvements.copying.whole_file import WholeFile
from datasette_mouvements.dataset.writer import write
from tests.contract import environment

from .original_service import (
    NOW,
    OriginalService,
    answer,
    copy,
    movement,
    rows,
    whole_file,
)

CURSOR = "0011223344556677-9-8899aabbccddeeff"
ITEM: dict[str, Any] = {
    "publie_le": "2026-09-14T04:00:00Z",
    "nature": "publication",
    "id": movement(9).id,
    "mouvement": {name: value for name, value in movement(9)._asdict().items() if value},
}
PAGE: dict[str, Any] = {
    "changements": [ITEM],
    "curseur": CURSOR,
    "encore": False,
    "version": "0123456789abcdef",
    "licence": "Licence",
    "attribution": "Les essais",
}


def but(**changed: object) -> dict[str, Any]:
    """A page with other members."""
    return PAGE | changed


def of(**changed: object) -> dict[str, Any]:
    """A page whose one change has other members."""
    return PAGE | {"changements": [ITEM | changed]}


def without(name: str) -> dict[str, Any]:
    return {member: value for member, value in PAGE.items() if member != name}


def holding(**changed: object) -> dict[str, Any]:
    """A page whose one movement has other fields."""
    return of(mouvement=ITEM["mouvement"] | changed)


ODD: dict[str, tuple[object, str]] = {
    "empty": (b"", "not JSON"),
    "torn": (json.dumps(PAGE).encode()[:-40], "not JSON"),
    "deep": (b"[" * 200_000, "objects and lists within each other"),
    "not an object": ([], "not a JSON object"),
    **{f"no {name}": (without(name), name) for name in PAGE},
    "changes are no list": (but(changements={}), "changements is not a list"),
    "encore is no boolean": (but(encore="false"), "encore"),
    "encore without changes": (but(changements=[], encore=True), "encore"),
    "a cursor of two words": (but(curseur="a b"), "curseur"),
    "a cursor without end": (but(curseur="a" * 3000), "curseur"),
    "a licence that is no text": (but(licence=7), "licence"),
    "a licence that cannot be written": (but(licence="\ud800"), "licence"),
    "a change that is no object": (but(changements=["x"]), "change 1: not an object"),
    "another nature": (of(nature="fusion"), "change 1: of a nature .* newer"),
    "no nature": (of(nature=None), "change 1: of a nature"),
    "no instant": (of(publie_le=None), "change 1: publie_le"),
    "no identifier": (of(id=""), "change 1: id"),
    "another's identifier": (of(id="mvt_autre"), "change 1: its movement has another id"),
    "no movement": (of(mouvement=None), "change 1: no movement"),
    "another chamber": (holding(chambre="congres"), "change 1: chambre has no value that"),
    "no day": (holding(date_event="2026-02-30"), "change 1: date_event has no value"),
    "a name that is a number": (holding(collab_nom=7), "change 1: collab_nom is not a text"),
    "a control character": (holding(collab_nom="DU\x00PONT"), "change 1: collab_nom has no value"),
}


@pytest.mark.parametrize("case", ODD)
def test_an_odd_page_is_told_by_its_place(case: str) -> None:
    odd, told = ODD[case]
    body = odd if isinstance(odd, bytes) else json.dumps(odd).encode()
    with pytest.raises(OddAnswer, match=told):
        AnswerReader().page(body, "a-cursor-before")


def test_an_odd_page_changes_nothing(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    before = copied.read_bytes()
    original.behave = lambda target: answer(200, b"[]")
    with pytest.raises(CopyFailed, match=f"^{original.url}: its answer cannot be used: not a JSON"):
        copy(original, copied)
    assert copied.read_bytes() == before
    assert [path.name for path in copied.parent.iterdir()] == [copied.name]


def test_a_cursor_that_does_not_advance_changes_nothing(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    before = copied.read_bytes()
    cursor = original.targets[-1].partition("curseur=")[2].partition("&")[0]
    original.behave = lambda target: answer(200, but(curseur=cursor))
    with pytest.raises(CopyFailed, match="curseur does not advance"):
        copy(original, copied)
    assert copied.read_bytes() == before


def test_cursors_that_go_round_change_nothing(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    before = copied.read_bytes()
    round_ = itertools.cycle(["one", "two", "three"])
    original.behave = lambda target: answer(200, but(curseur=next(round_), encore=True))
    with pytest.raises(CopyFailed, match="curseur is one that came before"):
        copy(original, copied)
    assert copied.read_bytes() == before
    assert len(original.targets) == 6


def test_what_was_read_before_an_odd_page_is_not_kept_in_part(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    before = copied.read_bytes()
    pages = iter([answer(200, but(encore=True)), answer(200, but(changements=None))])
    original.behave = lambda target: next(pages, None)
    with pytest.raises(CopyFailed):
        copy(original, copied)
    assert copied.read_bytes() == before


def test_a_field_that_is_not_known_is_left_out_and_told(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    page = answer(200, holding(salaire="1 €") | {"nouveau": 1})
    original.behave = lambda target: page if "changements" in target else None
    done = copy(original, copied)
    assert done.unknown_fields == 1
    assert "1 fields are not known to this version" in "\n".join(done.lines())
    assert movement(9).id in {row[0] for row in rows(copied)}


def named_oddly(database: Path) -> bytes:
    """A whole file with an entry whose name is not the UTF-8 that its flag says."""
    file = io.BytesIO(whole_file(database))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("é.txt", b"")
    return file.getvalue().replace("é.txt".encode(), b"\xff\xfe.txt")


def compressed_oddly(method: int) -> Callable[[Path], bytes]:
    """Makes a whole file whose movements are no data of their method of compression."""

    def make(database: Path) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("datapackage.json", b"{}")
            archive.writestr("mouvements.ndjson", b"{}\n" * 100)
            starts = [entry.header_offset for entry in archive.infolist()]
        damaged = bytearray(file.getvalue())
        for place in range(starts[1] + 47, starts[1] + 60):
            damaged[place] ^= 0xFF
        return bytes(damaged)

    return make


WHOLE: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "empty": (lambda database: b"", "torn"),
    "no ZIP": (lambda database: b"<html>", "torn"),
    "half a ZIP": (lambda database: whole_file(database)[:-200], "torn"),
    "another content": (
        lambda database: whole_file(database).replace(b"senat", b"senas", 1),
        "torn",
    ),
    "a name that is no text": (named_oddly, "torn"),
    "bz2 that is none": (compressed_oddly(zipfile.ZIP_BZIP2), "torn"),
    "LZMA that is none": (compressed_oddly(zipfile.ZIP_LZMA), "torn"),
    "no cursor": (lambda database: whole_file(database, curseur=None), "curseur"),
    "no version": (lambda database: whole_file(database, version=""), "version"),
    "no licence": (lambda database: whole_file(database, licenses=[]), "licence"),
    "licences of another kind": (lambda database: whole_file(database, licenses=["x"]), "licenses"),
    "no attribution": (lambda database: whole_file(database, attribution=3), "attribution"),
    "a line that is no JSON": (
        lambda database: whole_file(database, lines=b'{"id":' + b" " * 60 + b"\n"),
        "mouvements.ndjson, line 1: not JSON",
    ),
    "lines of nothing": (
        lambda database: whole_file(database, lines=b"\n" * 100),
        "mouvements.ndjson, line 1: it is no row",
    ),
    "a line that is no movement": (
        lambda database: whole_file(database, lines=b'{"id": "mvt_1"}\n'),
        "mouvements.ndjson, line 1: ",
    ),
    "a line without end": (
        lambda database: whole_file(database, lines=b'"' + b"x" * 2_000_000),
        "mouvements.ndjson, line",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of movements, from which whole files are made."""
    database = tmp_path_factory.mktemp("sound") / "x.db"
    write(database, [("test", enumerate(map(movement, range(1, 8)), 1))])
    return database


@pytest.mark.parametrize("case", WHOLE)
def test_an_odd_whole_file_is_told_and_leaves_nothing(
    sound: Path, tmp_path: Path, case: str
) -> None:
    make, told = WHOLE[case]
    file = io.BytesIO(make(sound))
    with (
        pytest.raises(OddAnswer, match=told),
        closing(WholeFile(file, AnswerReader(), tmp_path)) as whole,
    ):
        list(whole.movements())
    assert not list(tmp_path.iterdir())


def test_an_odd_whole_file_begins_no_copy(original: OriginalService, copied: Path) -> None:
    odd = whole_file(original.database, lines=b'{"id":' + b" " * 60 + b"\n")
    original.behave = lambda target: answer(200, odd) if target == "/fichiers/tout" else None
    with pytest.raises(CopyFailed, match=r"mouvements\.ndjson, line 1: not JSON"):
        copy(original, copied)
    assert not list(copied.parent.iterdir())


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "the key is not accepted"),
        (403, "the key is not accepted"),
        (404, "no service of this kind"),
        (418, "status 418"),
        (304, "status 304"),
        (204, "status 204"),
    ],
)
def test_other_answers_are_one_sentence(
    original: OriginalService, copied: Path, status: int, told: str
) -> None:
    original.behave = lambda target: answer(status)
    done = copy(original, copied)
    assert told in done.stopped
    assert list(done.lines()) == []
    assert len(original.targets) == 1
    assert not list(copied.parent.iterdir())


def test_an_answer_that_is_too_long_is_cut_off(original: OriginalService, copied: Path) -> None:
    original.behave = lambda target: answer(200, b" " * 6_000_000)
    assert copy(original, copied).stopped == "/fichiers/tout: longer than 5000000 bytes"
    assert not list(copied.parent.iterdir())


@pytest.mark.parametrize(
    "url",
    [
        *("example.org", "ftp://example.org", "https://", "https://user:secret@example.org"),
        *("https://example.org?key=secret", "https://example.org/#x", "https://exa mple.org"),
        *("https://example.org:0x", "https://exämple\n.org", ""),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not the address of a service"):
        service_address(url)


def test_what_is_no_address_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("mvt_x")
    arguments = "copy-from", "example.org", tmp_path / "x.db", "--key-file", tmp_path / "key"
    result = environment.command(*arguments)
    assert (result.exit_code, "not the address of a service" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("given", "one_form"),
    [
        ("https://Example.org/", "https://example.org"),
        ("https://example.org:443", "https://example.org"),
        ("http://example.org:8001/base/", "http://example.org:8001/base"),
        ("https://example.org/v1", "https://example.org"),
        ("https://example.org/base/v1/mouvements/", "https://example.org/base"),
        ("https://example.org/v1/changements", "https://example.org"),
        ("https://example.org//v1", "https://example.org"),
        ("https://example.org/v10", "https://example.org/v10"),
        ("https://example.org/v1/autre", "https://example.org/v1/autre"),
    ],
)
def test_an_address_has_one_form(given: str, one_form: str) -> None:
    assert service_address(given) == one_form


def test_refusals_of_the_command_tell_what_is_unchanged(
    original: OriginalService, copied: Path
) -> None:
    arguments = ("copy-from", original.url, copied, "--key-file", original.key_file)
    original.behave = lambda target: answer(200, b"{}")
    result = environment.command(*arguments)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == "Refused: nothing was changed."
    assert original.key not in result.output
    copied.write_bytes(b"")
    result = environment.command(*arguments)
    assert result.exit_code == 1
    assert "not a movements database" in result.stderr


def test_what_fails_on_the_way_is_told_with_what_stays(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    original.change(movement(20), movement(21))
    times = [NOW]

    def clock() -> datetime.datetime:
        if not times:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(copied))
        return times.pop()

    with pytest.raises(CopyFailed) as failed:
        copy(original, copied, page=1, pages_a_write=1, clock=clock)
    assert failed.value.lines == [f"{copied}: No space left on device"]
    assert failed.value.changed
    assert len(rows(copied)) == 8


KILLED = """
import os, signal, sys
from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset import writer
from datasette_mouvements.copying import service_client, whole_file
def killed(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)
place = {"unpacked": (whole_file.WholeFile, "_describe"), "following": (service_client.ServiceClient, "changes"),
    "written": (writer, "flush")}[sys.argv[1]]
setattr(*place, killed)
mouvements(sys.argv[2:])
"""


@pytest.mark.process
@pytest.mark.parametrize("when", ["unpacked", "following", "written"])
def test_a_killed_run_leaves_nothing_that_the_next_one_does_not_sweep(
    original: OriginalService, copied: Path, when: str
) -> None:
    arguments = ["copy-from", original.url, copied, "--key-file", original.key_file]
    process = subprocess.run(
        [sys.executable, "-c", KILLED, when, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(copied.parent)},
        capture_output=True,
        timeout=60,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
    left = [path for path in copied.parent.iterdir() if path.stat().st_size]
    # Half a file of the writer's is all that may stay, until the next run begins.
    assert [path.name.startswith(".movements.db.build-") for path in left] == [True] * (
        when == "written"
    )
    original.behave = lambda target: answer(401)
    copy(original, copied)
    assert not list(copied.parent.iterdir())
    original.behave = lambda target: None
    copy(original, copied)
    assert rows(copied) == rows(original.database)
