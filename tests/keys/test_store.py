"""The contract of a store, the same over every store there is."""

from __future__ import annotations

import datetime

import pytest

from datasette_mouvements.keys.store import AccountError, Store, StoreUnavailable

from .conftest import NOON, charge, create, is_known

ONE_HOUR = datetime.timedelta(hours=1)


def test_charges_of_a_key_count_one_by_one(store: Store) -> None:
    digest = create(store, "ada")
    charges = [charge(store, digest) for _ in range(3)]
    assert charges == [
        (1, "ada", 1000, used, True, "2024-05-14", 86_400, 43_170) for used in (1, 2, 3)
    ]
    assert [one.remaining for one in charges] == [999, 998, 997]


def test_a_batch_is_answered_in_order_demand_by_demand(store: Store) -> None:
    ada, ben = create(store, "ada"), create(store, "ben")
    demands = [(d, a) for d, a in ((ada, 1), (ben, 1), (ada, 0), (ada, 1), (b"?" * 32, 1))]
    got = [c and (c.account, c.used) for c in store.charge(demands, NOON, 1000)]
    assert got == [("ada", 1), ("ben", 1), ("ada", 1), ("ada", 2), None]


def test_a_renewal_that_fails_leaves_the_old_key(store: Store) -> None:
    ada, ben = create(store, "ada"), create(store, "ben")
    with pytest.raises(StoreUnavailable):  # a digest that is there already
        store.rotate("ada", ben, "mvt_ben", NOON)
    assert store.live_digest("ada") == ada


def test_past_the_quota_nothing_is_granted_nor_recorded(store: Store) -> None:
    digest = create(store, "ada")
    charges = store.charge([(digest, 1)] * 5, NOON, 3)
    assert [c and c.granted for c in charges] == [True, True, True, False, False]
    assert [c and c.remaining for c in charges] == [2, 1, 0, 0, 0]
    assert [c and c.used for c in charges] == [1, 2, 3, 3, 3]
    refused = charge(store, digest, quota=3)
    assert (refused.granted, refused.used) == (False, 3)
    assert store.days("ada", "2024-01-01") == {"2024-05-14": 3}


def test_a_look_records_nothing_and_says_whether_a_charge_would_be_granted(store: Store) -> None:
    digest = create(store, "ada")
    looks = store.charge([(digest, 0)] * 2, NOON, 1)
    assert [one and (one.limit, one.used, one.granted) for one in looks] == [(1, 0, True)] * 2
    assert store.days("ada", "2024-01-01") == {}
    charge(store, digest, quota=1)
    assert not charge(store, digest, 0, quota=1).granted


def test_a_new_day_brings_a_new_quota_and_keeps_the_history(store: Store) -> None:
    digest = create(store, "ada")
    store.charge([(digest, 1)] * 2, NOON, 2)
    tomorrow = charge(store, digest, quota=2, now=NOON + 24 * ONE_HOUR)
    assert (tomorrow.granted, tomorrow.used, tomorrow.day) == (True, 1, "2024-05-15")
    assert store.days("ada", "2024-05-14") == {"2024-05-14": 2, "2024-05-15": 1}
    assert store.days("ada", "2024-05-15") == {"2024-05-15": 1}


def test_an_account_with_its_own_quota_has_that_one(store: Store) -> None:
    digest = create(store, "reader", quota=3)
    assert charge(store, digest).limit == 3
    charges = store.charge([(digest, 1)] * 3, NOON, 1000)
    assert [c and (c.limit, c.granted) for c in charges] == [(3, True), (3, True), (3, False)]


def test_a_quota_lowered_below_what_is_used_leaves_none_and_forgets_none(store: Store) -> None:
    digest = create(store, "ada")
    store.charge([(digest, 1)] * 5, NOON, 1000)
    lowered = charge(store, digest, quota=3)
    assert (lowered.granted, lowered.remaining, lowered.used) == (False, 0, 5)
    assert store.days("ada", "") == {"2024-05-14": 5}


