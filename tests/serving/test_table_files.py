"""The CSVs of tables at the door: open as their pages are, in the same queue, for nothing."""

from __future__ import annotations

import csv
import io
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset.connections import connect_read_only
from parlement_lists.tenure import Tenure
from tests.contract import environment
from tests.contract.service import InProcess, Start
from tests.pages import years
from tests.tracking.lists import member

SEARCH = "/fichiers/tout"
MEMBERS, OFFICES = "/elus/assemblee.csv", "/classements/assemblee.csv"
GROUP = "/groupes/senat/GRA.csv"
GROUPS = "/groupes/senat.csv"
TEAM = f"/elus/senat/{member('senat', years.TEAM)}.csv"
TABLES = (MEMBERS, OFFICES, GROUP, GROUPS, TEAM)


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


@pytest.mark.parametrize("address", TABLES)
def test_everyone_has_it_for_nothing_and_may_ask_whether_it_changed(
    service: InProcess, address: str
) -> None:
    key = {"X-API-Key": environment.issue("lectrice", service.internal)}
    for headers in ({}, key, {"X-API-Key": "mvt_" + "a" * 36}):
        answer = service.ask(address, headers)
        assert answer.status == 200
        assert answer.header("X-RateLimit-Remaining") is None
        assert answer.header("Cache-Control") == "public, max-age=300"
        assert answer.header("X-Robots-Tag") == "noindex"
        assert len(list(csv.reader(io.StringIO(answer.body.decode())))) > 1
        again = service.ask(address, headers | {"If-None-Match": answer.header("ETag") or ""})
        assert (again.status, again.body) == (304, b"")
    assert service.ask(SEARCH, key).remaining == 999


def test_the_files_of_other_tables_are_others(service: InProcess) -> None:
    tags = {
        service.ask(f"{table}/{chamber}.csv").header("ETag")
        for table in ("/elus", "/classements", "/groupes")
        for chamber in ("assemblee", "senat")
    }
    assert len(tags) == 6
    assert None not in tags


def test_the_file_of_a_team_has_the_stays_of_its_page(service: InProcess, listed: Path) -> None:
    answer = service.ask(TEAM)
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    with closing(connect_read_only(listed)) as db:
        stays = db.execute(
            "select id from collaborations where chambre = 'senat' and elu_id = ?",
            [member("senat", years.TEAM)],
        )
        assert sorted(row["id"] for row in rows) == sorted(id for (id,) in stays)
    assert tuple(rows[0]) == Tenure._fields
    page = service.ask(TEAM.removesuffix(".csv")).body.decode()
    assert f'href="{TEAM}"' in page
    assert service.ask("/elus/senat/00000Z.csv").status == 404


def test_the_file_of_a_team_has_no_name_that_is_withheld(service: InProcess, listed: Path) -> None:
    with closing(connect_read_only(listed)) as db:
        teams = db.execute(
            "select distinct chambre, elu_id from collaborations where collab_nom is null"
        ).fetchall()
    assert teams
    for chamber, identifier in teams:
        answer = service.ask(f"/elus/{chamber}/{identifier}.csv")
        assert answer.header("X-Robots-Tag") == "noindex"
        text = answer.body.decode()
        withheld = [row for row in csv.DictReader(io.StringIO(text)) if not row["collab_nom"]]
        assert withheld
        given = {row[name] for row in withheld for name in ("collab_prenom", "collab_civilite")}
        assert given == {""}
        assert years.IDA.split()[-1] not in text


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
    pages = ("/", "/semaine", "/elus", "/groupes", "/classements", *TABLES)
    for address in (*pages, "/movements/mouvements"):
        assert service.ask(address, browser).status == 403, address
    assert service.ask("/movements/collaborations", browser).status == page_of_stays
    words = " ".join(
        (environment.ROOT / "docs" / "reference" / "settings.md").read_text("utf-8").split()
    )
    assert "(`databases: movements: allow:`)" in words
    assert "Datasette's page of `collaborations` stays open" in words
