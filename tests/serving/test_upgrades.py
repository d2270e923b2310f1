"""What a service does with a file of another schema, or of invented people, in the place of its own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from tests.contract import environment
from tests.contract.service import Start, adopt

LISTS = environment.ROOT / "tests" / "sample" / "listes"
STATE = "/-/mouvements/etat"


def test_what_is_said_of_a_file_of_an_older_schema_helps(in_process: Start, tmp_path: Path) -> None:
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", LISTS)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("update _publication set valeur = '7' where cle = 'schema'")
    service = in_process(database=database)
    answer = service.ask(STATE)
    assert (answer.status, answer.header("Retry-After")) == (503, "5")
    assert answer.json()["dernier_refus"]["motif"] == (
        f"schema version 7, {SCHEMA_VERSION} is needed: build it again from every one of its lists, with the"
        " same --corrections"
    )
    environment.done("build", database, "--lists", LISTS)
    adopt(service)
    assert service.ask(STATE).status == 200


def test_invented_people_do_not_come_while_a_public_service_runs(
    in_process: Start, tmp_path: Path
) -> None:
    database, invented = tmp_path / "movements.db", tmp_path / "invented.db"
    environment.done("build", database, "--lists", LISTS)
    version = publication(database)["version"]
    public = {"public_url": "https://mouvements.exemple.fr", "contact": "contact@exemple.fr"}
    service = in_process(public, database)
    environment.done("build", invented, "--lists", LISTS, "--invented")
    invented.replace(database)
    adopt(service)
    state = service.ask(STATE)
    assert (state.status, state.json()["version"]) == (200, version)
    assert "invented" in state.json()["dernier_refus"]["motif"]
