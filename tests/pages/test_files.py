"""The file of everything: what it holds, how it is described, how it is kept; read by nothing of ours."""

from __future__ import annotations

import asyncio
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
from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.fields import LINE_FIELDS, MOVEMENT_FIELDS
from datasette_mouvements.keys import keys
from datasette_mouvements.pages.files import archive
from datasette_mouvements.pages.files.archive import LINKS, harmless, harmless_wherever_cut
from parlement_lists import movement
from tests.contract import environment, sample
from tests.published import as_csv
from tests.tracking.lists import member

from . import databases, years
from .conftest import NOW, site

TYPES = {"date": datetime.date.fromisoformat, "integer": int, "number": float, "string": str}
ACTOR = {"id": "lectrice"}
LATER = "2027-01-02T03:04:05+00:00"
HATVP = "https://www.hatvp.fr/pages_nominatives/exemple-1"
OPEN = {"open_whole_file": True}


async def key(datasette: Datasette, account: str) -> dict[str, str]:
    """The headers of a new key of this account."""
    charging, new = site(datasette).service.charging, keys.issue()
    await charging.call(
        charging.store.create, account, keys.digest(new), keys.prefix(new), NOW, None
    )
    return {"Authorization": f"Bearer {new}"}


async def whole(datasette: Datasette, **headers: str) -> tuple[dict[str, bytes], Any, bytes]:
    """What is in the ZIP by name, its description, and its bytes."""
    answer = await datasette.client.get("/fichiers/tout", headers=headers)
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        entries = {name: archive.read(name) for name in archive.namelist()}
        days = {info.date_time[:3] for info in archive.infolist()}
    described = json.loads(entries["datapackage.json"])
    created = datetime.date.fromisoformat(described["created"][:10])
    assert days == {created.timetuple()[:3]}  # the same bytes by every worker
    return entries, described, answer.content


