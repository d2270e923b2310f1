"""A copy has the stays, members, groups and lists of its original, and its pages say the same."""

from __future__ import annotations

import datetime
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.copying.answers import OddAnswer, row_of
from datasette_mouvements.copying.copy_run import CopyFailed
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.schema import BESIDE, HOMONYMS, TENURES
from datasette_mouvements.dataset.writer import write
from datasette_mouvements.serving.sample import build_sample
from tests.contract import environment
from tests.contract.service import InProcess
from tests.tracking import lists

from .original_service import NOW, QUOTA, OriginalService, answer, copy, movement, rows, said

CHANGED = "what is said of stays or lists changed"


def table(database: Path, name: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute(f"select * from {name} order by rowid").fetchall()


def beside(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The stays, and what a file has beside them."""
    return {name: table(database, name) for name in (TENURES, *BESIDE)}


def same(one: Path, other: Path) -> None:
    """Both files have the same movements, stays and tables, in the same order."""
    assert rows(one) == rows(other)
    assert beside(one) == beside(other)
    assert inspect(one) == []


class Lists:
    """A service with lists of two days, or three, of a chamber; two staff of one name are told apart."""

    def __init__(self, folder: Path) -> None:
        self.lists, self.corrections = folder / "lists", folder / "corrections.yml"
        folder.mkdir()
        person = "homonymes: {nom: Ada UN, elus: [%s]}"
        self.corrections.write_text(
            f"- {{date: 2026-09-09, raison: Deux personnes, {person % lists.member('senat', 1)}}}\n"
        )
        self.publish("2026-09-01", {1: ["Ada UN", "Ida DEUX"], 2: ["Zoé TROIS"]})
        self.publish("2026-09-08", {1: ["Ada UN"], 2: ["Zoé TROIS", "Ida DEUX"]})

    def publish(self, day: str, staff: dict[int, list[str]]) -> None:
        lists.write(self.lists, "senat", day, staff)

    def build(self, database: Path) -> None:
        given = ("--lists", self.lists, "--corrections", self.corrections)
        environment.done("build", database, *given)


@pytest.fixture
def published(tmp_path: Path) -> Lists:
    return Lists(tmp_path / "publisher")


@pytest.fixture
def listed(tmp_path: Path, published: Lists) -> Iterator[OriginalService]:
    service = OriginalService(tmp_path / "listed", published.build)
    yield service
    service.close()


def sample(database: Path) -> None:
    assert build_sample(database, NOW) > 300


def addresses(database: Path) -> Iterator[str]:
    """The pages of every group, of some members and names, and some that tell of the whole."""
    for chamber, member in sorted({row[1:3] for row in table(database, TENURES)})[::5]:
        yield f"/elus/{chamber}/{member}"
    for slug in sorted({row[0] for row in table(database, "_noms")})[::20]:
        yield f"/collaborateurs/{slug}"
    for chamber, code, *_ in table(database, "_groupes"):
        yield f"/groupes/{chamber}/{code}"
    yield from ("/", "/classements", *(f"/elus/{chamber}" for chamber in ("assemblee", "senat")))


def test_the_pages_of_a_copy_say_what_the_originals_say(tmp_path: Path, copied: Path) -> None:
    original = OriginalService(tmp_path / "original", sample)
    try:
        done = copy(original, copied)
        assert (done.begun, done.compared, done.stopped) == ("a new copy", "version", "")
        assert done.stays == len(table(original.database, TENURES))
        same(copied, original.database)
        internal = tmp_path / "internal.sqlite3"
        its_own = InProcess(environment.datasette(copied, internal, {"quota": QUOTA}), internal)
        try:
            asked = list(addresses(copied))
            assert len(asked) > 100
            for path in asked:
                told, copys = (
                    (found.status, re.sub(rb"\s+", b" ", found.body))
                    for found in (original.service.ask(path), its_own.ask(path))
                )
                assert told[0] == 200, path
                assert copys == told, path
        finally:
            its_own.close()
    finally:
        original.close()


def test_stays_and_lists_that_changed_are_taken_anew(
    listed: OriginalService, published: Lists, copied: Path
) -> None:
    copy(listed, copied)
    same(copied, listed.database)
    assert table(copied, HOMONYMS)
    assert said(copied)["copie_edition"] == said(listed.database)["edition"]
    assert listed.targets[-1] == "/v1/collaborations?limit=1"
    before = copied.stat()
    done = copy(listed, copied)
    assert (done.begun, done.changed, copied.stat()) == ("", False, before)
    # A list in which nobody moved brings no movement, and yet a further day.
    published.publish("2026-09-15", {1: ["Ada UN"], 2: ["Zoé TROIS", "Ida DEUX"]})
    published.build(listed.database)
    listed.adopt()
    done = copy(listed, copied)
    assert (done.begun, done.published, done.compared) == (CHANGED, 0, "version")
    same(copied, listed.database)


def test_who_is_masked_leaves_the_stays_of_a_copy(
    listed: OriginalService, published: Lists, copied: Path
) -> None:
    copy(listed, copied)
    with published.corrections.open("a") as file:
        file.write("- {date: 2026-09-09, raison: Demande, masquer: {nom: Ida DEUX}}\n")
    published.build(listed.database)
    listed.adopt()
    # The whole file fails: what the feed says is written, without stays that may hold the name.
    listed.behave = lambda target: answer(429) if target == "/fichiers/tout" else None
    done = copy(listed, copied)
    assert "quota" in done.stopped
    assert done.stays == 0
    assert b"DEUX" not in copied.read_bytes()
    assert "copie_edition" not in said(copied)
    listed.behave = lambda target: None
    assert copy(listed, copied).begun == CHANGED
    same(copied, listed.database)
    assert b"DEUX" not in copied.read_bytes()


def test_a_copy_of_movements_alone_begins_anew_where_the_service_has_stays(
    listed: OriginalService, copied: Path
) -> None:
    listed.behave = lambda target: answer(404) if "/v1/collaborations" in target else None
    copy(listed, copied)
    kept = [(name, value) for name, value in said(copied).items() if name != "copie_edition"]
    own = [row for row in kept if row[0].startswith("copie_")]
    movements = list(enumerate(map(type(movement(1))._make, texts(copied)), 1))
    write(copied, [("test", movements)], {"_publication": own})
    assert table(copied, TENURES) == []
    done = copy(listed, copied)
    assert (done.begun, table(copied, TENURES)) == ("", [])
    listed.behave = lambda target: None
    assert copy(listed, copied).begun == CHANGED
    same(copied, listed.database)


def texts(database: Path) -> list[list[str]]:
    return [[value or "" for value in row] for row in rows(database)]


def test_what_is_published_while_the_file_is_taken_is_taken_too(
    listed: OriginalService, published: Lists, copied: Path
) -> None:
    asked: list[str] = []

    def publish_between(target: str) -> None:
        asked.append(target)
        if asked.count("/v1/collaborations?limit=1") == 0 and "changements" in target:
            published.publish("2026-09-15", {1: ["Ada UN"], 2: ["Zoé TROIS"]})
            published.build(listed.database)
            listed.adopt()

    listed.behave = publish_between
    done = copy(listed, copied)
    assert (done.begun, done.stopped, done.compared) == (CHANGED, "", "version")
    assert asked.count("/fichiers/tout") == 2
    same(copied, listed.database)


STAY = {
    "id": "col_1",
    "chambre": "senat",
    "elu_id": "1",
    "debut": "2026-09-01",
    "fin_apres": "2026-09-01",
}
LIST = {"nom": "senat/1", "chambre": "senat", "date": "2026-09-01", "statut": "acceptee"}
LIST |= {"motif": "", "mesure": ""} | dict.fromkeys(("paires", "arrivees", "departs", "retenus"), 1)


@pytest.mark.parametrize(
    ("name", "found", "told"),
    [
        (TENURES, [], "x: not an object"),
        (TENURES, STAY | {"debut": "2026-02-30"}, "x: debut has no value"),
        (TENURES, STAY | {"chambre": "congres"}, "x: chambre has no value"),
        (TENURES, STAY | {"elu_id": None}, "x: elu_id has no value"),
        (TENURES, STAY | {"collab_nom": "DU\x00PONT"}, "x: collab_nom has no value"),
        (TENURES, STAY | {"collab_nom": "X" * 101}, "x: collab_nom: 101 letters, more than 100"),
        ("listes", LIST | {"paires": "1"}, "x: paires has no value"),
        ("listes", LIST | {"paires": True}, "x: paires has no value"),
        ("listes", LIST | {"paires": -1}, "x: paires has no value"),
        ("listes", LIST | {"paires": 10**30}, "x: paires has no value"),
        ("listes", LIST | {"motif": 1}, "x: motif has no value"),
    ],
)
def test_an_odd_row_is_told_by_its_place(name: str, found: object, told: str) -> None:
    row_of(TENURES, STAY, "x"), row_of("listes", LIST, "x")
    with pytest.raises(OddAnswer, match=told):
        row_of(name, found, "x")


@pytest.mark.parametrize(
    ("entry", "change", "told"),
    [
        (
            "collaborations.ndjson",
            lambda lines: lines + lines,
            "a row that its table does not take",
        ),
        ("collaborations.ndjson", None, "torn"),
        ("listes.ndjson", lambda lines: lines.replace(b"acceptee", b"autre"), "does not take"),
        ("listes.ndjson", lambda lines: lines + b"{}\n", "line 3: it is no row"),
        ("homonymes.ndjson", lambda lines: b" " * 60 + lines, ""),
        ("homonymes.ndjson", lambda lines: b"?" + lines, "homonymes.ndjson, line 1: not JSON"),
    ],
)
def test_an_odd_entry_begins_no_copy(
    listed: OriginalService, copied: Path, entry: str, change: Any, told: str
) -> None:
    whole = listed.service.ask("/fichiers/tout", {"authorization": f"Bearer {listed.key}"}).body
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as given, zipfile.ZipFile(made, "w") as changed:
        for name in given.namelist():
            if name != entry:
                changed.writestr(name, given.read(name))
            elif change is not None:
                changed.writestr(name, change(given.read(name)))
    odd = answer(200, made.getvalue())
    listed.behave = lambda target: odd if target == "/fichiers/tout" else None
    if not told:
        copy(listed, copied)
        return
    with pytest.raises(CopyFailed, match=told):
        copy(listed, copied)
    assert not list(copied.parent.iterdir())


def test_a_description_without_edition_leaves_movements_alone(
    listed: OriginalService, copied: Path
) -> None:
    """A proxy, or a service between two versions, may hand out a file without stays: that is no loop."""
    whole = listed.service.ask("/fichiers/tout", {"authorization": f"Bearer {listed.key}"}).body
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as given, zipfile.ZipFile(made, "w") as changed:
        for name in given.namelist():
            body = given.read(name)
            if name == "datapackage.json":
                package = json.loads(body)
                del package["edition"]
                body = json.dumps(package).encode()
            changed.writestr(name, body)
    odd = answer(200, made.getvalue())
    listed.behave = lambda target: odd if target == "/fichiers/tout" else None
    done = copy(listed, copied)
    assert (done.begun, done.stopped, done.stays) == ("a new copy", "", 0)
    assert rows(copied) == rows(listed.database)
    assert datetime.date.fromisoformat(rows(copied)[0][1])
