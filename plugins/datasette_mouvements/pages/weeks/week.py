"""The page of a week: what changed in the offices, among the members and in the data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, TYPES, slug_of

from ... import addresses
from ...dataset.schema import TABLE
from ..counts import days
from ..counts.facts import Facts, Row
from ..frame.not_found import absent
from ..frame.site import Site
from ..frame.sorting import page_of
from .calendar import CHARTED, Calendar, Week, charted, read, week_of

# A page of days has about so many bytes of them: with the frame, the table and the chart less than 60 kB.
MOST_BYTES = 42_000
# So many members who change from one group to another on one day are folded, more are told by their number.
FOLDED_FROM, NAMED_UNDER = 6, 60
UNKNOWN = (
    "Aucune liste n’est connue pour cette semaine. Une semaine s’écrit comme 2026-W47, et celles qui"
    " ont une liste se suivent depuis « Cette semaine »."
)


class Change(NamedTuple):
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
    calendar = await _calendar(site, facts)
    name = request.url_vars["name"]
    asked = read(name) if name else calendar.newest
    if asked is None or not calendar.has(asked):
        return await absent(site, request, UNKNOWN)
    here = request.path
    prepared = ("week", facts.build, asked.name)
    pages = site.cache.get((*prepared, "pages"))
    page = page_of(request.args.get("page"), pages or 10_000, 1)
    key = (*prepared, here, str(page))
    known = site.cached_page(request, key)
    if known is not None:
        return known
    rows = await days.read(facts, asked.since, asked.until)
    cut = days.pages(days.by_day(rows), MOST_BYTES)
    site.cache.put((*prepared, "pages"), len(cut), 100)
    page = page if page <= len(cut) else 1
    key = (*key[:-1], str(page))
    context = {
        "week": asked,
        "until": min(asked.until, calendar.last),
        "before": calendar.before(asked),
        "after": calendar.after(asked),
        "days": cut[page - 1],
        "page": page,
        "pages": len(cut),
        "canonical_query": {"page": page if page > 1 else ""},
        # Next week the short address shows another week.
        "canonical_path": site.path(f"/semaine/{asked.name}"),
        "address": site.path(f"/semaine/{asked.name}"),
        "feed": site.path("/flux", depuis=asked.since, jusqua=asked.until),
        "explorer": site.path("/explorer", depuis=asked.since, jusqua=asked.until),
        "file": site.path(addresses.FILE_OF_A_SEARCH, depuis=asked.since, jusqua=asked.until),
        **_counts(facts, calendar, asked, rows),
        "chart": await _chart(facts, asked),
        "changes": await _changes(facts, asked) if page == 1 else [],
        **await _data(facts, asked),
    }
    return await site.cache_page(request, key, "week", context)


async def _calendar(site: Site, facts: Facts) -> Calendar:
    """The weeks that there are to tell of in this version."""
    key = ("calendar", facts.edition)
    known: Calendar | None = site.cache.get(key)
    if known is None:
        lists: dict[str, list[str]] = defaultdict(list)
        for chamber, day in await facts.reader.rows(
            "select distinct chambre, date from listes where statut <> 'refusee'", []
        ):
            lists[chamber].append(day)
        movements = [day for (day,) in await facts.reader.rows("select jour from _jours", [])]
        known = Calendar(lists, movements)
        site.cache.put(key, known, 100 * sum(map(len, (movements, *lists.values()))))
    return known


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
        "contracts": any(office.contract for day in days.by_day(rows) for office in day.offices),
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
    return charted(asked, facts.coverage, counts)


async def _changes(facts: Facts, asked: Week) -> list[Change]:
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
    changes = [Change(*place, sorted(members, key=_name)) for place, members in grouped.items()]
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
    return {"corrections": corrections, "removed": removed, "refused": refused}
