"""/v1/couverture: the lists of each chamber, their holes, whom they are owed to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.dataset.served.snapshot import Snapshot
from tests.contract import environment
from tests.contract.service import InProcess
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF

COVERAGE = "/v1/couverture"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[InProcess]:
    """A service of three lists of the Sénat, the last of which is refused, on 15 September 2026."""
    folder, path = tmp_path / "lists", tmp_path / "movements.db"
    for day, content in (("01", STAFF), ("12", AFTER), ("13", b"")):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    internal = tmp_path / "i.sqlite3"
    service = InProcess(environment.datasette(path, internal, {"late_days": 3}), internal)
    at(service, 15)
    yield service
    service.close()


def at(service: InProcess, day: int) -> None:
    routes = routes_of(service.datasette)
    assert routes is not None
    routes.service.clock = lambda: datetime.datetime(2026, 9, day, tzinfo=datetime.UTC)


def test_a_chamber_says_its_lists_holes_and_sources(served: InProcess) -> None:
    key = {"X-API-Key": environment.issue("qui", served.internal)}
    answer = served.ask(COVERAGE, key)
    assert (answer.status, answer.remaining) == (200, 1000)
    none = {"listes": 0, "trous": [], "sources": [], "en_retard": False}
    assert answer.json()["couverture"] == {
        "assemblee": none,
        "senat": {
            "premiere_liste": "2026-09-01",
            "derniere_liste": "2026-09-12",
            "listes": 2,
            "trous": [{"apres": "2026-09-01", "avant": "2026-09-12", "jours": 11}],
            "sources": [
                {
                    "nom": "Sénat",
                    "credit": "Sénat (https://data.senat.fr/)",
                    "licence": "Licence Ouverte 2.0",
                    "jusqua": "2026-09-12",
                }
            ],
            "en_retard": False,
        },
        "europarl": none,
    }
    assert answer.json()["licence"]


def test_it_is_read_again_only_if_it_changed(served: InProcess) -> None:
    key = {"X-API-Key": environment.issue("encore", served.internal)}
    tag = served.ask(COVERAGE, key).header("ETag") or ""
    again = served.ask(COVERAGE, key | {"If-None-Match": tag})
    assert (again.status, again.body, again.remaining) == (304, b"", 1000)
    at(served, 16)
    late = served.ask(COVERAGE, key | {"If-None-Match": tag})
    assert (late.status, late.json()["couverture"]["senat"]["en_retard"]) == (200, True)


def test_it_is_of_the_version_in_its_head_where_the_file_is_replaced_during_the_charge(
    served: InProcess, tmp_path: Path
) -> None:
    key = {"X-API-Key": environment.issue("pendant", served.internal)}
    routes = routes_of(served.datasette)
    assert routes is not None
    live, other = routes.service.live, tmp_path / "other.db"
    lists.write(tmp_path / "lists", "senat", "2026-09-14", AFTER)
    environment.command("build", other, "--lists", tmp_path / "lists", "--source", "suivi")
    before, after = live.snapshot, Snapshot(other)
    assert before is not None

    def replacing() -> datetime.datetime:
        live.snapshot = after
        return datetime.datetime(2026, 9, 15, tzinfo=datetime.UTC)

    try:
        routes.service.clock = replacing
        raced = served.ask(COVERAGE, key)
        assert live.snapshot is after
        assert (raced.status, raced.header("Mouvements-Version")) == (200, before.edition)
        assert raced.json()["couverture"]["senat"]["derniere_liste"] == "2026-09-12"
        settled = served.ask(COVERAGE, key)
        assert settled.header("Mouvements-Version") == after.edition != before.edition
        assert settled.json()["couverture"]["senat"]["derniere_liste"] == "2026-09-14"
    finally:
        live.snapshot = before
        after.close()


def test_it_needs_a_key(served: InProcess) -> None:
    assert served.ask(COVERAGE).status == 401


def test_without_data_it_is_503(tmp_path: Path) -> None:
    internal = tmp_path / "i.sqlite3"
    service = InProcess(environment.datasette(tmp_path / "movements.db", internal), internal)
    try:
        key = {"X-API-Key": environment.issue("qui", internal)}
        assert service.ask(COVERAGE, key).status == 503
    finally:
        service.close()
