"""A public address without somebody to write to: the log and the pages say so."""

from __future__ import annotations

import logging

import pytest

from datasette_mouvements.config import Config
from tests.contract import environment
from tests.tracking import lists

pytestmark = pytest.mark.asyncio
PUBLIC = {"public_url": "https://exemple.fr"}
SAID = "public_url is set and contact is not"


@pytest.mark.parametrize(
    ("settings", "told"),
    [(PUBLIC, True), (PUBLIC | {"contact": "a@exemple.fr"}, False), ({}, False)],
)
async def test_a_start_warns_where_the_public_has_nobody_to_write_to(make, caplog, settings, told):
    with caplog.at_level(logging.WARNING):
        await make(settings)
    assert any(SAID in record.message for record in caplog.records) == told


@pytest.mark.parametrize(
    ("settings", "told"), [({}, True), (PUBLIC, True), ({"contact": "a@exemple.fr"}, False)]
)
async def test_a_start_warns_where_nobody_can_ask_for_a_key(make, caplog, settings, told):
    with caplog.at_level(logging.WARNING):
        await make(settings)
    assert any("neither contact nor accounts" in one.message for one in caplog.records) == told


@pytest.mark.parametrize("settings", [{}, PUBLIC | {"allow_invented": True}])
async def test_invented_people_need_nobody_to_write_to(make, caplog, tmp_path, settings):
    lists.write(tmp_path / "lists", "senat", "2026-09-12", lists.STAFF)
    environment.done(
        "build", tmp_path / "movements.db", "--lists", tmp_path / "lists", "--invented"
    )
    with caplog.at_level(logging.WARNING):
        await make(settings, path=tmp_path / "movements.db")
    assert [record.message for record in caplog.records] == []


async def test_a_page_says_that_there_is_no_contact(make):
    said = "L’adresse de contact de ce site n’est pas renseignée."
    assert said in (await (await make(PUBLIC)).client.get("/documentation")).text
    named = await make(PUBLIC | {"contact": "a@exemple.fr"})
    assert said not in (await named.client.get("/documentation")).text


async def test_blanks_are_no_contact():
    assert Config(public_url="https://exemple.fr", contact=" ").contact_missing
