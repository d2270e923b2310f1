"""What a maintainer runs: moving keys to PostgreSQL, statistics."""

from __future__ import annotations

import json
import re
import sys
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest

from datasette_mouvements.access import open_store
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.keys import digest
from datasette_mouvements.access.quota_day import day
from datasette_mouvements.upkeep.usage import usage
from tests.access.postgres_server import PostgresServer
from tests.contract.environment import SAMPLE, command, datasette, done, issue
from tests.contract.service import InProcess

NOON = datetime(2026, 9, 14, 10, tzinfo=UTC)


def charge(store, key, times, now=NOON):
    store.charge([Demand(digest(key), 1)] * times, now, 1000)


@pytest.fixture
def internal(tmp_path):
    """Two accounts, one of them with a key that ended, what they used, and a sum of the year before."""
    path = tmp_path / "internal.sqlite3"
    first, second = issue("zoé", path), issue("anne", path, "--quota", 5)
    with closing(open_store("", path)) as store:
        charge(store, first, 4, NOON.replace(year=2025))
        store.forget_days("2026-01-01", 100)
        charge(store, first, 3, NOON.replace(day=12))
        charge(store, first, 2)
        charge(store, second, 5)
    done("keys", "rotate", "anne", "--internal", path, "--json")
    return path, first


@pytest.fixture(scope="module")
def postgres():
    server = PostgresServer()
    yield server
    server.close()


def test_moved_to_postgresql_keys_work_with_their_numbers_counts_and_quotas(internal, postgres):
    path, key = internal
    url = postgres.new_database()
    assert "3 keys and 3 counts copied" in done("keys", "copy", "--from", path, "--to", url).output
    with closing(open_store("", path)) as old, closing(open_store(url, path)) as new:
        new.prepare()
        assert new.list(NOON) == old.list(NOON)
        assert new.days("zoé", "2026-09-01") == {"2026-09-12": 3, "2026-09-14": 2}
        assert new.months() == {"2025-09": 4}
        (charged,) = new.charge([Demand(digest(key), 1)], NOON, 1000)
        assert (charged.granted, charged.used) == (True, 3)
    done("keys", "create", "newcomer", "--store", url)


def test_a_store_that_holds_keys_is_left_as_it_is(internal, postgres):
    path, _ = internal
    url = postgres.new_database()
    done("keys", "create", "first", "--store", url)
    refused = command("keys", "copy", "--from", path, "--to", url)
    assert refused.exit_code == 1
    assert "holds keys already" in refused.output
    with closing(open_store(url, path)) as store:
        assert [record.account for record in store.list(NOON)] == ["first"]


def test_a_copy_that_postgresql_refuses_halfway_is_told_and_leaves_nothing(internal, postgres):
    path, _ = internal
    url = postgres.new_database()
    with closing(open_store(url, path)) as store, psycopg.connect(url, autocommit=True) as owner:
        store.prepare()
        owner.execute("create role copier login")
        owner.execute("grant create on schema public to copier")
        owner.execute("grant select on mouvements_migrations to copier")
        owner.execute("grant all on mouvements_keys to copier")
        refused = command(
            "keys", "copy", "--from", path, "--to", url.replace("postgres@", "copier@")
        )
        assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)
        assert "does not give this user the right" in refused.stderr
        assert store.list(NOON) == []


def test_a_store_that_cannot_be_reached_is_told_without_its_password(internal):
    path, _ = internal
    url = "postgresql://u:hidden@127.0.0.1:1/d"
    refused = command("keys", "copy", "--from", path, "--to", url)
    assert refused.exit_code == 1
    assert "cannot be written to" in refused.output
    assert "hidden" not in refused.output


def test_statistics_count_keys_days_and_the_busiest(internal):
    path, _ = internal
    with closing(open_store("", path)) as store:
        store.add_refusals({("2026-09-14", "cle-invalide"): 2, ("2026-09-11", "other"): 9}, "")
        assert usage(store, NOON, days=3, busiest=1) == {
            "keys": {"live": 2, "ended": 1, "never_used": 1},
            "days": {"2026-09-12": 3, "2026-09-13": 0, "2026-09-14": 7},
            "months": {"2025-09": 4},
            "errors": {"2026-09-12": {}, "2026-09-13": {}, "2026-09-14": {"cle-invalide": 2}},
            # As busy as zoé, and first by name.
            "busiest": [{"account": "anne", "charges": 5}],
        }


def test_a_charge_of_the_day_before_in_utc_is_of_today_in_paris(tmp_path):
    path = tmp_path / "internal.sqlite3"
    key = issue("zoé", path)
    with closing(open_store("", path)) as store:
        charge(store, key, 3, NOON.replace(day=13, hour=22))
        found = usage(store, NOON, days=1, busiest=1)
    assert found["days"] == {"2026-09-14": 3}


