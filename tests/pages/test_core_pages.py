"""Datasette's own pages as visitors get them: policy, robots, hosts, gzip, and those that are kept."""

from __future__ import annotations

import asyncio

import pytest
from datasette import hookimpl
from datasette.permissions import PermissionSQL
from datasette.plugins import pm
from datasette.utils import PrefixedUrlString

from datasette_mouvements.api.replies import Reply

from .conftest import PUBLIC, site

TABLES = ("/movements/mouvements", "/movements/collaborations", "/movements/equipes")


def kept(datasette) -> list[tuple[str, ...]]:
    """The keys of the kept pages of tables."""
    return [key for key in site(datasette).cache if key[0] == "table"]


async def ask(datasette, path: str, origin: str = PUBLIC, **headers: str):
    return await datasette.client.get(PrefixedUrlString(origin + path), headers=headers)


async def test_an_instance_without_movements_keeps_datasette_s_own_pages():
    from datasette.app import Datasette

    answer = await Datasette(memory=True).client.get("/_memory")
    assert (answer.status_code, '<html lang="en">' in answer.text) == (200, True)
    assert "content-security-policy" not in answer.headers


@pytest.mark.parametrize("public", ["", PUBLIC])
async def test_the_page_of_one_host_is_not_that_of_another(shared, public):
    """Core makes links of the Host that it is asked at; the page shows one only without a public address."""
    service = await shared({"public_url": public} if public else {})
    answer = await service.client.get(TABLES[0], headers={"Host": "autre.exemple"})
    assert ("autre.exemple" in answer.text) is not bool(public)
    assert "Host" in answer.headers["vary"].split(", ")


async def test_the_second_visitor_gets_what_the_first_one_got(make):
    datasette = await make({"public_url": PUBLIC})
    for path in (*TABLES, f"{TABLES[0]}?chambre=senat&_sort=elu_nom"):
        before = kept(datasette)
        first = await ask(datasette, path)
        (key,) = {*kept(datasette)} - {*before}
        again = await ask(datasette, path)
        assert (again.status_code, again.text) == (200, first.text)
        assert dict(again.headers) == dict(first.headers)
        # It is what is kept that is sent, with or without gzip.
        page = Reply(200, [(b"content-type", b"text/html")], b"remembered" * 200)
        site(datasette).cache.put(key, page, len(page.body))
        for encoding in ("gzip", "identity"):
            answer = await ask(datasette, path, **{"accept-encoding": encoding})
            assert answer.text == "remembered" * 200
            assert answer.headers.get("content-encoding", "identity") == encoding
        for header in ({"cookie": "a=b"}, {"authorization": "Bearer a"}):
            assert "remembered" not in (await ask(datasette, path, **header)).text
        for origin in ("https://autre.exemple", PUBLIC.replace("https", "http")):
            assert "remembered" not in (await ask(datasette, path, origin)).text


async def test_a_page_without_all_its_numbers_is_not_kept(make):
    datasette = await make({"public_url": PUBLIC})
    page = await ask(datasette, f"{TABLES[0]}?_nocount=1")
    assert "Mouvements pour ces filtres.</p>" in page.text
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
    datasette, closing = await make({"public_url": PUBLIC}), Closing()
    pm.register(closing)
    try:
        await ask(datasette, TABLES[0])
        assert len(kept(datasette)) == 1
        closing.closed = True
        # Datasette is asked again after a second.
        async with asyncio.timeout(10):
            while (await ask(datasette, TABLES[0])).status_code != 403:
                await asyncio.sleep(0.05)
    finally:
        pm.unregister(closing)
