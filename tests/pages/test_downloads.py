"""Files: what they hold, whom they are for, what they cost."""

from __future__ import annotations

import csv
import io
import zipfile
from contextlib import closing

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.stays.lines import LINE_FIELDS
from datasette_mouvements.keys import keys
from datasette_mouvements.keys.store import Charge
from datasette_mouvements.pages.counts import publications
from datasette_mouvements.pages.files import tabular
from datasette_mouvements.turns import client_of
from parlement_lists import tenure
from parlement_lists.movement import FIELD_NAMES
from tests.contract import sample

from . import years
from .conftest import NOW, site

pytestmark = pytest.mark.asyncio
ACTOR = {"id": "lectrice"}


@pytest_asyncio.fixture
async def datasette(make):
    return await make({"contact": "contact@exemple.fr"})


async def key(datasette, account: str = "", quota: int | None = None) -> str:
    """A key for this account, or for one of its own."""
    counter = site(datasette).service.charging
    made = keys.issue()
    await counter.call(
        counter.store.create, account or made[:12], keys.digest(made), keys.prefix(made), NOW, quota
    )
    return made


async def used(datasette, made: str) -> Charge:
    charge = await site(datasette).service.charging.charge(keys.digest(made), 0)
    assert charge is not None
    return charge


async def ready(datasette) -> str:
    """A key for the account of ACTOR."""
    return await key(datasette, ACTOR["id"])


