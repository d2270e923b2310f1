"""Searches for stays by several keys at once, which the server answers without tasks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from datasette_mouvements.api.routes import routes_of
from tests.contract import environment
from tests.contract.service import InProcess

from .test_direct import asked, listening

CROWD = 12


class HeldStays:
    """The stays of a version, which nobody finds until they go on; `found` has the names that were looked for."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.go_on = threading.Event()
        self.found: list[str] = []

    def rowids(self, filter_: Any) -> Any:
        self.go_on.wait(20)
        self.found.append(filter_.name)
        return self.rows.rowids(filter_)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)


def test_one_keys_searches_keep_no_other_key_and_no_page_waiting(
    in_process: Callable[..., InProcess],
) -> None:
    service = in_process()
    routes = routes_of(service.datasette)
    assert routes is not None
    held = HeldStays(routes.service.live.snapshot.stays)
    routes.service.live.snapshot.stays = held
    one, other = (environment.issue(who, service.internal) for who in ("une", "autre"))

    async def search(port: int, key: str, name: str) -> bytes:
        return await asked(port, f"/v1/collaborations?nom={name}", f"X-API-Key: {key}\r\n")

    async def charged(port: int, key: str, times: int) -> None:
        async with asyncio.timeout(20):
            while b'"utilise": %d,' % times not in await asked(
                port, "/v1/quota", f"X-API-Key: {key}\r\n"
            ):
                await asyncio.sleep(0.01)

    async def check() -> None:
        async with listening(routes) as port:
            crowd = [
                asyncio.create_task(search(port, one, f"une{number}")) for number in range(CROWD)
            ]
            await charged(port, one, CROWD)
            single = asyncio.create_task(search(port, other, "autre"))
            await charged(port, other, 1)
            # Pages read the file in the same threads.
            free = [asyncio.to_thread(bool) for _ in range(CROWD)]
            await asyncio.wait_for(asyncio.gather(*free), 20)
            held.go_on.set()
            answers = await asyncio.gather(*crowd, single)
        assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)

    service.run(check())
    assert held.found[1] == "autre"
    assert len(held.found) == CROWD + 1
