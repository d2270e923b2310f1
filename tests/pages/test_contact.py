"""A start warns where nobody can be written to, or asked for a key."""

from __future__ import annotations

import logging

import pytest

from datasette_mouvements.config import Config
from tests.contract import environment
from tests.tracking import lists

pytestmark = pytest.mark.asyncio
PUBLIC = {"public_url": "https://exemple.fr"}
CONTACT = {"contact": "a@exemple.fr"}
NOBODY, NO_KEYS = "public_url is set and contact is not", "neither contact nor accounts"


@pytest.mark.parametrize(
    ("settings", "warnings"),
    [({}, [NO_KEYS]), (PUBLIC, [NOBODY, NO_KEYS]), (PUBLIC | CONTACT, []), (CONTACT, [])],
)
async def test_a_start_warns_where_there_is_nobody_to_write_to(make, caplog, settings, warnings):
    with caplog.at_level(logging.WARNING):
        await make(settings)
    text = "\n".join(record.message for record in caplog.records)
    assert [warning for warning in (NOBODY, NO_KEYS) if warning in text] == warnings


@pytest.mark.parametrize("settings", [{}, PUBLIC | {"allow_invented": True}])
async def test_invented_people_need_nobody_to_write_to(make, caplog, tmp_path, settings):
    lists.write(tmp_path / "lists", "senat", "2026-09-12", lists.STAFF)
    environment.done(
        "build", tmp_path / "movements.db", "--lists", tmp_path / "lists", "--invented"
    )
    with caplog.at_level(logging.WARNING):
        await make(settings, path=tmp_path / "movements.db")
    assert [record.message for record in caplog.records] == []


async def test_blanks_are_no_contact():
    assert Config(public_url="https://exemple.fr", contact=" ").contact_missing