def bearer(made: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {made}"}


async def test_the_page_of_files_says_how_long_a_feed_is(datasette):
    assert (
        f"Les {publications.MOST}\u00a0dernières publications"
        in (await datasette.client.get("/fichiers")).text
    )


@pytest.mark.parametrize("value", ["=1+1", "+33", "-2", "@SUM(A1)", "\t=1", "\r=1"])
async def test_no_cell_is_a_formula(value):
    assert tabular.harmless(value) == "'" + value


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize("before", ["", " ", "DUPONT;", "DUPONT, ", "DUPONT\t", 'DUPONT;"', "A|"])
async def test_no_part_of_a_cell_is_a_formula_wherever_a_spreadsheet_cuts(before, sign):
    assert tabular.harmless_wherever_cut(f"{before}{sign}cmd") == f"{before}'{sign}cmd"


async def test_a_cell_with_formulas_is_one_cell_of_text_in_a_spreadsheet():
    with closing(sqlite3.connect(":memory:")) as db:
        for table in (schema.TENURES, schema.STAYS.lines):
            db.execute(schema.TABLES[table])
        db.execute(f"create table mouvements ({', '.join(FIELD_NAMES)})")
        db.execute("insert into mouvements (collab_nom, fonction) values (?, ?)", SPLIT)
        file = b"".join(tabular.write_for_spreadsheets(db, schema.TABLE, 10)).decode()
    assert """;"DUPONT;'=cmd|\"\"";""" in file
    assert all(line.startswith(('"', '\ufeff"')) for line in file.splitlines())


# What files of movements say after the fields of the interface.
ADDED = ("elu_origine_id", "retour_jours")
SPLIT = ('DUPONT;=cmd|"', "Chef, ＝1")


async def test_a_name_is_left_as_it_is():
    for harmless in (tabular.harmless, tabular.harmless_wherever_cut):
        for name in ("D'ORVILLETTE", "DUPONT-LAJOIE", "2026-09-14"):
            assert harmless(name) == name
        assert harmless(None) == ""


async def test_everything_in_one_file_with_its_licence(datasette):
    made = await ready(datasette)
    first = await datasette.client.get("/fichiers/tout", headers=bearer(made))
    assert first.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(first.content)) as archive:
        assert archive.testzip() is None
        notice = archive.read("LICENCE.txt").decode()
        text = archive.read("mouvements.csv").decode()
        sheet = archive.read("tableur/mouvements.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == [*FIELD_NAMES, *ADDED]
    assert sheet.startswith('\ufeff"id";"date_event";')
    cells = list(csv.reader(io.StringIO(sheet.removeprefix("\ufeff")), delimiter=";"))
    assert cells == list(csv.reader(io.StringIO(text)))
    assert "made available here under the Open Database License (ODbL)" in notice
    assert "contact@exemple.fr" in notice
    assert len(rows) == len(sample.in_order())
    assert (await used(datasette, made)).used == 1


async def test_stays_are_in_the_file_of_everything_with_what_is_not_known(make, listed):
    datasette = await make(path=listed)
    headers = bearer(await key(datasette))
    answer = await datasette.client.get("/fichiers/tout", headers=headers)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        notice = archive.read("LICENCE.txt").decode()
        text = archive.read("collaborations.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    with closing(sqlite3.connect(listed)) as db:
        stays = db.execute("select * from collaborations order by rowid desc").fetchall()
    assert [tuple(row.values())[:-5] for row in rows] == [tuple(v or "" for v in s) for s in stays]
    added = ("retour_de", "retour_jours", "vu_ensuite", "vu_ensuite_jours", "mandat_fin")
    assert text.splitlines()[0] == ",".join([*tenure.FIELD_NAMES, *added])
    for field in LINE_FIELDS:
        assert f"- {field.name} : {field.label}. {field.description}" in notice
    known = [line.replace("\u00a0", " ") for line in notice.splitlines()]
    assert "- Sénat : listes du 4 août 2025 au 21 septembre 2026." in known
    assert (
        "- Assemblée nationale : listes du 4 août 2025 au 3 août 2026 ; pas de liste du 13 janvier"
        " au 22 février 2026." in known
    )
    assert "- Parlement européen : pas de liste, donc pas de collaboration." in known
    assert f"Collaborations : {len(stays)}." in known
    assert years.IDA.split()[1] not in text


async def test_the_notice_in_the_file_is_that_of_the_settings(make, database):
    notices = set()
    for contact in ("a@exemple.fr", "b@exemple.fr"):
        datasette = await make({"contact": contact})
        headers = bearer(await key(datasette))
        file = (await datasette.client.get("/fichiers/tout", headers=headers)).content
        notices.add(contact in zipfile.ZipFile(io.BytesIO(file)).read("LICENCE.txt").decode())
    assert notices == {True}


async def test_a_file_that_cannot_be_made_costs_nothing(datasette, tmp_path):
    headers = bearer(await key(datasette))
    nowhere = tmp_path / "a-file"
    nowhere.write_bytes(b"")
    site(datasette).file_cache.folder = nowhere / "folder"
    answer = await datasette.client.get("/fichiers/tout", headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.headers["x-ratelimit-remaining"] == "1000"
    quota = await datasette.client.get("/v1/quota", headers=headers)
    assert quota.json()["utilise"] == 0


async def test_a_signed_in_account_pays_with_its_key(datasette):
    made = await ready(datasette)
    answer = await datasette.client.get("/fichiers/tout", actor=ACTOR)
    assert answer.status_code == 200
    assert (await used(datasette, made)).used == 1


async def test_visitors_without_a_key_are_shown_how_to_get_one(datasette):
    await ready(datasette)
    person = await datasette.client.get("/fichiers/tout", headers={"Accept": "text/html"})
    assert (person.status_code, person.headers["location"]) == (303, "/-/cle")
    program = await datasette.client.get("/fichiers/tout")
    assert program.status_code == 401
    assert program.json()["type"].endswith("#cle-absente")
    stranger = {"id": "sans-cle"}
    account = await datasette.client.get(
        "/fichiers/tout", actor=stranger, headers={"Accept": "text/html"}
    )
    assert account.headers["location"] == "/-/cle"


async def test_files_follow_the_permissions_of_the_table_whoever_pays(datasette):
    made, other = await ready(datasette), await key(datasette, "autre")
    datasette.config["databases"] = {"movements": {"allow": ACTOR}}
    refused = (
        await datasette.client.get("/fichiers/tout", headers=bearer(made)),
        await datasette.client.get("/fichiers/tout", actor={"id": "autre"}),
    )
    assert [answer.status_code for answer in refused] == [403, 403]
    assert (await datasette.client.get("/fichiers/tout", actor=ACTOR)).status_code == 200
    assert [(await used(datasette, one)).used for one in (made, other)] == [1, 0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
async def test_one_subscriber_of_ipv6_has_one_network(one, other, same):
    asked = [client_of({"client": (address, 1), "headers": []}) for address in (one, other)]
    assert (asked[0] == asked[1]) is same
