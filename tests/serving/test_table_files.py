"""The figures of teams and groups are files for everyone, within the bounds of a page; no other table is."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset.connections import connect_read_only
from datasette_mouvements.refusal import KINDS
from tests.contract import environment
from tests.contract.service import InProcess, Start
from tests.pages import years

TEAMS, GROUPS = "/movements/equipes.csv", "/movements/groupes.csv"
OPEN = (TEAMS, GROUPS, "/movements/equipes.json", "/movements/groupes.json")
CLOSED = (
    *("/movements/elus.csv", "/movements/collaborations.csv", "/movements/listes.json"),
    *("/movements/_groupes.csv", "/movements/equipes.atom"),
    *("/movements/equipes/senat,99001Z.json", "/movements/equip%65s.csv"),
    *(f"{TEAMS}?_where=1", f"{TEAMS}?%5Fwhere=1", "/movements/equipes.json?sql=select+1"),
)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return years.build(tmp_path_factory.mktemp("listed"))


@pytest.fixture(scope="module")
def service(listed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    internal = tmp_path_factory.mktemp("keys") / "internal.sqlite3"
    datasette = environment.datasette(listed, internal)
    datasette.cors = True  # as `datasette publish` serves it
    running = InProcess(datasette, internal)
    yield running
    running.close()


@pytest.mark.parametrize("address", OPEN)
def test_everyone_has_it_for_nothing_and_from_any_origin(
    service: InProcess, account: str, address: str
) -> None:
    key = {"X-API-Key": environment.issue(account, service.internal, "--quota", 1)}
    for headers in ({}, key, {"X-API-Key": "mvt_" + "a" * 36}):
        answer = service.ask(address, headers)
        assert answer.status == 200
        assert answer.header("X-RateLimit-Remaining") is None
        assert answer.header("Access-Control-Allow-Origin") == "*"
        assert answer.header("X-Robots-Tag") == "noindex"
        kind = "text/csv" if address.endswith("csv") else "application/json"
        assert (answer.header("Content-Type") or "").startswith(kind)
    assert service.ask(address, method="OPTIONS").status == 204


def test_it_has_every_row_and_names_no_staff(service: InProcess, listed: Path) -> None:
    with closing(connect_read_only(listed)) as db:
        names = {name for (name,) in db.execute("select collab_nom from collaborations")}
        for address, table in ((TEAMS, "equipes"), (GROUPS, "groupes")):
            text = service.ask(f"{address}?_stream=1&chambre=senat").body.decode()
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            sql = f"select count(*) from {table} where chambre = 'senat'"
            assert db.execute(sql).fetchone() == (len(rows),)
            assert not {value for row in rows for value in row.values()} & (names - {None})


@pytest.mark.parametrize("address", CLOSED)
def test_no_other_address_is_opened_by_it(service: InProcess, address: str) -> None:
    assert service.ask(address).status in (401, 404)


def test_it_is_bounded_as_a_page_is_and_a_key_pays_for_more(
    service: InProcess, account: str
) -> None:
    target = "/movements/equipes.json"
    unread, beyond = (service.ask(f"{target}?{one}") for one in ("_through={}", "_size=101"))
    assert (unread.status, beyond.status) == (400, 400)
    assert unread.json()["type"].endswith(KINDS["parameter"].anchor)
    assert beyond.json()["type"].endswith(KINDS["bounds"].anchor)
    key = {"X-API-Key": environment.issue(account, service.internal, "--quota", 1)}
    paid = service.ask(f"{target}?_size=101", key)
    assert (paid.status, paid.remaining) == (200, 0)


@pytest.mark.parametrize(
    ("closed", "page_of_stays"),
    [
        ({"allow": {"id": "compte"}}, 403),
        ({"tables": {"mouvements": {"allow": {"id": "compte"}}}}, 200),
    ],
)
def test_only_a_database_that_is_closed_as_a_whole_is_closed(
    in_process: Start, listed: Path, closed: dict[str, object], page_of_stays: int
) -> None:
    """As docs/reference/settings.md says."""
    service = in_process(database=listed)
    service.datasette.config["databases"] = {"movements": closed}
    browser = {"Accept": "text/html"}
    assert service.ask("/movements/mouvements", browser).status == 403
    for address in ("/movements/collaborations", TEAMS):
        assert service.ask(address, browser).status == page_of_stays
