"""The examples are well formed, and the daily run publishes what came and tells what did not."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import socketserver
import subprocess
import threading
from contextlib import closing
from email.utils import parsedate_to_datetime

import pytest
import yaml
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.coverage import coverage
from parlement_lists.sources.chambers import choose
from tests.contract.environment import ROOT, SAMPLE, done
from tests.contract.service import OverHttp
from tests.publish.test_container import assert_valid
from tests.sources import amo10
from tests.sources.misbehaving import Server, says

from .commands import Reader, blocks

pytestmark = pytest.mark.process
EXAMPLES = ROOT / "docs" / "examples"
WORKFLOW = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
(JOB,) = WORKFLOW["jobs"].values()
# The command of its step that runs the morning.
(RUN,) = [step["run"] for step in JOB["steps"] if "mouvements daily " in step.get("run", "")]
MORNING = ROOT / "docs" / "how-to" / "run-every-morning.md"


def test_the_workflow_runs_what_exists_once_a_day_and_one_at_a_time():
    # YAML 1.1 reads the key `on` as true.
    assert [entry["cron"] for entry in WORKFLOW[True]["schedule"]] == ["17 4 * * *"]
    assert WORKFLOW["concurrency"] == {"group": "daily", "cancel-in-progress": False}
    runs = [step["run"] for step in JOB["steps"] if "run" in step]
    assert "mkdir -p var\n" in RUN  # where its report goes
    assert any(run.startswith("git -C lists push") for run in runs)
    assert any(run.startswith("./publish.sh fly") for run in runs)
    assert not (ROOT / ".github" / "workflows" / "daily.yml").exists()


def test_the_workflow_publishes_what_came_whatever_failed_or_was_refused():
    (publish,) = [step for step in JOB["steps"] if step.get("name") == "Publish"]
    assert publish["if"] == "${{ !cancelled() && hashFiles('data/movements.db') != '' }}"
    # Made by the run alone: the checkout brings none.
    ignored = subprocess.run(["git", "check-ignore", "-q", "data/movements.db"], cwd=ROOT)
    assert ignored.returncode == 0


def test_the_workflow_has_the_host_s_tool_whenever_it_publishes():
    (publish,) = [n for n, step in enumerate(JOB["steps"]) if step.get("name") == "Publish"]
    (tool,) = [n for n, step in enumerate(JOB["steps"]) if "setup-flyctl" in step.get("uses", "")]
    assert tool < publish
    assert JOB["steps"][tool]["if"] == JOB["steps"][publish]["if"]


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
    assert last["with"]["key"] == f"${{{{ steps.{first['id']}.outputs.cache-primary-key }}}}"
    # What was saved under a key is never replaced: each attempt of a run has its own.
    assert "github.run_id" in first["with"]["key"]
    assert "github.run_attempt" in first["with"]["key"]


def test_the_workflow_is_valid_against_its_schema():
    assert_valid("github-workflows", EXAMPLES / "daily.yml")


def test_the_sources_file_moves_one_original():
    moved, *others = choose((), EXAMPLES / "sources.yml")
    ours, *known = choose()
    assert moved.addresses["zip"].url != ours.addresses["zip"].url
    assert others == known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_units():
    units = [path for path in EXAMPLES.iterdir() if path.suffix in (".service", ".timer")]
    assert len(units) == 5
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60
    )
    # The service is not installed on this machine.
    program = "Command /srv/mouvements/.venv/bin/datasette is not executable"
    own = [line for line in done.stderr.splitlines() if "mouvements" in line]
    assert [line for line in own if program not in line] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.service")), ids=lambda path: path.stem)
def test_a_unit_is_closed(path):
    assert "UMask=0077\n" in path.read_text()
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=15", path]  # of 100
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.service")), ids=lambda path: path.stem)
def test_a_unit_that_fails_is_told(path):
    text = path.read_text()
    if "@" not in path.name:
        assert "OnFailure=mouvements-failed@%n.service\n" in text
    if "Restart=" in text:  # or it is restarted for ever, and never fails
        assert re.search(r"^StartLimitBurst=5$", text, re.M)


class Letterbox(socketserver.StreamRequestHandler):
    """A mail server that keeps what it is given (RFC 5321): commands, then the letter."""

    def handle(self):
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            self.server.taken.append(line)
            if line == b"DATA\r\n":
                self.wfile.write(b"354 go on\r\n")
                for line in self.rfile:
                    self.server.taken.append(line)
                    if line == b".\r\n":
                        break
            self.wfile.write(b"221 bye\r\n" if line == b"QUIT\r\n" else b"250 ok\r\n")


@pytest.fixture
def letterbox():
    with socketserver.TCPServer(("127.0.0.1", 0), Letterbox) as running:
        running.taken = []
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_what_is_told_of_a_unit_is_its_name_and_the_end_of_its_log(tmp_path, reader, letterbox):
    journal = tmp_path / "journalctl"
    journal.write_text(
        f"#!/bin/sh\necho \"$*\"\necho 'été: la fin'\necho .\necho after a dot\necho {'x' * 1000}\n"
    )
    journal.chmod(0o755)
    (_, _, script), _ = unit("mouvements-failed@.service", reader)
    script = script.replace("%i", "mouvements.service").replace("%H", "here")
    assert script.count(" smtp://localhost") == 1
    script = script.replace("//localhost", f"//127.0.0.1:{letterbox.server_address[1]}")
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "MOUVEMENTS_ALARM": "a@b.org"}
    subprocess.run(["/bin/sh", "-c", script], env=given, check=True, timeout=30)
    told = b"".join(letterbox.taken).decode()
    envelope, _, letter = told.partition("DATA\r\n")
    assert "MAIL FROM:<a@b.org>" in envelope
    assert "RCPT TO:<a@b.org>\r\n" in envelope
    head, _, body = letter.partition("\r\n\r\n")
    lines = head.splitlines()
    assert parsedate_to_datetime(lines.pop(3).removeprefix("Date: "))
    assert lines == [
        "From: a@b.org",
        "To: a@b.org",
        "Subject: mouvements.service failed on here",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
    ]
    # A line that is one dot does not end the letter: it is sent with two.
    log = ["--unit=mouvements.service --lines=50 --no-pager", "été: la fin", "..", "after a dot"]
    # Mail servers refuse longer lines than 998 bytes (RFC 5321).
    assert body.splitlines() == [*log, "x" * 900, "x" * 100, ".", "QUIT"]


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
    shutil.copytree(ROOT / "tests" / "sample" / "listes", lists)
    (reader.machine.clone / "sources.yml").write_text(
        "absent: {chambre: senat, url: 'file:///nowhere'}\n"
    )
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


def test_the_service_unit_serves(reader, database):
    folder = reader.machine.clone
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
    written = "".join(blocks(ROOT / "docs" / "how-to" / "restore.md")).splitlines()
    assert command.removeprefix("exec ") in written


def without_network(script):
    """The same command for a source that asks nobody."""
    assert script.count("mouvements daily ") == 1
    return script.replace("mouvements daily ", "mouvements daily --source absent ")


def test_the_daily_unit_runs_the_daily_run_with_the_programs_of_the_service(reader):
    command, environment = unit("mouvements-daily.service", reader)
    program = str(reader.machine.programs / "datasette")
    assert command[0] == "/srv/mouvements/.venv/bin/datasette"
    script = without_network(shlex.join([program, *command[1:]]))
    ran = reader.follow(script, MOUVEMENTS_SOURCES="sources.yml", **environment)
    assert "absent: failed" in ran.stderr
    assert inspect(reader.machine.clone / "data" / "movements.db") == []


def test_the_daily_unit_may_write_wherever_the_run_does():
    text = (EXAMPLES / "mouvements-daily.service").read_text()
    (command,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    (writable,) = re.findall(r"^ReadWritePaths=(.*)$", text, re.M)
    written = [word for word in command.split() if "/" in word or word == "lists"][1:]
    assert written == ["lists", "data/movements.db"]
    folders = {f"/srv/mouvements/{word.partition('/')[0]}" for word in written}

    assert folders == set(writable.split())


def test_the_workflow_s_run_leaves_the_file_and_a_report_on_a_day_that_fails(reader):
    ran = reader.follow(without_network(RUN), MOUVEMENTS_SOURCES="sources.yml")
    assert ran.returncode == 1
    assert inspect(reader.machine.clone / "data" / "movements.db") == []
    (report,) = [step["with"]["path"] for step in JOB["steps"] if step.get("name") == "The report"]
    told = json.loads((reader.machine.clone / report).read_text())
    assert [result["resultat"] for result in told["fetched"]] == ["echouee"]
    assert told["published"]


def test_a_source_is_tried_for_the_first_time_as_the_documentation_says(reader, server):
    (script,) = [one for one in blocks(MORNING, "sh") if "first" in one]
    server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
    # The same source, at an address that can be reached from here.
    here = f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n"
    (reader.machine.clone / "here.yml").write_text(here)
    ran = reader.follow(script, MOUVEMENTS_SOURCES="here.yml")
    assert ran.returncode == 0, ran.stderr
    assert "assemblee: new " in ran.stdout
    assert "1 accepted, 0 refused" in ran.stdout


def test_the_first_list_of_another_source_is_accepted_by_name(reader, server):
    server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
    here = f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n"
    (reader.machine.clone / "here.yml").write_text(here)
    script = "datasette mouvements daily lists data/movements.db --source assemblee --json"
    given = {"MOUVEMENTS_SOURCES": "here.yml"}
    ran = reader.follow(script, **given)
    assert ran.returncode == 1
    told = json.loads(ran.stdout)
    (fetched,) = told["fetched"]
    assert fetched["resultat"] == "nouvelle"
    name = f"assemblee/{fetched['jour']}"
    refused = [one["name"] for one in told["built"]["lists"] if one["status"] == "refused"]
    assert refused == [name]
    accepted = f"- {{date: 2026-10-03, raison: Comparées, accepter: {name}}}\n"
    (reader.machine.clone / "corrections.yml").write_text(accepted)
    reader.follow(script, **given, MOUVEMENTS_CORRECTIONS="corrections.yml")
    database = reader.machine.clone / "data" / "movements.db"
    assert reach(database, "assemblee") == (fetched["jour"], "")


def daily(reader, *options):
    script = without_network(blocks(MORNING, "sh")[0]).strip()
    return reader.follow(
        shlex.join([*shlex.split(script), *options]), MOUVEMENTS_SOURCES="sources.yml"
    )


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
        # Every morning, while it lasts.
        assert (ran.returncode, "is refused" in ran.stderr) == (1, True)
        assert f"senat/2026-09-{day}: unknown format, header: not a list" in ran.stdout
        assert reach(served, "senat") == ("2026-09-22", "2026-09-23")
        assert reach(served, "assemblee") == (f"2026-09-{day}", "")
    shutil.copy(right["senat"], lists / "senat" / "2026-09-28.csv")
    assert "is refused" not in daily(reader).stderr
    assert reach(served, "senat") == ("2026-09-28", "")


def named(database, table):
    """Whether a table has the name of someone who left a senator."""
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute(f"select collab_nom, collab_prenom from {table}").fetchall()
    return ("THORIGNASSE", "Benoît") in found


def test_a_run_that_builds_nothing_leaves_what_is_served_and_a_failed_fetch_stops_no_mask(reader):
    daily(reader)
    served = reader.machine.clone / "data" / "movements.db"
    before = served.stat()
    journal = reader.machine.clone / "lists" / "journal.csv"
    lines = journal.read_bytes()
    journal.write_bytes(b"damaged")
    ran = daily(reader)
    assert ran.returncode == 1
    assert "journal.csv" in ran.stderr
    journal.write_bytes(lines)
    assert (served.stat().st_ino, served.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert named(served, "mouvements")
    mask = "- {date: 2026-10-03, raison: Demande, masquer: {nom: Benoît Thorignasse}}\n"
    (reader.machine.clone / "corrections.yml").write_text(mask)
    assert daily(reader, "--corrections", "corrections.yml").returncode == 1
    assert not named(served, "mouvements")
    assert not named(served, "collaborations")


def test_an_unreadable_corrections_file_publishes_nothing(reader):
    (reader.machine.clone / "corrections.yml").write_text("- {date: yesterday}\n")
    ran = daily(reader, "--corrections", "corrections.yml")
    assert ran.returncode == 1
    assert "corrections.yml" in ran.stderr
    assert not (reader.machine.clone / "data" / "movements.db").exists()
