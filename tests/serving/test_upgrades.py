"""A served file of an older schema: the next version of the package serves it before any run has written it anew."""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from datasette_mouvements.dataset.served import live
from datasette_mouvements.dataset.served.leases import Signature
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.renewal import renew
from tests.contract import environment
from tests.contract.service import InProcess, OverHttp

# Files as each schema's own version made them of the invented lists.
FORMER = environment.ROOT / "tests" / "sample" / "former"
LISTS = environment.ROOT / "tests" / "sample" / "listes"
SERVED = ("4", "5", "6")
TOO_OLD = ("1", "2", "3")
STATE = "/-/mouvements/etat"
ADDRESSES = (
    *("/", "/sources", "/documentation", "/movements/mouvements", "/fichiers/tout", "/flux"),
    *("/v1/mouvements", "/v1/collaborations", "/v1/changements", "/v1/elus", "/v1/couverture"),
)


def former(folder: Path, schema: str) -> Path:
    """The file of a schema, which nobody may change, in a folder to which nobody may add."""
    database = folder / "image" / "movements.db"
    database.parent.mkdir()
    database.write_bytes(lzma.decompress((FORMER / f"schema-{schema}.db.xz").read_bytes()))
    assert publication(database)["schema"] == schema
    database.chmod(0o444)
    database.parent.chmod(0o555)
    return database


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Path], InProcess]]:
    running: list[InProcess] = []

    def start(database: Path) -> InProcess:
        folder = tmp_path / str(len(running))
        folder.mkdir()
        internal = folder / "internal.sqlite3"
        running.append(InProcess(environment.datasette(database, internal), internal))
        return running[-1]

    yield start
    for one in running:
        one.close()


def cursors(service: InProcess) -> list[str]:
    """The places at the end of both feeds, and what each began with."""
    key = {"X-API-Key": environment.issue("lectrice", service.internal)}
    targets = ("/v1/changements", "/v1/collaborations/changements")
    answers: list[Any] = [service.ask(target, key) for target in targets]
    assert [answer.status for answer in answers] == [200, 200]
    return [answer.json()["curseur"] for answer in answers]


@pytest.mark.parametrize("schema", SERVED)
def test_every_address_of_a_file_of_a_schema_before_is_served(
    tmp_path: Path, serve: Callable[[Path], InProcess], schema: str
) -> None:
    database = former(tmp_path, schema)
    before = database.read_bytes()
    service = serve(database)
    key = {"X-API-Key": environment.issue("lecteur", service.internal)}
    assert {target: service.ask(target, key).status for target in ADDRESSES} == dict.fromkeys(
        ADDRESSES, 200
    )
    state = service.ask(STATE).json()
    assert (state["etat"], state["dernier_refus"]) == ("disponible", None)
    assert state["construite_le"] == publication(database)["construite_le"]
    assert state["mouvements"] == int(publication(database)["mouvements"])
    found = service.ask("/v1/mouvements?limit=500", key).json()["mouvements"]
    assert [movement["id"] for movement in found] == [
        movement.id for movement in reversed(list(Published(database).movements()))
    ]
    # Nothing of what is served is beside the file, and nobody else may read it.
    assert (database.read_bytes(), os.listdir(database.parent)) == (before, ["movements.db"])
    (copy,) = (service.internal.parent / "served").glob("movements-*")
    assert copy.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("schema", SERVED)
def test_a_service_s_copy_is_sound_and_the_feed_goes_on(tmp_path: Path, schema: str) -> None:
    database = former(tmp_path, schema)
    copy = tmp_path / "copy.db"
    shutil.copyfile(database, copy)
    renew(copy)
    assert inspect(copy) == []
    was, now = publication(database), publication(copy)
    assert (now["schema"], now["lignee"]) == (str(SCHEMA_VERSION), was["lignee"])
    again = copy.stat().st_ino
    renew(copy)
    assert copy.stat().st_ino == again


@pytest.mark.parametrize("schema", SERVED)
def test_every_service_of_the_file_has_the_same_places_in_the_feeds(
    tmp_path: Path, serve: Callable[[Path], InProcess], schema: str
) -> None:
    database = former(tmp_path, schema)
    one, other = serve(database), serve(database)
    assert cursors(one) == cursors(other)


@pytest.mark.parametrize("schema", SERVED)
def test_a_large_file_is_not_served_as_it_is(
    tmp_path: Path,
    serve: Callable[[Path], InProcess],
    schema: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live.Live, "copied_at_once", 0)
    assert serve(former(tmp_path, schema)).ask("/").status == 200


def test_the_copy_that_the_version_before_left_is_not_taken_for_ours(tmp_path: Path) -> None:
    # Its name, of the same file, is another one: else it would be found, refused, and nothing served.
    database = former(tmp_path, "6")
    folder = tmp_path / "served"
    folder.mkdir()
    told = repr(tuple(Signature.of(database))).encode()  # what was hashed then
    name = hashlib.sha256(told).hexdigest()[:16]
    theirs = folder / f"{live.Live(database, folder).copies.prefix}{name}.snapshot"
    shutil.copyfile(database, theirs)
    internal = tmp_path / "internal.sqlite3"
    service = InProcess(environment.datasette(database, internal), internal)
    try:
        assert service.ask(STATE).status == 200
        assert not theirs.exists()
    finally:
        service.close()


@pytest.mark.process
def test_workers_that_start_together_write_one_copy(tmp_path: Path) -> None:
    database, internal = former(tmp_path, "5"), tmp_path / "internal.sqlite3"
    command = environment.serve_command(database, internal, "--workers", "3")
    service = OverHttp("upgraded", command, internal, environment.ROOT)
    try:
        for _ in range(20):
            assert service.ask("/").status == 200
        assert service.log().count("of schema 5: served in this version's") == 1
        assert len(list((tmp_path / "served").glob("movements-*.snapshot"))) == 1
    finally:
        service.close()


@pytest.mark.parametrize("schema", TOO_OLD)
def test_what_is_said_of_an_older_file_helps(
    tmp_path: Path, serve: Callable[[Path], InProcess], schema: str
) -> None:
    database = former(tmp_path, schema)
    service = serve(database)
    answer = service.ask(STATE)
    assert answer.status == 503
    why = answer.json()["dernier_refus"]["motif"]
    assert why == (
        f"made by an older version of this package (schema {schema}, this one reads {SCHEMA_VERSION}):"
        " move it and its tracking state away, and build it again from every one of its lists"
    )
    # It is done as it says.
    database.parent.chmod(0o755)
    database.rename(tmp_path / "away.db")
    environment.done("build", database, "--lists", LISTS)
    assert inspect(database) == []
    assert serve(database).ask("/").status == 200
