"""What catalogues read is well formed to the readers that they use: frictionless, and rdflib for JSON-LD."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from .conftest import PAGE, Walked
from .tools import Tools

# Each file of the data package, read as it is described.
VALIDATED = """
import json, sys
from frictionless import validate
report = validate("datapackage.json").to_dict()
tasks = {task["place"]: (task["valid"], task["stats"].get("rows", 0)) for task in report["tasks"]}
print(json.dumps({"valid": report["valid"], "tasks": tasks, "report": report}))
"""
# Every statement of the record, absolute: the class of each subject, and how many statements there are.
STATED = """
import json, sys
import rdflib
graph = rdflib.Graph().parse(data=open("catalogue.jsonld").read(), format="json-ld")
terms = {term for statement in graph for term in statement}
relative = [term for term in terms if isinstance(term, rdflib.URIRef) and ":" not in term]
kinds = [str(kind).rpartition("#")[2] for kind in graph.objects(None, rdflib.RDF.type)]
dates = [value.ill_typed for value in graph.objects() if isinstance(value, rdflib.Literal)]
print(json.dumps({"relative": relative, "kinds": kinds, "ill": sum(map(bool, dates))}))
"""


def test_frictionless_reads_every_file_as_it_is_described(
    pypi: Tools, served: Walked, tmp_path: Path
) -> None:
    reader = {"X-API-Key": served.key(tmp_path.name)}
    with zipfile.ZipFile(io.BytesIO(served.ask("/fichiers/tout", reader).body)) as archive:
        archive.extractall(tmp_path)
    lines = {path.name: len(path.read_bytes().splitlines()) for path in tmp_path.glob("*.ndjson")}
    told = json.loads(pypi.run("python", "-c", VALIDATED, cwd=tmp_path))
    assert told["valid"], told["report"]
    resources = json.loads((tmp_path / "datapackage.json").read_bytes())["resources"]
    assert told["tasks"].keys() == {resource["path"] for resource in resources}
    assert lines["homonymes.ndjson"] == 0
    assert len(told["tasks"]) == len(lines) + 1  # two tables as CSV too, one file without a line
    for path, (valid, rows) in told["tasks"].items():
        assert (valid, rows) == (True, lines[path.replace(".csv", ".ndjson")]), path
    members = (tmp_path / "elus.ndjson").read_text(encoding="utf-8")
    assert members.count(PAGE) == 1


def test_rdflib_reads_the_record(pypi: Tools, served: Walked, tmp_path: Path) -> None:
    (tmp_path / "catalogue.jsonld").write_bytes(served.ask("/catalogue.jsonld").body)
    told = json.loads(pypi.run("python", "-c", STATED, cwd=tmp_path))
    assert (told["relative"], told["ill"]) == ([], 0)
    assert [told["kinds"].count(one) for one in ("Dataset", "DataService")] == [1, 1]
    assert told["kinds"].count("Distribution") == 6
