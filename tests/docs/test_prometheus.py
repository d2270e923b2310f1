"""datasette-otel-prometheus beside the plugin, as the documentation says, asked as Prometheus would."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import time
import tomllib
import venv
from pathlib import Path

import pytest
from datasette.utils import parse_metadata

from docs.make_reference import metrics
from tests.contract import environment
from tests.contract.environment import PACKAGE, ROOT
from tests.contract.service import OverHttp, free_port

pytestmark = pytest.mark.slow
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PAGE = (ROOT / "docs" / "how-to" / "observe.md").read_text(encoding="utf-8")
SAMPLE = re.compile(r"^(mouvements_\w+)\{([^}]*)\} (\S+)$", re.M)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The programs of an environment with what the extra `metrics` brings: it is loaded wherever it is."""
    folder = tmp_path_factory.mktemp("metrics")
    venv.create(folder, symlinks=True, with_pip=True)
    wanted = [*PROJECT["dependencies"], *EXTRAS["deploy"], *EXTRAS["metrics"]]
    pip = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run([*pip, *wanted], env=clean, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return folder / "bin"


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def service(programs, port, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    database, internal = folder / "movements.db", folder / "internal.sqlite3"
    # Of lists, so that chambers have some.
    lists = environment.ROOT / "tests" / "sample" / "listes"
    environment.done("build", database, "--lists", lists, "--source", "suivi")
    metadata = parse_metadata(environment.METADATA.read_text(encoding="utf-8"))
    metadata["plugins"]["datasette-otel-prometheus"] = {"port": port}
    (folder / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    command = [str(programs / "python"), "-I", "-m", "datasette", "serve", str(database)]
    command += ["-m", str(folder / "metadata.json"), "--plugins-dir", str(environment.PLUGINS)]
    command += ["--internal", str(internal), "--secret", environment.SECRET, "--port"]
    running = OverHttp("prometheus", command, internal, ROOT)
    yield running
    running.close()


def counted(text):
    """name -> {labels without OpenTelemetry's own: value}."""
    found = {}
    for name, labels, value in SAMPLE.findall(text):
        pairs = re.findall(r'(\w+)="([^"]*)"', labels)
        own = " ".join(text for label, text in pairs if not label.startswith("otel_"))
        found.setdefault(name, {})[own] = float(value)
    return found


def scraped(port):
    """What the exporter's own port says, as Prometheus reads it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    assert answer.status == 200
    assert (answer.getheader("Content-Type") or "").startswith("text/plain; version=")
    text = answer.read().decode()
    connection.close()
    return text


def test_prometheus_reads_what_was_asked_of_the_interface(service, port):
    key = environment.issue("reader", service.internal)
    before = counted(scraped(port)).get("mouvements_requests_total", {})
    for query in ("limit=2", "limit=2", "limit=0"):
        service.ask(f"/v1/mouvements?{query}", {"X-API-Key": key})
    found = counted(scraped(port))
    requests = found["mouvements_requests_total"]
    assert {status: requests[status] - before.get(status, 0) for status in ("200", "400")} == {
        "200": 2,
        "400": 1,
    }
    assert found["mouvements_charges_total"] == {"": 3}
    assert found["mouvements_refusals_total"]["parametre-invalide"] == 1
    assert found["mouvements_pages_total"] == {"memory": 1, "search": 1}
    assert found["mouvements_search_duration_seconds_count"] == {"": 1}
    assert found["mouvements_search_duration_seconds_bucket"]["2.5"] == 1
    state = service.ask("/-/mouvements/etat").json()
    assert found["mouvements_data_rows"] == {"": state["mouvements"]}
    assert found["mouvements_data_age_days"][""] > 0
    ages = {chamber: one["age_jours"] for chamber, one in state["chambres"].items()}
    assert found["mouvements_list_age_days"] == {c: age for c, age in ages.items() if age}


def test_every_name_at_prometheus_is_as_documented(service, port):
    text = scraped(port)
    documented = re.findall(r"`(mouvements_\w+)` \(", "\n".join(metrics()))
    assert len(documented) == 11
    assert sorted(re.findall(r"^# HELP (mouvements_\w+)", text, re.M)) == sorted(documented)


def test_the_version_is_the_same_wherever_it_is_named():
    (pin,) = EXTRAS["metrics"]
    assert re.findall(r"datasette-otel-prometheus==\S+", PAGE) == [pin]


def test_its_own_port_is_this_machine_s_alone_and_names_nobody(service, port):
    text = scraped(port)
    assert "mouvements_requests_total" in text
    assert "reader" not in text
    assert "mvt_" not in text
    sockets = [line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [here for here, _, state in sockets if state == "0A"]
    assert [here for here in listening if here.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_with_workers_one_is_measured_and_all_serve(programs, service, tmp_path):
    folder, port = service.internal.parent, free_port()
    metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    metadata["plugins"]["datasette-otel-prometheus"] = {"port": port}
    (tmp_path / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    internal = tmp_path / "internal.sqlite3"
    command = ["env", f"PYTHONPATH={environment.PLUGINS}", str(programs / "python")]
    command += ["-m", PACKAGE, "serve", "--db", str(folder / "movements.db"), "--workers", "2"]
    command += ["-m", str(tmp_path / "metadata.json"), "--plugins-dir", str(environment.PLUGINS)]
    workers = OverHttp("workers", [*command, "--internal", str(internal), "--port"], internal, ROOT)
    try:
        key = environment.issue("reader", internal)
        answers = workers.volley("/v1/mouvements", {"X-API-Key": key}, 60)
        deadline = time.monotonic() + 30
        while "could not listen" not in workers.log():  # the second may still be starting
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        workers.close()
    assert {answer.status for answer in answers} == {200}
