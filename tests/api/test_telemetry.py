"""What an operator can measure, read with OpenTelemetry's own in-memory readers in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.make_reference import metrics

SCRIPT = """
import asyncio, json, sys
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

reader, exporter = InMemoryMetricReader(), InMemorySpanExporter()
metrics.set_meter_provider(MeterProvider([reader]))
tracing = TracerProvider()
tracing.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(tracing)

from datasette.app import Datasette
database, internal, key = sys.argv[1:]

def instruments():
    for scope in reader.get_metrics_data().resource_metrics[0].scope_metrics:
        if scope.scope.name == "datasette-mouvements":
            yield from scope.metrics

async def main():
    datasette = Datasette([database], internal=internal)
    headers = {"Authorization": "Bearer " + key}
    for path in ("?limit=2", "?limit=2", "?limit=0"):
        await datasette.client.get("/v1/mouvements" + path, headers=headers)
    await datasette.client.get("/v1/mouvements")
    # Its examples of refusals are none.
    await datasette.client.get("/v1/openapi.json")
    points, table = {}, {}
    for metric in instruments():
        attributes = set()
        for point in metric.data.data_points:
            attributes |= set(point.attributes)
            label = metric.name + "".join(f" {v}" for v in point.attributes.values())
            points[label] = getattr(point, "value", getattr(point, "count", None))
        bounds = getattr(point, "explicit_bounds", None)
        kind = {"Sum": "counter", "Gauge": "gauge", "Histogram": "histogram"}[type(metric.data).__name__]
        table[metric.name] = [kind, metric.unit, sorted(attributes), metric.description, bounds]
    spans = exporter.get_finished_spans()
    names = {span.context.span_id: span.name for span in spans}
    ours = [
        [span.name, names.get(span.parent and span.parent.span_id), dict(span.attributes)]
        for span in spans if span.instrumentation_scope.name == "datasette-mouvements"
    ]
    print(json.dumps({"points": points, "table": table, "spans": ours}))
    await datasette.invoke_shutdown()

asyncio.run(main())
"""
COMMAND = [sys.executable, "-m", "datasette", "mouvements"]
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "sample" / "mouvements.csv"
LISTS = ROOT / "tests" / "sample" / "listes"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("telemetry")
    database, internal = folder / "movements.db", folder / "internal.sqlite3"
    subprocess.run(
        [*COMMAND, "build", database, "--movements", SAMPLE, "--lists", LISTS], check=True
    )
    made = subprocess.run(
        [*COMMAND, "keys", "create", "measured", "--internal", internal, "--json"],
        check=True,
        capture_output=True,
    )
    key = json.loads(made.stdout)["key"]
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, database, internal, key], check=True, capture_output=True
    )
    return json.loads(ran.stdout)


def test_requests_charges_refusals_pages_and_the_data_are_counted(measured):
    found = dict(measured["points"])
    assert found.pop("mouvements.data.age") > 0
    assert found.pop("mouvements.data.rows") >= len(SAMPLE.read_text().splitlines()) - 1
    assert found.pop("mouvements.run.age") in (0, 1)
    for chamber in ("assemblee", "senat", "europarl"):
        age = found.pop(f"mouvements.list.age {chamber}")
        assert found.pop(f"mouvements.list.late {chamber}") == (age > 10)
        assert found.pop(f"mouvements.list.refused {chamber}") >= 0
    assert found == {
        "mouvements.requests 200": 3,
        "mouvements.requests 400": 1,
        "mouvements.requests 401": 1,
        "mouvements.charges": 3,
        "mouvements.refusals parametre-invalide": 1,
        "mouvements.refusals cle-absente": 1,
        "mouvements.pages memory": 1,
        "mouvements.pages search": 1,
        "mouvements.search.duration": 1,
    }


def test_every_instrument_stands_in_the_documentation_and_no_other(measured):
    line = re.compile(r"- `(\S+)`, `\S+` \((\w+), (\S+)\): (.*)\.")
    told = {}
    for name, kind, unit, meaning in (line.fullmatch(one).groups() for one in metrics()):
        told[name] = [kind, unit, re.findall(r"`(\w+)`", meaning), meaning]
    assert told == {name: given[:4] for name, given in measured["table"].items()}


def test_the_buckets_tell_searches_apart_that_take_milliseconds(measured):
    bounds = measured["table"]["mouvements.search.duration"][4]
    assert bounds[0] < 0.001
    assert bounds == sorted(bounds)
    assert bounds[-1] > 1


def test_a_search_is_a_span_within_the_request_s_and_says_nothing_of_it(measured):
    assert measured["spans"] == [["mouvements.search", "GET", {}]]
