"""What pages answer while a data version is counted: the version before, or what is known at once."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.dataset.served import DataVersion
from datasette_mouvements.lru import LRUCache
from datasette_mouvements.pages.counts import counting, facts
from datasette_mouvements.pages.counts.latest_facts import LatestFacts
from datasette_mouvements.pages.frame.site import CACHE_BYTES
from tests.contract import environment

from .conftest import site
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
FEWER = 199
COUNTING = "compte ses données"
NEEDS_FACTS = [
    *("/elus/senat", "/elus/senat/99007Z", "/collaborateurs/ormevalle-louis-ferreol"),
    "/collaborateurs/ormevalle-louis-ferreol/flux",
]


class Gate:
    """Counting that begins when `open` is set; `asked` are the versions."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.asked: list[str] = []
        self.fault: Exception | None = None

    def __call__(self, snapshot: DataVersion) -> facts.Facts:
        self.asked.append(snapshot.version)
        assert self.open.wait(60)
        if self.fault is not None:
            raise self.fault
        return counting.count(snapshot)


@pytest.fixture
def gate() -> Iterator[Gate]:
    held = Gate()
    yield held
    held.open.set()


def counted_by(datasette: Any, gate: Gate) -> Any:
    """The service, whose pages wait but briefly for what the gate counts."""
    site(datasette).latest_facts = LatestFacts(gate, briefly=0.01)
    return datasette


def whole(datasette: Any) -> bool:
    """Whether a version is counted, its names too."""
    known = site(datasette).latest_facts.known
    return known is not None and known.counted_to is facts.Part.WORDS


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def adopt_fewer(datasette: Any, path: Path, folder: Path) -> None:
    """Put a smaller version in the place of the file, and have it served."""
    lines = environment.SAMPLE.read_text(encoding="utf-8").splitlines()
    fewer = folder / "fewer.csv"
    fewer.write_text("\n".join(lines[: FEWER + 1]) + "\n", encoding="utf-8")
    shutil.copyfile(path, folder / "new.db")
    environment.done("build", folder / "new.db", "--movements", fewer, "--withdraw", 1_000)
    shutil.move(folder / "new.db", path)
    live = site(datasette).service.served
    await live.look()
    await live.look()
    assert site(datasette).snapshot().rows == FEWER


async def without_minute(datasette: Any, path: str) -> str:
    """A page without the minute in which the file served now was built, which the foot of every page tells."""
    text: str = (await datasette.client.get(path)).text
    return re.sub(r"à \d+.h.\d\d\.", "", text)


async def test_before_anything_is_counted_the_home_page_says_so_and_shows_what_is_known(
    make: Any, gate: Gate
) -> None:
    datasette = counted_by(await make(), gate)
    answer = await datasette.client.get("/")
    assert answer.status_code == 200
    assert COUNTING in answer.text
    assert "no-store" in answer.headers["cache-control"]
    assert "Deux ans de mouvements" not in answer.text
    gate.open.set()
    await until(lambda: site(datasette).latest_facts.known)
    counted = await datasette.client.get("/")
    assert COUNTING not in counted.text
    assert "public" in counted.headers["cache-control"]


@pytest.mark.parametrize("path", NEEDS_FACTS)
async def test_before_anything_is_counted_other_pages_ask_to_come_back(
    make: Any, gate: Gate, path: str
) -> None:
    datasette = counted_by(await make(), gate)
    answer = await datasette.client.get(path)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "vient de démarrer" in answer.text
    gate.open.set()
    await until(lambda: whole(datasette))
    assert (await datasette.client.get(path)).status_code == 200


@pytest.mark.parametrize("path", NEEDS_FACTS)
async def test_a_search_alone_needs_the_words_of_names_and_has_them_at_once(
    make: Any, path: str
) -> None:
    datasette = await make()
    site(datasette).latest_facts = LatestFacts(words_later=600)
    assert (await datasette.client.get(path)).status_code == 200
    assert not whole(datasette)
    assert (await datasette.client.get("/recherche?q=ormevalle")).status_code == 200
    await until(lambda: whole(datasette))


