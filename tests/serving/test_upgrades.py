"""A served file of an older schema: the next version of the package serves it before any run has written it anew."""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from datasette_mouvements.dataset.served import live
from datasette_mouvements.dataset.served.leases import Signature
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.renewal import renew
from tests.contract import environment
from tests.contract.service import InProcess, OverHttp
from tests.tracking.disk import leave, small_disk

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
    renew(database, copy)
    assert inspect(copy) == []
    was, now = publication(database), publication(copy)
    assert (now["schema"], now["lignee"]) == (str(SCHEMA_VERSION), was["lignee"])


SPOILED = {
    "no day": "delete from _publication where cle = 'construite_le'",
    "no date": "update _publication set valeur = 'hier' where cle = 'construite_le'",
    "a type that there is not": "update mouvements set type = 'x'",
    "a day that is none": "update mouvements set date_event = x'ff'",
    "a table with other columns": "alter table collaborations rename column debut to d",
}


@pytest.mark.parametrize("spoiled", SPOILED)
@pytest.mark.asyncio
async def test_a_file_that_cannot_be_written_anew_is_refused_and_looked_at_for_ever(
    tmp_path: Path, spoiled: str
) -> None:
    database = tmp_path / "movements.db"
    good = former(tmp_path, "6")
    shutil.copyfile(good, database)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("pragma ignore_check_constraints = on")
        db.execute(SPOILED[spoiled])
    serving = live.Live(database, tmp_path / "served", renew=renew)
    await serving.start()
    assert serving.snapshot is None
    assert serving.refused
    assert os.listdir(tmp_path / "served") == []
    shutil.copyfile(good, database)
    for _ in range(2):
        await serving.look()
    assert serving.snapshot is not None
    serving.close()


@pytest.mark.asyncio
async def test_a_copy_for_which_there_is_no_room_is_not_begun(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "small", "8m") as small:
        leave(small, 100_000)
        serving = live.Live(former(tmp_path, "6"), small / "served", renew=renew)
        await serving.start()
        assert re.search(r"[\d,]+ are free", str(serving.refused))
        assert os.listdir(small / "served") == []
        serving.close()


def test_the_umask_of_the_process_stays_while_a_copy_is_written(tmp_path: Path) -> None:
    database, seen, over = former(tmp_path, "6"), set(), threading.Event()

    def watch() -> None:
        while not over.is_set():
            status = Path("/proc/self/status").read_text()
            seen.add(next(line for line in status.splitlines() if line.startswith("Umask")))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        renew(database, tmp_path / "copy.db")
    finally:
        over.set()
        watching.join()
    assert len(seen) == 1
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_invented_people_do_not_come_while_a_public_service_runs(
    tmp_path: Path, serve: Callable[[Path], InProcess]
) -> None:
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", LISTS)
    version = publication(database)["version"]
    internal = tmp_path / "internal.sqlite3"
    public = {"public_url": "https://mouvements.exemple.fr", "contact": "contact@exemple.fr"}
    service = InProcess(environment.datasette(database, internal, public), internal)
    try:
        invented = tmp_path / "invented.db"
        environment.done("build", invented, "--lists", LISTS, "--invented")
        invented.replace(database)
        running = routes_of(service.datasette).service.live
        for _ in range(2):
            service.run(running.look())
        state = service.ask(STATE)
        assert (state.status, state.json()["version"]) == (200, version)
        assert "invented" in state.json()["dernier_refus"]["motif"]
    finally:
        service.close()


@pytest.mark.parametrize("schema", SERVED)
def test_every_service_of_the_file_has_the_same_places_in_the_feeds(
    tmp_path: Path, serve: Callable[[Path], InProcess], schema: str
) -> None:
    database = former(tmp_path, schema)
    one, other = serve(database), serve(database)
    assert cursors(one) == cursors(other)


@pytest.mark.parametrize("schema", SERVED)
@pytest.mark.asyncio
async def test_a_large_file_is_not_served_as_it_is(tmp_path: Path, schema: str) -> None:
    database = former(tmp_path, schema)
    serving = live.Live(database, tmp_path / "served", renew=renew)
    serving.copied_at_once = 0
    await serving.start()
    assert serving.snapshot is not None
    assert serving.snapshot.path != database
    serving.close()


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
