"""How long caches may keep what names people: an erasure reaches nobody sooner."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from datasette_mouvements import addresses
from datasette_mouvements.pages import routes
from tests.browser.places import PAGES

pytestmark = pytest.mark.asyncio
# Addresses that no page for browsers has.
FILES = (
    "/flux?chambre=senat",
    addresses.WHOLE_FILE,
)
# These name nobody.
NAMELESS = {
    *(addresses.DOCUMENTATION, "/robots.txt"),
    *("/exemples/client.py", "/nulle-part", "/-/", "/-/versions"),
    *("/-/login", "/-/register", "/-/auth-token"),
}


async def seconds(datasette, path: str) -> int:
    """How long a cache may give the answer without asking again."""
    answer = await datasette.client.get(path)
    if answer.status_code in (301, 302):
        return 0
    kept = answer.headers.get("cache-control", "")
    # Without it caches guess by these.
    assert kept or not {"last-modified", "expires"} & set(answer.headers), path
    assert not re.search("immutable|s-maxage|stale", kept), path
    age = re.search(r"max-age=(\d+)", kept)
    return int(age[1]) if age else 0


async def test_a_page_is_kept_for_a_minute_and_a_file_for_five_at_most(served, sample):
    with closing(sqlite3.connect(sample)) as db:
        tables = [f"/movements/{name}" for name in ("mouvements", "collaborations", "listes")]
        ids = [
            db.execute(f"select id from {table[11:]} limit 1").fetchone()[0] for table in tables[:2]
        ]
    rows = [f"{table}/{id}" for table, id in zip(tables, ids, strict=False)]
    for path in (*PAGES.values(), *tables, *rows, f"/mouvements/{ids[0]}"):
        if path not in NAMELESS:
            assert await seconds(served, path) <= 60, path
    for path in FILES:
        assert await seconds(served, path) <= 300, path


async def test_every_page_is_looked_at():
    looked_at = {path.partition("?")[0] for path in (*PAGES.values(), *FILES, *NAMELESS)}
    looked_at.add("/mouvements/an-identifier")
    patterns = (*routes.PAGES, *routes.OTHERS, *routes.SENDING)
    assert [
        pattern for pattern in patterns if not any(re.match(pattern, path) for path in looked_at)
    ] == []
