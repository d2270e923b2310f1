"""What is told on a later day of the same file: a mandate that ended since, a list that is late by now."""

from __future__ import annotations

import csv
import datetime
import io

import pytest
import pytest_asyncio

from parlement_lists.movement import PARIS
from tests.tracking.lists import member

from . import sealed, three_groups, years
from .conftest import site, told
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
TWO = member("senat", 2)
GIVEN, FAMILY = three_groups.NEW.split()  # the only one of the name, at this member
LAST_DAY = datetime.datetime(2026, 9, 28, 12, 0, tzinfo=PARIS)
NEXT_DAY = LAST_DAY + datetime.timedelta(1)


@pytest_asyncio.fixture
async def datasette(make, grouped, tmp_path):
    """A file of some weeks ago, in which a mandate ends on LAST_DAY; it is that day."""
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("update _mandats set fin = '2026-09-28' where elu_id = ?", [TWO])
        db.execute(
            "update _publication set valeur = ? where cle = 'construite_le'",
            [years.TODAY.isoformat()],
        )
    return await make(path=path, now=LAST_DAY)


async def test_the_day_after_a_mandate_no_page_calls_anybody_present(datasette):
    chip = 'Élue Numéro02 Granite "dur" & fils GRA Sénat'
    pages = {
        "/elus/senat": ("Mandat en cours (28)", "Mandat en cours (27)"),
        "/elus": ("Sénat 28 parlementaires", "Sénat 27 parlementaires"),
        "/": ("Sénat 28 membres", "Sénat 27 membres"),
        "/groupes": ("GRA) 10 29", "GRA) 9 25"),
        "/groupes/senat/GRA": ("10 membres", "9 membres"),
        "/classements/senat": ("Numéro02", ""),
        f"/recherche?q={FAMILY}": (" · liste du 21", " · encore sur la liste du 21"),
        "/recherche?q=numéro02": (
            f"{chip} · 4 personnes dans l’équipe",
            f"{chip} · mandat terminé le 28 septembre 2026",
        ),
    }
    for path, (before, _) in pages.items():
        assert before in await told(datasette, path), path
    site(datasette).service.clock = lambda: NEXT_DAY
    for path, (before, after) in pages.items():
        text = await told(datasette, path)
        assert after in text, path
        assert before not in text, path
    assert "Numéro02" in await told(datasette, "/elus/senat?mandat=termine")


async def test_a_file_is_another_one_once_a_mandate_has_ended(datasette):
    head = bearer(await key(datasette))

    async def rows(path: str) -> dict[str, dict[str, str]]:
        text = (await datasette.client.get(path, headers=head)).text
        return {row["elu_id"]: row for row in csv.DictReader(io.StringIO(text))}

    assert (await rows("/elus/senat.csv"))[TWO]["mandat"] == "en-cours"
    assert TWO in await rows("/classements/senat.csv")
    first = await datasette.client.get("/groupes/senat/GRA.csv", headers=head)
    seen = {"if-modified-since": first.headers["last-modified"]}
    same = await datasette.client.get("/groupes/senat/GRA.csv", headers=head | seen)
    assert same.status_code == 304
    site(datasette).service.clock = lambda: NEXT_DAY
    two = (await rows("/elus/senat.csv"))[TWO]
    assert (two["mandat"], two["mandat_fin"], two["equipe"]) == ("termine", "2026-09-28", "")
    assert TWO not in await rows("/classements/senat.csv")
    new = await datasette.client.get("/groupes/senat/GRA.csv", headers=head | seen)
    assert TWO not in new.text
    assert (new.status_code, new.headers["last-modified"]) == (200, "Mon, 28 Sep 2026 22:00:00 GMT")
    assert new.headers["etag"] != first.headers["etag"]
