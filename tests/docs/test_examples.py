"""The examples are well formed, and the daily run publishes what came and tells what did not."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import threading

import pytest
import yaml

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.coverage import coverage
from datasette_mouvements.sources.registry import choose
from tests.contract.environment import ROOT, SAMPLE, done
from tests.contract.service import OverHttp
from tests.publish.test_container import assert_valid, program
from tests.rehearsal.chambers import Chambers

from .commands import Reader, blocks

pytestmark = pytest.mark.process
EXAMPLES = ROOT / "docs" / "examples"


def test_the_workflow_runs_what_exists_once_a_day_and_one_at_a_time():
    workflow = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
    # YAML 1.1 reads the key `on` as true.
    assert [entry["cron"] for entry in workflow[True]["schedule"]] == ["17 4 * * *"]
    assert workflow["concurrency"] == {"group": "daily", "cancel-in-progress": False}
    (job,) = workflow["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert "docs/examples/daily.sh" in runs
    assert any(run.startswith("./publish.sh fly") for run in runs)
    assert not (ROOT / ".github" / "workflows" / "daily.yml").exists()


def test_the_workflow_publishes_what_came_whatever_failed_or_was_refused():
    workflow = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
    (job,) = workflow["jobs"].values()
    (publish,) = [step for step in job["steps"] if step.get("name") == "Publish"]
    assert publish["if"] == "${{ !cancelled() && hashFiles('data/movements.db') != '' }}"
    # Made by the run alone: the checkout brings none.
    ignored = subprocess.run(["git", "check-ignore", "-q", "data/movements.db"], cwd=ROOT)
    assert ignored.returncode == 0


def test_the_workflow_has_the_host_s_tool_whenever_it_publishes():
    workflow = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
    (job,) = workflow["jobs"].values()
    steps = job["steps"]
    (publish,) = [n for n, step in enumerate(steps) if step.get("name") == "Publish"]
    (tool,) = [n for n, step in enumerate(steps) if "setup-flyctl" in step.get("uses", "")]
    assert tool < publish
    assert steps[tool]["if"] == steps[publish]["if"]


def test_the_workflow_keeps_the_state_of_a_day_that_failed_too():
    workflow = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
    (job,) = workflow["jobs"].values()
    used = [step.get("uses", "").partition("@")[0] for step in job["steps"]]
    assert "actions/cache" not in used  # it saves after a success alone
    restored, saved = (used.index(f"actions/cache/{half}") for half in ("restore", "save"))
    (run,) = [n for n, step in enumerate(job["steps"]) if "daily.sh" in step.get("run", "")]
    assert restored < run < saved
    first, last = job["steps"][restored], job["steps"][saved]
    assert last["if"] == "always()"
    assert last["with"]["path"] == first["with"]["path"]
    assert last["with"]["key"] == f"${{{{ steps.{first['id']}.outputs.cache-primary-key }}}}"
    # What was saved under a key is never replaced: each attempt of a run has its own.
    assert "github.run_id" in first["with"]["key"]
    assert "github.run_attempt" in first["with"]["key"]


def test_the_workflow_is_valid_against_its_schema():
    assert_valid("github-workflows", EXAMPLES / "daily.yml")


def test_the_sources_are_those_that_are_known_and_one_more():
    sources = choose((), EXAMPLES / "sources.yml")
    assert [source.name for source in sources] == ["assemblee", "senat"]
    assert sources[0] == choose(())[0]


def test_shellcheck_finds_nothing_in_the_daily_run():
    done = subprocess.run(
        [program("shellcheck"), EXAMPLES / "daily.sh"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_units():
    units = [path for path in EXAMPLES.iterdir() if path.suffix in (".service", ".timer")]
    assert len(units) == 5
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60
    )
    own = [line for line in done.stderr.splitlines() if "mouvements" in line]
    assert own == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.service")), ids=lambda path: path.stem)
def test_a_unit_that_fails_is_told(path):
    text = path.read_text()
    if "@" not in path.name:
        assert "OnFailure=mouvements-failed@%n.service\n" in text
    if "Restart=" in text:  # or it is restarted for ever, and never fails
        assert re.search(r"^StartLimitBurst=5$", text, re.M)


def test_what_is_told_of_a_unit_is_its_name_and_the_end_of_its_log(reader):
    for tool in ("journalctl", "mail"):
        stand_in = reader.machine.tools / tool
        stand_in.write_text('#!/bin/sh\necho "$(basename "$0") $*" >>"$NOTED"\necho the end\n')
        stand_in.chmod(0o755)
    command, _ = unit("mouvements-failed@.service", reader)
    command = [word.replace("%i", "mouvements.service").replace("%H", "here") for word in command]
    given = {"PATH": reader.machine.path, "NOTED": str(reader.noted), "MOUVEMENTS_ALARM": "a@b.org"}
    subprocess.run(command, env=given, check=True, timeout=30)
    assert sorted(reader.noted.read_text().splitlines()) == [
        "journalctl --unit=mouvements.service --lines=50 --no-pager",
        "mail -s mouvements.service failed on here a@b.org",
    ]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "movements.db"
    done("build", path, "--movements", SAMPLE)
    return path


@pytest.fixture
def reader(tmp_path):
    """Nine lists have come; a source that fails at once stands for a server that is away."""
    reader = Reader(tmp_path)
    lists = reader.machine.clone / "lists"
    shutil.copytree(reader.machine.clone / "data" / "exemple" / "listes", lists)
    (reader.machine.clone / "sources.yml").write_text(
        "absent: {chambre: senat, url: 'file:///nowhere'}\n"
    )
    return reader


def unit(name, reader):
    """What systemd would run of it, and with which environment, in the folder that stands for /srv/mouvements."""
    parsed = configparser.RawConfigParser()
    parsed.optionxform = str
    parsed.read(EXAMPLES / name)
    service = parsed["Service"]
    assert service.get("WorkingDirectory", "/srv/mouvements") == "/srv/mouvements"
    name, _, value = service.get("Environment", "PATH=/bin").partition("=")
    value = value.replace("/srv/mouvements/.venv/bin", reader.machine.path)
    return shlex.split(service["ExecStart"]), {name: value, "DATASETTE_SECRET": "x"}


def test_the_service_unit_serves(reader, database):
    folder = reader.machine.clone
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "datasette").symlink_to(reader.machine.programs / "datasette")
    (folder / "var").mkdir()
    shutil.copy(database, folder / "data" / "movements.db")
    command, environment = unit("mouvements.service", reader)
    command = [*command[:-1], f'{command[-1]} --port "$0"']
    given = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
    service = OverHttp("unit", [*given, *command], folder / "var" / "internal.sqlite3", folder)
    try:
        assert service.ask("/-/mouvements/etat").status == 200
        assert service.internal.exists()
    finally:
        service.close()


def test_the_backup_unit_runs_what_the_documentation_says(reader):
    (_, _, command), _ = unit("mouvements-backup.service", reader)
    written = "".join(blocks(ROOT / "docs" / "operations.md")).splitlines()
    assert command.removeprefix("exec ") in written


def test_the_daily_unit_runs_the_daily_run_with_the_programs_of_the_service(reader):
    command, environment = unit("mouvements-daily.service", reader)
    ran = subprocess.run(
        command,
        cwd=reader.machine.clone,
        env={**environment, "SOURCES": "sources.yml"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "absent: failed" in ran.stderr
    assert inspect(reader.machine.clone / "data" / "movements.db") == []


def test_a_source_is_tried_for_the_first_time_as_the_documentation_says(reader):
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    chambers = Chambers()
    serving = threading.Thread(target=chambers.serve_forever, args=(0.05,))
    serving.start()
    try:
        # The same source, at an address that can be reached from here.
        url = f"http://127.0.0.1:{chambers.server_address[1]}/assemblee"
        here = f"assemblee: {{chambre: assemblee, url: '{url}'}}\n"
        (reader.machine.clone / "here.yml").write_text(here)
        ran = reader.follow(script.replace("--source assemblee", "--sources here.yml"))
    finally:
        chambers.shutdown()
        serving.join()
        chambers.server_close()
    assert ran.returncode == 0, ran.stderr
    assert "assemblee: new " in ran.stdout
    assert "1 accepted, 0 refused" in ran.stdout


def daily(reader):
    return reader.follow("docs/examples/daily.sh", SOURCES="sources.yml")


def test_the_daily_run_publishes_what_came_and_tells_of_a_source_that_failed(reader):
    ran = daily(reader)
    assert ran.returncode == 1
    assert "absent: failed" in ran.stderr
    served = reader.machine.clone / "data" / "movements.db"
    assert inspect(served) == []
    assert served.stat().st_mode & 0o777 == 0o644


def reach(database, chamber):
    """The day of the last list accepted, and that of the first one refused since."""
    found = coverage(database)[chamber]
    return found.last, found.refused_since


def test_a_refused_list_keeps_no_other_back_and_what_is_served_tells_since_when(reader):
    daily(reader)
    served = reader.machine.clone / "data" / "movements.db"
    lists = reader.machine.clone / "lists"
    right = {chamber: (lists / chamber / "2026-09-22.csv") for chamber in ("assemblee", "senat")}
    for day in range(23, 28):
        (lists / "senat" / f"2026-09-{day}.csv").write_text("not a list\n")
        shutil.copy(right["assemblee"], lists / "assemblee" / f"2026-09-{day}.csv")
        ran = daily(reader)
        assert ran.returncode == 1
        assert f"senat/2026-09-{day}: unknown format, header: not a list" in ran.stderr
        assert reach(served, "senat") == ("2026-09-22", "2026-09-23")
        assert reach(served, "assemblee") == (f"2026-09-{day}", "")
    assert "the last 5 are, from senat/2026-09-23" in ran.stderr
    shutil.copy(right["senat"], lists / "senat" / "2026-09-28.csv")
    assert "is refused" not in daily(reader).stderr
    assert reach(served, "senat") == ("2026-09-28", "")


def test_a_run_that_tracks_nothing_leaves_what_is_served(reader):
    daily(reader)
    served = reader.machine.clone / "data" / "movements.db"
    before = served.stat()
    state = reader.machine.clone / "var" / "daily" / "movements.suivi.sqlite3"
    state.write_bytes(b"damaged")
    ran = daily(reader)
    assert ran.returncode == 1
    assert "Refused: nothing was changed." in ran.stderr
    assert (served.stat().st_ino, served.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