def read(text: bytes, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a CSV as its Table Schema says to read them; what breaks a constraint fails."""
    fields = {field["name"]: field for field in schema["fields"]}
    rows, seen = [], set()
    for row in csv.DictReader(io.StringIO(text.decode("utf-8"), newline="")):
        assert list(row) == list(fields)
        values = {}
        for name, cell in row.items():
            rules = fields[name].get("constraints", {})
            if cell in schema["missingValues"]:
                assert not rules.get("required"), name
                continue
            values[name] = TYPES[fields[name]["type"]](cell)
            assert cell in rules.get("enum", [cell])
            assert not rules.get("unique") or (name, cell) not in seen
            seen.add((name, cell))
        rows.append(values)
    return rows


async def test_each_csv_is_what_its_description_says(shared, listed) -> None:
    datasette = await shared(OPEN, path=listed)
    entries, described, _ = await whole(datasette)
    version = site(datasette).version
    assert described["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[a-z0-9._-]+", described["name"])
    assert described["version"] == version.version
    assert described["curseur"] == str(version.cursor)
    assert described["attribution"] == site(datasette).config.attribution
    assert datetime.datetime.fromisoformat(described["created"]).tzinfo
    rows = {}
    for resource in described["resources"]:
        content = entries.pop(resource["path"])
        rows[resource["name"]] = read(content, resource["schema"])
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert entries.keys() == {
        *("LICENCE.txt", "datapackage.json"),
        *("tableur/mouvements.csv", "tableur/collaborations.csv"),
    }
    (stays,) = (one for one in described["resources"] if one["path"] == "collaborations.csv")
    assert stays["schema"]["primaryKey"] == ["id"]
    ids = {row["id"] for row in rows["mouvements-csv"]}
    for reference in stays["schema"]["foreignKeys"]:
        assert reference["reference"] == {"resource": "mouvements-csv", "fields": ["id"]}
        (column,) = reference["fields"]
        pointed = {row[column] for row in rows["collaborations-csv"] if column in row}
        assert pointed
        assert pointed <= ids


async def test_the_movements_are_in_it_twice_for_programs_and_for_spreadsheets(make) -> None:
    datasette = await make({"contact": "contact@exemple.fr", **OPEN})
    entries, described, _ = await whole(datasette)
    text, sheet = (entries[f"{folder}mouvements.csv"].decode() for folder in ("", "tableur/"))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == [*movement.FIELD_NAMES, "elu_origine_id", "retour_jours"]
    assert len(rows) - 1 == len(sample.in_order())
    assert sheet.startswith('\ufeff"id";"date_event";')
    assert list(csv.reader(io.StringIO(sheet.removeprefix("\ufeff")), delimiter=";")) == rows
    notice = entries["LICENCE.txt"].decode()
    assert "made available here under the Open Database License (ODbL)" in notice
    assert "contact@exemple.fr" in notice
    (licence,) = described["licenses"]
    assert licence["name"] == "ODbL-1.0"
    assert licence["path"] == "https://opendatacommons.org/licenses/odbl/1-0/"


async def test_stays_are_in_it_with_what_is_not_known(shared, listed) -> None:
    entries, described, _ = await whole(await shared(OPEN, path=listed))
    text = entries["collaborations.csv"].decode()
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == [field.name for field in LINE_FIELDS]
    with closing(sqlite3.connect(listed)) as db:
        stays = db.execute("select * from collaborations order by rowid desc").fetchall()
        lists = "select chambre, count(*) from listes where statut <> 'refusee' group by 1"
        counted = {"assemblee": 0, "senat": 0, "europarl": 0} | dict(db.execute(lists))
    assert [row[:-5] for row in rows[1:]] == [[value or "" for value in stay] for stay in stays]
    assert years.IDA.split()[1] not in text
    lines = entries["LICENCE.txt"].decode().replace("\u00a0", " ").splitlines()
    for field in (*LINE_FIELDS, *MOVEMENT_FIELDS, *LINKS):
        assert f"- {field.name} : {field.label}. {field.description}" in lines
    for line in (
        "- Sénat : listes du 4 août 2025 au 21 septembre 2026.",
        "- Assemblée nationale : listes du 4 août 2025 au 3 août 2026 ; pas de liste du 13 janvier"
        " au 22 février 2026.",
        "- Parlement européen : pas de liste, donc pas de collaboration.",
        f"Collaborations : {len(stays)}.",
    ):
        assert line in lines
    assert {name: lists["listes"] for name, lists in described["temporal"].items()} == counted
    until = {source["chambre"]: source["jusqua"] for source in described["sources"]}
    assert until == {"assemblee": years.LATE, "senat": years.LAST}
    assert all({"title", "path", "licence"} <= source.keys() for source in described["sources"])


async def test_movements_say_whom_a_transfer_leaves_and_how_long_one_was_away(
    shared, month_of_lists
) -> None:
    entries, *_ = await whole(await shared(OPEN, path=month_of_lists))
    movements, stays = (
        read(entries[f"{table}.csv"], archive.schema(table)) for table in archive.FIELDS
    )
    *_, first = (row for row in movements if row["type"] == "transfert")
    assert first["elu_origine_id"] == member("senat", 21)
    away = {
        row["type"]: row.get("retour_jours")
        for row in movements
        if row.get("collab_nom") == "RETOUR"
    }
    assert away == {"depart": 11, "arrivee": 11}
    (back,) = (row for row in stays if "retour_de" in row)
    (before,) = (row for row in stays if row["id"] == back["retour_de"])
    assert before["elu_id"] == back["elu_id"] == member("senat", 1)
    assert (back["collab_prenom"], back["retour_jours"]) == ("Ria", 11)


async def test_several_identifiers_are_one_cell(make, tmp_path, month_of_lists) -> None:
    path = tmp_path / "movements.db"
    with databases.changing(month_of_lists, path) as db:
        several = "json_set(cast(json as text), '$.vu_ensuite', json('[\"a\", \"b\"]'))"
        db.execute(f"update _lignes_collaborations set json = {several}")
    entries, *_ = await whole(await make(OPEN, path=path))
    stays = read(entries["collaborations.csv"], archive.schema("collaborations"))
    assert {row["vu_ensuite"] for row in stays} == {"a b"}


@pytest.mark.parametrize("table", archive.FIELDS)
def test_the_schema_says_of_every_column_what_its_definition_does(table: str) -> None:
    fields = archive.FIELDS[table]
    columns = archive.schema(table)["fields"]
    assert [(one["name"], one["title"], one["description"]) for one in columns] == [
        (field.name, field.label, field.description) for field in fields
    ]
    for column, field in zip(columns, fields, strict=True):
        rules = column.get("constraints", {})
        assert rules.get("required", False) == field.required
        assert rules.get("enum", []) == [value for value in field.values if value]
        assert rules.get("unique", False) == (field.name == "id")


async def test_a_page_at_the_hatvp_is_in_the_table_of_members_alone(make, listed, tmp_path) -> None:
    with closing(sqlite3.connect(listed)) as db:
        sql = f"select chambre, elu_id from {schema.MEMBERS} order by rowid"
        chamber, identifier = db.execute(sql).fetchone()
    elus = years.write(tmp_path)
    (elus / "fiches.csv").write_text(f"chambre,elu_id,hatvp\n{chamber},{identifier},{HATVP}\n")
    path = tmp_path / "movements.db"
    built = tmp_path / "built.db"
    environment.done("build", built, "--lists", tmp_path / "lists", "--members", elus)
    with databases.changing(built, path) as db:  # published on another day than today
        db.execute(f"update {schema.CHANGES} set publie_le = '2026-09-01T12:00:00+02:00'")
    datasette = await make(OPEN, path=path)
    entries, _, _ = await whole(datasette)
    rows = read(entries["elus.csv"], archive.schema("elus"))
    assert {row["elu_id"]: row["hatvp"] for row in rows if "hatvp" in row} == {identifier: HATVP}
    assert [name for name, content in entries.items() if b"hatvp.fr" in content] == ["elus.csv"]
    answer = await datasette.client.get("/v1/elus", headers=await key(datasette, "autre"))
    assert (answer.status_code, "hatvp" in answer.text) == (200, False)


@pytest.mark.parametrize("value", ["=1+1", "+33", "-2", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(value: str) -> None:
    assert harmless(value) == "'" + value


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize("before", ["", " ", "DUPONT;", "DUPONT, ", "DUPONT\t", 'DUPONT;"', "A|"])
def test_no_part_of_a_cell_is_a_formula_wherever_it_is_cut(before: str, sign: str) -> None:
    assert harmless_wherever_cut(f"{before}{sign}cmd") == f"{before}'{sign}cmd"


@pytest.mark.parametrize("safe", [harmless, harmless_wherever_cut])
@pytest.mark.parametrize("name", ["", "D'ORVILLETTE", "DUPONT-LAJOIE", "2026-09-14"])
def test_a_name_is_left_as_it_is(safe: Any, name: str) -> None:
    assert safe(name) == name


async def test_what_a_spreadsheet_might_run_is_written_so_and_said(make, tmp_path) -> None:
    row = {"date_event": "2026-01-02", "chambre": "senat", "type": "arrivee", "source": "suivi"}
    row |= {"confiance": "bot", "collab_nom": 'DUPONT;=cmd|"', "fonction": "=1+1"}
    (tmp_path / "given.csv").write_bytes(as_csv(row))
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", tmp_path / "given.csv")
    entries, described, _ = await whole(await make(OPEN, path=path))
    (row,) = read(entries["mouvements.csv"], archive.schema("mouvements"))
    assert row["fonction"] == "'=1+1"
    sheet = entries["tableur/mouvements.csv"].decode()
    assert """;"DUPONT;'=cmd|\"\"";""" in sheet
    assert all(line.startswith(('"', '\ufeff"')) for line in sheet.splitlines())
    assert all("apostrophe" in resource["description"] for resource in described["resources"])


async def test_the_same_edition_and_settings_are_the_same_bytes(make, listed, tmp_path) -> None:
    first, second = await make(OPEN, path=listed), await make(OPEN, path=listed)
    later = tmp_path / "later.db"
    shutil.copy(listed, later)
    with closing(sqlite3.connect(later)) as db:  # as a run that changes nothing leaves it
        db.execute("update _publication set valeur = ? where cle = 'construite_le'", [LATER])
        db.commit()
    third = await make(OPEN, path=later)
    bodies = [(await whole(datasette))[2] for datasette in (first, second, third)]
    assert bodies[0] == bodies[1] == bodies[2]
    other = await make({"attribution": "Une autre", **OPEN}, path=listed)
    assert (await whole(other))[2] != bodies[0]


@pytest.mark.parametrize(
    ("setting", "path"),
    [("Licence Ouverte 2.0", ""), ("À nous – https://a.exemple/l", "https://a.exemple/l")],
)
async def test_another_licence_is_not_called_odbl(shared, setting: str, path: str) -> None:
    datasette = await shared({"licence": setting, **OPEN})
    entries, described, _ = await whole(datasette)
    assert described["licenses"] == [{"path": path or "LICENCE.txt", "title": setting}]
    feed = (await datasette.client.get("/flux")).text
    assert ("license" in feed) == bool(path)
    for text in (entries["LICENCE.txt"].decode(), feed):
        assert "Open Database License" not in text
        assert "opendatacommons.org" not in text


async def test_the_file_is_made_once_for_all_who_ask_beside_its_version(make) -> None:
    datasette = await make(OPEN)
    version = site(datasette).version
    answers = await asyncio.gather(*(whole(datasette) for _ in range(5)))
    assert len({body for _, _, body in answers}) == 1
    made = version.archive.stat()
    assert made.st_mode & 0o777 == 0o600
    assert (await whole(datasette))[2] == version.archive.read_bytes()
    assert version.archive.stat().st_mtime_ns == made.st_mtime_ns
    version.archive.unlink()  # as a system that sweeps its temporary folder
    assert (await whole(datasette))[2] == answers[0][2]


async def test_the_file_is_made_though_the_one_who_asked_has_left(make) -> None:
    datasette = await make(OPEN)
    asked = asyncio.create_task(whole(datasette))
    while (task := site(datasette).version.whole_file) is None:
        await asyncio.sleep(0)
    asked.cancel()
    await asyncio.wait([asked])
    file = await task
    assert (await whole(datasette))[2] == file.path.read_bytes()


async def test_a_file_that_cannot_be_made_costs_nothing_and_is_tried_anew(make) -> None:
    datasette = await make()
    headers = await key(datasette, "autre")
    version = site(datasette).version
    version.archive.mkdir()
    for method in ("GET", "HEAD"):
        answer = await datasette.client.request(method, "/fichiers/tout", headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.headers["x-ratelimit-remaining"] == "1000"
    version.archive.rmdir()
    _, _, body = await whole(datasette, **headers)
    assert body == version.archive.read_bytes()
    quota = await datasette.client.get("/v1/quota", headers=headers)
    assert quota.json()["utilise"] == 1


async def test_an_account_pays_with_its_key_and_who_has_none_is_shown_how_to_get_one(make) -> None:
    datasette = await make()
    headers = await key(datasette, ACTOR["id"])
    assert (await datasette.client.get("/fichiers/tout", actor=ACTOR)).status_code == 200
    quota = await datasette.client.get("/v1/quota", headers=headers)
    assert quota.json()["utilise"] == 1
    for actor in (None, {"id": "sans-cle"}):
        person = await datasette.client.get(
            "/fichiers/tout", actor=actor, headers={"Accept": "text/html"}
        )
        assert (person.status_code, person.headers["location"]) == (303, "/-/cle")


async def test_the_file_follows_the_permissions_of_the_table_whoever_pays(make) -> None:
    datasette = await make()
    own, other = await key(datasette, ACTOR["id"]), await key(datasette, "autre")
    datasette.config["databases"] = {"movements": {"allow": ACTOR}}
    for sent in ({"headers": own}, {"actor": {"id": "autre"}}):
        assert (await datasette.client.get("/fichiers/tout", **sent)).status_code == 403
    assert (await datasette.client.get("/fichiers/tout", actor=ACTOR)).status_code == 200
    used = [
        (await datasette.client.get("/v1/quota", headers=headers)).json()["utilise"]
        for headers in (own, other)
    ]
    assert used == [1, 0]
