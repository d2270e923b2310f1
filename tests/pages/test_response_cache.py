"""What is remembered is never told of another build of the file, on another day, to another host."""

from __future__ import annotations

import asyncio
import datetime
import re
import secrets
import shutil

import pytest
import pytest_asyncio

from datasette_mouvements.pages import routes
from datasette_mouvements.pages.frame.site import ORIGINS
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import sealed, three_groups, years
from .conftest import site
from .test_counting import until
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
TWO = member("senat", 2)
GIVEN, FAMILY = three_groups.NEW.split()
NEXT, NEWCOMER = "2026-09-22", "Yva NEUVILLE"
TABLES = ("/movements/mouvements?chambre=senat", "/movements/collaborations")
# One of each route at least: a new page that is not here fails a test.
ADDRESSES = (
    *("/", "/recherche?q=neuv", "/explorer?chambre=senat", "/documentation", "/robots.txt"),
    *("/elus", "/elus/senat", "/elus/senat.csv", f"/elus/senat/{TWO}", f"/elus/senat/{TWO}.csv"),
    "/collaborateurs/neuveglise-zoe",
    *("/collaborateurs/neuveglise-zoe/flux", "/flux", "/flux?chambre=senat"),
    *(
        "/sources",
        "/semaine",
        "/semaine/2026-W39",
        "/groupes",
        "/groupes/senat.csv",
        "/groupes/senat/GRA",
        "/groupes/senat/GRA.csv",
    ),
    *("/classements", "/classements/senat", "/classements/senat.csv"),
    *("/fichiers", "/fichiers/tout", "/exemples/client.py"),
    *("/-/cle", "/vos-donnees"),
    *TABLES,  # last: the explorer names groups once they are counted
)
HEADERS = ("etag", "last-modified", "mouvements-version", "content-disposition", "location")


async def answers(datasette, host: str = "localhost") -> dict[str, tuple]:
    """What each address answers, without what changes with every request."""
    head = bearer(await key(datasette, account=secrets.token_hex(4)))
    found = {}
    for path in ADDRESSES:
        sent = {"host": host} | (head if ".csv" in path or "/fichiers/" in path else {})
        answer = await datasette.client.get(path, headers=sent, follow_redirects=False)
        assert answer.status_code in (200, 302), path
        found[path] = (
            answer.content,
            *(answer.headers.get(name) for name in HEADERS),
        )
    return found


def changed(before: dict[str, tuple], after: dict[str, tuple]) -> set[str]:
    return {path for path in before if before[path] != after[path]}


def now_built(db) -> None:
    db.execute(
        "update _publication set valeur = ? where cle = 'construite_le'",
        [(years.TODAY - datetime.timedelta(0, 60)).isoformat()],
    )


@pytest.fixture
def path(grouped, tmp_path):
    """A file built an hour ago, in which a mandate ends in some weeks."""
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("update _mandats set fin = '2026-10-15' where elu_id = ?", [TWO])
        db.execute(
            "update _publication set valeur = ? where cle = 'construite_le'",
            [(years.TODAY - datetime.timedelta(0, 3600)).isoformat()],
        )
    return path


@pytest_asyncio.fixture
async def datasette(make, path):
    return await make(path=path, now=years.TODAY)


async def adopt(datasette, new, path) -> None:
    """Put another file in the place of the one served, and wait until it is counted."""
    shutil.move(new, path)
    live, pages = site(datasette).service.served, site(datasette).latest_facts
    before = live.version
    async with asyncio.timeout(60):
        while live.version is before:
            await live.look()
            await asyncio.sleep(0)  # a look that finds nothing new waits for nothing
            assert live.refused is None
    site(datasette).count()
    await until(lambda: pages.known.build == live.version.build)


async def fresh(make, path, now, host: str = "localhost") -> dict[str, tuple]:
    """What a service answers that began with this file on this day, without the files that others made."""
    began = await make(path=path, now=now)
    for made in site(began).service.served.folder.glob("archive-*"):
        made.unlink()
    return await answers(began, host)


async def test_no_address_is_forgotten():
    for pattern in routes.PAGES:
        assert any(re.match(pattern, one.partition("?")[0]) for one in ADDRESSES), pattern