def test_statistics_are_printed_for_people_and_for_programs(internal, tmp_path):
    path, _ = internal
    printed = done("stats", "--internal", path).output
    assert "Keys: 2 live, 1 ended" in printed
    assert re.search(r"^Before, by month:\n2025-09 +4$", printed, re.M)
    assert set(json.loads(done("stats", "--internal", path, "--json").output)) == {
        "keys",
        "days",
        "months",
        "errors",
        "busiest",
    }
    assert command("stats", "--internal", tmp_path / "none").exit_code == 1


def test_statistics_are_of_the_store_that_the_command_line_names(internal, postgres, monkeypatch):
    path, _ = internal
    url = postgres.new_database()
    done("keys", "create", "elsewhere", "--store", url)

    def live(*options):
        return json.loads(done("stats", "--json", *options).stdout)["keys"]["live"]

    monkeypatch.setenv("MOUVEMENTS_STORE", url)
    assert (live(), live("--store", url), live("--internal", path)) == (1, 1, 2)
    monkeypatch.setenv("MOUVEMENTS_STORE", "postgresql://127.0.0.1:1/unused")
    assert (live("--store", url), live("--internal", path)) == (1, 2)
    both = command("stats", "--internal", path, "--store", url)
    assert (both.exit_code, both.stdout) == (2, "")
    assert "--internal or --store, not both" in both.stderr


def test_errors_are_printed_by_day_and_by_kind(internal):
    path, _ = internal
    with closing(open_store("", path)) as store:
        today = day(datetime.now(UTC))
        store.add_refusals({(today, "quota-atteint"): 3, (today, "cle-invalide"): 12}, "")
    printed = done("stats", "--internal", path, "--days", 1).output
    assert re.search(rf"^{today} +0 +15\n", printed, re.M)
    assert "\n       12  401 cle-invalide\n        3  429 quota-atteint\n" in printed


def test_a_service_that_ends_has_written_what_it_refused(internal, tmp_path):
    path, _ = internal
    database = tmp_path / "movements.db"
    done("build", database, "--movements", SAMPLE)
    service = InProcess(datasette(database, path), path)
    refused = [service.ask("/v1/mouvements").status for _ in range(3)]
    refused.append(service.ask("/v1/unknown").status)
    refused.append(service.ask("/movements.json").status)  # an export, which the gate refuses
    service.close()
    assert refused == [401, 401, 401, 404, 401]
    told = json.loads(done("stats", "--internal", path, "--days", 1, "--json").output)
    assert list(told["errors"].values()) == [{"adresse-inconnue": 1, "cle-absente": 4}]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("{}", []),
        ("{public_url: 'https://e.org'}", ["public_url"]),
        ("{contact: {$env: OF_TEST}, store: {$file: nowhere}}", ["contact"]),
        ("{contact: ' ', public_url: {$env: OF_NOBODY}}", []),
    ],
)
def test_which_of_address_and_contact_are_given_is_told_without_values(
    monkeypatch, tmp_path, settings, told
):
    monkeypatch.setenv("OF_TEST", "contact@example.org")
    monkeypatch.delenv("OF_NOBODY", raising=False)
    (metadata := tmp_path / "metadata.yml").write_text(
        f"plugins: {{datasette-mouvements: {settings}}}"
    )
    assert done("contact", "--metadata", metadata).output.split() == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "Metadata is not valid JSON or YAML"),
        ("plugins: {datasette-mouvements: [x]}", "must be a mapping of settings"),
        ("plugins: {datasette-mouvements: {contact: {$file: nowhere}}}", "No such file"),
        ("plugins: {datasette-mouvements: {contact: 7}}", "contact must be a text"),
    ],
)
def test_metadata_that_cannot_be_read_is_refused_in_a_line(tmp_path, text, told):
    (metadata := tmp_path / "metadata.yml").write_text(text)
    refused = command("contact", "--metadata", metadata)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)
    assert told in refused.stderr


def test_keys_are_not_copied_without_what_speaks_to_postgresql(internal, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for module in ("postgres", "postgres_connection"):
        monkeypatch.delitem(
            sys.modules, f"datasette_mouvements.access.stores.{module}", raising=False
        )
    refused = command("keys", "copy", "--from", internal[0], "--to", "postgresql:///d")
    assert refused.exit_code == 1
    assert "needs psycopg: pip install" in refused.stderr


def test_keys_of_a_file_that_cannot_be_read_are_not_copied(tmp_path):
    (path := tmp_path / "internal.sqlite3").write_bytes(b"not a database" * 99)
    refused = command("keys", "copy", "--from", path, "--to", "postgresql://127.0.0.1:1/unused")
    assert refused.exit_code == 1
    assert f"{path}: " in refused.stderr
    assert "not a database" in refused.stderr
