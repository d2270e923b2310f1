"""The description of the ZIP: what it says is what the files hold, read by nothing of ours."""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import re
import shutil
import zipfile
from contextlib import closing
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.stays.lines import LINE_FIELDS
from datasette_mouvements.pages.counts.stay_links import MOVEMENT_LINK_FIELDS
from datasette_mouvements.pages.files import datapackage
from parlement_lists import movement
from tests.contract import environment
from tests.published import as_csv

from . import years
from .conftest import site
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
TYPES = {"date": datetime.date.fromisoformat, "integer": int, "string": str}


async def whole(datasette) -> tuple[dict[str, bytes], Any, bytes]:
    """What is in the ZIP by name, its description, and its bytes."""
    answer = await datasette.client.get("/fichiers/tout", headers=bearer(await key(datasette)))
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    return held, json.loads(held["datapackage.json"]), answer.content


def read(text: bytes, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a CSV as its Table Schema says to read them; what breaks a constraint fails."""
    rows = list(csv.DictReader(io.StringIO(text.decode("utf-8"), newline="")))
    fields = {field["name"]: field for field in schema["fields"]}
    found = []
    seen: dict[str, set[Any]] = {}
    for row in rows:
        assert list(row) == list(fields)
        values: dict[str, Any] = {}
        for name, cell in row.items():
            rules = fields[name].get("constraints", {})
            if cell in schema["missingValues"]:
                assert not rules.get("required"), name
                continue
            value = TYPES[fields[name]["type"]](cell)
            assert cell in rules.get("enum", [cell])
            assert not rules.get("unique") or value not in seen.setdefault(name, set())
            seen.setdefault(name, set()).add(value)
            values[name] = value
        found.append(values)
    return found


async def test_the_csv_read_by_its_schema_keeps_its_rules(shared, listed) -> None:
    datasette = await shared(path=listed)
    held, described, _ = await whole(datasette)
    resources = {resource["path"]: resource for resource in described["resources"]}
    rows = {}
    for table in ("mouvements", "collaborations"):
        schema = resources[f"{table}.csv"]["schema"]
        rows[table] = read(held[f"{table}.csv"], schema)
        assert schema["primaryKey"] == ["id"]
        assert rows[table]
    assert {type(row["date_event"]) for row in rows["mouvements"]} == {datetime.date}
    keys = resources["collaborations.csv"]["schema"]["foreignKeys"]
    known = {row["id"] for row in rows["mouvements"]}
    for reference in keys:
        assert reference["reference"] == {"resource": "mouvements-csv", "fields": ["id"]}
        (column,) = reference["fields"]
        pointed = {row[column] for row in rows["collaborations"] if column in row}
        assert pointed
        assert pointed <= known


async def test_the_description_is_that_of_the_files_beside_it(datasette) -> None:
    held, described, _ = await whole(datasette)
    snapshot = site(datasette).snapshot()
    assert described["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[a-z0-9._-]+", described["name"])
    assert described["version"] == snapshot.version
    assert described["curseur"] == str(snapshot.cursor)
    assert datetime.datetime.fromisoformat(described["created"]).tzinfo
    assert described["attribution"] == site(datasette).config.attribution
    (licence,) = described["licenses"]
    assert licence["name"] == "ODbL-1.0"
    assert licence["path"] == "https://opendatacommons.org/licenses/odbl/1-0/"
    paths = {resource["path"] for resource in described["resources"]}
    assert held.keys() - paths == {
        *("LICENCE.txt", "datapackage.json"),
        *("tableur/mouvements.csv", "tableur/collaborations.csv"),
    }
    for resource in described["resources"]:
        content = held[resource["path"]]
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert resource["encoding"] == "utf-8"
        content.decode("utf-8")


async def test_the_lists_and_whom_they_are_owed_to_are_described(make, listed) -> None:
    datasette = await make(path=listed)
    _, described, _ = await whole(datasette)
    told = {name: lists["listes"] for name, lists in described["temporal"].items()}
    with closing(sqlite3.connect(listed)) as db:
        counted = db.execute(
            "select chambre, count(*) from listes where statut <> 'refusee' group by 1"
        )
        assert told == {"assemblee": 0, "senat": 0, "europarl": 0} | dict(counted)
    assert {source["chambre"] for source in described["sources"]} == {
        name for name, number in told.items() if number
    }


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        ("mouvements", (*movement.FIELDS, *MOVEMENT_LINK_FIELDS)),
        ("collaborations", LINE_FIELDS),
    ],
)
async def test_the_schema_tells_every_column_as_the_definitions_do(table, fields) -> None:
    told = datapackage.schema(table)["fields"]
    assert [(one["name"], one["title"], one["description"]) for one in told] == [
        (field.name, field.label, field.description) for field in fields
    ]
    days = {one["name"] for one in told if one["type"] == "date"}
    of_stays = {"debut", "debut_apres", "fin", "fin_apres", "mandat_fin"}
    assert days == ({"date_event"} if table == "mouvements" else of_stays)
    for one, field in zip(told, fields, strict=True):
        rules = one.get("constraints", {})
        assert rules.get("required", False) == field.required
        assert rules.get("enum", []) == [value for value in field.values if value]
        assert rules.get("unique", False) == (field.name == "id")


async def test_what_a_spreadsheet_might_run_is_told(make, tmp_path) -> None:
    given = tmp_path / "given.csv"
    row = {"date_event": "2026-01-02", "chambre": "senat", "type": "arrivee", "source": "suivi"}
    row |= {"confiance": "bot", "collab_nom": "EXEMPLE", "fonction": "=1+1"}
    given.write_bytes(as_csv(row))
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", given)
    held, described, _ = await whole(await make(path=path))
    resource = next(one for one in described["resources"] if one["path"] == "mouvements.csv")
    (row,) = read(held["mouvements.csv"], resource["schema"])
    assert row["fonction"] == "'=1+1"
    assert "apostrophe" in resource["description"]


async def test_the_same_version_is_the_same_bytes_wherever_it_is_made(
    make, listed, tmp_path
) -> None:
    first, second = await make(path=listed), await make(path=listed)
    site(second).file_cache.folder = tmp_path / "elsewhere"
    one, other = await whole(first), await whole(second)
    assert one[2] == other[2]
    renamed = await make({"attribution": "Une autre"}, path=listed)
    assert (await whole(renamed))[2] != one[2]


async def test_a_file_built_again_from_the_same_has_the_same_zip(make, listed, tmp_path) -> None:
    path = tmp_path / "movements.db"
    shutil.copy(listed, path)
    _, _, before = await whole(await make(path=path))
    with closing(sqlite3.connect(path)) as db:  # as a run that changes nothing leaves it
        db.execute("update _publication set valeur = ? where cle = 'construite_le'", [LATER])
        db.commit()
    later = await make(path=path)
    assert site(later).snapshot().built_at == LATER
    site(later).file_cache.folder = tmp_path / "elsewhere"
    _, _, after = await whole(later)
    assert before == after


PAGE = "https://www.hatvp.fr/pages_nominatives/exemple-1"


async def test_a_page_at_the_hatvp_is_that_of_a_member_and_in_the_data_package_alone(
    make, listed, tmp_path
) -> None:
    with closing(sqlite3.connect(listed)) as db:
        chamber, known = db.execute("select chambre, elu_id from elus order by rowid").fetchone()
    elus = years.write(tmp_path)
    (elus / "fiches.csv").write_text(f"chambre,elu_id,hatvp\n{chamber},{known},{PAGE}\n")
    path = tmp_path / "movements.db"
    environment.done("build", path, "--lists", tmp_path / "lists", "--members", elus)
    datasette = await make(path=path)
    held, described, _ = await whole(datasette)
    told = next(one for one in described["resources"] if one["path"] == "elus.csv")
    members = read(held["elus.csv"], told["schema"])
    assert {one["elu_id"]: one["hatvp"] for one in members if "hatvp" in one} == {known: PAGE}
    assert len(members) > 1
    assert [name for name, content in held.items() if b"hatvp.fr" in content] == ["elus.csv"]
    assert "hatvp" in told["title"]
    answer = await datasette.client.get("/v1/elus", headers=bearer(await key(datasette, "other")))
    assert (answer.status_code, "hatvp" in answer.text) == (200, False)


LATER = "2027-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    ("setting", "path"),
    [("Licence Ouverte 2.0", ""), ("À nous – https://a.exemple/l", "https://a.exemple/l")],
)
async def test_another_licence_is_not_called_odbl(shared, setting, path):
    datasette = await shared({"licence": setting})
    held, described, _ = await whole(datasette)
    assert described["licenses"] == [{"path": path or "LICENCE.txt", "title": setting}]
    feed = (await datasette.client.get("/flux")).text
    assert ("license" in feed) == bool(path)
    page = (await datasette.client.get("/documentation")).text
    for text in (held["LICENCE.txt"].decode(), feed, page):
        assert "Open Database License" not in text
        assert "opendatacommons.org" not in text
