"""The container for one's own machine: linted, parsed, and each of its promises looked up."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from datasette_mouvements.cli import mouvements
from tests.contract.environment import ROOT


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    assert found is not None, f"{name} comes with the extra `test`"
    return found


# The instructions of each stage, by its name; a stage may begin with those of another.
TEXT = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
STAGES = dict(re.findall(r"^FROM \S+ AS (\w+)$(.*?)(?=^FROM|\Z)", TEXT, re.M | re.S))
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def test_hadolint_finds_nothing():
    done = subprocess.run(
        [program("hadolint"), ROOT / "Dockerfile"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("script", ["publish.sh", "install.sh"])
def test_shellcheck_finds_nothing(script):
    done = subprocess.run([program("shellcheck"), ROOT / script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def assert_valid(schema, *files):
    """The files are what a schema of check-jsonschema's own asks for."""
    done = subprocess.run(
        [program("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_compose_file_is_valid_against_its_specification():
    assert_valid("compose-spec", ROOT / "compose.yaml")


def test_every_file_copied_exists_and_is_let_through_by_dockerignore():
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")
    }
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", TEXT, re.M)
    assert {name for names in copied for name in names.split()} == allowed
    assert all((ROOT / name).exists() for name in allowed)


def test_it_serves_as_an_unprivileged_user_with_keys_in_the_volume():
    assert re.search(r"^USER 10001\nVOLUME \[\"/app/var\"\]\n(.*\n)*CMD ", STAGES["service"], re.M)
    (command,) = map(json.loads, re.findall(r"^CMD (.*)$", STAGES["service"], re.M))
    assert command[command.index("--internal") + 1].startswith("var/")
    assert command[:3] == ["datasette", "mouvements", "serve"]
    mouvements.commands["serve"].make_context("serve", command[3:])


def test_the_image_of_lists_has_git_and_that_which_is_built_by_default_only_serves():
    assert " git " in STAGES["lists"]
    assert "USER 10001" in STAGES["lists"]
    assert [*STAGES][-1] == "service"
    assert not re.search(r"\bgit\b|lists\]", STAGES["service"])


def test_the_daily_run_s_command_and_variables_are_known_and_an_empty_one_is_not_given(monkeypatch):
    daily = COMPOSE["daily"]
    assert daily["command"][:3] == ["datasette", "mouvements", "daily"]
    known = {option.envvar for option in mouvements.commands["daily"].params if option.envvar}
    assert set(daily["environment"]) <= known
    for name, value in daily["environment"].items():
        monkeypatch.setenv(name, "" if value.endswith(":-}") else "contact@example.org")
    given = mouvements.commands["daily"].make_context("daily", daily["command"][3:]).params
    assert [str(given[name]) for name in ("directory", "database")] == [
        *("lists", "data/movements.db")
    ]
    assert (given["archives"], given["corrections"], given["file"]) == ((), None, None)


def test_the_daily_run_writes_to_what_lasts_and_the_service_reads_the_movements_alone():
    """The folder is mounted, not the file: what is served is replaced at once."""
    kept = ["./data:/app/data", "./lists:/app/lists", "./archive:/app/archive:ro"]
    assert COMPOSE["daily"]["volumes"] == kept
    assert COMPOSE["service"]["volumes"] == ["./data:/app/data:ro"]
