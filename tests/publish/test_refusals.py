"""Whatever cannot be published well is refused in one clear line, and nothing is deployed."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing
from fnmatch import fnmatch

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract.environment import SAMPLE, done

from .host import STORE, TOOLS, Machine

pytestmark = pytest.mark.process


def refusal(machine, done):
    assert done.returncode != 0
    assert not machine.deployed()
    lines = [line for line in done.stderr.splitlines() if line.startswith("publish.sh:")]
    return lines[-1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "which target? fly, cloudrun, heroku or docker"),
        (("moon",), "unknown target moon"),
        (("docker", "--colour"), "unknown option --colour"),
        (("docker", "Bad Name"), "APP must be"),
        (("docker", "--db"), "--db needs a path"),
    ],
)
def test_a_wrong_command_line_is_wrong_usage(machine, arguments, reason):
    done = machine.publish(*arguments)
    assert reason in refusal(machine, done)
    assert done.returncode == 2
    assert machine.was_told() == []


def test_a_public_address_without_a_contact_is_refused(machine, database):
    public = {"MOUVEMENTS_PUBLIC_URL": "https://mouvements.example.org", "MOUVEMENTS_STORE": STORE}
    done = machine.publish("heroku", "--db", database, **public)
    assert "contact (MOUVEMENTS_CONTACT) is not" in refusal(machine, done)
    assert machine.was_told() == []


def test_invented_people_are_published_under_no_public_address(machine, tmp_path):
    database = tmp_path / "invented.db"
    done("build", database, "--movements", SAMPLE, "--invented")
    public = {"MOUVEMENTS_PUBLIC_URL": "https://e.org", "MOUVEMENTS_CONTACT": "a@example.org"}
    published = machine.publish("docker", "--db", database, **public)
    assert "invented people would be public" in refusal(machine, published)
    assert machine.was_told() == []


def test_settings_that_cannot_be_read_are_refused(machine, database):
    (machine.clone / "metadata.yml").write_text("plugins: [")
    done = machine.publish("docker", "--db", database)
    assert "the settings of metadata.yml cannot be read" in refusal(machine, done)


def test_a_missing_tool_is_named(tmp_path, database):
    machine = Machine(tmp_path, tools=False)
    for target, tool in TOOLS.items():
        done = machine.publish(target, "--db", database, MOUVEMENTS_STORE=STORE)
        assert f"{tool} is not on PATH" in refusal(machine, done)


@pytest.mark.parametrize("target", ["cloudrun", "heroku"])
def test_a_host_without_a_lasting_disk_needs_the_store(machine, database, target):
    for more in ((), ("--dry-run",)):
        done = machine.publish(target, "--db", database, *more)
        assert "set MOUVEMENTS_STORE=postgresql://" in refusal(machine, done)
    assert machine.was_told() == []


def test_a_store_that_is_not_postgresql_is_refused_without_repeating_it(machine, database):
    done = machine.publish("docker", "--db", database, MOUVEMENTS_STORE="mysql://u:hidden@h/d")
    assert "MOUVEMENTS_STORE must start with postgresql://" in refusal(machine, done)
    assert "hidden" not in done.stderr


def test_a_database_that_does_not_pass_the_check_is_refused(machine, database, tmp_path):
    spoiled = tmp_path / "spoiled.db"
    shutil.copy(database, spoiled)
    with closing(sqlite3.connect(spoiled)) as db:
        db.execute("drop index idx_mouvements_source_date_event")
    done = machine.publish("fly", "--db", spoiled)
    assert "does not pass" in refusal(machine, done)
    assert "idx_mouvements_source_date_event is missing" in done.stderr
    assert machine.was_told() == []


def test_what_is_no_database_is_refused(machine, tmp_path):
    (path := tmp_path / "text.db").write_text("not a database\n" * 100)
    assert "cannot be copied" in refusal(machine, machine.publish("docker", "--db", path))


def test_a_working_copy_that_differs_from_its_commit_is_refused(machine, database):
    def git(*arguments):
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=machine.clone, check=True)

    (machine.clone / ".gitignore").write_text("*.egg-info\n__pycache__\n/var/\n/build/\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    with (machine.clone / "metadata.yml").open("a") as file:
        file.write("# changed\n")
    done = machine.publish("docker", "--db", database)
    assert refusal(machine, done).endswith("differ from the last commit: commit or undo first")
    assert machine.publish("docker", "--db", database, "--dry-run").returncode == 0
    git("commit", "-qam", "changed")
    assert machine.publish("docker", "--db", database).returncode == 0


def test_a_folder_that_holds_something_is_not_written_into(machine, database, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("precious")
    done = machine.publish("docker", "--db", database, "--dry-run", tmp_path / "kept")
    assert "is not empty" in refusal(machine, done)
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["file"]


def test_a_secret_that_cannot_be_kept_is_refused_before_anything_is_told(machine, database):
    (machine.clone / "var").write_text("a file, and no folder")
    done = machine.publish("cloudrun", "--db", database, MOUVEMENTS_STORE=STORE)
    assert "set DATASETTE_SECRET" in refusal(machine, done)
    assert machine.was_told() == []


@pytest.mark.parametrize(
    ("target", "failing"),
    [
        ("fly", "flyctl secrets*"),
        ("heroku", "curl *"),
        ("docker", "docker build*"),
    ],
)
def test_a_step_that_fails_on_the_host_is_told_and_ends_with_a_failure(
    machine, database, target, failing
):
    done = machine.publish(target, "essai", "--db", database, MOUVEMENTS_STORE=STORE, FAIL=failing)
    assert done.returncode != 0
    assert "failed: nothing new is published" in done.stderr
    assert "Run it" not in done.stdout
    assert fnmatch(machine.arguments()[-1], failing), "a step was taken after the one that failed"
