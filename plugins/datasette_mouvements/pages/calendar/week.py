"""The page of a week: who came and left, which teams were emptied or are new, what changed in the data."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import groupby, permutations
from operator import itemgetter
from typing import Any

from parlement_lists.dates import add_days
from parlement_lists.movement import CHAMBERS, TYPES, plain
from parlement_lists.tracking.members.known_members import RENEWALS
from parlement_lists.tracking.members.senate_groups import is_renaming
from parlement_lists.tracking.members.spans import NO_GROUP

from ...dataset.coverage import Gap
from ...dataset.schema import MEMBERSHIPS, TABLE, TEAMS
from ..chambers import NO_DAY, without_waits
from ..runner import Context, Moved, View
from ..site import PageMissing
from .days import days

# Bytes of the days on a page: with the frame and the table it stays below 60 kB.
MOST_BYTES = 42_000
# So many teams that vanish up to so many days after a renewal, or after the list before it, are emptied by it.
FEWEST_TEAMS, RENEWAL_DAYS = 20, 31
UNKNOWN = (
    "Aucune liste n’est connue pour cette semaine. Une semaine s’écrit comme 2026-W47, et la plus récente"
    " est celle de « Cette semaine »."
)


def read(view: View) -> Context:
    """A week between the first and the last of which anything is known; the last one where none is named.

    Raises PageMissing for any other, Moved for the week of a day (`date`) and where there is no such page of it.
    """
    first, last = known_days(view)
    name, date = view.path["week"], view.query["date"]
    if date and not name:
        raise Moved(view.site.path(f"/semaine/{week_name(monday_of(date))}"))
    since = _monday(name or (week_name(last) if last else ""))
    if not last or not monday_of(first) <= since <= last:
        raise PageMissing(UNKNOWN)
    until = add_days(since, 6)
    address = view.site.path(f"/semaine/{week_name(since)}")
    page = int(view.query["page"]) if re.fullmatch("[1-9][0-9]{0,3}", view.query["page"]) else 1
    shown, pages = days(view, since, until, MOST_BYTES, page)
    if view.query["page"] not in ("", str(page)) or page > pages:
        raise Moved(address)
    before, after = _known_around(view, since, until)
    return {
        # Next week the short address shows another week.
        "here": address + (f"?page={page}" if page > 1 else ""),
        "address": address,
        "since": since,
        "until": until,
        "first": first,
        "last": last,
        "before": before and monday_of(before),
        "after": after and monday_of(after),
        "week_name": week_name,
        "week": week_counts(view, since, until),
        "days": shown,
        "page": page,
        "pages": pages,
        "changes": group_changes(view, since, until) if page == 1 else [],
        **_data(view, since, until),
    }


def known_days(view: View) -> tuple[str, str]:
    """The first and the last day with a list or a movement; "" where there is none."""
    lists = [of_chamber for of_chamber in view.coverage.values() if of_chamber.last]
    first = [of_chamber.first for of_chamber in lists] + [view.version.first]
    last = [of_chamber.last for of_chamber in lists] + [view.version.latest]
    return min(filter(None, first), default=""), max(last)


def _known_around(view: View, since: str, until: str) -> tuple[str, str]:
    """The last day before a period and the first after it with a list or a movement; "" where there is none."""
    movements = view.rows(
        f"""
        select max(date_event) as day from {TABLE} where date_event < :since union all
        select min(date_event) from {TABLE} where date_event > :until
        """,
        since=since,
        until=until,
    )
    before, after = ([row["day"]] if row["day"] else [] for row in movements)
    for lists in view.version.list_days.values():
        before += lists[: bisect_left(lists, since)][-1:]
        after += lists[bisect_right(lists, until) :][:1]
    return max(before, default=""), min(after, default="")


def week_counts(view: View, since: str, until: str) -> dict[str, Any]:
    """What lists tell of some days, both included.

    `chambers`: of each the movements by kind (`counts`), without those of emptied and new teams; `list`, the day of
    the last list in the period, "" without one; `gap`, the days without a list that keep the counts from being known;
    `between`, the day of the list since which they count, "" where the period is known or no list in it ends the gap.
    `counted`: the chambers whose counts are known. `totals`: their sum by kind. `emptied` and `new`: as `whole_teams`.
    `listed`: whether there is any list. `held`: how many changes wait for later lists, and are no movements yet.
    """
    chambers: dict[str, dict[str, Any]] = {}
    for chamber in CHAMBERS:
        day, gap = _last_list(view, chamber, since, until)
        ended = gap and gap.before and gap.after and since <= gap.after <= day
        chambers[chamber] = {
            "counts": dict.fromkeys(TYPES, 0),
            "list": day,
            "gap": gap,
            "between": gap.before if gap and ended else "",
        }
    for row in view.rows(
        f"""
        select chambre, type, count(*) as number from {TABLE}
        where date_event between :since and :until and (contexte = '' or type = 'transfert')
        group by 1, 2
        """,
        since=since,
        until=until,
    ):
        chambers[row["chambre"]]["counts"][row["type"]] = row["number"]
    held = view.row(
        """
        select coalesce(sum(number), 0) as number from (
          select max(retenus) as number from listes where date between :since and :until group by chambre, date
        )
        """,
        since=since,
        until=until,
    )
    # Of movements that came without lists no list is missing.
    counted = [
        chamber
        for chamber, week in chambers.items()
        if not week["gap"] and (week["list"] or any(week["counts"].values()))
    ]
    teams = whole_teams(view, since, until)
    return {
        "chambers": chambers,
        "counted": counted,
        "totals": {
            kind: sum(chambers[chamber]["counts"][kind] for chamber in counted) for kind in TYPES
        },
        "emptied": [event for event in teams if event["contexte"] == "elu_sortant"],
        "new": [event for event in teams if event["contexte"] == "elu_entrant"],
        "listed": any(week["list"] for week in chambers.values()),
        "held": held["number"] if held else 0,
    }


def _last_list(view: View, chamber: str, since: str, until: str) -> tuple[str, Gap | None]:
    """The day of the last list of a period, "" without one, and the days without a list that keep its counts from being known."""
    lists = view.version.list_days.get(chamber, [])
    low, high = bisect_left(lists, since), bisect_right(lists, until)
    if low == high:
        before, after = lists[:low][-1:], lists[high : high + 1]
        return "", Gap("".join(before), "".join(after)) if lists else None
    last = lists[high - 1]
    # What follows the last list of all is yet to come.
    end = last if high == len(lists) else until
    return last, view.coverage[chamber].gap_across(since, end)


def whole_teams(view: View, since: str, until: str) -> list[dict[str, Any]]:
    """The teams that were emptied and those that are new in some days, by `contexte` and `chambre`.

    Each with its numbers of `teams` and `names`, and the `renewal` (its day, "" where there is none) that emptied them.
    """
    rows = view.rows(
        f"""
        select chambre, contexte, count(distinct coalesce(elu_id, elu_nom)) as teams, count(*) as names,
          min(date_event) as first, max(date_event) as last
        from {TABLE}
        where date_event between :since and :until and contexte <> '' and type <> 'transfert'
        group by contexte, chambre order by contexte desc, teams desc, chambre
        """,
        since=since,
        until=until,
    )
    return [dict(row) | {"renewal": _renewal(view, dict(row))} for row in rows]


def _renewal(view: View, event: dict[str, Any]) -> str:
    """The day of the renewal or dissolution by which many teams were emptied; "" if there was none."""
    if event["contexte"] != "elu_sortant" or event["teams"] < FEWEST_TEAMS:
        return ""
    lists = view.version.list_days.get(event["chambre"], [])
    before = lists[: bisect_left(lists, event["first"])][-1:] or [event["first"]]
    earliest = add_days(before[0], -RENEWAL_DAYS)
    renewals = (day for day in RENEWALS[event["chambre"]] if earliest < day <= event["last"])
    return max(renewals, default="")


def group_changes(view: View, since: str, until: str) -> list[tuple[tuple[str, ...], list[Any]]]:
    """The members who went from one group to another, the latest first: (chamber, day, before, after), then the rows.

    Nobody went anywhere where a group took another name.
    """
    rows = view.rows(
        f"""
        select chambre, elu_id, elu_nom, groupe, debut, fin
        from {MEMBERSHIPS} join {TEAMS} using (chambre, elu_id)
        where (chambre, elu_id) in (
          select chambre, elu_id from {MEMBERSHIPS} where debut between :since and :until
        )
        order by chambre, elu_id, debut, fin = '', fin
        """,
        since=since,
        until=until,
    )
    changes: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for (chamber, _), own in groupby(rows, key=itemgetter("chambre", "elu_id")):
        held = [row for row in without_waits(list(own)) if row["groupe"] != NO_GROUP]
        for before, after in permutations(held, 2):
            day, old, new = after["debut"], before["groupe"], after["groupe"]
            follows = before["debut"] < day and add_days(day, -1) <= before["fin"] <= day
            same = old == new or (chamber == "senat" and is_renaming(old, new))
            if since <= day <= until and follows and not same:
                changes[chamber, day, old, new].append(after)
    for members in changes.values():
        members.sort(key=lambda row: plain(row["elu_nom"]))
    return sorted(changes.items(), key=lambda change: (change[0][1], change[0]), reverse=True)


def _data(view: View, since: str, until: str) -> dict[str, Any]:
    """What changed in the data: numbers alone of corrections and withdrawals, because a name withheld is linked to nothing."""
    numbers = view.row(
        """
        select (select count(*) from corrections where date between :since and :until) as corrections,
          (select count(*) from retraits where date between :since and :until) as withdrawn
        """,
        since=since,
        until=until,
    )
    refused = view.rows(
        """
        select chambre, date, motif, mesure, (
          select min(date) from listes next
          where next.chambre = refused.chambre and next.statut <> 'refusee' and next.nom > refused.nom
        ) as next
        from listes refused where statut = 'refusee' and date between :since and :until order by date desc, nom
        """,
        since=since,
        until=until,
    )
    return {"numbers": numbers, "refused": refused}


def _monday(name: str) -> str:
    """The Monday of a week of ISO 8601, « 2026-W47 »; raises PageMissing if there is none of that name."""
    match = re.fullmatch(r"([0-9]{4})-W([0-9]{2})", name)
    try:
        year, week = map(int, match.groups()) if match else (0, 0)
        return datetime.date.fromisocalendar(year, week, 1).isoformat()
    except ValueError:
        raise PageMissing(UNKNOWN) from None


def monday_of(day: str) -> str:
    """The Monday before a day, or that day; raises PageMissing if it is none."""
    try:
        date = datetime.date.fromisoformat(day)
        return (date - datetime.timedelta(date.weekday())).isoformat()
    except (ValueError, OverflowError):
        raise PageMissing(NO_DAY) from None


def week_name(day: str) -> str:
    """The week of a day, « 2026-W47 »."""
    year, week, _ = datetime.date.fromisoformat(day).isocalendar()
    return f"{year:04}-W{week:02}"
