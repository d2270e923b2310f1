"""The page of a week: what changed in the offices, among the members and in the data."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, TYPES, slug_of

from ...dataset.schema import TABLE
from ..counts import days
from ..counts.facts import Facts, Row
from ..frame.site import PageMissing, Site, with_query
from ..frame.sorting import page_of
from .calendar import CHARTED, Calendar, Week, read, week_of, weeks_chart

# Bytes of days on a page: with the frame, the table and the chart it stays below 60 kB.
MOST_BYTES = 42_000
# From so many on, members who change group on one day are folded; from so many on, only counted.
FOLDED_FROM, NAMED_UNDER = 6, 60
UNKNOWN = (
    "Aucune liste n’est connue pour cette semaine. Une semaine s’écrit comme 2026-W47, et celles qui"
    " ont une liste se suivent depuis « Cette semaine »."
)


NO_DAY = "Ce jour ne se lit pas : un jour s’écrit comme 2022-06-20."


class GroupChange(NamedTuple):
    """Members who went from one group to another on one day."""

    chamber: str
    day: str
    before: str
    after: str
    members: Sequence[tuple[str, str]]  # identifier, name

    @property
    def folded(self) -> bool:
        """Whether their names are folded."""
        return FOLDED_FROM <= len(self.members) < NAMED_UNDER

    @property
    def numbered(self) -> bool:
        """Whether they are too many to be named."""
        return len(self.members) >= NAMED_UNDER


async def week(site: Site, request: Request) -> Response:
    """What changed in a week; in that of the newest list where the address names none."""
    facts = await site.facts()
    calendar = await site.kept(
        ("calendar", facts.edition), lambda: _calendar(facts), lambda calendar: calendar.weight
    )
    name, date = request.url_vars["name"], request.args.get("date")
    if date and not name:
        return _of_day(site, calendar, date)
    asked = read(name) if name else calendar.newest
    if asked is None or not calendar.has(asked):
        raise PageMissing(UNKNOWN)
    wanted = read(request.args.get("demandee") or "")
    if wanted and calendar.nearest(wanted) != asked:
        wanted = None  # a closed set: the cache keeps each page once
    key = ("week", facts.build, asked.name)

    async def count() -> int:
        return len(days.pages(days.by_day(await _rows(facts, asked)), MOST_BYTES))

    number = request.args.get("page")
    page = (
        page_of(number, await site.kept((*key, "pages"), count, lambda _: 100), 1) if number else 1
    )
    # The page contains its path, of which it has two.
    return await site.cached(
        request,
        (*key, request.path, str(page), wanted.name if wanted else ""),
        "week",
        lambda: _context(site, facts, calendar, asked, page, wanted),
    )


def _of_day(site: Site, calendar: Calendar, date: str) -> Response:
    """To the week of a day, or the nearest one that there is to tell of, which says so."""
    try:
        wanted = week_of(datetime.date.fromisoformat(date).isoformat())
    except (ValueError, OverflowError):
        raise PageMissing(NO_DAY) from None
    found = calendar.nearest(wanted)
    if found is None:
        raise PageMissing(UNKNOWN)
    asked = wanted.name if found != wanted else ""
    return Response.redirect(site.path(f"/semaine/{found.name}", demandee=asked))


async def _context(
    site: Site,
    facts: Facts,
    calendar: Calendar,
    asked: Week,
    page: int,
    wanted: Week | None,
) -> dict[str, Any]:
    rows = await _rows(facts, asked)
    found = days.by_day(rows)
    cut = days.pages(found, MOST_BYTES)
    address = site.path(f"/semaine/{asked.name}")
    period = {"depuis": asked.since, "jusqua": asked.until}
    return {
        "week": asked,
        "wanted": wanted if wanted != asked else None,
        "years": calendar.years,
        "months": calendar.months(asked.since[:4]),
        "first": calendar.first,
        "last": calendar.last,
        "until": min(asked.until, calendar.last),
        "before": calendar.before(asked),
        "after": calendar.after(asked),
        "days": cut[page - 1],
        "page": page,
        "pages": len(cut),
        "link": lambda page: with_query(address, {"page": page if page > 1 else ""}),
        "canonical_query": {"page": page if page > 1 else ""},
        # Next week the short address shows another week.
        "canonical_path": address,
        "address": address,
        "feed": site.path("/flux", **period),
        "explorer": site.path("/explorer", **period),
        **_counts(facts, calendar, asked, rows),
        "contracts": any(office.contract for day in found for office in day.offices),
        "chart": await _chart(facts, asked),
        "changes": await _changes(facts, asked) if page == 1 else [],
        **await _data(facts, asked),
    }


async def _rows(facts: Facts, asked: Week) -> list[Row]:
    return await days.read(facts, asked.since, asked.until)


async def _calendar(facts: Facts) -> Calendar:
    """The weeks that there are to tell of in this version."""
    lists: dict[str, list[str]] = defaultdict(list)
    for chamber, day in await facts.reader.rows(
        "select distinct chambre, date from listes where statut <> 'refusee'", []
    ):
        lists[chamber].append(day)
    return Calendar(
        lists,
        [
            day
            for (day,) in await facts.reader.rows(
                f"select distinct date_event from {TABLE} order by 1", []
            )
        ],
    )


def _counts(facts: Facts, calendar: Calendar, asked: Week, rows: list[Row]) -> dict[str, Any]:
    """The week in numbers: of each chamber, what its lists know of it, and in all."""
    numbers = days.numbers(rows)
    accounts = {chamber: calendar.account(asked, chamber) for chamber in CHAMBERS}
    read_on: dict[str, list[str]] = defaultdict(list)
    for chamber, account in accounts.items():
        if account and account.last:
            read_on[account.last].append(chamber)
    return {
        "accounts": accounts,
        # What changed in a hole is dated by the list that ends it: no number of the week is known.
        "over": [chamber for chamber, account in accounts.items() if account and account.over],
        "numbers": numbers,
        "totals": {kind: sum(one[kind] for one in numbers.values()) for kind in TYPES},
        "total": len(rows),
        "read_on": sorted(read_on.items(), reverse=True),
        "coverage": facts.coverage,
    }


async def _chart(facts: Facts, asked: Week) -> Any:
    """The weeks up to this one, without what comes with the end or begin of mandates."""
    found = await facts.reader.rows(
        f"""
        select chambre, date_event, count(*) from {TABLE}
        where contexte = '' and date_event between date(?, ?) and ? group by 1, 2
        """,
        [asked.since, f"-{7 * (CHARTED - 1)} days", asked.until],
    )
    counts: Counter[tuple[str, str]] = Counter()
    for chamber, day, movements in found:
        counts[chamber, week_of(day).since] += movements
    return weeks_chart(asked, facts.coverage, counts)


async def _changes(facts: Facts, asked: Week) -> list[GroupChange]:
    """The members who went from one group to another, the latest first."""
    found = await facts.reader.rows(
        """
        select a.chambre, a.debut, b.groupe, a.groupe, a.elu_id from _appartenances a
        join _appartenances b on b.chambre = a.chambre and b.elu_id = a.elu_id
          and b.fin between date(a.debut, '-1 day') and a.debut and b.debut < a.debut
        where a.debut between ? and ? and a.groupe <> b.groupe
        """,
        [asked.since, asked.until],
    )
    names = {c: {one.identifier: one.name for one in facts.members[c]} for c in CHAMBERS}
    grouped: dict[tuple[str, str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for chamber, day, before, after, member in found:
        if member in names[chamber]:
            grouped[chamber, day, before, after].append((member, names[chamber][member]))
    changes = [
        GroupChange(*place, sorted(members, key=_name)) for place, members in grouped.items()
    ]
    return sorted(changes, key=lambda one: (one.day, one.chamber, one.before), reverse=True)


def _name(member: tuple[str, str]) -> str:
    return slug_of(member[1], "")


async def _data(facts: Facts, asked: Week) -> dict[str, Any]:
    """What the week changed in the data, in numbers alone: a name withheld must not be linked to anything."""
    dates = [asked.since, asked.until]
    ((corrections,),) = await facts.reader.rows(
        "select count(*) from corrections where date between ? and ?", dates
    )
    ((removed,),) = await facts.reader.rows(
        "select count(*) from retraits where date between ? and ?", dates
    )
    refused = await facts.reader.rows(
        """
        select chambre, date, motif, mesure, (select min(date) from listes b
          where b.chambre = a.chambre and b.statut <> 'refusee' and b.nom > a.nom) as suite
        from listes a where statut = 'refusee' and date between ? and ? order by date desc, nom
        """,
        dates,
    )
    held = await days.held(facts, *dates)
    return {"held": held, "corrections": corrections, "removed": removed, "refused": refused}
