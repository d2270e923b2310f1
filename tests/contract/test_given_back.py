"""What nobody got is not counted; what was asked for and not waited for is."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from datasette_mouvements.api import routes
from datasette_mouvements.api.service import Service as Serving

from .service import InProcess, Service
from .situations import PATH, NewKey

rule = pytest.mark.rule


def used(service: Service, key: dict[str, str]) -> int:
    return int(service.ask("/v1/quota", key).json()["utilise"])


def behind(service: InProcess) -> Serving:
    """What the service answers with."""
    found = routes.routes_of(service.datasette)
    assert found is not None
    return found.service


@rule("decisions-not-charged", "interface-7-503", "decisions-retry-after")
def test_a_search_that_fails_is_given_back(
    in_process: Callable[..., InProcess],
    new_key: NewKey,
    database: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    served = tmp_path / "movements.db"
    shutil.copyfile(database, served)
    service = in_process(database=served)
    key = new_key(service)
    snapshot = behind(service).live.snapshot
    assert snapshot is not None
    snapshot.path.chmod(0o600)
    snapshot.path.write_bytes(b"garbage " * 1000)
    answer = service.ask(f"{PATH}?chambre=senat", key)
    assert (answer.status, answer.remaining) == (503, 1000)
    assert answer.header("Retry-After")
    assert "SQL" not in answer.json()["detail"]
    # Who counts for the pages may find the damage first: then the copy is gone, and cannot be opened.
    assert re.search(
        "movements (cannot be read: (Database|Operational)Error|file refused: damaged)", caplog.text
    )
    assert used(service, key) == 0


@rule("decisions-charged")
def test_who_leaves_while_being_charged_is_charged(
    in_process: Callable[..., InProcess], new_key: NewKey
) -> None:
    service = in_process()
    key = new_key(service)
    queue = behind(service).charge_queue

    async def leave() -> None:
        store_free = threading.Event()
        busy = asyncio.create_task(queue.run(store_free.wait, 30))
        await asyncio.sleep(0)
        asking = asyncio.create_task(service.answer(PATH, key))
        for _ in range(20):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        store_free.set()
        assert await busy

    service.run(leave())
    # A charge taken back would come after the first look.
    assert [used(service, key) for _ in range(2)] == [1, 1]
