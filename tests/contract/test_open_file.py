"""The whole file where the setting opens it to everyone: no key, no charge, places of its own."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.pages.files.whole_file import WholeFile, send_file
from datasette_mouvements.pages.site import site_of

from . import environment
from .service import Start, behind, used
from .situations import NewKey
from .test_files import EVERYTHING, had

rule = pytest.mark.rule
OPEN = {"open_whole_file": True}
OF_KEYS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy")


@rule("files-open")
def test_everyone_has_the_whole_file_for_nothing_and_caches_keep_it_minutes(
    in_process: Start, new_key: NewKey
) -> None:
    service, target = in_process(OPEN), EVERYTHING
    key, unknown, whole = new_key(service), service.ask(f"{target}?x=1"), service.ask(target)
    assert (whole.status, whole.body[:2]) == (200, b"PK")
    assert "sans clé et sans rien compter" in service.ask("/fichiers").body.decode()
    for answer in (
        whole,
        service.ask(target, {"If-None-Match": had(whole, "ETag")}),
        service.ask(target, {"Range": "bytes=0-9"}),
        service.ask(target, method="HEAD"),
        service.ask(target, key),
        service.ask(target, {"X-API-Key": "mvt_faux"}),
    ):
        assert answer.status in (200, 206, 304)
        assert answer.header("Cache-Control") == "public, max-age=300"
        assert answer.listed("Vary") == {"host"}
        assert not [name for name in OF_KEYS if answer.header(name)]
        assert had(answer, "ETag") == had(whole, "ETag")
        assert had(answer, "Mouvements-Curseur") == had(whole, "Mouvements-Curseur")
        assert had(answer, "Access-Control-Allow-Origin") == "*"
    beyond = service.ask(target, {"Range": "bytes=999999999-"})
    wrong = service.ask(target, method="POST")
    preflight = service.ask(target, {"Origin": "https://exemple.fr"}, "OPTIONS")
    assert (beyond.status, beyond.header("Cache-Control")) == (416, "private, no-store")
    for answer, status in ((unknown, 400), (beyond, 416), (wrong, 405), (preflight, 204)):
        assert answer.status == status
        assert not [name for name in OF_KEYS if answer.header(name)]
    assert used(service, key) == 0
    for closed in ("/movements.db", "/v1/mouvements"):
        assert service.ask(closed).status == 401


@rule("files-open")
def test_a_closed_table_keeps_the_whole_file_closed(in_process: Start, new_key: NewKey) -> None:
    service = in_process(OPEN)
    key = new_key(service)
    service.datasette.config["databases"] = {"movements": {"allow": {"id": "compte"}}}
    for headers in ({}, key):
        answer = service.ask(EVERYTHING, headers)
        assert (answer.status, answer.header("Cache-Control")) == (403, "private, no-store")
    cookie = service.datasette.client.actor_cookie({"id": "compte"})
    account = service.ask(EVERYTHING, {"Cookie": f"ds_actor={cookie}"})
    assert account.status == 401  # it has no key, and what it may have is not everyone's
    environment.issue("compte", service.internal)
    account = service.ask(EVERYTHING, {"Cookie": f"ds_actor={cookie}"})
    assert (account.status, account.header("Cache-Control")) == (200, "private, no-cache")


@rule("files-open")
def test_a_service_without_a_place_for_keys_gives_the_open_file(in_process: Start) -> None:
    service = in_process(OPEN)
    behind(service).keeps_keys = False
    assert service.ask(EVERYTHING).status == 200
    assert service.ask("/movements.db").status == 503


@rule("files-open")
def test_who_reads_too_slowly_is_given_up(in_process: Start, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * 100_000)
    version = site_of(in_process().datasette).version
    file = WholeFile(version, path, 100_000, '"a"')
    taken: list[str] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        taken.append(message["type"])
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def check() -> None:
        async with asyncio.timeout(10):
            await send_file({"method": "GET", "headers": []}, send, file, {}, 0.05)

    asyncio.run(check())
    assert taken == ["http.response.start", "http.response.body"]
