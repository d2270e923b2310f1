"""Who pays: the key a request carries, else its account's own, else nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from datasette_mouvements.access import keys, payer
from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Charge
from datasette_mouvements.access.key_refusals import RequestHeaders
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.refusal import Refusal

from .conftest import NOON, create
from .gated import PATIENCE

pytestmark = pytest.mark.asyncio
ADDRESS = "https://here.example/v1/mouvements"
SENT, OTHER = keys.issue(), keys.issue()
BEARER = (b"authorization", b"Bearer " + SENT.encode())
BAD = (b"authorization", b"Bearer " + SENT[:-1].encode())
X_API_KEY = (b"x-api-key", OTHER.encode())
CROSS_SITE = (b"sec-fetch-site", b"cross-site")


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "internal.sqlite3")
    store.prepare()
    return store


@pytest_asyncio.fixture
async def queue(store: SqliteStore) -> AsyncIterator[ChargeQueue]:
    queue = ChargeQueue(store, 2, lambda: NOON, PATIENCE)
    yield queue
    queue.close()


async def paying(queue: ChargeQueue, headers: RequestHeaders, account: str = "") -> bytes:
    return await payer.payer(queue, headers, account, lambda: ADDRESS)


async def charged(queue: ChargeQueue, digest: bytes, amount: int = 1) -> Charge:
    charge = await queue.charge(digest, amount)
    assert charge is not None
    return charge


async def refused(queue: ChargeQueue, headers: RequestHeaders, account: str = "") -> Refusal:
    with pytest.raises(Refusal) as refusal:
        await paying(queue, headers, account)
    return refusal.value


@pytest.mark.parametrize(
    ("actor", "account"),
    [
        ({"id": "ada"}, "ada"),
        ({"id": 7}, "7"),
        (None, ""),
        ({}, ""),
        ({"name": "Ada"}, ""),
        ({"id": None}, ""),
        ({"id": "ada", "token": "dstok"}, ""),
    ],
)
async def test_an_account_is_signed_in_and_not_a_program_with_its_token(
    actor: Any, account: str
) -> None:
    assert payer.account_of(actor) == account


async def test_the_key_that_is_sent_pays_whoever_is_signed_in(
    queue: ChargeQueue, store: SqliteStore
) -> None:
    create(store, "ada")
    for account in ("", "ada"):
        assert await paying(queue, [BEARER], account) == keys.digest(SENT)
        assert await paying(queue, [X_API_KEY], account) == keys.digest(OTHER)
        assert await paying(queue, [X_API_KEY, BEARER], account) == keys.digest(SENT)
        assert await paying(queue, [CROSS_SITE, BEARER], account) == keys.digest(SENT)


@pytest.mark.parametrize("headers", [[BAD], [BAD, X_API_KEY], [X_API_KEY, BAD]])
async def test_a_bad_key_is_refused_though_an_account_or_another_header_could_pay(
    queue: ChargeQueue, store: SqliteStore, headers: list[tuple[bytes, bytes]]
) -> None:
    create(store, "ada")
    refusal = await refused(queue, headers, "ada")
    assert (refusal.kind, refusal.status) == ("key_invalid", 401)
    assert ADDRESS in refusal.detail


async def test_an_account_pays_with_its_live_key(queue: ChargeQueue, store: SqliteStore) -> None:
    create(store, "ben")
    digest = create(store, "ada")
    assert await paying(queue, [(b"host", b"here.example")], "ada") == digest
    store.rotate("ada", b"n" * 32, "mvt_new", NOON)
    assert await paying(queue, [], "ada") == b"n" * 32


async def test_nobody_pays_without_a_live_key(queue: ChargeQueue, store: SqliteStore) -> None:
    create(store, "ada")
    store.revoke("ada", NOON)
    for account in ("", "ada", "unknown"):
        refusal = await refused(queue, [], account)
        assert refusal.kind == "key_missing"
        assert ADDRESS in refusal.detail


@pytest.mark.parametrize(
    ("came_from", "pays"),
    [
        *((b"cross-site", False), (b"same-site", False)),
        *((b"same-origin", True), (b"none", True), (b"", True)),
    ],
)
async def test_a_page_of_another_site_spends_nothing_of_an_account(
    queue: ChargeQueue, store: SqliteStore, came_from: bytes, pays: bool
) -> None:
    digest = create(store, "ada")
    headers = [(b"host", b"here.example"), (b"sec-fetch-site", came_from)]
    if pays:
        assert await paying(queue, headers, "ada") == digest
    else:
        assert (await refused(queue, headers, "ada")).kind == "key_missing"


async def test_a_store_that_does_not_answer_is_a_503_for_an_account_and_none_for_a_bad_key(
    queue: ChargeQueue, store: SqliteStore
) -> None:
    create(store, "ada")
    store.path.rename(store.path.with_name("aside"))
    store.close()
    assert (await refused(queue, [], "ada")).kind == "unavailable"
    assert (await refused(queue, [BAD], "ada")).kind == "key_invalid"
    assert await paying(queue, [BEARER], "ada") == keys.digest(SENT)  # not looked up yet


async def test_a_charge_counts_up_to_the_quota(queue: ChargeQueue, store: SqliteStore) -> None:
    digest = create(store, "ada")
    charges = [await charged(queue, digest, amount) for amount in (0, 1, 1, 1)]
    assert [(one.used, one.granted) for one in charges] == [
        (0, True),
        (1, True),
        (2, True),
        (2, False),
    ]
    refusal = payer.exhausted(charges[3])
    assert (refusal.kind, refusal.quota) == ("quota", charges[3])
    assert "2 demandes par jour" in refusal.detail


async def test_a_charge_is_given_back_on_its_own_day(
    queue: ChargeQueue, store: SqliteStore
) -> None:
    digest = create(store, "ada")
    charge = await charged(queue, digest)
    assert (await payer.give_back(queue, digest, charge)).used == 0
    yesterday = charge._replace(day="2024-05-13")
    charge = await charged(queue, digest)
    assert (await payer.give_back(queue, digest, yesterday)).day == "2024-05-13"
    assert store.days("ada", "") == {"2024-05-14": 1}


async def test_what_cannot_be_given_back_is_told_as_it_was_charged(
    queue: ChargeQueue, store: SqliteStore
) -> None:
    digest = create(store, "ada")
    charge = await charged(queue, digest)
    store.revoke("ada", NOON)
    assert await payer.give_back(queue, digest, charge) == charge
    store.path.rename(store.path.with_name("aside"))
    store.close()
    assert await payer.give_back(queue, digest, charge) == charge
