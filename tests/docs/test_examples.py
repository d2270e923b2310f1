"""The examples are well formed, and what they start runs: units, a workflow, the morning."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import threading

import pytest
import yaml

from datasette_mouvements.dataset.check import inspect
from parlement_lists.sources.chambers import choose
from tests.contract.environment import ROOT, SAMPLE, done
from tests.contract.service import OverHttp
from tests.publish.test_container import assert_valid
from tests.sources import amo10
from tests.sources.misbehaving import Server, says

from .commands import Reader, blocks

pytestmark = pytest.mark.process
EXAMPLES = ROOT / "docs" / "examples"
UNITS = sorted(path for path in EXAMPLES.iterdir() if path.suffix in (".service", ".timer"))
WORKFLOW = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
(JOB,) = WORKFLOW["jobs"].values()
# The command of its step that runs the morning.
(RUN,) = [step["run"] for step in JOB["steps"] if "mouvements daily " in step.get("run", "")]
HOW_TO = ROOT / "docs" / "how-to"


def test_the_workflow_runs_once_a_day_and_publishes_what_came_whatever_failed():
    assert_valid("github-workflows", EXAMPLES / "daily.yml")
    # YAML 1.1 reads the key `on` as true.
    assert [entry["cron"] for entry in WORKFLOW[True]["schedule"]] == ["17 4 * * *"]
    steps = {step["name"]: n for n, step in enumerate(JOB["steps"]) if "name" in step}
    publish = JOB["steps"][steps["Publish"]]
    assert publish["if"] == "${{ !cancelled() && hashFiles('data/movements.db') != '' }}"
    assert publish["run"].startswith("./publish.sh fly")
    # Made by the run alone: the checkout brings none.
    ignored = subprocess.run(["git", "check-ignore", "-q", "data/movements.db"], cwd=ROOT)
    assert ignored.returncode == 0


def test_the_workflow_keeps_the_state_of_a_day_that_failed_too():
    used = [step.get("uses", "").partition("@")[0] for step in JOB["steps"]]
    assert "actions/cache" not in used  # it saves after a success alone
    restored, saved = (used.index(f"actions/cache/{half}") for half in ("restore", "save"))
    (run,) = [n for n, step in enumerate(JOB["steps"]) if step.get("run") == RUN]
    assert restored < run < saved
    first, last = JOB["steps"][restored], JOB["steps"][saved]
    assert last["if"] == "always()"
    # What a run notes beside the lists and is not in git, and the file whose feed goes on.
    assert first["with"]["path"].split() == [
        "lists/.fetch.json",
        "lists/originaux",
        "lists/.pseudonymes.key",
        "data/movements.db",
    ]
    assert last["with"]["path"] == first["with"]["path"]
    # What was saved under a key is never replaced: each attempt of a run has its own.
    assert "${{ github.run_id }}-${{ github.run_attempt }}" in first["with"]["key"]


def test_the_sources_files_move_one_original(tmp_path):
    (shown,) = blocks(HOW_TO / "add-a-source.md", "yaml")
    (tmp_path / "sources.yml").write_text(shown)
    for path in (EXAMPLES / "sources.yml", tmp_path / "sources.yml"):
        moved = [one for one in zip(choose(), choose((), path), strict=True) if one[0] != one[1]]
        assert len(moved) == 1


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_units_and_finds_them_closed():
    ran = subprocess.run(
        ["systemd-analyze", "verify", *UNITS], capture_output=True, text=True, timeout=60
    )
    # The service is not installed on this machine.
    program = "Command /srv/mouvements/.venv/bin/datasette is not executable"
    own = [line for line in ran.stderr.splitlines() if "mouvements" in line]
    assert [line for line in own if program not in line] == []
    services = [path for path in UNITS if path.suffix == ".service"]
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=15"]  # of 100
    ran = subprocess.run([*command, *services], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout
    for path in services:
        text = path.read_text()
        assert "UMask=0077\n" in text
        assert "@" in path.name or "OnFailure=mouvements-failed@%n.service\n" in text
        # Or it is restarted for ever, and never fails.
        assert "Restart=" not in text or re.search(r"^StartLimitBurst=5$", text, re.M)


@pytest.fixture
def reader(tmp_path):
    """Nine lists have come."""
    reader = Reader(tmp_path)
    shutil.copytree(ROOT / "tests" / "sample" / "listes", reader.machine.clone / "lists")
    return reader


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.stopping.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def moved(reader, server):
    """The source of the Assemblée at an address that can be reached from here."""
    here = f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n"
    (reader.machine.clone / "here.yml").write_text(here)
    return {"MOUVEMENTS_SOURCES": "here.yml"}


def unit(name, reader):
    """What systemd would run of it, and with which environment, in the folder that stands for /srv/mouvements."""
    parsed = configparser.RawConfigParser(strict=False)  # systemd adds lines of one name up
    parsed.optionxform = str
    parsed.read(EXAMPLES / name)
    service = parsed["Service"]
    assert service.get("WorkingDirectory", "/srv/mouvements") == "/srv/mouvements"
    name, _, value = service.get("Environment", "PATH=/bin").partition("=")
    value = value.replace("/srv/mouvements/.venv/bin", reader.machine.path)
    return shlex.split(service["ExecStart"]), {name: value, "DATASETTE_SECRET": "x"}


def test_what_is_told_of_a_unit_is_its_name_and_the_end_of_its_log(tmp_path, reader):
    stand_ins = {"journalctl": "echo \"$*\"; echo 'été: la fin'", "curl": 'cat; echo "$*"'}
    for program, script in stand_ins.items():
        (tmp_path / program).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / program).chmod(0o755)
    (_, _, script), _ = unit("mouvements-failed@.service", reader)
    script = script.replace("%i", "mouvements.service").replace("%H", "here")
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "MOUVEMENTS_ALARM": "a@b.org"}
    ran = subprocess.run(
        ["/bin/sh", "-c", script], env=given, check=True, timeout=30, capture_output=True, text=True
    )
    head, _, body = ran.stdout.partition("\n\n")
    assert "Subject: mouvements.service failed on here\n" in head
    log, end, sent = body.splitlines()
    assert (log, end) == ("--unit=mouvements.service --lines=50 --no-pager", "été: la fin")
    assert "--mail-from a@b.org --mail-rcpt a@b.org" in sent


def test_the_service_unit_serves(reader):
    folder = reader.machine.clone
    (folder / "var").mkdir()
    done("build", folder / "data" / "movements.db", "--movements", SAMPLE)
    command, environment = unit("mouvements.service", reader)
    command = [*command[:-1], f'{command[-1]} --port "$0"']
    given = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
    service = OverHttp("unit", [*given, *command], folder / "var" / "internal.sqlite3", folder)
    try:
        assert service.ask("/-/mouvements/etat").status == 200
        assert service.internal.exists()
    finally:
        service.close()


def test_the_daily_unit_runs_the_morning_and_may_write_wherever_it_does(reader):
    command, _ = unit("mouvements-daily.service", reader)
    assert command == [
        *("/srv/mouvements/.venv/bin/datasette", "mouvements", "daily"),
        *("lists", "data/movements.db"),
    ]
    writable = "ReadWritePaths=/srv/mouvements/data /srv/mouvements/lists\n"
    assert writable in (EXAMPLES / "mouvements-daily.service").read_text()


def test_the_workflow_s_run_leaves_the_file_and_a_report_on_a_day_that_fails(reader, server, moved):
    server.answer_with(says(b"", 404))
    ran = reader.follow(RUN.replace("daily ", "daily --source assemblee "), **moved)
    assert ran.returncode == 1
    database = reader.machine.clone / "data" / "movements.db"
    assert inspect(database) == []
    assert database.stat().st_mode & 0o777 == 0o644
    (report,) = [step["with"]["path"] for step in JOB["steps"] if step.get("name") == "The report"]
    told = json.loads((reader.machine.clone / report).read_text())
    assert [night["resultat"] for night in told["fetched"]] == ["echouee"]
    assert told["published"]


def test_a_source_is_tried_for_the_first_time_as_the_documentation_says(reader, server, moved):
    (script,) = [one for one in blocks(HOW_TO / "run-every-morning.md", "sh") if "first" in one]
    server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
    ran = reader.follow(script, **moved)
    assert ran.returncode == 0, ran.stderr
    assert "assemblee: new " in ran.stdout
    assert "1 accepted, 0 refused" in ran.stdout