@pytest.mark.rule("decisions-one-key", "interface-5-3")
def test_one_live_key_an_account(store: Store) -> None:
    create(store, "ada")
    with pytest.raises(AccountError, match="ada already has a live key"):
        create(store, "ada")
    assert len(store.show("ada", NOON)) == 1


def test_rotating_or_revoking_a_key_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(AccountError, match="ada has no live key"):
        store.rotate("ada", b"1" * 32, "mvt_1", NOON)
    with pytest.raises(AccountError, match="ada has no live key"):
        store.revoke("ada", NOON)
    assert store.show("ada", NOON) == []


def test_rotating_ends_the_old_key_and_keeps_the_count_and_the_quota(store: Store) -> None:
    old = create(store, "ada", quota=5)
    charge(store, old)
    new = store.rotate("ada", b"n" * 32, "mvt_new", NOON + ONE_HOUR)
    assert (new.quota, new.used_today, new.ended_at) == (5, 1, None)
    assert not is_known(store, old)
    assert charge(store, b"n" * 32).used == 2
    live, ended = store.show("ada", NOON)
    assert (live.id, live.prefix, live.created_at) == (new.id, "mvt_new", "2024-05-14T11:00:30Z")
    assert (ended.ended_at, ended.ended_why) == ("2024-05-14T11:00:30Z", "rotated")
    assert store.rotate("ada", b"m" * 32, "mvt_m", NOON, quota=9).quota == 9


def test_a_revoked_key_is_unknown_and_the_account_may_start_again(store: Store) -> None:
    digest = create(store, "ada")
    charge(store, digest)
    revoked = store.revoke("ada", NOON)
    assert (revoked.ended_why, revoked.ended_at) == ("revoked", "2024-05-14T10:00:30Z")
    assert not is_known(store, digest)
    assert charge(store, create(store, "ada")).used == 2
    assert store.show("ada", NOON)[1] == revoked._replace(used_today=2)


def test_a_key_was_last_used_to_the_minute_when_it_was_last_charged(store: Store) -> None:
    digest = create(store, "ada")
    assert store.show("ada", NOON)[0].last_used_at is None
    charge(store, digest, 0)
    assert store.show("ada", NOON)[0].last_used_at is None
    charge(store, digest)
    assert store.show("ada", NOON)[0].last_used_at == "2024-05-14T10:00Z"
    charge(store, digest, now=NOON + datetime.timedelta(seconds=30))
    assert store.show("ada", NOON)[0].last_used_at == "2024-05-14T10:01Z"


def test_the_list_goes_by_account_and_tells_what_was_used_today(store: Store) -> None:
    create(store, "zoé")
    charge(store, create(store, "ada"))
    create(store, "Zoé")
    for key in "12":
        store.rotate("ada", key.encode() * 32, f"mvt_{key}", NOON)
    listed = store.list(NOON)
    assert [(r.account, r.ended_at is None, r.used_today) for r in listed] == [
        ("Zoé", True, 0),  # by code point
        ("ada", True, 1),
        ("ada", False, 1),
        ("ada", False, 1),
        ("zoé", True, 0),
    ]
    assert [r.prefix for r in listed[1:3]] == ["mvt_2", "mvt_1"]
    assert listed[1:4] == store.show("ada", NOON)
    assert {r.used_today for r in store.list(NOON + 24 * ONE_HOUR)} == {0}


def test_a_key_that_was_charged_a_moment_ago_ends_at_once(store: Store) -> None:
    digest = create(store, "ada")
    assert charge(store, digest).used == charge(store, digest).used - 1 == 1
    store.revoke("ada", NOON)
    assert store.charge([(digest, 1)], NOON, 1000) == [None]


@pytest.mark.parametrize("table", ["mouvements_keys", "mouvements_quota"])
def test_a_store_without_one_of_its_tables_does_not_answer(store: Store, table: str) -> None:
    assert store.reachable(NOON)
    with store._transaction() as execute:
        execute(f"alter table {table} rename to aside")
    assert not store.reachable(NOON)
