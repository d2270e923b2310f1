"""How the service is used, from what the store counts: keys, charges a day, busiest accounts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ..access.store import Store

PARIS = ZoneInfo("Europe/Paris")


def usage(store: Store, now: datetime, days: int, busiest: int) -> dict[str, Any]:
    """Keys by state, charges of each of the last `days` Paris days, and the `busiest` accounts.

    Errors are not in the store: they are in the log and in the metrics.
    """
    records = store.list(now)
    today = now.astimezone(PARIS).date()
    window = [(today - timedelta(back)).isoformat() for back in reversed(range(days))]
    # An account not used since has nothing to add; a day's margin, `last_used_at` being UTC.
    since = (today - timedelta(days)).isoformat()
    used = {record.account for record in records if (record.last_used_at or "") >= since}
    by_day: Counter[str] = Counter()
    by_account: Counter[str] = Counter()
    for account in used:
        for day, count in store.days(account, window[0]).items():
            by_day[day] += count
            by_account[account] += count
    live = [record for record in records if record.ended_at is None]
    return {
        "keys": {
            "live": len(live),
            "ended": len(records) - len(live),
            "never_used": sum(record.last_used_at is None for record in live),
        },
        "days": {day: by_day[day] for day in window},
        "busiest": [
            {"account": account, "charges": count}
            # By name where counts are equal: the same question has one answer.
            for account, count in sorted(by_account.items(), key=lambda item: (-item[1], item[0]))[
                :busiest
            ]
        ],
    }
