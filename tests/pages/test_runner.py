"""What is kept of a page is never told of another build of the file, on another day, to another host."""

from __future__ import annotations

import asyncio
import datetime
import re
import shutil

import pytest

from datasette_mouvements.pages import routes
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import databases, three_groups, years
from .conftest import site

TWO = member("senat", 2)
NEXT, NEWCOMER = "2026-09-22", "Yva NEUVILLE"
# One of each page at least: a new page that is not here fails a test.
ADDRESSES = (
    *("/", "/recherche?q=neuv", "/elus", "/elus/senat", "/elus/senat?le=2026-01-05"),
    *(f"/elus/senat/{TWO}", "/collaborateurs/neuveglise-zoe", "/groupes", "/groupes/senat/GRA"),
    *(
        "/semaine",
        "/semaine/2026-W39",
        "/elections/2024",
        "/mouvements/MOVEMENT",
        "/sources",
        "/fichiers",
    ),
    *("/documentation", "/vos-donnees"),
)


@pytest.fixture
def path(grouped, tmp_path):
    """A file built an hour ago."""
    path = tmp_path / "movements.db"
    with databases.changing(grouped, path) as db:
        _build_at(db, years.TODAY - datetime.timedelta(hours=1))
    return path


def _build_at(db, moment: datetime.datetime) -> None:
    db.execute(
        "update _publication set valeur = ? where cle = 'construite_le'", [moment.isoformat()]
    )


@pytest.fixture
async def datasette(make, path):
    return await make(path=path, now=years.TODAY)


async def answers(datasette, host: str = "localhost") -> dict[str, bytes]:
    """The body of each address, in its own spelling."""
    (identifier,) = site(datasette).version.db.execute("select max(id) from mouvements").fetchone()
    bodies = {}
    for address in ADDRESSES:
        path = address.replace("MOVEMENT", identifier)
        answer = await datasette.client.get(path, headers={"host": host})
        assert answer.status_code == 200, path
        bodies[address] = answer.content
    return bodies


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {path for path in before if before[path] != after[path]}


async def adopt(datasette, new, path) -> None:
    """Put another file in the place of the one served, and wait until it is served."""
    shutil.move(new, path)
    live = site(datasette).service.served
    before = live.version
    async with asyncio.timeout(60):
        while live.version is before:
            await live.look()
            await asyncio.sleep(0)  # a look that finds nothing new waits for nothing
            assert live.refused is None


async def fresh(make, path, now, host: str = "localhost") -> dict[str, bytes]:
    """What a service answers that began with this file on this day."""
    return await answers(await make(path=path, now=now), host)


def test_no_page_is_forgotten():
    for pattern in routes.PAGES:
        assert any(re.match(pattern, path.partition("?")[0]) for path in ADDRESSES), pattern


async def test_a_page_is_read_once(datasette):
    before = await answers(datasette)
    entries = list(site(datasette).cache)
    assert changed(before, await answers(datasette)) == set()
    assert sorted(site(datasette).cache) == sorted(entries)
    assert len(entries) == len(ADDRESSES)


async def test_a_new_file_makes_every_page_new(datasette, make, grouped, path, tmp_path):
    before = await answers(datasette)
    new = tmp_path / "new.db"
    staff = three_groups.staff(NEXT)
    lists.write(tmp_path / "lists", "senat", NEXT, staff | {2: [*staff[2], NEWCOMER]})
    shutil.copy(grouped, new)
    usual = ("--lists", grouped.parent / "lists", "--members", grouped.parent / "members")
    environment.done("build", new, "--lists", tmp_path / "lists", "--source", "suivi", *usual)
    with databases.changing(new, tmp_path / "dated.db") as db:
        _build_at(db, years.TODAY)
    await adopt(datasette, tmp_path / "dated.db", path)
    after = await answers(datasette)
    assert changed(after, await fresh(make, path, years.TODAY)) == set()
    assert changed(before, after) == set(ADDRESSES)  # each says when the file was made


async def test_a_new_day_is_told_by_every_page_that_says_how_old_a_list_is(datasette, make, path):
    before = await answers(datasette)
    later = datetime.datetime(2026, 11, 16, 10, 30, tzinfo=datetime.UTC)
    site(datasette).service.clock = lambda: later
    after = await answers(datasette)
    assert changed(after, await fresh(make, path, later)) == set()
    assert changed(before, after) >= {"/", "/elus/senat", "/groupes"}


async def test_each_host_is_told_its_own_address(datasette, make, path):
    await answers(datasette, "un.exemple")
    second = await answers(datasette, "deux.exemple")
    assert not any(b"un.exemple" in body for body in second.values())
    assert changed(second, await fresh(make, path, years.TODAY, "deux.exemple")) == set()
