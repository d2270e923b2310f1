"""What a service does with a file of another schema, of invented people, or behind a link, in the place of its own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from tests.contract import environment
from tests.contract.service import InProcess, Start, adopt

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
    assert answer.json()["fichier_refuse"] is True
    environment.done("build", database, "--lists", LISTS)
    adopt(service)
    state = service.ask(STATE)
    assert (state.status, state.json()["fichier_refuse"]) == (200, False)


def test_a_count_from_before_the_start_is_not_that_of_the_file(
    database: Path, tmp_path: Path
) -> None:
    """As `datasette publish` counts the rows of the file that it sends, another may lie there since."""
    datasette = environment.datasette(database, tmp_path / "i.sqlite3")
    datasette.inspect_data = {"movements": {"tables": {"mouvements": {"count": 7654321}}}}
    with closing(InProcess(datasette, tmp_path / "i.sqlite3")) as service:
        key = {"X-API-Key": environment.issue("lectrice", service.internal)}
        tables = service.ask("/movements.json", key).json()["tables"]
    counts = {table["name"]: table["count"] for table in tables}
    assert 0 < counts["mouvements"] < 7654321


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


def test_a_link_is_followed_where_it_leads_to_another_file(
    in_process: Start, database: Path, tmp_path: Path
) -> None:
    link, turned = tmp_path / "movements.db", tmp_path / "turned.db"
    link.symlink_to(database)
    service = in_process(database=link)
    other = tmp_path / "other.db"
    environment.done("build", other, "--lists", LISTS)
    turned.symlink_to(other)
    turned.replace(link)
    adopt(service)
    version = service.ask(STATE).json()["version"]
    assert version == publication(other)["version"] != publication(database)["version"]
