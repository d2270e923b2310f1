"""Figures of the service's use: keys, charges, refusals, busiest accounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ..access.quota_day import last_days
from ..access.stores.store import Store
from ..refusal import KINDS


def usage(store: Store, now: datetime, days: int, busiest: int) -> dict[str, Any]:
    """Keys by state, charges and errors of each of the last `days` Paris days, the `busiest` accounts.

    The kind of an error is the end of its answers' `type`.
    """
    records = store.list(now)
    # Accounts without a charge since then are left out; a day more, because `last_used_at` is in UTC.
    since, *window = last_days(now, days + 1)
    used = {record.account for record in records if (record.last_used_at or "") >= since}
    by_day: Counter[str] = Counter()
    by_account: Counter[str] = Counter()
    for account in used:
        for day, count in store.days(account, window[0]).items():
            by_day[day] += count
            by_account[account] += count
    refused = store.refusals(window[0])
    live = [record for record in records if record.ended_at is None]
    return {
        "keys": {
            "live": len(live),
            "ended": len(records) - len(live),
            "never_used": sum(record.last_used_at is None for record in live),
        },
        "days": {day: by_day[day] for day in window},
        "months": store.months(),
        "errors": {day: refused.get(day, {}) for day in window},
        "busiest": [
            {"account": account, "charges": count}
            # By name where counts are equal, so that the order is always the same.
            for account, count in sorted(by_account.items(), key=lambda item: (-item[1], item[0]))[
                :busiest
            ]
        ],
    }


def lines(figures: dict[str, Any]) -> Iterator[str]:
    """The figures of `usage` as lines of text."""
    keys = (f"{count} {name.replace('_', ' ')}" for name, count in figures["keys"].items())
    yield "Keys: " + ", ".join(keys)
    yield f"{'day':<10}  {'charges':>9}  {'errors':>9}"
    by_kind: Counter[str] = Counter()
    for day, count in figures["days"].items():
        by_kind.update(figures["errors"][day])
        yield f"{day}  {count:>9}  {sum(figures['errors'][day].values()):>9}"
    if by_kind:
        yield "Errors:"
        statuses = {kind.anchor: kind.status for kind in KINDS.values()}
        for kind, times in sorted(by_kind.items(), key=lambda item: (-item[1], item[0])):
            yield f"{times:>9}  {statuses.get(kind, '')} {kind}"
    if figures["months"]:
        yield "Before, by month:"
        for month, count in figures["months"].items():
            yield f"{month:<10}  {count:>9}"
    if figures["busiest"]:
        yield "Busiest accounts, by charges:"
        for account in figures["busiest"]:
            yield f"{account['charges']:>9}  {account['account']}"
