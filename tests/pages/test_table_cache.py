"""Datasette's pages of movements and stays are remembered for visitors, and rendered before the first of them."""

from __future__ import annotations

import asyncio

import pytest
from datasette import hookimpl
from datasette.permissions import PermissionSQL
from datasette.plugins import pm
from datasette.utils import PrefixedUrlString

from datasette_mouvements.pages.explorer.table_cache import KeptAnswer

from .conftest import PUBLIC, site
from .test_counting import until

pytestmark = pytest.mark.asyncio
TABLES = ("/movements/mouvements", "/movements/collaborations")


def kept(datasette) -> list[tuple[str, ...]]:
    """The keys of remembered pages of tables."""
    return [*site(datasette).tables_cache]


async def ready(make, **settings):
    """A service of its own, counted."""
    datasette = await make({"public_url": PUBLIC} | settings)
    await site(datasette).facts()
    await until(lambda: site(datasette).latest_facts.known.counted_words is not None)
    return datasette


async def ask(datasette, path: str, origin: str = PUBLIC, **headers: str):
    return await datasette.client.get(PrefixedUrlString(origin + path), headers=headers)


def put(datasette, key, start, body: bytes) -> None:
    """Have something else remembered than what was sent."""
    site(datasette).tables_cache.drop([key])
    site(datasette).tables_cache.put(key, KeptAnswer(start, body), len(body))


async def test_the_second_visitor_gets_what_the_first_one_got(make):
    datasette = await ready(make)
    for path in (*TABLES, f"{TABLES[0]}?chambre=senat&_sort=elu_nom"):
        before = kept(datasette)
        first = await ask(datasette, path)
        (key,) = set(kept(datasette)) - set(before)
        again = await ask(datasette, path)
        assert (again.status_code, again.text) == (200, first.text)
        assert dict(again.headers) == dict(first.headers)
        # It is what was remembered that is sent, with or without gzip.
        put(datasette, key, site(datasette).tables_cache.get(key).start, b"remembered" * 200)
        for encoding in ("gzip", "identity"):
            answer = await ask(datasette, path, **{"accept-encoding": encoding})
            assert answer.text == "remembered" * 200


async def test_who_may_see_another_page_is_told_nothing_remembered(make):
    datasette = await ready(make)
    for path in TABLES:
        plain = await ask(datasette, path)
        put(datasette, kept(datasette)[-1], {"status": 200, "headers": []}, b"-")
        for header in ({"cookie": "a=b"}, {"authorization": "Bearer a"}):
            assert (await ask(datasette, path, **header)).text == plain.text


async def test_nothing_is_remembered_for_another_host(make):
    datasette = await ready(make)
    for origin in ("https://autre.exemple", PUBLIC.replace("https", "http")):
        await ask(datasette, TABLES[0], origin)
    assert kept(datasette) == []


class Closing:
    """A plugin that closes the tables to everyone, once it is told to."""

    closed = False

    @hookimpl
    def permission_resources_sql(self, datasette, actor, action):
        if self.closed and action == "view-table":
            return PermissionSQL(
                sql="select null as parent, null as child, 0 as allow, 'closed' as reason"
            )
        return None


async def test_a_table_that_was_closed_is_not_told_from_memory(make):
    datasette, closing = await ready(make), Closing()
    pm.register(closing)
    try:
        for path in TABLES:
            await ask(datasette, path)
        assert len(kept(datasette)) == 2
        closing.closed = True
        for path in TABLES:
            # Datasette is asked again after a second.
            async with asyncio.timeout(10):
                while (await ask(datasette, path)).status_code != 403:
                    await asyncio.sleep(0.05)
    finally:
        pm.unregister(closing)


async def test_a_page_without_all_its_numbers_is_not_remembered(make):
    datasette = await ready(make)
    path = f"{TABLES[0]}?_nocount=1"
    assert "Mouvements pour ces filtres.</p>" in (await ask(datasette, path)).text
    assert kept(datasette) == []
