"""The examples are well formed, and what they start runs: units, a workflow, the morning."""

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
from email.utils import parsedate_to_datetime

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
WORKFLOW = yaml.safe_load((EXAMPLES / "daily.yml").read_text())
(JOB,) = WORKFLOW["jobs"].values()
# The command of its step that runs the morning.
(RUN,) = [step["run"] for step in JOB["steps"] if "mouvements daily " in step.get("run", "")]
MORNING = ROOT / "docs" / "how-to" / "run-every-morning.md"


def test_the_workflow_runs_once_a_day_and_publishes_what_came_whatever_failed():
    # YAML 1.1 reads the key `on` as true.
    assert [entry["cron"] for entry in WORKFLOW[True]["schedule"]] == ["17 4 * * *"]
    assert WORKFLOW["concurrency"] == {"group": "daily", "cancel-in-progress": False}
    steps = {step["name"]: n for n, step in enumerate(JOB["steps"]) if "name" in step}
    publish = JOB["steps"][steps["Publish"]]
    assert publish["if"] == "${{ !cancelled() && hashFiles('data/movements.db') != '' }}"
    assert publish["run"].startswith("./publish.sh fly")
    # Made by the run alone: the checkout brings none.
    ignored = subprocess.run(["git", "check-ignore", "-q", "data/movements.db"], cwd=ROOT)
    assert ignored.returncode == 0
    (tool,) = [n for n, step in enumerate(JOB["steps"]) if "setup-flyctl" in step.get("uses", "")]
    assert tool < steps["Publish"]
    assert JOB["steps"][tool]["if"] == publish["if"]


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


def test_the_backup_unit_runs_what_the_documentation_says(reader):
    (_, _, command), _ = unit("mouvements-backup.service", reader)
    written = "".join(blocks(ROOT / "docs" / "how-to" / "restore.md")).splitlines()
    assert command.removeprefix("exec ") in written


def test_the_daily_unit_runs_the_morning_with_the_programs_of_the_service(reader, server, moved):
    server.answer_with(says(b"", 404))
    command, environment = unit("mouvements-daily.service", reader)
    assert command[0] == "/srv/mouvements/.venv/bin/datasette"
    program = str(reader.machine.programs / "datasette")
    script = shlex.join([program, *command[1:], "--source", "assemblee"])
    ran = reader.follow(script, **moved, **environment)
    assert "assemblee: failed" in ran.stderr
    assert inspect(reader.machine.clone / "data" / "movements.db") == []


def test_the_daily_unit_may_write_wherever_the_run_does():
    text = (EXAMPLES / "mouvements-daily.service").read_text()
    (command,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    (writable,) = re.findall(r"^ReadWritePaths=(.*)$", text, re.M)
    written = [word for word in command.split() if "/" in word or word == "lists"][1:]
    assert written == ["lists", "data/movements.db"]
    folders = {f"/srv/mouvements/{word.partition('/')[0]}" for word in written}
    assert folders == set(writable.split())


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
    (script,) = [one for one in blocks(MORNING, "sh") if "first" in one]
    server.answer_with(says(amo10.make(amo10.many(60)), content_type="application/zip"))
    ran = reader.follow(script, **moved)
    assert ran.returncode == 0, ran.stderr
    assert "assemblee: new " in ran.stdout
    assert "1 accepted, 0 refused" in ran.stdout
