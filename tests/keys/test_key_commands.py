"""`datasette mouvements keys`: what it prints, what it refuses, and with which exit status."""

from __future__ import annotations

import datetime
import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.cli import mouvements
from datasette_mouvements.keys import keys
from datasette_mouvements.keys.quota_day import quota_day
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import KeyRecord

from .conftest import NOON
from .postgres_server import PostgresServer

NOW = datetime.datetime.now(datetime.UTC)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOUVEMENTS_STORE", raising=False)
    return tmp_path


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(mouvements, ["keys", *arguments], env=environment)


def issued(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    key = result.stdout.strip()
    assert keys.parse(key.encode()) is not None
    return key


def opens(key: str) -> bool:
    with closing(SqliteStore("var/internal.sqlite3")) as store:
        return store.charge([(keys.digest(key), 1)], NOON, 1000)[0] is not None


@pytest.mark.rule("decisions-key-stored")
def test_create_makes_the_store_and_prints_the_key_alone() -> None:
    result = run("create", "ada")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    assert "once" in result.stderr
    place = str(Path("var/internal.sqlite3").absolute())
    assert f"Kept in {place}, a new file: only a service over it knows the key." in result.stderr
    key = result.stdout.strip()
    assert opens(key)
    kept = b"".join(path.read_bytes() for path in Path("var").iterdir())
    assert (keys.digest(key) in kept, key.encode() in kept) == (True, False)
    again = json.loads(run("create", "ben", "--json").stdout)
    assert (again["store"], again["new"]) == (place, False)


def test_keys_are_not_put_among_the_movements(tmp_path: Path) -> None:
    movements = tmp_path / "movements.db"
    with closing(sqlite3.connect(movements)) as connection:
        connection.execute("create table mouvements (id text)")
    before = movements.read_bytes()
    for command in (["create", "ada"], ["list"]):
        result = run(*command, "--internal", str(movements))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "give keys another file" in result.stderr
    assert movements.read_bytes() == before


def test_json_tells_programs_the_key_once() -> None:
    made = json.loads(run("create", "ada", "--quota", "7", "--json").stdout)
    assert opens(made["key"])
    assert set(made) == {"key", "store", "new", *KeyRecord._fields}
    assert made["prefix"] == made["key"][:10]
    assert made["quota"] == 7
    assert made["created_at"].endswith("Z")
    assert made["account"] == "ada"
    rotated = json.loads(run("rotate", "ada", "--json").stdout)
    assert rotated["quota"] == 7
    shown = json.loads(run("show", "ada", "--json").stdout)
    assert [key["ended_why"] for key in shown["keys"]] == [None, "rotated"]
    revoked = json.loads(run("revoke", "ada", "--json").stdout)
    assert revoked["ended_why"] == "revoked"
    listed = json.loads(run("list", "--json").stdout)
    assert [key["prefix"] for key in listed] == [rotated["prefix"], made["prefix"]]


@pytest.mark.rule("decisions-key-stored")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_other_command_shows_a_key_or_its_digest(form: list[str]) -> None:
    first = issued("create", "ada")
    second = issued("rotate", "ada")
    results = [run("list", *form), run("show", "ada", *form), run("revoke", "ada", *form)]
    for result in results:
        assert result.exit_code == 0
        assert first[:10] in result.output or second[:10] in result.output
        for key in (first, second):
            assert key not in result.output
            assert keys.digest(key).hex() not in result.output


def test_list_says_when_a_key_was_used_and_show_its_last_30_days() -> None:
    key = issued("create", "é" * 200, "--quota", "50")  # the longest name of an account
    assert opens(key)
    (line,) = run("list").stdout.splitlines()
    assert line.startswith(f"{'é' * 200}: {key[:10]}...")
    assert "last used 2024-05-14T10:00Z" in line
    assert "quota 50" in line
    nobody = run("show", "nobody")
    assert (nobody.exit_code, nobody.stderr) == (1, "Refused: nobody never had a key\n")
    digest = keys.digest(issued("create", "ada"))
    # None at the edge of the days that are told: midnight may come before the command.
    instants = [NOW - datetime.timedelta(days=back) for back in (0, 28, 31)]
    with closing(SqliteStore("var/internal.sqlite3")) as store:
        for instant in instants:
            store.charge([(digest, 1)], instant, 1000)
    today, before, _ = (quota_day(instant).day for instant in instants)
    assert run("show", "ada").stdout.splitlines()[1:] == [f"{before}  1", f"{today}  1"]


@pytest.mark.parametrize("command", ["list", "show", "rotate", "revoke"])
def test_only_create_makes_a_store(command: str, folder: Path) -> None:
    result = run(command, *([] if command == "list" else ["ada"]))
    assert result.exit_code == 1
    assert f"{folder / 'var/internal.sqlite3'} does not exist" in result.stderr
    assert list(folder.iterdir()) == []


def test_an_account_may_have_a_name_of_one_letter_and_none_of_no_letter() -> None:
    assert keys.parse(issued("create", "a").encode()) is not None
    assert run("create", "").exit_code == 2


@pytest.mark.parametrize("command", [["list"], ["show", "ada"]])
def test_keys_are_told_while_a_service_writes_charges(command: list[str]) -> None:
    key = issued("create", "ada")
    with closing(sqlite3.connect("var/internal.sqlite3", isolation_level=None)) as service:
        service.execute("begin immediate")
        result = run(*command)
    assert (result.exit_code, key[:10] in result.stdout) == (0, True), result.stderr


@pytest.mark.rule("service-wrong-usage")
@pytest.mark.parametrize(
    "arguments",
    [
        ["create"],
        ["create", " ada"],
        ["create", "a\x00b"],
        ["create", "a" * 201],
        ["create", "ada", "--quota", "0"],
        ["create", "ada", "--store", "mysql://localhost"],
        ["create", "ada", "--store", "postgresql://localhost", "--internal", "x"],
        ["revoke", "ada", "--quota", "5"],
    ],
)
def test_wrong_usage_is_status_2_and_makes_nothing(arguments: list[str], folder: Path) -> None:
    assert run(*arguments).exit_code == 2
    assert list(folder.iterdir()) == []


def test_a_store_that_does_not_answer_is_refused_without_its_password() -> None:
    url = "postgresql://ada:secret@127.0.0.1:1/none"
    result = run("create", "ada", "--store", url)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "PostgreSQL: OperationalError" in line
    assert not any(part in line for part in ("secret", "127.0.0.1"))
    assert run("list", "--store", "postgresql://[").exit_code == 1


def test_the_environment_may_name_the_store_and_an_option_prevails(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()
    assert run("create", "ada", MOUVEMENTS_STORE=url).exit_code == 0
    assert not Path("var").exists()
    assert len(json.loads(run("list", "--json", "--store", url).stdout)) == 1
    here = ("--internal", "var/internal.sqlite3")
    assert run("create", "ben", *here, MOUVEMENTS_STORE=url).exit_code == 0
    assert "ben" in run("list", *here, MOUVEMENTS_STORE=url).stdout
    assert "ben" not in run("list", "--store", url).stdout
