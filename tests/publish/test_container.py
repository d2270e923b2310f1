"""The container for one's own machine: linted, parsed, and each of its promises looked up."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from datasette_mouvements.cli import mouvements
from tests.contract.environment import ROOT


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    assert found is not None, f"{name} comes with the extra `test`"
    return found


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """The Dockerfile's instructions; the parser may rewrite the file, so it is given a copy."""
    folder = tmp_path_factory.mktemp("dockerfile")
    shutil.copy(ROOT / "Dockerfile", folder / "Dockerfile")
    return [
        (step["instruction"], step["value"])
        for step in DockerfileParser(str(folder)).structure
        if step["instruction"] != "COMMENT"
    ]


def values(steps, instruction):
    return [value for name, value in steps if name == instruction]


@pytest.fixture(scope="module")
def images(steps):
    """The instructions of each stage and of those it begins from, by name."""
    stages = {}
    for name, value in steps:
        if name == "FROM":
            base, _, stage = value.partition(" AS ")
            stages[stage] = list(stages.get(base, []))
        stages[stage].append((name, value))
    return stages


@pytest.fixture(scope="module")
def service(images):
    return images["service"]


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


def test_every_file_copied_exists_and_is_let_through_by_dockerignore(steps):
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")
    }
    copied = {
        name
        for value in values(steps, "COPY")
        if not value.startswith("--from")
        for name in value.split()[:-1]
    }
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_it_serves_as_an_unprivileged_user_with_keys_in_the_volume(service):
    names = [name for name, _ in service]
    assert values(service, "USER") == ["10001"]
    assert names.index("USER") < names.index("CMD")
    assert [json.loads(value) for value in values(service, "VOLUME")] == [["/app/var"]]
    command = json.loads(values(service, "CMD")[-1])
    assert command[command.index("--internal") + 1].startswith("var/")
    assert command[:3] == ["datasette", "mouvements", "serve"]
    mouvements.commands["serve"].make_context("serve", command[3:])


def test_the_health_check_asks_the_state_at_the_port_that_is_served(service):
    (check,) = values(service, "HEALTHCHECK")
    command = json.loads(values(service, "CMD")[-1])
    port = command[command.index("--port") + 1]
    assert f"http://127.0.0.1:{port}/-/mouvements/etat" in check
    assert values(service, "EXPOSE") == [port]


def test_the_replicas_share_a_store_and_a_secret_and_none_is_written_down():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    service, postgres = compose["services"]["service"], compose["services"]["postgres"]
    assert service["deploy"]["replicas"] > 1
    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert service["environment"]["MOUVEMENTS_STORE"].startswith("postgresql://")
    for value in (
        service["environment"]["DATASETTE_SECRET"],
        postgres["environment"]["POSTGRES_PASSWORD"],
    ):
        assert value.startswith("${")
        assert ":?" in value
    assert set(compose["volumes"]) == {"postgres"}


@pytest.fixture
def daily():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["daily"]


def test_the_daily_run_is_started_by_nothing_but_a_timer(daily):
    assert daily["profiles"] == ["daily"]
    assert not {"restart", "ports", "depends_on", "deploy"} & daily.keys()


def test_the_daily_run_s_command_is_one_that_is_known(daily):
    program, group, name, *arguments = daily["command"]
    assert (program, group, name) == ("datasette", "mouvements", "daily")
    given = mouvements.commands["daily"].make_context("daily", arguments).params
    assert [str(given[name]) for name in ("directory", "database")] == [
        *("lists", "data/movements.db")
    ]


def test_the_daily_run_writes_to_what_lasts_and_the_service_reads_the_movements_alone(
    daily, images
):
    assert (daily["read_only"], daily["build"]) == (True, {"context": ".", "target": "lists"})
    assert values(images["lists"], "WORKDIR") == ["/app"]
    # The folder, not the file: what is served is replaced at once.
    kept = ["./data:/app/data", "./lists:/app/lists", "./archive:/app/archive:ro"]
    assert daily["volumes"] == kept
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert services["service"]["volumes"] == ["./data:/app/data:ro"]


def test_the_daily_run_has_the_variables_of_its_options(daily):
    known = {option.envvar for option in mouvements.commands["daily"].params if option.envvar}
    assert set(daily["environment"]) <= known
    assert daily["environment"]["MOUVEMENTS_CONTACT"].startswith("${MOUVEMENTS_CONTACT:?")


def test_a_variable_that_is_empty_is_one_that_is_not_given(daily, monkeypatch):
    for name, value in daily["environment"].items():
        monkeypatch.setenv(name, "" if value.endswith(":-}") else "contact@example.org")
    given = mouvements.commands["daily"].make_context("daily", daily["command"][3:]).params
    assert (given["archives"], given["corrections"], given["file"]) == ((), None, None)


def test_the_image_of_lists_has_git_for_the_daily_run_and_no_rights(images):
    assert any(
        "apt-get install" in run and " git " in run for run in values(images["lists"], "RUN")
    )
    assert values(images["lists"], "USER") == ["10001"]


def test_the_image_that_is_built_by_default_only_serves(images, service):
    assert list(images)[-1] == "service"
    assert not [value for value in values(service, "RUN") if "git" in value or "lists]" in value]
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert compose["services"]["service"]["build"] == {"context": ".", "target": "service"}
