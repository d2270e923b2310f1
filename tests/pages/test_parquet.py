"""Parquet files: the rows of the data package with days as days, in one row group, for who may have the whole file."""

from __future__ import annotations

import datetime
import io
import json
import sys
from typing import Any

import pytest
from pyarrow import parquet as reader

from datasette_mouvements.dataset.stays.lines import NEXT
from datasette_mouvements.pages.files import datapackage, parquet

from .conftest import PUBLIC, site
from .test_datapackage import whole
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
PATHS = ("/fichiers/mouvements.parquet", "/fichiers/collaborations.parquet")
TYPES = {"date": "date32[day]", "integer": "int32", "string": "string"}


async def asked(datasette, path: str, headers: dict[str, str] | None = None) -> Any:
    return await datasette.client.get(path, headers=headers or bearer(await key(datasette)))


def as_written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value


@pytest.mark.parametrize("path", PATHS)
async def test_the_rows_and_types_are_those_of_the_data_package(shared, listed, path):
    datasette = await shared(path=listed)
    answer = await asked(datasette, path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    file = reader.ParquetFile(io.BytesIO(answer.content))
    table = path.rpartition("/")[2].partition(".")[0]
    held, described, _ = await whole(datasette)
    fields = datapackage.schema(table)["fields"]
    types = {field["name"]: TYPES[field["type"]] for field in fields}
    if NEXT in types:
        types[NEXT] = "list<element: string>"
    assert {one.name: str(one.type) for one in file.schema_arrow} == types
    nullable = {one.name for one in file.schema_arrow if one.nullable}
    required = {f["name"] for f in fields if f.get("constraints", {}).get("required")}
    assert nullable == types.keys() - required
    rows = [
        {name: as_written(value) for name, value in row.items() if value is not None}
        for row in file.read().to_pylist()
    ]
    assert rows == [json.loads(line) for line in held[f"{table}.ndjson"].splitlines()]
    assert rows
    assert file.num_row_groups == 1
    notes = {name.decode(): value.decode() for name, value in file.schema_arrow.metadata.items()}
    assert (notes["version"], notes["edition"]) == (described["version"], described["edition"])
    assert notes["attribution"] == described["attribution"]
    assert notes["licence"] == described["licenses"][0]["title"]


@pytest.mark.parametrize("path", PATHS)
async def test_it_costs_one_request_and_nothing_to_who_has_it(datasette, path):
    held = bearer(await key(datasette))
    assert (await datasette.client.get(path)).status_code == 401
    first = await asked(datasette, path, held)
    again = await asked(datasette, path, held | {"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    left = (first.headers["x-ratelimit-remaining"], again.headers["x-ratelimit-remaining"])
    assert left == ("999", "999")
    part = await asked(datasette, path, held | {"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"PAR1")
    refused = await asked(datasette, f"{path}?chambre=senat", held)
    assert (refused.status_code, refused.json()["parametre"]) == (400, "chambre")


@pytest.mark.parametrize("path", PATHS)
async def test_it_is_open_where_the_whole_file_is(shared, path):
    datasette = await shared({"open_whole_file": True})
    answer = await datasette.client.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"].startswith("public")
    assert "x-ratelimit-limit" not in answer.headers
    preflight = await datasette.client.options(path, headers={"Origin": "https://a.exemple"})
    assert preflight.status_code == 204


async def test_the_same_edition_is_the_same_bytes_and_other_settings_are_others(make, tmp_path):
    one, other, renamed = await make(), await make(), await make({"attribution": "Une autre"})
    for number, datasette in enumerate((one, other, renamed)):
        site(datasette).file_cache.folder = tmp_path / str(number)
    answers = [await asked(datasette, PATHS[0]) for datasette in (one, other, renamed)]
    assert answers[0].content == answers[1].content
    assert len({answer.headers["etag"] for answer in answers}) == 2
    assert answers[0].content != answers[2].content


async def test_another_edition_is_another_file_whatever_it_tells_of_itself(shared, listed):
    served = [site(await shared()).snapshot(), site(await shared(path=listed)).snapshot()]
    digests = {parquet.digest(snapshot, "mouvements", {}) for snapshot in served}
    digests.add(parquet.digest(served[0], "collaborations", {}))
    assert len(digests) == 3


async def test_a_service_without_pyarrow_says_so_and_serves_the_rest(make, monkeypatch):
    datasette = await make({"public_url": PUBLIC})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    held = bearer(await key(datasette))
    for path in PATHS:
        answer = await asked(datasette, path, held)
        assert (answer.status_code, answer.json()["type"].partition("#")[2]) == (
            501,
            "forme-absente",
        )
        assert "pyarrow" in answer.json()["detail"]
        assert answer.headers["x-ratelimit-remaining"] == "1000"
    assert (await asked(datasette, "/fichiers/tout", held)).status_code == 200
    for page in ("/fichiers", "/catalogue.jsonld"):
        assert "parquet" not in (await datasette.client.get(page)).text.lower()
