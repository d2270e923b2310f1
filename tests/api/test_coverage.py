"""/v1/couverture: the lists of each chamber, their holes, whom they are owed to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.dataset.served import DataVersion
from tests.contract import environment
from tests.contract.service import behind
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF

from .conftest import Asked, serving

COVERAGE = "/v1/couverture"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Asked]:
    """A service of three lists of the Sénat, the last of which is refused, on 15 September 2026."""
    folder, path = tmp_path / "lists", tmp_path / "movements.db"
    for day, content in (("01", STAFF), ("12", AFTER), ("13", b"")):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    with serving(path, tmp_path, late_days=3) as running:
        running.at(september(15))
        yield running


def september(day: int) -> datetime.datetime:
    return datetime.datetime(2026, 9, day, tzinfo=datetime.UTC)


def test_a_chamber_says_its_lists_holes_and_sources(served: Asked) -> None:
    answer = served.ask(COVERAGE)
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


def test_it_is_read_again_only_if_it_changed(served: Asked) -> None:
    seen = {"If-None-Match": served.ask(COVERAGE).header("ETag") or ""}
    again = served.ask(COVERAGE, **seen)
    assert (again.status, again.body, again.remaining) == (304, b"", 1000)
    served.at(september(16))
    late = served.ask(COVERAGE, **seen)
    assert (late.status, late.json()["couverture"]["senat"]["en_retard"]) == (200, True)


def test_it_is_of_the_version_in_its_head_where_the_file_is_replaced_during_the_charge(
    served: Asked, tmp_path: Path
) -> None:
    service = behind(served.service)
    live, other = service.served, tmp_path / "other.db"
    lists.write(tmp_path / "lists", "senat", "2026-09-14", AFTER)
    environment.command("build", other, "--lists", tmp_path / "lists", "--source", "suivi")
    before, after = live.version, DataVersion(other)

    def replacing() -> datetime.datetime:
        live.version = after
        return september(15)

    try:
        service.clock = replacing
        answer = served.ask(COVERAGE)
        assert answer.header("Mouvements-Version") == after.edition
        assert answer.json()["couverture"]["senat"]["derniere_liste"] == "2026-09-14"
    finally:
        live.version = before
        after.close()
