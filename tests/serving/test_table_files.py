"""The CSVs of tables at the door: as the other files, for a key, and made for nobody else."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from datasette_mouvements.pages.offices import chambers, groups, office_table
from tests.contract import environment
from tests.contract.service import InProcess
from tests.pages import years

Start = Callable[..., InProcess]
SEARCH = "/fichiers/recherche"
MEMBERS, OFFICES = "/elus/assemblee.csv", "/classements/assemblee.csv"
GROUP = "/groupes/assemblee/GRA.csv"
GROUPS = "/groupes/senat.csv"
ROTATION = "/chiffres/senat.csv"
TABLES = (MEMBERS, OFFICES, GROUP, GROUPS, ROTATION)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return years.build(tmp_path_factory.mktemp("listed"))


@pytest.fixture
def service(in_process: Start, listed: Path) -> InProcess:
    return in_process(database=listed)


@pytest.mark.parametrize("address", TABLES)
def test_a_browser_may_ask_for_it_from_any_origin(service: InProcess, address: str) -> None:
    asked, known = service.ask(address, method="OPTIONS"), service.ask(SEARCH, method="OPTIONS")
    assert asked.status == known.status == 204
    name = "Access-Control-Allow-Headers"
    assert asked.header(name) == known.header(name)


@pytest.mark.parametrize("address", [MEMBERS, OFFICES, GROUPS, ROTATION])
def test_who_has_it_may_ask_whether_it_changed_for_nothing(
    service: InProcess, address: str
) -> None:
    key = {"X-API-Key": environment.issue("lectrice", service.internal)}
    answer = service.ask(address, key)
    assert (answer.status, answer.remaining) == (200, 999)
    assert answer.header("Cache-Control") == "private, no-cache"
    assert len(list(csv.reader(io.StringIO(answer.body.decode())))) > 1
    again = service.ask(address, key | {"If-None-Match": answer.header("ETag") or ""})
    assert (again.status, again.body, again.remaining) == (304, b"", 999)


def test_the_files_of_other_tables_are_others(service: InProcess) -> None:
    key = {"X-API-Key": environment.issue("lectrice", service.internal)}
    tags = {
        service.ask(f"{table}/{chamber}.csv", key).header("ETag")
        for table in ("/elus", "/classements", "/groupes", "/chiffres")
        for chamber in ("assemblee", "senat")
    }
    assert len(tags) == 8
    assert None not in tags


@pytest.mark.parametrize("address", [MEMBERS, OFFICES, GROUPS])
def test_no_row_is_made_for_who_has_no_key(
    service: InProcess, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    made = []
    for module in (chambers, groups, office_table):
        row = module.csv_row
        monkeypatch.setattr(module, "csv_row", lambda *of, row=row: [made.append(1), row(*of)][1])
    for headers in ({}, {"X-API-Key": "mvt_" + "a" * 36}):
        answer = service.ask(address, headers)
        assert answer.status == 401
        assert answer.header("Cache-Control") == "private, no-store"
    assert made == []
    key = {"X-API-Key": environment.issue("lectrice", service.internal)}
    assert service.ask(address, key).status == 200
    assert made


def test_only_a_figure_may_stand_in_the_pages_of_other_sites(service: InProcess) -> None:
    figure = service.ask("/figures/chambres/assemblee")
    assert "frame-ancestors *" in (figure.header("Content-Security-Policy") or "")
    assert figure.header("X-Frame-Options") is None
    assert figure.header("X-Content-Type-Options") == "nosniff"
    for address in ("/", "/elus/assemblee", "/figures/groupes/assemblee/NUL", TABLES[0]):
        assert service.ask(address).header("X-Frame-Options") == "SAMEORIGIN", address


@pytest.mark.parametrize(
    ("closing", "page_of_stays"),
    [
        ({"allow": {"id": "compte"}}, 403),
        ({"tables": {"mouvements": {"allow": {"id": "compte"}}}}, 200),
    ],
)
def test_only_a_database_that_is_closed_as_a_whole_is_closed(
    service: InProcess, closing: dict[str, object], page_of_stays: int
) -> None:
    """As docs/reference/settings.md says."""
    service.datasette.config["databases"] = {"movements": closing}
    browser = {"Accept": "text/html"}
    pages = ("/", "/semaine", "/collaborateurs", "/elus", "/groupes", "/classements", *TABLES)
    for address in (*pages, "/figures/chambres/assemblee", "/movements/mouvements"):
        assert service.ask(address, browser).status == 403, address
    assert service.ask("/movements/collaborations", browser).status == page_of_stays
    words = " ".join(
        (environment.ROOT / "docs" / "reference" / "settings.md").read_text("utf-8").split()
    )
    assert "(`databases: movements: allow:`)" in words
    assert "Datasette's page of `collaborations` stays open" in words
