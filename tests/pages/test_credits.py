"""Whom the lists that are served are owed to."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.coverage import Coverage, credits
from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.credits import CREDITS
from tests.contract import environment
from tests.tracking import lists

from .conftest import site

NONE = {"assemblee": Coverage(), "senat": Coverage(), "europarl": Coverage()}


def told(**chambers: tuple[str, str]) -> list[tuple[str, str, str]]:
    found = credits(NONE | {chamber: Coverage(*days) for chamber, days in chambers.items()})
    return [(one.chamber, one.publisher, last) for one, last in found]


def test_every_chamber_is_credited_and_so_is_every_archive():
    assert [one.chamber for one in CREDITS if not one.until] == list(CHAMBERS)
    for credit in CREDITS:
        assert credit.publisher
        assert credit.licence
        assert credit.address.startswith("https://")


def test_a_chamber_without_lists_owes_nobody_anything():
    assert told() == []


def test_the_archive_is_credited_up_to_its_last_list_and_the_chamber_up_to_the_last_of_all():
    assert told(senat=("2015-05-13", "2026-09-12")) == [
        ("senat", "Sénat", "2026-09-12"),
        ("senat", "Regards Citoyens", "2023-10-31"),
    ]
    assert told(senat=("2015-05-13", "2020-01-31"))[1][2] == "2020-01-31"


def test_lists_of_after_an_archive_owe_it_nothing():
    assert told(assemblee=("2024-06-13", "2026-09-12")) == [
        ("assemblee", "Assemblée nationale", "2026-09-12")
    ]


@pytest.mark.asyncio
async def test_the_documentation_tells_them(make, tmp_path):
    for day in ("2023-10-30", "2026-09-12"):
        lists.write(tmp_path / "lists", "senat", day, lists.STAFF)
    environment.done("build", tmp_path / "x.db", "--lists", tmp_path / "lists")
    datasette = await make(path=tmp_path / "x.db")
    page = (await datasette.client.get("/documentation")).text
    owed = site(datasette).credits
    assert [(credit.publisher, last) for credit, last in owed] == [
        ("Sénat", "2026-09-12"),
        ("Regards Citoyens", "2023-10-31"),
    ]
    for credit, _ in owed:
        assert f'<a href="{credit.address}">{credit.publisher}</a>, {credit.licence}' in page