async def test_words_are_counted_though_nobody_searches(make: Any) -> None:
    datasette = await make()
    assert (await datasette.client.get("/classements")).status_code == 200
    await until(lambda: whole(datasette))


async def test_the_words_of_a_further_version_are_not_put_off(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    datasette = await make(path=path)
    site(datasette).latest_facts = LatestFacts(words_later=120)
    await site(datasette).facts(facts.Part.WORDS)
    first = site(datasette).snapshot().edition
    await adopt_fewer(datasette, path, tmp_path)
    site(datasette).count()
    await until(lambda: site(datasette).latest_facts.known.edition != first)


async def test_until_a_new_version_is_counted_pages_answer_from_the_one_before(
    make: Any, gate: Gate, tmp_path: Path
) -> None:
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    gate.open.set()
    datasette = counted_by(await make(path=path), gate)
    service = site(datasette).service
    await until(lambda: whole(datasette) or site(datasette).count())
    old = service.version
    first, copy = old.version, old.path
    edition = service.version.edition
    before = {one: await without_minute(datasette, one) for one in ("/", *NEEDS_FACTS)}
    gate.open.clear()
    await adopt_fewer(datasette, path, tmp_path)
    service.served._release(old)  # as ten seconds later: the copy of the version before is gone
    assert not copy.exists()
    site(datasette).cache = LRUCache(CACHE_BYTES)
    for one, text in before.items():
        assert await without_minute(datasette, one) == text, one
    head = bearer(await key(datasette))
    file = await datasette.client.get("/elus/senat.csv", headers=head)
    assert file.headers["mouvements-version"] == first  # that of its rows
    gate.open.set()
    await until(lambda: site(datasette).latest_facts.known.edition != edition)
    assert await without_minute(datasette, "/") != before["/"]
    assert gate.asked == [first, service.version.version]


async def test_a_count_that_fails_is_told_and_tried_again_and_pages_stay_as_they_were(
    make: Any, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    datasette = counted_by(await make(), gate)
    gate.open.set()
    gate.fault = sqlite3.OperationalError("disk I/O error")
    assert COUNTING in (await datasette.client.get("/")).text
    await until(lambda: caplog.records)
    (record,) = [one for one in caplog.records if "counted" in one.getMessage()]
    assert record.levelno == logging.ERROR
    assert record.getMessage() == "the pages' figures cannot be counted: OperationalError"
    assert COUNTING in (await datasette.client.get("/")).text
    assert len(gate.asked) == 1  # not with every visitor
    gate.fault = None
    site(datasette).latest_facts.again_at = 0.0  # as a minute later
    site(datasette).count()
    await until(lambda: site(datasette).latest_facts.known)
    assert COUNTING not in (await datasette.client.get("/")).text


async def test_a_file_that_another_version_took_the_place_of_is_not_counted_as_the_old(
    make: Any, tmp_path: Path
) -> None:
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    datasette = await make(path=path)
    old = DataVersion(path)
    await adopt_fewer(datasette, path, tmp_path)
    with pytest.raises(counting.NotServable):
        counting.count(old)
    old.close()


async def test_what_a_hole_puts_in_the_month_that_ends_it_is_not_the_number_of_that_month() -> None:
    hole = Gap("2020-12-01", "2021-08-10")
    months = {month: {"depart": 80} for month in ("2020-09", "2020-12", "2021-08", "2021-09")}
    known = Coverage("2020-10-01", "2021-09-30", "", (hole,))
    # Files of movements may tell of a month before the lists.
    assert counting.unlisted_months(known, months) == {"2020-12": hole, "2021-08": hole}
    assert counting.unlisted_months(known, {"2020-09": {"depart": 0}}) == {
        "2020-09": Gap("", known.first)
    }
    assert counting.unlisted_months(Coverage(), months) == {}
