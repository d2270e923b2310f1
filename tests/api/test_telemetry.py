"""What an operator can measure, read with OpenTelemetry's own in-memory reader in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import asyncio, json, sys
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))

from datasette.app import Datasette
database, internal, key = sys.argv[1:]

async def main():
    datasette = Datasette([database], internal=internal)
    headers = {"Authorization": "Bearer " + key}
    for path in ("?limit=2", "?limit=2", "?limit=0"):
        await datasette.client.get("/v1/mouvements" + path, headers=headers)
    await datasette.client.get("/v1/mouvements")
    found = {}
    for scope in reader.get_metrics_data().resource_metrics[0].scope_metrics:
        if scope.scope.name == "datasette-mouvements":
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    label = metric.name + "".join(f" {v}" for v in point.attributes.values())
                    found[label] = getattr(point, "value", getattr(point, "count", None))
    print(json.dumps(found))
    await datasette.invoke_shutdown()

asyncio.run(main())
"""
COMMAND = [sys.executable, "-m", "datasette", "mouvements"]
SAMPLE = Path(__file__).parents[2] / "data" / "exemple" / "mouvements.csv"


def test_requests_charges_refusals_pages_and_the_data_are_counted(tmp_path):
    database, internal = tmp_path / "movements.db", tmp_path / "internal.sqlite3"
    subprocess.run([*COMMAND, "build", database, "--movements", SAMPLE], check=True)
    made = subprocess.run(
        [*COMMAND, "keys", "create", "measured", "--internal", internal, "--json"],
        check=True,
        capture_output=True,
    )
    key = json.loads(made.stdout)["key"]
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, database, internal, key], check=True, capture_output=True
    )
    found = json.loads(ran.stdout)
    assert found.pop("mouvements.data.age") > 0
    assert found.pop("mouvements.data.rows") == len(SAMPLE.read_text().splitlines()) - 1
    assert found == {
        "mouvements.requests 200": 2,
        "mouvements.requests 400": 1,
        "mouvements.requests 401": 1,
        "mouvements.charges": 3,
        "mouvements.refusals parametre-invalide": 1,
        "mouvements.refusals cle-absente": 1,
        "mouvements.pages memory": 1,
        "mouvements.pages search": 1,
        "mouvements.search.duration": 1,
    }
