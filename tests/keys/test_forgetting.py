"""What accounts used is forgotten after some months, on both stores."""

from __future__ import annotations

import datetime

from datasette_mouvements.keys.store import Store

from .conftest import create


def charge(store: Store, digest: bytes, day: str, times: int) -> None:
    now = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
    store.charge([(digest, 1)] * times, now, 1000)


def filled(store: Store) -> list[bytes]:
    """Two accounts, with counts of two months before and of the day."""
    digests = [create(store, account) for account in ("ada", "ben")]
    for digest in digests:
        for day, times in (("2023-03-31", 2), ("2023-04-01", 3), ("2023-04-13", 5)):
            charge(store, digest, day, times)
        charge(store, digest, "2023-04-14", 7)
        charge(store, digest, "2024-05-14", 1)
    return digests


def test_days_before_are_deleted_and_the_others_stay(store: Store) -> None:
    filled(store)
    store.forget_days("2023-04-14")
    for account in ("ada", "ben"):
        assert store.days(account, "") == {"2023-04-14": 7, "2024-05-14": 1}