async def test_a_new_edition_makes_every_page_and_file_new(
    datasette, make, grouped, path, tmp_path
):
    before = await answers(datasette)
    new = tmp_path / "new.db"
    staff = three_groups.staff(NEXT)
    lists.write(tmp_path / "lists", "senat", NEXT, staff | {2: [*staff[2], NEWCOMER]})
    shutil.copy(grouped, new)
    given = ("--lists", grouped.parent / "lists", "--members", grouped.parent / "elus")
    environment.done("build", new, "--lists", tmp_path / "lists", "--source", "suivi", *given)
    with sealed.changing(new, tmp_path / "dated.db") as db:
        now_built(db)
    await adopt(datasette, tmp_path / "dated.db", path)
    after = await answers(datasette)
    assert changed(after, await fresh(make, path, years.TODAY)) == set()
    same = set(ADDRESSES) - changed(before, after)
    # Nothing was published under the name of this feed.
    same.discard("/collaborateurs/neuveglise-zoe/flux")
    assert same == {
        *("/explorer?chambre=senat", "/robots.txt"),
        "/exemples/client.py",  # of the service, not of its data
    }


async def test_what_the_edition_leaves_out_makes_pages_new_too(datasette, make, path, tmp_path):
    before = await answers(datasette)
    edition = site(datasette).snapshot().edition
    with sealed.changing(path, tmp_path / "new.db") as db:
        db.execute("insert into corrections values (99, '2026-09-21', 'accepter', 'Liste relue')")
        db.execute("insert into retraits values ('mvt_0', '2026-09-21', 'Erreur')")
        now_built(db)
    await adopt(datasette, tmp_path / "new.db", path)
    assert site(datasette).snapshot().edition == edition
    after = await answers(datasette)
    assert changed(after, await fresh(make, path, years.TODAY)) == set()
    # Each page says when the file was made; what programs read says the same of the same data.
    assert changed(before, after) >= {"/", "/semaine", "/semaine/2026-W39"}
    assert after["/flux"] == before["/flux"]


async def test_a_new_day_makes_every_page_of_members_new(datasette, make, path):
    before = await answers(datasette)
    later = datetime.datetime(2026, 10, 16, 10, 30, tzinfo=datetime.UTC)
    site(datasette).service.clock = lambda: later
    after = await answers(datasette)
    assert changed(after, await fresh(make, path, later)) == set()
    # On this day a mandate has ended, and the lists are late.
    alike = set(ADDRESSES) - changed(before, after)
    assert {one for one in alike if one.startswith(("/elus", "/groupes", "/class"))} == set()
    assert {one for one in alike if one.startswith(("/collab", "/semaine", "/figures"))} == {
        "/collaborateurs/neuveglise-zoe/flux",
    }


async def test_a_page_tells_each_host_its_own_address_and_is_else_remembered_once(
    datasette, make, path
):
    first = await answers(datasette, "un.exemple")
    cache = site(datasette).cache
    entries = len(cache._entries)
    second = await answers(datasette, "deux.exemple")
    assert changed(second, await fresh(make, path, years.TODAY, "deux.exemple")) == set()
    named = changed(first, second)
    assert not any("un.exemple" in str(answer) for answer in second.values())
    # Tables are kept elsewhere.
    apart = {"/fichiers", "/-/cle", *TABLES}
    assert len(cache._entries) - entries == len(named - apart)


async def test_hosts_without_end_neither_fill_the_cache_nor_keep_others_out(datasette):
    hosts = [f"h{number}.exemple" for number in range(ORIGINS + 3)]
    page, feed = f"/elus/senat/{TWO}", "/collaborateurs/neuveglise-zoe/flux"
    cache = site(datasette).cache
    for host in hosts:
        # The site's own host is asked for, too, all the while.
        for path in (page, feed):
            text = (await datasette.client.get(path, headers={"host": host})).text
            assert f"http://{host}/" in text
            await datasette.client.get(path, headers={"host": hosts[0]})
    kept = {host for host in hosts for key in cache if f"http://{host}" in key}
    assert kept == {hosts[0], *hosts[-ORIGINS + 1 :]}
    assert cache.weight == sum(weight for _, weight in cache._entries.values())
    first = await datasette.client.get("/groupes", headers={"host": hosts[0]})
    entries = len(cache._entries)
    for host in hosts:
        answer = await datasette.client.get("/groupes", headers={"host": host})
        assert answer.content == first.content
    assert len(cache._entries) == entries
